"""Named subgroups: are the largest records, or those of rare categories, found far more often?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.attack.linkage import Linkage
from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.typing import Bools, Floats, Ints
from tacit.data.microdata import Kind
from tacit.data.pair import Pair
from tacit.data.units import Units, records
from tacit.risk.strongest import run_panel

# The size of a subgroup: the largest 1 % of the records, and at least twenty, of whom a
# quarter is five persons; no more than a quarter of a small file, which is no subgroup.
SHARE = 0.01
LEAST = 20
MOST_SHARE = 0.25
# Found records fewer than these may be single curiosities.
FEWEST = 5
# A column is size-like, as turnover or income are, when its upper tail is long: the
# skewness of an exponential law is 2, of a normal 0.
SKEWED = 1.0
# A subgroup counts when guessing would find as many with less than this probability,
# divided by the number of subgroups and attacks that are looked at.
LUCK = 0.05


@facts.measure(
    "Worst-off subgroup",
    threshold=0.25,
    why="at most a quarter found of the largest records or of those of rare categories",
    view="the strongest intruder, in the group where most are found",
    passes="links",
    holds="every record is judged by the links of all attacks",
)
def subgroups(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
    attacks: Mapping[str, Linkage] | None = None,
) -> Measure:
    """Share of correct links in the named subgroup that is found most.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    columns : list of str, optional
        Columns that make subgroups; the common quasi-identifiers unless given.
    attacks : mapping of str to Linkage, optional
        Linkages already made, by attacker name; those of ``attack.panel`` unless given.

    Notes
    -----
    **Definition.** Subgroups of the released units (persons, or records): the largest 1 % (at
    least 20) by each continuous column of skewness above 1, and by all of these together (the sum
    of their values over their standard deviations); those of the rarest categories, 20 or
    more together, of each nominal column. In each, the expected share of correct links of
    the attack that finds most. A subgroup of which fewer than 5 are found, or as many as
    guessing finds with probability 0.05 (over all subgroups and attacks), counts 0.
    **Range.** [0, 1]. 0: no subgroup is found beyond luck. Higher: a larger share of some
    subgroup is found; details name all of them. Per column: the share of its subgroup.
    """
    pair = Pair.of(original, masked, columns)
    failed: dict[str, str] = {}
    if not attacks and pair.columns:
        attacks, failed = run_panel(pair)
    if not attacks:
        why = (
            "; ".join(failed.values()) or "the files have no quasi-identifier in common"
        )
        return Measure.absent("subgroups", why)
    first = next(iter(attacks.values()))
    groups = _groups(pair, first.units or records(first.records), first.truth >= 0)
    if not groups:
        why = "no column makes a subgroup (skewed numbers, rare categories)"
        return Measure.absent("subgroups", why)
    found: dict[str, dict[str, object]] = {}
    shares: dict[str, float] = {}
    success = {name: link.found for name, link in attacks.items()}
    tried = len(groups) * len(attacks)
    for group in groups:
        size = len(group.units)
        counts = {
            name: float(each[group.units].sum()) for name, each in success.items()
        }
        # Equal counts are decided by name, so that the order of the attacks does not matter.
        best = max(counts, key=lambda name: (counts[name], name))
        chance = attacks[best].released_chance
        beyond_luck = (
            counts[best] >= FEWEST and _luck(counts[best], size, chance) < LUCK / tried
        )
        shares[group.title] = counts[best] / size if beyond_luck else 0.0
        found[group.title] = {
            "records": size,
            "found": round(counts[best], 9),
            "attacker": best,
            "chance": chance,
            "beyond luck": beyond_luck,
        }
    by_column = {group.column: shares[group.title] for group in groups if group.column}
    return Measure(
        "subgroups",
        max(shares.values()),
        (0.0, 1.0),
        "no subgroup is found beyond luck",
        "a larger share of some subgroup is found",
        {"subgroups": found} | failed,
        None,
        by_column,
    )


@dataclass(frozen=True)
class _Group:
    """A subgroup: the column that makes it (empty: several), its name, and its units."""

    column: str
    title: str
    units: Ints


def _groups(pair: Pair, units: Units, released: Bools) -> list[_Group]:
    """The subgroup of each column that makes one, and that of the largest over all columns."""
    out = np.flatnonzero(units.any(released))
    wanted = max(LEAST, int(SHARE * len(out)))
    size = min(wanted, int(MOST_SHARE * len(out)))
    groups: list[_Group] = []
    if size < FEWEST:
        return groups
    total, skewed = np.zeros(len(out)), 0
    for name in pair.columns:
        values = pair.original.column(name)
        kind = pair.original.schema[name].scale
        if kind is Kind.continuous and _skewness(values[released]) > SKEWED:
            # whose largest row is large is known to be large
            largest = units.highest(values)[out]
            total += np.nan_to_num(largest / float(np.nanstd(values)))
            skewed += 1
            groups.append(_Group(name, f"largest by {name}", _largest(largest, size)))
        elif kind is Kind.nominal:
            # a unit whose rows differ belongs to no category
            members = _rarest(units.shared(values)[out], size)
            groups.append(_Group(name, f"rarest {name}", members))
    if skewed > 1:
        groups.append(_Group("", "largest over all columns", _largest(total, size)))
    most = max(size, MOST_SHARE * len(out))
    return [
        replace(group, units=out[group.units])
        for group in groups
        if FEWEST <= len(group.units) <= most
    ]


def _skewness(values: Floats) -> float:
    """Mean of ((x - mean) / sd) ** 3; 0 for a constant."""
    known = values[~np.isnan(values)]
    sd = float(known.std()) if len(known) else 0.0
    if sd == 0:
        return 0.0
    standard = (known - known.mean()) / sd
    return float(np.mean(standard**3))


def _largest(values: Floats, size: int) -> Ints:
    """The `size` largest values and all that are as large as the last of them."""
    known = values[~np.isnan(values)]
    if len(known) < size:
        return np.zeros(0, np.int64)
    last = np.sort(known)[-size]
    return np.flatnonzero(values >= last)


def _rarest(values: Floats, size: int) -> Ints:
    """The records of the rarest categories, added by rising frequency up to `size` records.

    Equally rare categories enter together; the commonest frequency is never rare.
    """
    known = ~np.isnan(values)
    if not known.any():
        return np.zeros(0, np.int64)
    categories, inverse, counts = np.unique(
        values[known],
        return_inverse=True,
        return_counts=True,
    )
    frequencies, number = np.unique(counts, return_counts=True)
    together = np.cumsum(frequencies * number)
    # the first frequency at which there are enough
    last = int(np.searchsorted(together, size))
    if last >= len(frequencies) - 1 or len(categories) < 2:
        return np.zeros(0, np.int64)
    is_rare = counts <= frequencies[last]
    rows: Ints = np.flatnonzero(known)[is_rare[inverse]]
    return rows


def _luck(
    found: float,
    records: int,
    chance: float,
) -> float:
    """Chernoff bound of the probability that guessing finds so many of these records.

    P(Bin(m, p) >= f) <= exp(-m KL(f/m, p)); it needs no whole number of found records.
    """
    share = found / records
    if share <= chance:
        return 1.0
    divergence = share * np.log(share / chance)
    if share < 1:
        divergence += (1 - share) * np.log((1 - share) / (1 - chance))
    return float(np.exp(-records * divergence))
