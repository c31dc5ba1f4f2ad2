"""The strongest attack on a release, with the upper end that decisions are made by."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.assess.assessment import Assessment
from tacit.attack.linkage import Linkage

READ_OFF = "raw_columns"
"""What columns that were released as they are give away counts as an attack: no more than the
values is needed for it."""


def rate_of(link: Linkage) -> float:
    """The rate that the verdict uses: over released records where the linkage counts them."""
    return float(getattr(link, "released_rate", link.rate))


def interval_of(link: Linkage) -> tuple[float, float]:
    """Its 95 % interval."""
    low, high = getattr(link, "released_interval", link.interval)
    return float(low), float(high)


@dataclass(frozen=True)
class Strongest:
    """What the strongest attacker finds, and what it may be at most."""

    attacker: str
    rate: float
    upper: float


def strongest(assessment: Assessment) -> Strongest | None:
    """The attack with the highest rate, and the highest upper end of any; None: none ran."""
    links = assessment.linkages
    if not links:
        return None
    rates = {name: rate_of(link) for name, link in links.items()}
    uppers = [interval_of(link)[1] for link in links.values()]
    if assessment.contents is not None and assessment.contents.raw:
        rates[READ_OFF] = assessment.contents.singled_out
        uppers.append(assessment.contents.singled_out)
    # between equals the one that came first
    name = max(rates, key=lambda one: rates[one])
    return Strongest(name, rates[name], max(uppers))
