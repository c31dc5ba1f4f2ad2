"""What swapping knows of each household: its area, its kind, and how many persons are like its.

One entry per household of small whole numbers, in memory and from the disk: there, columns are read
some records at a time, and what all rows of a household share is kept once. About 100 bytes per
household are held while partners are looked for, and no column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tacit.base.typing import Bools, Floats, Ints
from tacit.data import units
from tacit.data.microdata import Microdata
from tacit.kernels.partners import LINES, Numbers, in_order, swap_in_turn
from tacit.protect.file_parts import strata_of

HELD = 100.0
"""Bytes per household (90 of a million): order, places, sums and stretches of two sorts of kinds
(32), area, size, kind, who is at risk, whose areas it takes (20), and what sorts them (38)."""
PIECE = 1 << 20
"""Households that draw at a time."""


@dataclass(frozen=True)
class Homes:
    """The households of a file, numbered as its units are."""

    area: Numbers
    """The smallest area of each, in the order of values from the largest area down."""
    values: Floats
    """(areas, levels): what stands in the columns of each area."""
    size: Numbers
    """Persons of each."""
    alike: Numbers
    """Households with the same number share the columns that partners should share."""

    @property
    def number(self) -> int:
        """How many households there are."""
        return len(self.area)

    @property
    def up(self) -> Ints:
        """The area at each level of each smallest area, numbered in the same order."""
        # districts may have the same name in two regions: an area is named from the top
        known = np.nan_to_num(self.values, nan=np.inf)
        changed = known[1:] != known[:-1]
        begins = np.logical_or.accumulate(changed, axis=1)
        first = np.zeros((1, known.shape[1]), np.int64)
        return np.ascontiguousarray(np.vstack([first, np.cumsum(begins, axis=0)]).T)


@dataclass
class Swaps:
    """Households that look for partners, and whom they have found."""

    homes: Homes
    rng: np.random.Generator

    def __post_init__(self) -> None:
        homes = self.homes
        # a household whose areas it takes; its own, as long as it is free
        self.source = np.arange(homes.number, dtype=np.int32)
        self._sized = in_order(homes.size, homes.area, homes.up)
        self._two = bool(homes.alike.any())
        self._alike = self._sized
        if self._two:
            kind = pairs(homes.size, homes.alike)
            self._alike = in_order(kind, homes.area, homes.up)

    @property
    def moved(self) -> Bools:
        """Who has a partner."""
        return np.asarray(self.source != np.arange(len(self.source)))

    def swap(self, turn: Numbers, level: int, wanted: int) -> tuple[int, int]:
        """These look for partners in turn, until so many have moved: who has, who found none."""
        moved = alone = 0
        for first in range(0, len(turn), PIECE):
            some = turn[first : first + PIECE]
            uniform = self.rng.random(len(some))
            kernel = swap_in_turn.taking(LINES * len(some))
            found = kernel(
                *(some, uniform, level, wanted - moved, self.source),
                *(self._alike, self._sized, self._two),
            )
            moved, alone = moved + found[0], alone + found[1]
            if moved >= wanted:
                break
        return moved, alone


class HomesOf(Protocol):
    """The households of a file, in memory or on the disk."""

    def homes(self, areas: list[str], similar: list[str]) -> Homes:
        """Their areas, from the largest to the smallest, sizes and kinds."""
        ...

    def crowd(self, keys: list[str], areas: list[str]) -> Numbers:
        """The fewest persons who share the keys of a member in its area, for each household."""
        ...

    def rows_of(self, homes: Bools) -> Bools:
        """The rows of some households."""
        ...

    def written(self, areas: list[str], homes: Homes, source: Numbers) -> Microdata:
        """The file in which every household has the areas of another, or its own."""
        ...


@dataclass(frozen=True)
class HomesInMemory:
    """Households; persons or records where there are none."""

    data: Microdata
    units: units.Units

    @classmethod
    def of(cls, data: Microdata) -> HomesInMemory:
        """Of a file."""
        homes = units.households(data)
        return cls(data, units.persons(data) if homes is None else homes)

    def homes(self, areas: list[str], similar: list[str]) -> Homes:
        """As ``HomesOf``: what all members share, of the first row of each household."""
        units.require_level(self.data, self.units, areas)
        units.require_level(self.data, self.units, similar)
        first = self.units.order[self.units.starts]
        area = strata_of(self.data, areas)
        occurs = np.zeros(int(area.max(initial=-1)) + 1, np.int64)
        occurs[area] = np.arange(self.data.n)
        people = units.persons(self.data)
        # five rows of one person are one member
        once = people.order[people.starts]
        members = np.bincount(self.units.labels[once], minlength=self.units.number)
        return Homes(
            area=area[first].astype(np.int32),
            values=self.data.numbers(areas)[occurs],
            size=members.astype(np.int32),
            alike=strata_of(self.data, similar)[first].astype(np.int32),
        )

    def crowd(self, keys: list[str], areas: list[str]) -> Numbers:
        """As ``HomesOf``."""
        label = strata_of(self.data, [*areas, *keys])
        # five rows of one person are one who shares the keys
        shared, _ = units.persons(self.data).pairs(label)
        persons = np.bincount(shared)[label].astype(np.float64)
        return self.units.lowest(persons).astype(np.int32)

    def rows_of(self, homes: Bools) -> Bools:
        """As ``HomesOf``."""
        return homes[self.units.labels]

    def written(self, areas: list[str], homes: Homes, source: Numbers) -> Microdata:
        """As ``HomesOf``."""
        area = homes.area[source][self.units.labels]
        # a moved gap must not tell the reason of the gap that was there
        plain = self.data.with_plain_gaps(areas)
        return plain.with_numbers(areas, homes.values[area])


def pairs(a: Numbers, b: Numbers) -> Numbers:
    """Labels of pairs of labels, numbered from 0."""
    width = int(b.max(initial=0)) + 1
    _, label = np.unique(a.astype(np.int64) * width + b, return_inverse=True)
    return np.asarray(label, np.int32)
