"""One release held against a bound: attacked by everybody who is named, or measured."""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from tacit.assess.assessment import MISHAPS, WORST, assess
from tacit.attack.base import Attacker, Linkage
from tacit.attack.panel import panel
from tacit.base.errors import TacitError
from tacit.compare.bound import RISK, Bound
from tacit.compare.found import interval_of, rate_of, strongest
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
    *,
    hasty: bool = False,
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
    hasty : bool
        Cheap attacks first, and no more once one is above the bound: the answer is the same, but
        the risk is then what that attack finds, and others may find more.
    """
    if bound.measure != RISK:
        # a measure is no estimate over seeds: its upper end is itself
        value = _measured(original, masked, bound.measure)
        return Attacked(value, value, "", bound.met(value))
    known = plan if informed else None
    intruders = panel(original, masked, attackers, plan=known)
    if hasty:
        linkages: dict[str, Attacker] = {}
        for name in sorted(intruders, key=lambda name: intruders[name].patience):
            try:
                link = intruders[name].link(original, masked)
            except (TacitError, *MISHAPS):
                # the assessment tries it again, and says why
                linkages[name] = intruders[name]
                continue
            upper = interval_of(link)[1]
            if not bound.met(upper):
                reason = f" ({name} is above the bound; dearer attacks were not tried)"
                return Attacked(rate_of(link), upper, name, False, reason)
            linkages[name] = Linked(link)
        intruders = {name: linkages[name] for name in intruders}
    assessment = assess(
        original,
        masked,
        plan=known,
        attackers=intruders,
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


class Linked(Attacker):
    """An attack that was made already, for an assessment that sums it up."""

    def __init__(self, found: Linkage) -> None:
        self.found = found

    @property
    def knows(self) -> str:
        """Who the intruder is."""
        return self.found.knows

    def link(
        self,
        original: object,
        masked: object,
        *,
        truth: ArrayLike | None = None,
    ) -> Linkage:
        """What was found."""
        return self.found


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
