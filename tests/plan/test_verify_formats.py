"""A release is the same bytes at any time of day, in every format that is written."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from cli.test_bad_input import run
from tacit.base.errors import TacitWarning
from tacit.plan import manifest
from tacit.plan.plan import Plan, Step

FORMATS = ["csv", "parquet", "dta", "sav", "zsav", "xlsx", "feather", "por", "xpt"]


def _source(folder: Path) -> Path:
    rng = np.random.default_rng(3)
    path = folder / "in.csv"
    frame = pd.DataFrame(
        {
            "AGE": rng.integers(18, 90, 60),
            "INCOME": np.round(rng.normal(3000, 500, 60), 2),
            "NOTE": rng.choice(["=1+1", "x", "y"], 60),
        }
    )
    frame.loc[3, "AGE"] = 999
    frame.to_csv(path, index=False)
    return path


def _schema() -> tc.Schema:
    return tc.Schema.from_toml('[columns.AGE]\nmissing = [999]\nlabel = "Age"\n')


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("safe", [False, True])
def test_verify_says_yes(tmp_path: Path, ending: str, safe: bool) -> None:
    if ending in ("dta", "sav", "zsav", "por", "xpt"):
        pytest.importorskip("pyreadstat")
    if ending == "xlsx":
        pytest.importorskip("xlsxwriter")
    source, release = _source(tmp_path), tmp_path / f"out.{ending}"
    data = tc.read(source, _schema(), quasi=["AGE", "INCOME"])
    plan = Plan((Step("noise", {"percent": 10}, seed=2**100),))
    masked = plan.mask(data)
    tc.write(masked, release, safe_formulas=safe)
    record = manifest.describe(
        plan, source, data, release, masked, 0.1, safe_formulas=safe
    )
    checks = manifest.verify(manifest.write(record, release))
    assert checks["verified"], checks


RUN = """
import sys
from tacit.cli import main
what, *files = sys.argv[1:]
for file in files:
    sys.argv = ["tacit", *what.replace("FILE", file).split()]
    try:
        main()
    except SystemExit as end:
        assert not end.code, (file, end.code)
"""


@pytest.mark.slow
@pytest.mark.needs("faketime")
def test_an_hour_later(tmp_path: Path) -> None:
    source, schema = _source(tmp_path), tmp_path / "schema.toml"
    schema.write_text(_schema().to_toml())
    releases = [str(tmp_path / f"out.{ending}") for ending in FORMATS]

    def tacit(clock: str, what: str) -> str:
        command = [str(shutil.which("faketime")), "-f", clock, sys.executable]
        done = subprocess.run(
            [*command, "-c", RUN, what, *releases], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    # two clocks that differ in minute, hour, day and year
    tacit(
        "@2026-12-31 23:30:00",
        f"protect {source} FILE --method noise --schema {schema} "
        "--quasi AGE,INCOME --confidential NOTE",
    )
    assert "2026-12-31" in Path(f"{releases[0]}.manifest.json").read_text()
    seen = tacit("@2027-01-01 00:31:00", "verify FILE.manifest.json")
    assert "NO" not in seen
    assert seen.count("yes  verified") == len(releases)


@pytest.mark.parametrize("ending", ["dta", "sav", "por", "xpt"])
def test_renamed_columns_are_attacked_all_the_same(tmp_path: Path, ending: str) -> None:
    """A column under the name that Stata allows was left out of the attacks: risk looked small."""
    pytest.importorskip("pyreadstat")
    rng = np.random.default_rng(3)
    source, release = tmp_path / "in.csv", tmp_path / f"out.{ending}"
    cells = {"net income": rng.normal(3000, 500, 60), "2nd": rng.normal(5, 1, 60)}
    pd.DataFrame(cells | {"x": rng.integers(0, 2, 60)}).to_csv(source, index=False)
    with pytest.warns(TacitWarning, match="'net income' is '"):
        record = tc.release(
            Plan((Step("noise", {"percent": 1}, seed=2**100),)),
            source,
            release,
            quasi=["net income", "2nd", "x"],
        )
    there = record["output"]["renamed"]
    assert set(there) >= {"net income", "2nd"}
    assert set(there.values()) <= set(tc.read(release).names)
    plan = ["--plan", f"{release}.manifest.json"]
    done = run(
        "assess", source, release, *plan, "--attackers", "nearest", "--json", "-"
    )
    assessed = json.loads(done.stdout)
    assert assessed["attributes"] == 3
    # with x alone, which has two values, it would be 2
    assert assessed["attacks"]["nearest"]["correct"] > 45
