"""Interval disclosure of files on the disk: columns are sorted there, and pieces of them counted.

By rank, everything happens in the order of the masked column z, of which the sort knows the rows.
The originals x are put in that order, too; an interval around place i begins and ends at places
that rise with i, so that a piece of the order reads stretches of z around it. By standard
deviation a record is judged where it stands, and only random pairs need the order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.io.disk_table import SpillFolder
from tacit.data.out_of_core.disk_rows import DiskRows
from tacit.data.out_of_core.number_files import (
    NumberFiles,
    NumberSource,
    write_numbers,
)
from tacit.data.out_of_core.order_counts import OrderCounts, at_rising
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.placing import placed
from tacit.data.out_of_core.sorting import SortedNumbers, sorted_numbers
from tacit.data.pair import Pair
from tacit.risk.interval import BLOCK, Inside, ends, equal_pairs, sd_of_rising


def inside_by_column(pair: Pair, by: str, widths: Sequence[float]) -> dict[str, Inside]:
    """What ``interval`` counts, of each compared column."""
    x, z = pair.rows(pair.columns)
    assert isinstance(x, DiskRows)
    assert isinstance(z, DiskRows)
    numeric = set(pair.numeric)
    found: dict[str, Inside] = {}
    for j, name in enumerate(pair.columns):
        if name in numeric:
            found[name] = _close(x, z, j, by, widths)
        else:
            found[name] = _same(x.source(j), z.source(j))
    return found


@dataclass(frozen=True)
class Known:
    """A column of which the other file has a value in the same row; else NaN."""

    column: NumberSource
    other: NumberSource

    @property
    def n(self) -> int:
        """Rows of the file."""
        return self.column.n

    def read(self, first: int, stop: int) -> Floats:
        """Those from ``first`` up to ``stop``."""
        gaps = np.isnan(self.other.read(first, stop))
        return np.where(gaps, np.nan, self.column.read(first, stop))


def _close(
    x: DiskRows, z: DiskRows, column: int, by: str, widths: Sequence[float]
) -> Inside:
    """A column of numbers."""
    ours, theirs = x.source(column), z.source(column)
    in_order = x.ordered(column), z.ordered(column)
    there = in_order[0].present
    own: list[SortedNumbers] = []
    if min(one.present for one in in_order) < ours.n:
        # values without a partner are in nobody's order
        folder = z.folder
        own = [
            sorted_numbers(Known(ours, theirs), folder),
            sorted_numbers(Known(theirs, ours), folder),
        ]
        in_order = own[0], own[1]
    count = _by_rank if by == "rank" else _by_sd
    known = in_order[0].present
    counted = count(ours, theirs, in_order, widths, z.folder) if known else (0, 0)
    for one in own:
        one.remove()
    return Inside(there, known, *counted, len(widths))


Orders = tuple[SortedNumbers, SortedNumbers]


def _by_rank(
    x: NumberSource,
    z: NumberSource,
    orders: Orders,
    widths: Sequence[float],
    folder: SpillFolder,
) -> tuple[int, int]:
    """(hits, pairs held) of intervals of ranks."""
    ours, theirs = orders
    n = theirs.present
    # where each record stands in the order of z, and then the originals in that order
    ranks = theirs.ranks(folder, "first")
    originals = placed(AtRanks(ranks, x), spans(x.n), n, folder)
    ranks.remove()
    pieces = [(*span, folder.next_file(), folder.next_file()) for span in spans(n)]
    lengths = tuple(mapped(_Beside(theirs.values, OrderCounts.of(ours)), pieces))
    below = NumberFiles(tuple(item[2] for item in pieces), lengths, "<i8")
    up_to = NumberFiles(tuple(item[3] for item in pieces), lengths, "<i8")
    work = _InRanks(OrderCounts.of(theirs), originals, below, up_to, tuple(widths))
    found = mapped(work, spans(n))
    for files in (originals, below, up_to):
        files.remove()
    return sum(hits for hits, _ in found), sum(held for _, held in found)


@dataclass(frozen=True)
class AtRanks:
    """Item: a span of rows. The places of its records in the order, and their originals."""

    ranks: NumberSource
    x: NumberSource

    def __call__(self, item: tuple[int, int]) -> tuple[Ints, Floats]:
        """(places, numbers)."""
        place = self.ranks.read(*item)
        known = ~np.isnan(place)
        return place[known].astype(np.int64), self.x.read(*item)[known]


@dataclass(frozen=True)
class _Beside:
    """Item: (first, stop, file, file). Originals below, and up to, each masked value."""

    z: NumberFiles
    originals: OrderCounts

    def __call__(self, item: tuple[int, int, Path, Path]) -> int:
        first, stop, below, up_to = item
        values = self.z.read(first, stop)
        write_numbers(below, self.originals.below(values))
        return write_numbers(up_to, self.originals.up_to(values))


@dataclass(frozen=True)
class _InRanks:
    """Item: a span of the order of z. How many originals are inside, and pairs."""

    z: OrderCounts
    originals: NumberFiles
    below: NumberFiles
    up_to: NumberFiles
    widths: tuple[float, ...]

    def __call__(self, item: tuple[int, int]) -> tuple[int, int]:
        values = self.z.values.read(*item)
        x = self.originals.read(*item)
        equal = self.z.below(values), self.z.up_to(values) - 1
        hits = held = 0
        for width in self.widths:
            first, last = ends(equal, width, self.z.n)
            low = at_rising(self.z.values, first)
            high = at_rising(self.z.values, last)
            hits += int(((x >= low) & (x <= high)).sum())
            held += int(at_rising(self.up_to, last).sum())
            held -= int(at_rising(self.below, first).sum())
        return hits, held


def _by_sd(
    x: NumberSource,
    z: NumberSource,
    orders: Orders,
    widths: Sequence[float],
    folder: SpillFolder,
) -> tuple[int, int]:
    """(hits, pairs held) of intervals of a share of the standard deviation."""
    ours, theirs = orders
    sd = sd_of_rising(lambda: ours.values.in_turn(BLOCK), ours.present)
    reaches = tuple(width * sd for width in widths)
    hits = mapped(_InReach(x, z, reaches), spans(x.n))
    pairs = _PairsInReach(theirs.values, OrderCounts.of(ours), reaches)
    return sum(hits), sum(mapped(pairs, spans(theirs.present)))


@dataclass(frozen=True)
class _InReach:
    """Item: a span of rows. How many originals are inside, over all reaches."""

    x: NumberSource
    z: NumberSource
    reaches: tuple[float, ...]

    def __call__(self, item: tuple[int, int]) -> int:
        x, z = self.x.read(*item), self.z.read(*item)
        # a comparison with a missing value is false
        inside = [(x >= z - reach) & (x <= z + reach) for reach in self.reaches]
        return sum(int(one.sum()) for one in inside)


@dataclass(frozen=True)
class _PairsInReach:
    """Item: a span of the order of z. How many originals its intervals hold."""

    z: NumberFiles
    originals: OrderCounts
    reaches: tuple[float, ...]

    def __call__(self, item: tuple[int, int]) -> int:
        z = self.z.read(*item)
        held = 0
        for reach in self.reaches:
            held += int(self.originals.up_to(z + reach).sum())
            held -= int(self.originals.below(z - reach).sum())
        return held


def _same(x: NumberSource, z: NumberSource) -> Inside:
    """A column of categories."""
    there = same = known = 0
    ours, theirs = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for one in mapped(_Same(x, z), spans(x.n)):
        there += one[0]
        same += one[1]
        known += int(one[2].sum())
        ours, theirs = _added(ours, one[2]), _added(theirs, one[3])
    return Inside(there, known, same, equal_pairs(ours, theirs))


@dataclass(frozen=True)
class _Same:
    """Item: a span of rows. Values there, equal cells, and both files' counts by code."""

    x: NumberSource
    z: NumberSource

    def __call__(self, item: tuple[int, int]) -> tuple[int, int, Ints, Ints]:
        x, z = self.x.read(*item), self.z.read(*item)
        there = ~np.isnan(x)
        known = there & ~np.isnan(z)
        ours, theirs = (np.bincount(v[known].astype(np.int64)) for v in (x, z))
        return int(there.sum()), int((x == z).sum()), ours, theirs


def _added(one: Ints, other: Ints) -> Ints:
    """Sums of counts by code, of which either may know more codes."""
    length = max(len(one), len(other))
    return np.pad(one, (0, length - len(one))) + np.pad(other, (0, length - len(other)))
