"""A plan whose search was ended early, so that it can be repeated: the nodes that it counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tacit.base.errors import TacitError
from tacit.plan.plan import Plan, Step
from tacit.protect import registry


def ended_after(
    plan: Plan,
    counted: Sequence[int | None],
) -> Plan:
    """The plan whose searches end after so many nodes; None: at their own end.

    Parameters
    ----------
    plan : Plan
        What was done.
    counted : list of int or None
        For each search, in the order of the steps, the nodes after which it was ended.
    """
    if all(number is None for number in counted):
        return plan
    searching = [
        at
        for at, step in enumerate(plan.steps)
        if hasattr(registry[step.method], "ranked")
    ]
    # a step that is done in parts searches once for each of them
    if len(searching) != len(counted):
        raise TacitError(
            "the search was ended inside a step that is done in parts, which could not be "
            "repeated; set most_checks instead"
        )
    steps = list(plan.steps)
    for at, number in zip(searching, counted, strict=True):
        if number is not None:
            step = steps[at]
            more = {**step.parameters, "most_checks": number}
            steps[at] = Step(step.method, more, step.seed)
    return replace(plan, steps=tuple(steps))
