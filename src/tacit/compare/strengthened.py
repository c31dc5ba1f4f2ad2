"""A whole plan made stronger until it is safe: every step that can be strengthened, by one factor.

`until` turns one parameter of one method. A plan has several steps, and its verdict rests on more
than one attack; so here the plan is strengthened as a whole, and whoever asks says whether what
came out is safe. The factor is doubled until it is, then halved between the last plan that was not
and the first that was. What a search has chosen was chosen for its luck, too: the plan that was
found is drawn once more, and where that draw is not safe it is strengthened a little and drawn
again.
"""

from __future__ import annotations

from collections.abc import Callable

from tacit.base.errors import ParameterError, TacitError
from tacit.plan.knobs import knobs_of, turned
from tacit.plan.plan import Plan

DOUBLINGS = 6
"""Sixty-four times as strong: beyond that a plan is of another kind."""
HALVINGS = 2
"""The factor that is found is at most 2^(1/4), a fifth, above the weakest that would do."""
REDRAWS = 3
"""A plan that is strengthened so often after the search, and is not safe, was found by luck."""

IsSafe = Callable[[Plan, str], bool]
"""Run a plan (with what is done, in words), and say whether its verdict is safe."""


def _times(factor: float) -> str:
    """What is tried, in words."""
    return f"{2**factor:.3g} times as strong" if factor else "as it is"


def strengthened(plan: Plan, is_safe: IsSafe, records: int) -> Plan:
    """The plan as much stronger as it needs to be safe; one sentence where none is.

    Parameters
    ----------
    plan : Plan
        Where to begin.
    is_safe : callable
        Runs a plan, and says whether its verdict is safe.
    records : int
        How many records the file has.
    """
    if not knobs_of(plan):
        raise ParameterError(
            "no step of the plan can be strengthened by itself; add a step that can, such as "
            "microaggregation or generalisation"
        )
    low, high = None, 0.0
    while not is_safe(turned(plan, high, records), _times(high)):
        low, high = high, high + 1
        same = turned(plan, high, records) == turned(plan, low, records)
        if high > DOUBLINGS or same:
            raise TacitError(
                f"no plan of this kind is safe: even {2**low:g} times as strong it is not; "
                "protect more columns, recode or drop what the verdict names, or take "
                "another method"
            )
    for _ in range(HALVINGS if low is not None else 0):
        middle = (low + high) / 2  # type: ignore[operator]  # low is a number here
        if turned(plan, middle, records) == turned(plan, high, records):
            break
        if is_safe(turned(plan, middle, records), _times(middle)):
            high = middle
        else:
            low = middle
    found = turned(plan, high, records)
    if not any(step.random for step in found.steps):
        return found
    for turn in range(REDRAWS):
        again = turned(plan, high + 0.25 * turn, records)
        if is_safe(again, "drawn once more"):
            return again
    raise TacitError(
        "a plan was safe in the search, but not when it was drawn again; begin with a "
        "stronger one"
    )
