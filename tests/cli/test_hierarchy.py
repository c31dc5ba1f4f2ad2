"""``tacit hierarchy`` and ``tacit protect --hierarchies``: from tables and rules to a release."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import tacit as tc
from tacit.base.errors import TacitError
from tacit.cli import app


def run(*words: object) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    path = tmp_path / "visits.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["day", "postcode", "icd", "age"])
        for _ in range(300):
            day = np.datetime64("2024-01-01") + int(rng.integers(0, 360))
            town = rng.choice(["80331", "80333", "10115", "10117"])
            icd = rng.choice(["J45.0", "J46", "K20", "I10"])
            writer.writerow([day, town, icd, int(rng.integers(0, 100))])
    return path


ROLES = (
    "--quasi",
    "day,postcode,age",
    "--confidential",
    "icd",
    "--code",
    "postcode,icd",
)


def test_a_hierarchy_is_made_drawn_and_read_again(visits: Path, tmp_path: Path) -> None:
    out, svg = tmp_path / "icd.csv", tmp_path / "icd.svg"
    words = ["hierarchy", visits, "--column", "icd", "--rule", "prefix=[3, 1]"]
    text = run(*words, "-o", out, "--svg", svg, *ROLES)
    assert "icd: 3 levels above the values; classes by level: 4, 4, 3, 1." in text
    assert "\n  J*  (2)\n" in text
    assert "J45.0;J45*;J*;*" in out.read_text()
    assert svg.read_text().count("<text") == 4 + 4 + 3 + 1
    again = run(
        "hierarchy", visits, "--column", "icd", "--table", out, "--json", *ROLES
    )
    assert json.loads(again)["classes"] == [4, 4, 3, 1]


def test_what_is_wrong_is_one_sentence(visits: Path, tmp_path: Path) -> None:
    table = tmp_path / "icd.csv"
    table.write_text("J45.0;J*\nJ46;J*\nK20;K*\n")
    words = ["hierarchy", visits, "--column", "icd", "--table", table, *ROLES]
    with pytest.raises(
        TacitError, match=r"column 'icd', row \d+: .*does not cover 'I10'"
    ):
        run(*words)
    assert "elsewhere" in run(*words, "--unseen", "elsewhere")
    table.write_text("J45.0;J*;top\nJ46;J*;other top\n")
    with pytest.raises(
        TacitError, match="row 2: the class 'J\\*' of level 1 has two parents"
    ):
        run(*words)
    with pytest.raises(TacitError, match="not both"):
        run(*words, "--rule", "prefix=[1]")


def test_a_folder_of_hierarchies_gives_a_release_that_verifies(
    visits: Path, tmp_path: Path
) -> None:
    folder, out = tmp_path / "h", tmp_path / "out.csv"
    folder.mkdir()
    (folder / "postcode.csv").write_text(
        "80331;803**;*\n80333;803**;*\n10115;101**;*\n10117;101**;*\n"
    )
    (folder / "hierarchies.toml").write_text(
        '[day]\ndates = ["month", "quarter", "year"]\n[age]\nladder = [10, 20]\nabove = 90\n'
    )
    settings = ("--set", "k=5", "--set", "l_diversity={entropy=2}")
    words = ("protect", visits, out, "--method", "generalisation")
    run(*words, "--hierarchies", folder, *settings, *ROLES)
    assert "same" in run("verify", f"{out}.manifest.json").lower()
    released = tc.read(out, code=["postcode"], nominal=["day", "age", "icd"])
    keys = list(
        zip(
            *[released.table[name].to_pylist() for name in ("day", "postcode", "age")],
            strict=True,
        )
    )
    assert min(keys.count(key) for key in set(keys)) >= 5
    manifest = json.loads(Path(f"{out}.manifest.json").read_text())
    # the table stays in its file, and the plan knows what it held
    assert len(json.dumps(manifest["plan"])) < 2_000
    (folder / "postcode.csv").write_text("80331;*;*\n80333;*;*\n10115;*;*\n10117;*;*\n")
    with pytest.raises(TacitError, match="not the one that the plan was made with"):
        run("verify", f"{out}.manifest.json")


def test_until_turns_k(visits: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    words = (
        "protect",
        visits,
        out,
        "--method",
        "generalisation",
        "--until",
        "risk<=0.2",
    )
    run(*words, *ROLES)
    found = json.loads(Path(f"{out}.manifest.json").read_text())["until"]
    assert found["parameter"] == "k"
    assert found["risk"] <= 0.2


def test_a_search_with_a_budget_and_a_state(visits: Path, tmp_path: Path) -> None:
    release = tmp_path / "release.csv"
    state = tmp_path / "state.json"
    words = ["protect", visits, release, "--method", "generalisation", "--set", "k=5"]
    words += ["--search-state", state, *ROLES]
    # no time at all: nothing is written but the state
    with pytest.raises(TacitError, match="before it had counted a node"):
        run(*words, "--budget", "0")
    assert state.exists()
    assert not release.exists()
    run(*words, "--budget", "1000")
    assert release.exists()
    # a search that came to its end leaves no state
    assert not state.exists()
