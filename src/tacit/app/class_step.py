"""The step of a plan that publishes keys in classes: its rules and levels, by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from tacit.app.messages import StepValues

METHOD = "generalisation"
"""The method whose hierarchies the page edits."""

Rules = dict[str, dict[str, object]]
Steps = tuple[StepValues, ...]


def place_of(steps: Sequence[StepValues]) -> int | None:
    """Where the step stands in the plan; None if there is none yet."""
    places = (at for at, step in enumerate(steps) if step["method"] == METHOD)
    return next(places, None)


def _parameter(steps: Sequence[StepValues], name: str) -> object:
    at = place_of(steps)
    return None if at is None else steps[at]["parameters"].get(name)


def rules_of(steps: Sequence[StepValues]) -> Rules:
    """The rules by column."""
    found = _parameter(steps, "hierarchies")
    return cast(Rules, found) if isinstance(found, dict) else {}


def levels_of(steps: Sequence[StepValues]) -> dict[str, int]:
    """Levels that are given and not searched, by column."""
    found = _parameter(steps, "levels")
    return dict(found) if isinstance(found, dict) else {}


def columns_of(steps: Sequence[StepValues]) -> list[str] | None:
    """The columns of the step; None: every quasi-identifier, or no step yet."""
    found = _parameter(steps, "columns")
    return list(found) if isinstance(found, list) else None


def with_rule(
    steps: Sequence[StepValues],
    column: str,
    entry: dict[str, object],
    level: int | None,
) -> Steps:
    """The plan with a rule for a column; the step is added where there is none.

    A step that is added masks the columns with rules only: the other keys stay as they are.
    """
    columns = columns_of(steps)
    new: dict[str, object] = {
        "hierarchies": {**rules_of(steps), column: entry},
        "levels": _with_level(levels_of(steps), column, level),
    }
    if place_of(steps) is None:
        new["columns"] = [column]
    elif columns is not None and column not in columns:
        new["columns"] = [*columns, column]
    return _changed(steps, new)


def with_levels(steps: Sequence[StepValues], levels: Mapping[str, int]) -> Steps:
    """The plan with these levels, which are then not searched."""
    return _changed(steps, {"levels": dict(levels)})


def without_rule(steps: Sequence[StepValues], column: str) -> Steps:
    """The plan without the rule of a column, which the step then leaves alone."""
    at = place_of(steps)
    if at is None or column not in rules_of(steps):
        return tuple(steps)
    rules = {name: rule for name, rule in rules_of(steps).items() if name != column}
    if not rules:
        return tuple(step for place, step in enumerate(steps) if place != at)
    new: dict[str, object] = {
        "hierarchies": rules,
        "levels": _with_level(levels_of(steps), column, None),
    }
    columns = columns_of(steps)
    if columns is not None:
        new["columns"] = [name for name in columns if name != column]
    return _changed(steps, new)


def _with_level(
    levels: dict[str, int], column: str, level: int | None
) -> dict[str, int]:
    kept = {name: one for name, one in levels.items() if name != column}
    return kept if level is None else {**kept, column: level}


def _changed(steps: Sequence[StepValues], new: Mapping[str, object]) -> Steps:
    """The plan with parameters of the step replaced; what is empty is left out of it."""
    at = place_of(steps)
    plan = list(steps)
    if at is None:
        # first in the plan: what follows should see the keys as they are released
        plan.insert(0, {"method": METHOD, "parameters": {}, "seed": None})
        at = 0
    parameters = {**plan[at]["parameters"], **new}
    kept = {name: value for name, value in parameters.items() if value not in ({}, [])}
    plan[at] = {**plan[at], "parameters": kept}
    return tuple(plan)
