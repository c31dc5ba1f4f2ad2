"""The commands: compare, protect --until, assess --records."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

from tacit.base.errors import ParameterError
from tacit.cli import app
from tacit.cli.compare import seconds


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small file and plans for it, in the current folder."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3))
    lines = ["a,b,c", *(",".join(f"{v:.6f}" for v in row) for row in x)]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "plans.toml").write_text(
        '[[plans]]\nmethod = "microaggregation"\nk = { values = [3, 25] }\n'
        '[[plans]]\nmethod = "noise"\npercent = 5\n'
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tacit(*words: str) -> Result:
    """The command with these words."""
    return CliRunner().invoke(app, list(words))


def test_compare_writes_everything_it_is_asked_for(folder: Path) -> None:
    """JSON, map, page, plan and journal; the plan can be applied."""
    done = tacit(
        *[
            "compare",
            "in.csv",
            "--plans",
            "plans.toml",
            "--workers",
            "1",
            "--seeds",
            "2",
            "--resume",
            "runs.jsonl",
            "--attackers",
            "nearest",
            "--bound",
            "0.2",
        ],
        *[
            "--json",
            "out.json",
            "--svg",
            "map.svg",
            "--html",
            "map.html",
            "--save-plan",
            "best.toml",
        ],
    )
    assert done.exit_code == 0, done.output
    assert "Recommended: microaggregation(k=25)" in done.output
    found = json.loads((folder / "out.json").read_text())
    assert found["recommended"] == "microaggregation(k=25)"
    assert len(found["plans"]) == 3
    assert (folder / "runs.jsonl").read_text().count("outcome") == 4
    assert (folder / "map.svg").read_text().startswith("<svg")
    assert "microaggregation" in (folder / "map.html").read_text()
    again = tacit("protect", "in.csv", "out.csv", "--plan", "best.toml")
    assert again.exit_code == 0, again.output


def test_no_safe_plan_is_no_recommendation(folder: Path) -> None:
    """Exit code 2, no plan written, and the reason in words."""
    options = ["--workers", "1", "--seeds", "1", "--save-plan", "best.toml"]
    done = tacit("compare", "in.csv", "--plans", "plans.toml", *options)
    assert done.exit_code == 2
    assert "none is recommended" in done.output
    assert "Recommended" not in done.output
    assert not (folder / "best.toml").exists()


def test_compare_never_overwrites_unasked(folder: Path) -> None:
    """A file that is there stays, without --force."""
    (folder / "out.json").write_text("mine")
    done = tacit(
        *[
            "compare",
            "in.csv",
            "--plans",
            "plans.toml",
            "--workers",
            "1",
            "--json",
            "out.json",
        ]
    )
    assert done.exit_code != 0
    assert (folder / "out.json").read_text() == "mine"


def test_a_budget_is_read() -> None:
    """Seconds, minutes, hours; anything else is one sentence."""
    assert [seconds(t) for t in ("90", "90s", "10m", "1.5h")] == [90, 90, 600, 5400]
    with pytest.raises(ValueError, match="write a time such as"):
        seconds("soon")


def test_a_budget_in_which_no_plan_ends_is_one_sentence_and_no_file(
    folder: Path,
) -> None:
    command = ["compare", "in.csv", "--plans", "plans.toml", "--budget", "0.0001"]
    done = tacit(*command, "--json", "out.json", "--svg", "map.svg", "--html", "a.html")
    assert isinstance(done.exception, ParameterError)
    assert str(done.exception).startswith("--budget 0.0001: no plan had ended on 60 ")
    assert sorted(path.name for path in folder.iterdir()) == ["in.csv", "plans.toml"]


def test_protect_until_a_bound_holds(folder: Path) -> None:
    """The release keeps the bound, and the manifest says how it was found."""
    done = tacit(
        "protect",
        "in.csv",
        "out.csv",
        "--method",
        "microaggregation",
        "--until",
        "risk<=0.2",
        "--seed",
        "1",
    )
    assert done.exit_code == 0, done.output
    assert "risk<=0.2 holds" in done.output
    record = json.loads((folder / "out.csv.manifest.json").read_text())
    assert record["until"]["risk"] <= 0.2
    checked = tacit(
        "assess",
        "in.csv",
        "out.csv",
        "--plan",
        "out.csv.manifest.json",
        "--fail-above",
        "0.2",
        "--records",
        "risk.csv",
        "--attackers",
        "nearest",
    )
    assert checked.exit_code == 0, checked.output
    lines = (folder / "risk.csv").read_text().splitlines()
    assert lines[0].startswith("row,highest,nearest")
    assert len(lines) == 61


def test_assess_takes_models_and_thresholds(folder: Path) -> None:
    """Options of measures and of the verdict reach them."""
    words = [
        "assess",
        "in.csv",
        "in.csv",
        "--attackers",
        "nearest",
        "--json",
        "-",
        "--model",
        "a ~ b + c",
    ]
    # the file itself: every risk that the attacks feed is at its highest
    loose = [
        "attack=1",
        "raw_records=1",
        "strongest=1",
        "worst_off=1",
        "subgroups=1",
        "interval_excess=1",
    ]
    done = tacit(*words, *[word for limit in loose for word in ("--threshold", limit)])
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert found["loss"]["regression"]["value"] == pytest.approx(0, abs=1e-9)
    assert found["verdict"]["safe"] is True
    strict = json.loads(tacit(*words, "--threshold", "attack=0.5").output)
    assert strict["verdict"]["safe"] is False


def test_a_bound_out_of_reach_writes_nothing(folder: Path) -> None:
    """No release is better than one that breaks the bound."""
    done = tacit(
        "protect",
        "in.csv",
        "out.csv",
        "--method",
        "noise",
        "--seed",
        "1",
        "--until",
        "interval<=0",
    )
    assert done.exit_code != 0
    assert not (folder / "out.csv").exists()


def test_assess_takes_the_roles_of_the_manifest(folder: Path) -> None:
    """The intruder is the one whom the release was made against, unless options say otherwise."""
    made = tacit(
        "protect",
        "in.csv",
        "out.csv",
        "--method",
        "microaggregation",
        "--quasi",
        "a,b",
        "--other",
        "c",
    )
    assert made.exit_code == 0, made.output
    assert (
        "Now attack it: tacit assess in.csv out.csv --plan out.csv.manifest.json\n"
        in made.output
    )
    words = [
        "assess",
        "in.csv",
        "out.csv",
        "--attackers",
        "nearest",
        "--plan",
        "out.csv.manifest.json",
        "--json",
        "-",
    ]
    result = json.loads(tacit(*words).output)
    assert "unchanged_columns" not in result["attacks"]
    assert result["attacks"]["nearest"]["columns"] == ["a", "b"]
    other = json.loads(tacit(*words, "--quasi", "a,b,c").output)
    assert other["attacks"]["unchanged_columns"]["columns"] == ["c"]
