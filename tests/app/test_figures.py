"""The page and the command line tell one story."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import tacit as tc
from tacit.app import work
from tacit.app.figures import INFORMED, MANY, _trial, left_out, quick
from tacit.app.messages import Finished
from tacit.assess.assessment import Failure
from tacit.base.measure import Measure
from tacit.compare.found import READ_OFF
from tacit.compare.frontier import Frontier
from tacit.compare.trial import LOSS, STRONGEST, Trial
from tacit.compare.trials import Settings


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("noise", {"percent": 20.0}),
        ("noise", {"percent": 90.0, "columns": ["FEDTAX", "TAXINC"]}),
    ],
)
def test_the_map_shows_what_compare_finds(
    tmp_path: Path, method: str, parameters: dict[str, object]
) -> None:
    """Risk, attacker, loss and score of a plan are those of `tc.compare`."""
    path = tmp_path / "survey.csv"
    tc.write(tc.datasets.make_census(150, seed=1), path)
    ticks: list[Finished] = []
    step = {"method": method, "parameters": parameters, "seed": 3}
    work.run(
        lambda kind, value: ticks.append(value) if kind == "tick" else None,
        {"path": str(path), "roles": {}, "kinds": {}, "missing": {}},
        {
            "name": "survey.csv",
            "bound": 0.05,
            "limits": {},
            "folder": str(tmp_path),
            "depth": "quick",
        },
        [{"run": 1, "label": "a plan", "steps": [step]}],
    )
    (tick,) = ticks
    assert not tick["error"]
    shown = tick["summary"]["trial"]
    plan = tc.Plan((tc.Step(method, parameters, 3),))
    (trial,) = tc.compare(tc.read(path), [plan], workers=1).trials
    for figure in ("risk", "attacker", "loss", "score"):
        assert getattr(shown, figure) == getattr(trial, figure)
    rates = {n: v for n, v in trial.measures.items() if n.startswith("rate: ")}
    assert shown.risk == max(rates.values())
    if "columns" in parameters:
        assert "rate: unchanged_columns" in shown.measures
    titles = [row["title"] for row in tick["summary"]["attacks"]]
    # what columns left alone give away needs no attacker
    attacks = {name for name in shown.measures if name.startswith("rate: ")}
    assert len(titles) == len(attacks - {f"rate: {READ_OFF}"})


def test_quick_runs_say_what_they_leave_out() -> None:
    """The limits of a quick run are those of the sentence about it."""
    usual = Settings()
    assert left_out(INFORMED) == ""
    assert replace(quick(INFORMED), risks=usual.risks, losses=usual.losses) == usual
    assert not quick(INFORMED + 1).informed
    assert "does not know the plan" in left_out(INFORMED + 1)
    assert quick(MANY + 1).attackers == ("nearest",)
    assert "nearest record alone" in left_out(MANY + 1)


def test_what_the_verdict_says_the_map_says_too() -> None:
    """A release that is not safe, or not assessed, is never recommended on the page."""
    data = tc.Microdata.of(tc.datasets.make_census(120, seed=1))
    step = tc.Step("noise", {"percent": 400}, 3)
    plan = tc.Plan((step,))
    result = tc.assess(data, plan.apply(data), risks=(), losses=("IL",), truth="rows")
    assert _recommended(_trial(plan, result, 0.2))
    failed = replace(
        result, attacks={**result.attacks, "blocks": Failure("blocks", "broken")}
    )
    trial = _trial(plan, failed, 0.2)
    assert trial.verdict(0.2).state == "not assessed"
    assert "broken" in trial.unknown
    assert not _recommended(trial)
    # a measure above its threshold counts as well as an attack
    exposed = Measure("k_anonymity", 0.4, (0, 1), "", "", {"categorical keys": True})
    trial = _trial(plan, replace(result, risk={"k_anonymity": exposed}), 0.2)
    assert trial.exposed == {"k_anonymity": [0.4, 0.0]}
    assert not _recommended(trial)


def _recommended(trial: Trial) -> bool:
    found = Frontier((trial,), STRONGEST, LOSS, 0.2, trial.records)
    return found.recommended is trial
