"""What losses ask of single columns on the disk, by pieces of them: no column is held.

Each function gives what its namesake in memory gives, bit for bit: all of them count, and whole
numbers add up to the same in any order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.out_of_core.number_files import NumberFiles, NumberSource
from tacit.data.out_of_core.order_counts import OrderCounts, distinct
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.sorting import SortedNumbers
from tacit.loss.changed import changed_and_suppressed


def largest_gap(x: SortedNumbers, z: SortedNumbers) -> float:
    """sup |F - G| of two sorted columns; 1 if one alone has no value.

    Both functions are steps that change at values only, so each piece of either column looks
    at its own values.
    """
    if not x.present or not z.present:
        return float(x.present != z.present)
    work = _Gap(OrderCounts.of(x), OrderCounts.of(z))
    items = [(side.values, *span) for side in (x, z) for span in spans(side.present)]
    return float(max(mapped(work, items)))


@dataclass(frozen=True)
class _Gap:
    """Item: (values, first, stop). The largest gap at these values."""

    x: OrderCounts
    z: OrderCounts

    def __call__(self, item: tuple[NumberFiles, int, int]) -> float:
        values = distinct(item[0].read(*item[1:]))
        before = self.x.up_to(values) / self.x.n
        after = self.z.up_to(values) / self.z.n
        return float(np.abs(before - after).max())


def code_counts(codes: NumberSource) -> tuple[Ints, int]:
    """How many records have each code, up to the highest that occurs; and how many have none."""
    counts, gaps = np.zeros(0, np.int64), 0
    for there, missing in mapped(_CodeCounts(codes), spans(codes.n)):
        if len(there) > len(counts):
            counts = np.pad(counts, (0, len(there) - len(counts)))
        counts[: len(there)] += there
        gaps += missing
    return counts, gaps


@dataclass(frozen=True)
class _CodeCounts:
    """Item: a span of rows."""

    codes: NumberSource

    def __call__(self, item: tuple[int, int]) -> tuple[Ints, int]:
        codes = self.codes.read(*item)
        there = codes[~np.isnan(codes)].astype(np.int64)
        return np.bincount(there), len(codes) - len(there)


def changed_cells(x: NumberSource, z: NumberSource) -> tuple[int, int]:
    """Cells of a column that are not what they were, and those of them that are suppressed."""
    found = mapped(_Changed(x, z), spans(x.n))
    return sum(cells for cells, _ in found), sum(hidden for _, hidden in found)


@dataclass(frozen=True)
class _Changed:
    """Item: a span of rows."""

    x: NumberSource
    z: NumberSource

    def __call__(self, item: tuple[int, int]) -> tuple[int, int]:
        cells, suppressed = changed_and_suppressed(
            self.x.read(*item), self.z.read(*item)
        )
        return int(cells.sum()), int(suppressed.sum())


def values_at(ordered: SortedNumbers, fill: float, places: Ints) -> Floats:
    """The values at some places of a sorted column whose gaps hold ``fill``.

    The gaps stand together where the filling would be sorted in.
    """
    gaps = ordered.n - ordered.present
    first = int(OrderCounts.of(ordered).below(np.array([fill]))[0])
    found = np.full(len(places), fill)
    known = (places < first) | (places >= first + gaps)
    at = np.where(places < first, places, places - gaps)[known]
    found[known] = ordered.at(at.tolist())
    return found


def around(column: NumberSource, fill: float, values: Floats) -> tuple[Ints, Ints]:
    """(cells below, cells at or below) each of some rising values, gaps holding ``fill``."""
    below, up_to = np.zeros(len(values), np.int64), np.zeros(len(values), np.int64)
    for one, other in mapped(_Around(column, fill, values), spans(column.n)):
        below += one
        up_to += other
    return below, up_to


@dataclass(frozen=True)
class _Around:
    """Item: a span of rows."""

    column: NumberSource
    fill: float
    values: Floats

    def __call__(self, item: tuple[int, int]) -> tuple[Ints, Ints]:
        cells = self.column.read(*item)
        cells = np.where(np.isnan(cells), self.fill, cells)
        k = len(self.values)
        # a cell is below every value from its place on
        first = np.bincount(
            np.searchsorted(self.values, cells, side="right"), minlength=k + 1
        )
        last = np.bincount(
            np.searchsorted(self.values, cells, side="left"), minlength=k + 1
        )
        return np.cumsum(first)[:k], np.cumsum(last)[:k]
