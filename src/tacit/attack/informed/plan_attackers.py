"""The strongest attackers for a plan."""

from __future__ import annotations

from tacit.attack.base import Attacker
from tacit.attack.informed.aware import Aware
from tacit.attack.informed.rerun import Rerun
from tacit.attack.informed.shadow import Shadow
from tacit.attack.informed.steps import protectors_of
from tacit.base.facts import draws_numbers
from tacit.protect.base import Protector

NO_LAW = Protector.attacker
"""The attacker of a method that has none of its own: it estimates a covariance."""


def for_plan(plan: object) -> list[Attacker]:
    """The strongest attackers for a plan, protector or list of them.

    ``Aware`` puts the evidence of the steps together; when no step draws random numbers,
    ``Rerun`` masks the originals again and compares. Where no exact law is known, because
    several steps follow each other or a method has no attacker of its own, ``Shadow`` runs
    the plan many times and learns it.

    Parameters
    ----------
    plan : plan, protector or list of protectors
        How the file was masked.
    """
    intruders: list[Attacker] = [Aware(plan=plan)]
    protectors = [protector for protector in protectors_of(plan) if protector.attacker]
    if not any(draws_numbers(type(protector)) for protector in protectors_of(plan)):
        intruders.append(Rerun(plan=plan))
    elif any(protector.shuffles_rows for protector in protectors):
        pass  # rows in random order cannot be learned from: nobody knows whose they are
    elif len(protectors) > 1 or any(_no_law(protector) for protector in protectors):
        intruders.append(Shadow(plan=plan))
    return intruders


def _no_law(protector: Protector) -> bool:
    """Nobody has written down how this method moves a record."""
    return protector.attacker == NO_LAW
