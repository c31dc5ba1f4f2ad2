"""Which methods and columns fit each other; what they can mask stands on the methods."""

from __future__ import annotations

from collections.abc import Mapping

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
    method: str, entry: Entry | None = None, setup: Setup | None = None
) -> StepValues:
    """A step with its defaults; its seed is drawn when it runs, and is never shown.

    Where some keys are of a kind that it cannot mask, it begins with those that it can.
    """
    step: StepValues = {"method": method, "parameters": {}, "seed": None}
    if entry is None or setup is None:
        return step
    keys = [name for name, role in setup.roles.items() if role == Role.quasi]
    able = [name for name in keys if name in columns_for(entry, setup)]
    takes_columns = "columns" in entry["schema"].get("properties", {})
    if takes_columns and able and len(able) < len(keys):
        step["parameters"] = {"columns": able}
    return step


def by_goal(methods: Mapping[str, Entry]) -> list[tuple[str, list[tuple[str, Entry]]]]:
    """The methods by what somebody wants, both in the order of the registry."""
    goals: dict[str, list[tuple[str, Entry]]] = {}
    for name, entry in methods.items():
        goals.setdefault(entry["goal"], []).append((name, entry))
    return [(goal[:1].upper() + goal[1:], group) for goal, group in goals.items()]
