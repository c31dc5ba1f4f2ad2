"""How runs become a trial, a verdict and a recommendation; what a journal may be taken for."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from tacit.assess.assessment import Assessment
from tacit.attack.linkage import Linkage
from tacit.base.errors import TacitError
from tacit.base.measure import Measure
from tacit.compare import attacked
from tacit.compare import until as until_module
from tacit.compare.attacked import Attacked
from tacit.compare.bound import Bound
from tacit.compare.found import strongest
from tacit.compare.frontier import Frontier
from tacit.compare.journal import Journal
from tacit.compare.trial import Trial
from tacit.compare.trials import Outcome, Settings, TrialRun
from tacit.compare.until import protect_until
from tacit.plan.plan import Plan, Step

PLAN = Plan((Step("noise", {"percent": 5}),), "a")


def outcome(weak: float, strong: float, upper: float = 0.0, **more: object) -> Outcome:
    return Outcome(
        attacks={"nearest": weak, "assignment": strong},
        intervals={
            "nearest": (weak, weak),
            "assignment": (strong, max(strong, upper)),
        },
        measures={"IL": 0.5},
        score=1.0,
        **more,
    )


def trial(*outcomes: Outcome) -> Trial:
    return Trial.of(PLAN, 100, outcomes)


def test_the_risk_of_a_plan_is_that_of_its_strongest_attacker() -> None:
    one = trial(outcome(0.02, 0.4), outcome(0.04, 0.2))
    assert one.risk == pytest.approx(0.3)
    assert one.attacker == "assignment"
    assert one.verdict(0.25).state == "not safe"


def test_the_interval_of_a_plan_reaches_to_the_strongest_attack() -> None:
    one = trial(outcome(0.0, 0.03, upper=0.08))
    assert one.risk_interval[1] == pytest.approx(0.08)
    assert one.verdict(0.05).state == "borderline"


def test_a_borderline_plan_is_not_recommended() -> None:
    found = Frontier((trial(outcome(0.0, 0.03, upper=0.08)),), "risk", "IL", 0.05, 100)
    assert found.recommended is None


def test_a_plan_of_which_something_did_not_run_is_not_assessed() -> None:
    missing = trial(outcome(0.0, 0.01, unknown=["massc did not run"]))
    assert not missing.assessed
    assert missing.verdict(0.05).state == "not assessed"
    half = trial(outcome(0.0, 0.01), Outcome(failed="out of memory"))
    assert half.failed == "1 of 2 runs failed"
    assert not half.assessed
    assert half.verdict(0.05).state == "not assessed"
    unrated = trial(outcome(float("nan"), float("nan")))
    assert not unrated.assessed


def test_a_plan_that_releases_raw_records_is_not_safe() -> None:
    raw = trial(outcome(0.0, 0.01, exposed={"raw_records": [0.4, 0.01]}))
    assert raw.verdict(0.05).state == "not safe"


def linked(success: list[float]) -> Linkage:
    rows = np.arange(len(success))
    zero = np.zeros(len(success))
    return Linkage(
        attacker="one",
        knows="the columns",
        columns=("a",),
        match=rows,
        score=zero,
        margin=zero,
        success=np.array(success),
        ties=zero + 1,
        truth=rows,
        masked_records=len(success),
        seconds=0.0,
    )


def test_the_strongest_attack_and_the_highest_end() -> None:
    data = tc.Microdata.of({"a": [1.5, 2.5, 4.0]})
    attacks = {"weak": linked([0.0, 0.0, 1.0]), "strong": linked([1.0, 1.0, 0.0])}
    found = strongest(Assessment(data, data, attacks, {}, {}))
    assert found is not None
    assert (found.attacker, found.rate) == ("strong", pytest.approx(2 / 3))
    assert found.upper == attacks["strong"].interval[1]


def test_a_measure_without_a_value_is_no_bound_that_holds(monkeypatch) -> None:
    absent = Measure.absent("suda", "no keys")
    monkeypatch.setattr(attacked, "risks", {"suda": lambda *_: absent})
    with pytest.raises(TacitError, match="suda was not computed: no keys"):
        attacked._measured(None, None, "suda")


def test_the_strongest_setting_is_handed_over_only_if_it_keeps_the_bound(
    monkeypatch,
) -> None:
    """The search was lucky at the strongest setting; drawn afresh, the bound does not hold."""
    data = np.random.default_rng(0).normal(size=(40, 2))
    kept = Attacked(0.1, 0.1, "nearest", True)
    answers = iter([replace(kept, met=False), kept])

    def risk(*_: object, **__: object) -> Attacked:
        return next(answers, replace(kept, risk=0.9, upper=0.9, met=False))

    monkeypatch.setattr(until_module, "risk_of", risk)
    with pytest.raises(TacitError, match="does not reach"):
        protect_until(
            data, "noise", Bound.parse("risk<=0.2"), start=100, end=150, seed=1
        )


def test_a_result_is_found_again_by_its_file_and_settings_only() -> None:
    run = TrialRun(PLAN, 100, 1)
    key = run.key("this file", Settings())
    assert run.key("this file", Settings()) == key
    other = [
        run.key("another file", Settings()),
        run.key("this file", Settings(attackers=("nearest",))),
        run.key("this file", Settings(informed=False)),
        replace(run, seed=2).key("this file", Settings()),
        replace(run, records=50).key("this file", Settings()),
    ]
    assert key not in other
    renamed = replace(run, plan=replace(PLAN, name="b"))
    assert renamed.key("this file", Settings()) == key


def test_a_journal_is_its_owners(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path)
    drawn = journal.key()
    # the key goes with the first run that drew below it
    assert not path.exists()
    journal.add("a run", outcome(0.0, 0.01))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    journal.add("another", outcome(0.0, 0.01))
    again = Journal(path)
    assert again.key() == drawn
    assert list(again.known) == ["a run", "another"]
    again.add("a third", outcome(0.0, 0.01))
    assert path.read_text().count('"drawn"') == 1


def test_a_bound_holds_at_the_bound_unless_it_is_strict() -> None:
    assert Bound.parse("risk<=0.05").met(0.05)
    assert not Bound.parse("risk<=0.05").met(0.0501)
    assert not Bound.parse("risk<0.05").met(0.05)
    assert Bound.parse("risk<0.05").met(0.0499)
    assert not Bound.parse("risk<=0.05").met(float("nan"))
