"""One release held against a bound: attacked by everybody who is named, or measured."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tacit.assess.assessment import WORST, assess
from tacit.base.errors import TacitError
from tacit.compare.bound import RISK, Bound
from tacit.compare.found import strongest
from tacit.data.microdata import Microdata
from tacit.plan.plan import Plan
from tacit.risk import registry as risks


@dataclass(frozen=True)
class Attacked:
    """What the bound is about: its value, its upper end, the attacker whose rate it is."""

    risk: float
    upper: float
    attacker: str
    met: bool
    reason: str = ""


def risk_of(
    original: Microdata,
    masked: Microdata,
    plan: Plan,
    bound: Bound,
    attackers: tuple[str, ...],
    informed: bool,
) -> Attacked:
    """Attack the release, or measure it, and see whether it keeps the bound.

    Parameters
    ----------
    original, masked : Microdata
        The file before and after protection, row by row.
    plan : Plan
        How it was masked.
    bound : Bound
        What must hold.
    attackers : names
        Who attacks.
    informed : bool
        The strongest attacker also knows the plan.
    """
    if bound.measure != RISK:
        # a measure is no estimate over seeds: its upper end is itself
        value = _measured(original, masked, bound.measure)
        return Attacked(value, value, "", bound.met(value))
    assessment = assess(
        original,
        masked,
        plan=plan if informed else None,
        attackers=attackers,
        # an average says nothing of the largest, nor of those who are found for certain
        risks=WORST,
        losses=(),
        # we masked it ourselves: row i is row i, however little they resemble each other
        truth="rows" if original.n == masked.n else None,
    )
    # an attack that did not run is no evidence of safety
    if assessment.failures:
        failure = assessment.failures[0]
        raise TacitError(f"the attack {failure.name} did not run: {failure.reason}")
    found = strongest(assessment)
    if found is None:
        raise TacitError("no attacker was run; name at least one")
    # what else is in the release counts too: identifiers, raw columns, raw records
    verdict = assessment.attacked_verdict(bound.value)
    met = verdict.state == "safe" and bound.met(found.upper)
    reason = f" ({verdict.reason})" if verdict.reason else ""
    return Attacked(found.rate, found.upper, found.attacker, met, reason)


def _measured(
    original: Microdata,
    masked: Microdata,
    name: str,
) -> float:
    """A risk measure, which must have a value."""
    measure = risks[name](original, masked)
    # what has no value must not pass for small
    if math.isnan(measure.value):
        reason = measure.details.get("not computed", "no value")
        raise TacitError(f"{name} was not computed: {reason}")
    return float(measure.value)
