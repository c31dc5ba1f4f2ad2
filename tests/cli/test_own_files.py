"""No option can name the input or another output; nothing that is not ours is removed."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.test_bad_input import run
from tacit.cli import own_files

ROWS = "age,income\n" + "".join(f"{20 + i % 50},{1000 + 7 * i}\n" for i in range(60))
PLANS = '[[plans]]\n[[plans.steps]]\nmethod = "noise"\npercent = 10\n'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an input, a link to it, a release, plans, and a Parquet file."""
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text(ROWS)
    os.link("in.csv", "hard.csv")
    Path("soft.csv").symlink_to("in.csv")
    Path("masked.csv").write_text(ROWS)
    Path("plans.toml").write_text(PLANS)
    pq.write_table(pa.table({"a": [float(i) for i in range(50)]}), "in.parquet")
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


PROTECT = ["protect", "in.csv", "out.csv", "--method", "microaggregation"]
ASSESS = ["assess", "in.csv", "masked.csv"]
BLOCKS = ["protect", "--method", "microaggregation", "--blocks", "100", "in.parquet"]
COMPARE = ["compare", "in.csv", "--plans", "plans.toml"]


@pytest.mark.parametrize(
    "command",
    [
        ["protect", "in.csv", "in.csv", "--method", "microaggregation"],
        ["protect", "in.csv", "hard.csv", "--method", "microaggregation"],
        ["protect", "in.csv", "soft.csv", "--method", "microaggregation"],
        [*PROTECT, "--save-plan", "in.csv"],
        [*PROTECT, "--save-plan", "out.csv"],
        [*PROTECT, "--save-plan", "out.csv.manifest.json"],
        [*ASSESS, "--records", "in.csv"],
        [*ASSESS, "--html", "masked.csv"],
        [*ASSESS, "--html", "a.html", "--json", "a.html"],
        [*COMPARE, "--save-plan", "plans.toml"],
        [*COMPARE, "--resume", "hard.csv"],
        ["schema", "in.csv", "-o", "hard.csv"],
        [*BLOCKS, "in.parquet", "--set", "k=3"],
    ],
    ids=lambda command: " ".join(command),
)
def test_nothing_is_overwritten_even_with_force(here: Path, command: list[str]) -> None:
    before = files(here)
    force = [] if "--resume" in command else ["--force"]
    result = run(*command, *force)
    assert result.returncode == 2
    assert "named by" in result.stderr or "is the input itself" in result.stderr
    assert files(here) == before


def test_a_folder_that_is_not_ours_stays(here: Path) -> None:
    work = here / "out.parquet.work"
    work.mkdir()
    (work / "thesis.txt").write_text("years of work")
    result = run(*BLOCKS, "out.parquet", "--set", "k=3", "--quasi", "a", "--resume")
    assert result.returncode == 2
    assert "not of a run of tacit" in result.stderr
    assert (work / "thesis.txt").read_text() == "years of work"


def test_a_folder_that_cannot_be_written_is_said_before_the_work(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # root, who runs the tests in a container, can write everywhere
    monkeypatch.setattr(own_files.os, "access", lambda path, mode: mode != os.W_OK)
    result = run(*PROTECT)
    assert result.returncode == 2
    assert "cannot be written" in result.stderr
    assert not Path("out.csv").exists()


def test_files_are_written_before_tables_are_shown(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``tacit assess ... --html report.html | head`` ends the command in the middle."""

    def ended(*_: object, **__: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("tacit.cli.options.show_or_write", ended)
    words = ["assess", "in.csv", "in.csv", "--aligned", "--attackers", "nearest"]
    run(*words, "--html", "report.html", "--records", "risk.csv")
    assert Path("report.html").is_file()
    assert Path("risk.csv").is_file()
