"""The risk of the file as it is, before protection: what every figure of a release stands beside.

An intruder who compares the same columns of the unprotected file finds each record among those
that share its values: with g of them, 1/g. Measures that count keys, or sum attacks up, are
computed of the original as if it were released; linkages that are averaged over what the intruder
knows come from counting where records are counted. Both files are asked by the same columns: a
number that is released in classes is a key of the release, so it is one of the original, too. Other
measures that draw numbers are left out: they take as long as those
of the release did, and say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature

import numpy as np

from tacit.assess.assessment import MISHAPS, Assessment
from tacit.attack.linkage import Linkage
from tacit.attack.nearest import Nearest
from tacit.base.errors import TacitError
from tacit.base.measure import Measure
from tacit.base.seeds import FIXED
from tacit.data.microdata import Microdata
from tacit.data.pair import Pair, read_as
from tacit.risk import registry
from tacit.risk.averaged_linkage import SETS, average, of_the_unprotected
from tacit.risk.judged import keys_of

# parameters of measures that their results hold: the same question is asked of both files
ASKED = ("k", "l", "c")


@dataclass(frozen=True)
class Before:
    """Rates of attacks and values of risk measures of the unprotected file, by name."""

    attacks: dict[str, float]
    risk: dict[str, float]


def before(assessment: Assessment) -> Before:
    """What the attacks and risk measures of this assessment give for the file as it is.

    What cannot be said is not there.
    """
    original = assessment.original
    links: dict[tuple[str, ...], Linkage | None] = {}
    rates: dict[str, float] = {}
    for name, link in assessment.linkages.items():
        if link.columns not in links:
            links[link.columns] = _linked(assessment, link.columns)
        found = links[link.columns]
        if found is not None:
            rates[name] = float(found.rate)
    compared = Pair.of(original, assessment.masked).columns
    # units are counted by running the linkages, records by counting who is alike
    counts_units = any(link.units is not None for link in assessment.linkages.values())
    # where the release has no category, each measure takes all quasi-identifiers by itself
    keys = keys_of(read_as(original, assessment.masked)) or None
    ran = {str(place): link for place, link in enumerate(links.values()) if link}
    risk: dict[str, float] = {}
    for name, measure in assessment.risk.items():
        if not isinstance(measure, Measure) or name not in registry:
            continue
        if SETS in measure.details:
            draws = measure.details[SETS]
            value = _averaged(original, compared, draws, counts_units)
            if not np.isnan(value):
                risk[name] = value
            continue
        takes = signature(registry[name]).parameters
        if "seed" in takes or ("attacks" in takes and not ran):
            continue
        settings = {
            word: measure.details[word]
            for word in ASKED
            if word in takes and word in measure.details
        }
        if "attacks" in takes:
            settings["attacks"] = ran
        if keys is not None and "keys" in takes:
            settings["keys"] = keys
        # only the value is shown
        if "by_column" in takes:
            settings["by_column"] = False
        try:
            value = float(registry[name](original, original, **settings).value)
        except (TacitError, *MISHAPS):
            continue
        if not np.isnan(value):
            risk[name] = value
    return Before(rates, risk)


def _averaged(
    original: Microdata, columns: Sequence[str], draws: int, counts_units: bool
) -> float:
    """A linkage averaged over what the intruder knows, on the file as it is."""
    if not counts_units:
        return of_the_unprotected(original, columns, draws=draws)
    # every attacker names one of those with the same values, so the fastest says it for all
    whole = average(
        original, original, "nearest", columns=columns, draws=draws, seed=FIXED
    )
    return float(whole.value)


def _linked(assessment: Assessment, columns: tuple[str, ...]) -> Linkage | None:
    """The attack on the file as it is, by these columns; None where it cannot be run."""
    original = assessment.original
    # what names people is dropped from any release
    released = original.drop(original.schema.names(role="identifier"))
    names = [name for name in columns if name in original.names]
    rows = np.arange(original.n)
    try:
        return Nearest(columns=names).link(original, released, truth=rows)
    except (TacitError, *MISHAPS):
        return None
