"""A release that one attack finds unsafe is not attacked further; the answer stays the same."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.attack.panel import panel
from tacit.base.errors import TacitError
from tacit.compare import attacked as attacked_module
from tacit.compare import until as until_module
from tacit.compare.attacked import risk_of
from tacit.compare.bound import Bound
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
    assert not found.met and not in_full.met
    assert found.attacker == "nearest" and "not tried" in found.reason
    assert found.risk <= in_full.risk


def test_a_safe_release_meets_every_attack_once(data, monkeypatch) -> None:
    plan = _noise(400.0)
    masked = plan.mask(data)
    in_full = risk_of(data, masked, plan, BOUND, WHO, True)
    seen = _linked(monkeypatch)
    found = risk_of(data, masked, plan, BOUND, WHO, True, hasty=True)
    assert in_full.met
    assert found == in_full
    assert len(seen) == len(set(seen)) and {"nearest", "assignment", "aware"} <= {*seen}


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
