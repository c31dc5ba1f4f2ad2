"""A release that one attack finds unsafe is not attacked further; the answer stays the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tacit.attack.panel import panel
from tacit.base.errors import TacitError
from tacit.compare import attacked as attacked_module
from tacit.compare import search as search_module
from tacit.compare import until as until_module
from tacit.compare.attacked import risk_of
from tacit.compare.bound import Bound
from tacit.compare.comparison import compare
from tacit.compare.trial import Trial
from tacit.compare.trials import Outcome
from tacit.compare.until import protect_until
from tacit.data.microdata import Microdata
from tacit.plan.plan import Plan, Step

BOUND = Bound.parse("risk<=0.2")
WHO = ("nearest", "assignment")


@pytest.fixture(scope="module")
def data() -> Microdata:
    rng = np.random.default_rng(3)
    return Microdata.of({name: rng.normal(size=300) for name in "abc"})


def _noise(percent: float) -> Plan:
    return Plan((Step("noise", {"percent": percent}),)).seeded(7)


def _linked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the attackers that link from now on, in their order."""
    seen: list[str] = []

    def watched(*given: object, **how: object) -> dict[str, object]:
        intruders = panel(*given, **how)
        for name, attacker in intruders.items():
            own = attacker.link

            def link(*files, _name=name, _own=own, **truth):
                seen.append(_name)
                return _own(*files, **truth)

            attacker.link = link
        return intruders

    monkeypatch.setattr(attacked_module, "panel", watched)
    return seen


def test_the_first_attack_above_the_bound_is_the_last(data, monkeypatch) -> None:
    plan = _noise(1.0)
    masked = plan.mask(data)
    in_full = risk_of(data, masked, plan, BOUND, WHO, True)
    seen = _linked(monkeypatch)
    found = risk_of(data, masked, plan, BOUND, WHO, True, hasty=True)
    assert seen == ["nearest"]
    assert not found.met
    assert not in_full.met
    assert found.attacker == "nearest"
    assert "not tried" in found.reason
    assert found.risk <= in_full.risk


def test_a_safe_release_meets_every_attack_once(data, monkeypatch) -> None:
    plan = _noise(400.0)
    masked = plan.mask(data)
    in_full = risk_of(data, masked, plan, BOUND, WHO, True)
    seen = _linked(monkeypatch)
    found = risk_of(data, masked, plan, BOUND, WHO, True, hasty=True)
    assert in_full.met
    assert found == in_full
    assert len(seen) == len(set(seen))
    assert {"nearest", "assignment", "aware"} <= {*seen}


def test_an_attack_that_fails_is_not_taken_for_a_safe_one(data, monkeypatch) -> None:
    plan = _noise(400.0)

    def broken(*given: object, **how: object) -> dict[str, object]:
        intruders = panel(*given, **how)

        def link(*files: object, **truth: object) -> object:
            raise ValueError("no")

        intruders["assignment"].link = link
        return intruders

    monkeypatch.setattr(attacked_module, "panel", broken)
    with pytest.raises(TacitError, match="assignment did not run"):
        risk_of(data, plan.mask(data), plan, BOUND, WHO, True, hasty=True)


def test_cheap_attacks_alone_say_what_fails_and_never_what_is_safe(
    data, monkeypatch
) -> None:
    seen = _linked(monkeypatch)
    unsafe, safe = _noise(1.0), _noise(400.0)
    found = risk_of(
        data, unsafe.mask(data), unsafe, BOUND, WHO, True, hasty=True, brief=True
    )
    assert not found.met
    perhaps = risk_of(
        data, safe.mask(data), safe, BOUND, WHO, True, hasty=True, brief=True
    )
    assert perhaps.met
    assert {*seen} == {"nearest"}


def test_what_is_handed_over_has_met_everybody(data) -> None:
    """The figures are those of the strongest, whom cheap attacks leave out."""
    bound = Bound.parse("risk<=0.1")
    how = {"seed": 5, "informed": False}
    only = protect_until(data, "microaggregation", bound, attackers=WHO[:1], **how)
    found = protect_until(data, "microaggregation", bound, attackers=WHO, **how)
    assert found.upper > only.upper
    everybody = risk_of(data, found.masked, found.plan, bound, WHO, False)
    assert everybody.met
    assert everybody.upper == found.upper


def test_what_is_handed_over_was_drawn_afresh_and_met_everybody_twice(data) -> None:
    found = protect_until(data, "noise", BOUND, seed=5)
    *_, one, other = found.redrawn
    assert one[0] == other[0] == found.value
    assert BOUND.met(one[1])
    assert other[1] == found.upper
    everybody = risk_of(data, found.masked, found.plan, BOUND, WHO, True)
    assert everybody.met
    assert (everybody.risk, everybody.upper) == (found.risk, found.upper)
    # nobody has looked at its numbers before: no setting of the search was drawn like it
    seeds_of_search = Plan((Step("noise", {"percent": found.value}),)).seeded(5)
    assert found.plan.steps[0].seed != seeds_of_search.steps[0].seed


def test_where_cheap_attacks_mislead_everybody_searches(data, monkeypatch) -> None:
    """Cheap attacks pass at once; a little strengthening does not help against the others."""
    real = until_module.risk_of

    def only_strong_noise(*given: object, brief: bool = False, **how: object) -> object:
        found = real(*given, brief=brief, **how)
        percent = given[2].steps[0].parameters["percent"]
        return replace(found, met=brief or percent > 500, upper=found.upper)

    monkeypatch.setattr(until_module, "risk_of", only_strong_noise)
    found = protect_until(data, "noise", BOUND, seed=5)
    assert 500 < found.value < 700
    assert len(found.redrawn) > until_module.TURNS_AT_ONCE


@pytest.mark.slow
def test_cheap_attacks_that_find_the_largest_are_enough(monkeypatch) -> None:
    """A low rate that is all of the largest records fails before dearer attacks are made."""
    rng = np.random.default_rng(8)
    data = Microdata.of({name: rng.lognormal(0, 2, size=3000) for name in "ab"})
    plan, bound = _noise(10.0), Bound.parse("risk<=0.05")
    masked = plan.mask(data)
    in_full = risk_of(data, masked, plan, bound, WHO, True)
    seen = _linked(monkeypatch)
    for brief in (True, False):
        found = risk_of(data, masked, plan, bound, WHO, True, hasty=True, brief=brief)
        assert bound.met(found.upper)
        assert not found.met
        assert "subgroups" in found.reason
        assert "not tried" in found.reason
    assert not in_full.met
    assert {*seen} == {"nearest"}


def test_where_time_allows_the_first_runs_alone_they_are_the_answer(
    monkeypatch,
) -> None:
    """A busy machine may need all of a short budget to load; an answer is given all the same."""
    seen = Outcome(
        attacks={"nearest": 0.3},
        intervals={"nearest": (0.2, 0.4)},
        measures={"IL": 0.1},
        score=12.0,
    )
    monkeypatch.setattr(search_module, "warm", lambda *_: {0: seen})
    data = np.random.default_rng(0).normal(size=(600, 3))
    plans = [{"method": "noise", "percent": {"values": [5, 10]}}]
    found = compare(data, plans, budget=1e-9, risks=(), losses=("IL",), seed=1)
    assert found.recommended is None
    assert found.candidate is not None
    assert found.candidate.risk == pytest.approx(0.3)
    assert "time ran out after 60 of 600 records" in found.why


def _trial(k: int, risk: float, loss: float, score: float) -> Trial:
    plan = Plan((Step("microaggregation", {"k": k}),))
    return replace(
        Trial.failure(plan, 100, 1, ""),
        risk=risk,
        risk_interval=(risk, risk + 0.01),
        loss=loss,
        score=score,
    )


def test_the_likeliest_to_be_recommended_goes_on_and_comes_first() -> None:
    """A better score does not put a plan that is not safe before one that is."""
    unsafe = _trial(3, 0.3, 0.1, 1.0)
    safe = _trial(30, 0.03, 0.5, 30.0)
    safer = _trial(50, 0.02, 0.6, 31.0)
    worse = _trial(20, 0.1, 0.55, 32.0)
    tried = [unsafe, worse, safer, safe]
    kept = search_module._halved(tried, 1, bound=0.05)
    assert [trial.name for trial in kept] == [safe.name]
    plans = [trial.plan for trial in tried]
    order = search_module._most_promising(plans, tried, bound=0.05)
    best_first = [safe, safer, worse, unsafe]
    assert [str(plan) for plan in order] == [trial.name for trial in best_first]
