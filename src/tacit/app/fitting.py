"""Which methods and columns fit each other; what they can mask stands on the methods."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from tacit.app.messages import Entry, StepValues
from tacit.app.project import Setup
from tacit.data.column import SCALES, Kind, Role

# identifiers are dropped, and release numbers take the place of the others
NOT_MASKED = (Role.identifier, Role.person, Role.household)


def columns_for(entry: Entry, setup: Setup) -> list[str]:
    """The columns that a method can mask, in the order of the file."""
    able = set(entry["kinds"])
    return [
        name
        for name, kind in setup.kinds.items()
        if (kind in able or str(SCALES[Kind(kind)]) in able)
        and (entry["identifiers"] or setup.roles[name] not in NOT_MASKED)
    ]


def offered(
    methods: Mapping[str, Entry], setup: Setup, used: set[str]
) -> dict[str, Entry]:
    """Methods that can mask a key of this file, or are in the plan already.

    Those that replace identifiers are offered where there are any.
    """
    keys = {name for name, role in setup.roles.items() if role == Role.quasi}
    named = {name for name, role in setup.roles.items() if role == Role.identifier}
    return {
        name: entry
        for name, entry in methods.items()
        if name in used
        or (named if entry["identifiers"] else keys) & set(columns_for(entry, setup))
    }


def new_step(
    method: str,
    entry: Entry | None = None,
    setup: Setup | None = None,
    earlier: Collection[str] = (),
) -> StepValues:
    """A step with its defaults; its seed is drawn when it runs, and is never shown.

    Where some keys are of a kind that it cannot mask, or were masked by an `earlier` step, it
    begins with the others; where no key is left, with the columns that no step touches.
    """
    step: StepValues = {"method": method, "parameters": {}, "seed": None}
    if entry is None or setup is None:
        return step
    keys = [name for name, role in setup.roles.items() if role == Role.quasi]
    able = columns_for(entry, setup)
    left = [name for name in able if name not in earlier]
    # a weight is changed last: results for the population rest on it
    others = [name for name in left if setup.roles[name] != Role.weight]
    first = [name for name in left if name in keys] or others or left
    first = first or [name for name in able if name in keys]
    takes_columns = "columns" in entry["schema"].get("properties", {})
    if takes_columns and first and first != keys:
        step["parameters"] = {"columns": first}
    return step


def masked_by(
    steps: Iterable[StepValues], methods: Mapping[str, Entry], setup: Setup
) -> set[str]:
    """The columns that these steps change: those that are ticked, else the keys of their kinds."""
    masked: set[str] = set()
    for step in steps:
        given = step["parameters"].get("columns")
        if isinstance(given, list):
            masked.update(str(name) for name in given)
        elif step["method"] in methods:
            able = columns_for(methods[step["method"]], setup)
            masked.update(name for name in able if setup.roles[name] == Role.quasi)
    return masked


def by_goal(methods: Mapping[str, Entry]) -> list[tuple[str, list[tuple[str, Entry]]]]:
    """The methods by what somebody wants, both in the order of the registry."""
    goals: dict[str, list[tuple[str, Entry]]] = {}
    for name, entry in methods.items():
        goals.setdefault(entry["goal"], []).append((name, entry))
    return [(goal[:1].upper() + goal[1:], group) for goal, group in goals.items()]
