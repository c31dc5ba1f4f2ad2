"""One release held against a bound: attacked by everybody who is named, or measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

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

Learn = Callable[[str, float, bool], None]
"""Hears of every setting that was attacked: what it was, the upper end of its risk, and whether
that met the bound. Where it did not, other attacks may have been left out: at least so much."""


LEFT_OUT = "dearer attacks were not tried"
"""Said of a release that failed before everybody had attacked it."""


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
    brief: bool = False,
    room: float = 1.0,
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
    brief : bool
        Only cheap attacks (those without ``patience``), where there are any: what they find unsafe
        is unsafe; whether the rest is safe is for the others to say.
    room : float
        Times the length of its interval that an attack must stay below the bound, or no other is
        tried in haste.
    """
    if bound.measure != RISK:
        # a measure is no estimate over seeds: its upper end is itself
        value = _measured(original, masked, bound.measure)
        return Attacked(value, value, "", bound.met(value))
    known = plan if informed else None
    intruders = panel(original, masked, attackers, plan=known)
    if hasty:
        linkages: dict[str, Attacker] = {}
        linked: dict[str, Attacker] = {}
        for name in _cheap_first(intruders):
            if linked and intruders[name].patience > 0:
                # who is found among the largest, or for certain, stays found when others attack
                so_far = _judged(original, masked, known, linked, bound)
                if not so_far.met:
                    return replace(so_far, reason=f"{so_far.reason[:-1]}; {LEFT_OUT})")
                if brief:
                    return so_far
            try:
                link = intruders[name].link(original, masked)
            except (TacitError, *MISHAPS):
                # the assessment tries it again, and says why
                linkages[name] = intruders[name]
                continue
            rate, upper = rate_of(link), interval_of(link)[1]
            if not bound.met(rate + room * (upper - rate)):
                reason = f" ({name} is above the bound; {LEFT_OUT})"
                return Attacked(rate, upper, name, False, reason)
            linkages[name] = linked[name] = Linked(link)
        intruders = {name: linkages[name] for name in intruders}
    return _judged(original, masked, known, intruders, bound)


def _judged(
    original: Microdata,
    masked: Microdata,
    plan: Plan | None,
    intruders: Mapping[str, Attacker],
    bound: Bound,
) -> Attacked:
    """What these attacks find together, and whether that and all else in the release may leave."""
    assessment = assess(
        original,
        masked,
        plan=plan,
        attackers=intruders,
        # an average says nothing of the largest, nor of those who are found for certain
        risks=WORST,
        losses=(),
        # we masked it ourselves: row i is row i, however little they resemble each other
        truth="rows" if original.n == masked.n else None,
        # and what leaves is shuffled
        in_order=False,
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


def _cheap_first(intruders: Mapping[str, Attacker]) -> list[str]:
    """By patience; of those who link all records at once, who knows the plan comes first and is
    the likelier to be above a bound."""
    place = {name: number for number, name in enumerate(intruders)}

    def turn(name: str) -> tuple[int, int]:
        patience = intruders[name].patience
        return patience, -place[name] if patience else place[name]

    return sorted(intruders, key=turn)


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
