"""A release that one attack finds unsafe is not attacked further; the answer stays the same."""

from __future__ import annotations

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


def test_a_search_hands_over_the_same_release(data, monkeypatch) -> None:
    quick = protect_until(data, "noise", BOUND, seed=5)
    real = until_module.risk_of

    def in_full(*given: object, hasty: bool) -> object:
        return real(*given, hasty=False)

    monkeypatch.setattr(until_module, "risk_of", in_full)
    slow = protect_until(data, "noise", BOUND, seed=5)
    assert quick.value == slow.value
    assert [value for value, _ in quick.tried] == [value for value, _ in slow.tried]
    np.testing.assert_array_equal(quick.masked.numbers(), slow.masked.numbers())
    assert (quick.risk, quick.upper) == (slow.risk, slow.upper)


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
