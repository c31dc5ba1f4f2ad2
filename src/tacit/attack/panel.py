"""The intruders who try every release: one list, for the assessment, the comparison, the report and the page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tacit.attack import registry
from tacit.attack.base import Attacker
from tacit.attack.unchanged import applies

USUAL = ("nearest", "assignment")
"""Run unless others are named."""


def panel(
    original: Any,
    masked: Any,
    names: Iterable[str] | None = None,
    *,
    plan: Any = None,
    truth: Any = None,
    columns: list[str] | None = None,
) -> dict[str, Attacker]:
    """The named attackers (``USUAL`` unless given), and those whom this release invites.

    Where some compared columns were masked and others released as they are, one who links by those others alone; where
    the plan is known, those made for its methods. Leaving them out would understate the risk.
    """
    chosen = list(USUAL if names is None else names)
    if applies(original, masked, truth=truth, columns=columns):
        chosen.append("unchanged_columns")
    told = {} if columns is None else {"columns": columns}
    intruders: dict[str, Attacker] = {name: registry[name](**told) for name in chosen}
    if plan is not None:
        from tacit.attack.aware import for_plan

        intruders |= {registry.name_of(attacker): attacker for attacker in for_plan(plan)}
    return intruders
