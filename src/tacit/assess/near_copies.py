"""Released records that are an original with a little noise, whoever they are said to be of.

A synthetic file, or a bootstrap, has no row that belongs to a person, and may hold people all the
same. A record drawn from the population has two nearest originals that are about as far; a copy has
one that is much nearer than the second. Where values are few, other people's records are as
near, or equal, by chance; so that is counted and taken off.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tacit.attack.features.readings import as_numbers
from tacit.base.seeds import FIXED
from tacit.base.typing import Bools, Floats, Ints
from tacit.data.microdata import Microdata, Role
from tacit.data.units import households, persons

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

CLOSER = 0.1
"""The nearest original is at most this share as far as the second nearest."""
MOST = 5_000
"""Records that are looked at; the originals to which they may be near are all."""
LUCK = 4.0
"""Standard deviations that are luck, of the difference of two counts."""
OF_ONE_UNIT = 12
"""Originals that are looked at to find the nearest two of other people."""
KNOWN = (Role.quasi, Role.other)


def near_copies(original: Microdata, masked: Microdata) -> float:
    """Share of the released records that are near one original alone, beyond chance.

    Alone: d1 <= d2 / 10, with d1 and d2 the distances of the nearest two different originals, the
    nearest borne by one person (household) only. Chance is the larger of two shares: of the
    originals, each left out with all of its unit, that are as near to one other original alone
    (records of other people), and of records whose columns are those of the release, each in an
    order of its own (records of nobody). Couples who are no household to the file look like people
    who are equal by chance, and would hide copies of those who live alone: so those who are near
    to any original are counted, too, and the larger excess is the answer.
    """
    x, z = _numbers(original, masked)
    if x.shape[1] < 2 or min(len(x), len(z)) < 3:
        return 0.0
    people = _People.of(x, (households(original) or persons(original)).labels)
    if len(people.values) < 4:
        return 0.0
    some = _evenly(z)
    rng = np.random.default_rng(FIXED)
    mixed = np.column_stack([column[rng.permutation(len(z))] for column in z.T])
    found = people.near(some)
    others, nobody = people.others(), people.near(mixed[: len(some)])
    return max(
        _beyond(
            found[way].sum(), max(others[way].mean(), nobody[way].mean()), len(some)
        )
        for way in found
    )


def _beyond(found: float, by_chance: float, of: int) -> float:
    """The share beyond chance; 0 where that is luck, which both counts have."""
    expected = by_chance * of
    spread = 2.0 * expected * (1.0 - by_chance)
    luck = expected + LUCK * np.sqrt(max(spread, 1.0))
    return float(found - expected) / of if found > luck else 0.0


@dataclass(frozen=True)
class _People:
    """The different originals, and whose they are."""

    values: Floats
    of_row: Ints
    """Which of the values each original has."""
    units: Ints
    """The person or household of each original."""
    bearers: Ints
    """Units that have each of the values."""

    @classmethod
    def of(cls, x: Floats, units: Ints) -> _People:
        values, of_row = np.unique(x, axis=0, return_inverse=True)
        of_row = of_row.ravel()
        pairs = np.unique(np.column_stack([of_row, units]), axis=0)
        bearers = np.bincount(pairs[:, 0], minlength=len(values))
        return cls(values, of_row, units, bearers)

    @cached_property
    def tree(self) -> cKDTree:
        from scipy.spatial import cKDTree

        return cKDTree(self.values)

    def near(self, records: Floats) -> dict[str, Bools]:
        """Which records are near one original alone, and which near any."""
        apart, at = (np.asarray(found) for found in self.tree.query(records, k=2))
        close = _closer(apart)
        return {"alone": close & (self.bearers[at[:, 0]] == 1), "any": close}

    def others(self) -> dict[str, Bools]:
        """The same of originals among those of other units, as of new records of the population."""
        rows = np.arange(len(self.of_row))
        if len(rows) > MOST:
            by_value = np.argsort(self.of_row, kind="stable")
            rows = by_value[np.linspace(0, len(rows) - 1, MOST).astype(np.int64)]
        own, unit = self.of_row[rows], self.units[rows]
        looked_at = min(OF_ONE_UNIT, len(self.values))
        apart, at = self.tree.query(self.values[own], k=looked_at)
        # the only unit that bears a value; that of some row where there are several
        bearer = np.zeros(len(self.values), np.int64)
        bearer[self.of_row] = self.units
        single = self.bearers[at] == 1
        apart = np.where(single & (bearer[at] == unit[:, None]), np.inf, apart)
        first = np.argsort(apart, axis=1, kind="stable")[:, :2]
        nearest = np.take_along_axis(at, first, axis=1)[:, 0]
        left = self.bearers[nearest] - (nearest == own)
        close = _closer(np.take_along_axis(apart, first, axis=1))
        return {"alone": close & (left == 1), "any": close}


def _closer(apart: Floats) -> Bools:
    """The first of two distances is much smaller."""
    first, second = apart[:, 0], apart[:, 1]
    known = np.isfinite(second) & (second > 0)
    return np.asarray(known & (first <= CLOSER * second))


def _numbers(original: Microdata, masked: Microdata) -> tuple[Floats, Floats]:
    """Known numbers without gaps that both files have, in units of their spread."""
    ours: list[Floats] = []
    theirs: list[Floats] = []
    for name in masked.names:
        if name not in original.schema or original.schema[name].role not in KNOWN:
            continue
        both = [as_numbers(file.table.column(name)) for file in (original, masked)]
        x, z = both
        if x is None or z is None or np.isnan(x).any() or np.isnan(z).any():
            continue
        spread = x.std()
        if spread > 0:
            ours.append(x / spread)
            theirs.append(z / spread)
    if not ours:
        return np.empty((original.n, 0)), np.empty((masked.n, 0))
    return np.column_stack(ours), np.column_stack(theirs)


def _evenly(records: Floats) -> Floats:
    """At most so many of them, evenly over their order by value."""
    if len(records) <= MOST:
        return records
    order = np.lexsort(records.T[::-1])
    some: Ints = np.linspace(0, len(records) - 1, MOST).astype(np.int64)
    return np.asarray(records[order[some]])
