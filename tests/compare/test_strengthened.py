"""A plan strengthened as a whole: as little as it needs, drawn again, or one sentence."""

from __future__ import annotations

import pytest

from tacit.base.errors import ParameterError, TacitError
from tacit.compare.strengthened import strengthened
from tacit.plan.knobs import knobs_of, turned
from tacit.plan.plan import Plan, Step

MICRO = Plan((Step("microaggregation", {"k": 3}),))
NOISE = Plan((Step("noise", {"percent": 10}), Step("rounding", {"base": 5})))


def test_every_step_that_can_be_is_strengthened() -> None:
    both = turned(NOISE, 1, 100)
    strengths = {knob.place: knob.strength.parameter for knob in knobs_of(NOISE)}
    assert both.steps[0].parameters["percent"] == 20
    for place, name in strengths.items():
        assert (
            both.steps[place].parameters[name]
            == 2 * NOISE.steps[place].parameters[name]
        )
    # whole numbers stay whole, and no k is above the number of records
    assert turned(MICRO, 0.5, 100).steps[0].parameters["k"] == 5
    assert turned(MICRO, 9, 100).steps[0].parameters["k"] == 100
    # a parameter that protects by falling falls
    recoding = Plan((Step("recoding", {"bins": 16}),))
    assert turned(recoding, 2, 100).steps[0].parameters["bins"] == 4
    assert turned(recoding, 20, 100).steps[0].parameters["bins"] == 1


@pytest.mark.parametrize("enough", [1, 3, 4, 7, 20, 60])
def test_as_little_as_needed(enough: int) -> None:
    """At most a quarter of a doubling above the weakest that would do."""
    tried: list[int] = []

    def is_safe(plan: Plan, what: str) -> bool:
        tried.append(int(plan.steps[0].parameters["k"]))
        return tried[-1] >= enough

    found = strengthened(MICRO, is_safe, 1000)
    k = found.steps[0].parameters["k"]
    assert k in tried
    assert max(enough, 3) <= k <= max(3, enough * 2**0.25 + 1)


def test_what_is_drawn_is_drawn_again() -> None:
    """A release of a search was lucky: the one that is handed over was attacked once."""
    runs: list[float] = []

    def is_safe(plan: Plan, what: str) -> bool:
        runs.append(float(plan.steps[0].parameters["percent"]))
        # safe at 40 in the search, but not when it is drawn again
        again = what == "drawn once more"
        return runs[-1] >= 40 and not (again and runs[-1] < 45)

    found = strengthened(Plan((Step("noise", {"percent": 10}),)), is_safe, 1000)
    assert found.steps[0].parameters["percent"] >= 45
    assert runs[-1] == found.steps[0].parameters["percent"]


def test_none_is_safe_is_one_sentence() -> None:
    with pytest.raises(TacitError, match="no plan of this kind is safe"):
        strengthened(MICRO, lambda plan, what: False, 20)
    lucky = iter([True, False, False, False])
    with pytest.raises(TacitError, match="not when it was drawn again"):
        strengthened(NOISE, lambda plan, what: next(lucky), 1000)
    with pytest.raises(ParameterError, match="no step of the plan can be strengthened"):
        strengthened(Plan(()), lambda plan, what: True, 20)
