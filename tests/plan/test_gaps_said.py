"""What became of gaps is counted in the manifest and said in the command's answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import tacit as tc
from tacit.cli import app
from tacit.plan.outcomes import sentences

pytestmark = pytest.mark.filterwarnings("ignore::tacit.base.errors.TacitWarning")


def frame(n: int = 80) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)})
    table.loc[:9, "a"] = None
    table.loc[8:10, "b"] = None
    return table


def outcomes(*steps: tc.Step, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    data = tc.Microdata.of(frame(), **more)
    tc.Plan(steps).mask(data, found)
    return found


def test_gaps_are_counted_by_column_and_by_what_became_of_them() -> None:
    """Nobody shares the gaps of rows 8 and 9 (no value), and of row 10, with k = 5."""
    [kept] = outcomes(tc.Step("microaggregation", {"k": 5}))
    assert kept["gaps"] == {"kept": {"a": 10, "b": 3}, "rare_patterns": 3}
    [filled] = outcomes(tc.Step("microaggregation", {"k": 5, "gaps": "fill"}))
    assert filled["gaps"] == {"filled": {"a": 10, "b": 3}, "rare_patterns": 0}
    [noise] = outcomes(tc.Step("noise", {"percent": 5}, 1))
    assert noise["gaps"] == {"kept": {"a": 10, "b": 3}}
    _, line = sentences([kept])
    assert line.startswith(
        "Gaps in step 1 (microaggregation): 13 stayed gaps. 3 records"
    )


def test_records_of_one_person_are_one_who_has_the_pattern() -> None:
    """Eight records without a are those of four persons: fewer than k = 5."""
    who = np.repeat(np.arange(40), 2)
    found: list[dict[str, Any]] = []
    data = tc.Microdata.of(frame().assign(who=who), person="who", quasi=["a", "b"])
    tc.Plan((tc.Step("microaggregation", {"k": 5}),)).mask(data, found)
    assert found[0]["gaps"]["rare_patterns"] == 11


def test_a_file_without_gaps_has_nothing_said_of_it() -> None:
    found: list[dict[str, Any]] = []
    plan = tc.Plan((tc.Step("microaggregation", {"k": 3}),))
    plan.mask(tc.Microdata.of(frame().iloc[11:]), found)
    assert all("gaps" not in one for one in found)
    assert not any("Gaps" in line for line in sentences(found))


def test_the_command_says_it(tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    frame().to_csv(source, index=False)
    command = ["protect", str(source), str(out), "--method", "microaggregation"]
    result = CliRunner().invoke(app, [*command, "--set", "k=5"])
    assert result.exit_code == 0, result.output
    assert "13 stayed gaps" in result.output
    manifest = json.loads(Path(f"{out}.manifest.json").read_text())
    assert manifest["outcomes"][0]["gaps"]["kept"] == {"a": 10, "b": 3}
