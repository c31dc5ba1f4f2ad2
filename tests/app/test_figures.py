"""The page and the command line tell one story."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tacit as tc
from tacit.app import work
from tacit.app.figures import INFORMED, MANY, left_out, quick
from tacit.trials import Settings


@pytest.mark.parametrize(
    ("method", "parameters"),
    [("noise", {"percent": 20.0}), ("noise", {"percent": 90.0, "columns": ["FEDTAX", "TAXINC"]})],
)
def test_the_map_shows_what_compare_finds(tmp_path: Path, method: str, parameters: dict[str, Any]) -> None:
    path = tmp_path / "survey.csv"
    tc.write(tc.datasets.make_census(150, seed=1), path)
    told: list[Any] = []
    step = {"method": method, "parameters": parameters, "seed": 3}
    work.run(
        lambda kind, value: told.append(value) if kind == "tick" else None,
        str(path), "survey.csv", {}, {}, [{"run": 1, "label": "a plan", "steps": [step]}], 0.05, str(tmp_path), "quick",
    )  # fmt: skip
    (tick,) = told
    assert not tick["error"]
    shown = tick["summary"]["trial"]
    plan = tc.Plan((tc.Step(method, parameters, 3),))
    (found,) = tc.compare(tc.read(path), [plan], workers=1).trials
    assert (shown.risk, shown.attacker, shown.loss, shown.score) == (
        found.risk, found.attacker, found.loss, found.score,
    )  # fmt: skip
    assert shown.risk == max(value for name, value in found.measures.items() if name.startswith("rate: "))
    if "columns" in parameters:
        assert "rate: unchanged_columns" in shown.measures
    titles = [row["title"] for row in tick["summary"]["attacks"]]
    assert len(titles) == sum(name.startswith("rate: ") for name in shown.measures)


def test_quick_runs_say_what_they_leave_out() -> None:
    usual = Settings()
    assert left_out(INFORMED) == ""
    assert replace(quick(INFORMED), risks=usual.risks, losses=usual.losses) == usual
    assert not quick(INFORMED + 1).informed
    assert "does not know the plan" in left_out(INFORMED + 1)
    assert quick(MANY + 1).attackers == ("nearest",)
    assert "nearest record alone" in left_out(MANY + 1)
