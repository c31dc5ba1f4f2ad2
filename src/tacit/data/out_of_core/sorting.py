"""A column in rising order with its rows, by range partition: external sort.

Three passes: a look at one value in a thousand says where to cut; each item sorts its records by
the range in which they fall; each range is sorted on its own. Equal values are in the order of
their rows, or of a tie-breaker that every record has (a random number drawn by its address). Cuts
are made in values and tie-breakers together, so that a value that half of the records have is cut,
too, and no range is much larger than ``pieces.PIECE``. Missing values (NaN) are left out.

    ordered = sorted_numbers(source, folder)
    ordered.quantile(0.5), ordered.at([0, ordered.present - 1]), ordered.distinct
    for values, rows in ordered.in_turn(length): ...
    ranks = ordered.ranks(folder)          # NumberFiles, in row order

Source: DeWitt, Naughton and Schneider (1991), parallel sorting by probabilistic splitting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tacit.base.typing import Floats, Ints
from tacit.data.io.disk_table import SpillFolder
from tacit.data.out_of_core.grouped_files import GroupedFiles, write_grouped
from tacit.data.out_of_core.number_files import (
    NumberFiles,
    NumberSource,
    write_numbers,
)
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.placing import placed

# looked at for each range: its length is then right within about three per cent
LOOKS = 1000

Values = npt.NDArray[Any]
Ties = Callable[[int, int], npt.NDArray[np.uint64]]
"""Tie-breakers of the records from the first up to the second row; can be sent to a worker."""
RankOf = Literal["first", "average", "low", "high", "dense"]
"""Rank of equal values: in order, their mean, lowest or highest place, or that among values."""


@dataclass(frozen=True)
class Stretch:
    """One range, sorted: how many records, and what its ends look like."""

    records: int
    first: Any = None
    last: Any = None
    # how many records have the first and the last value
    like_first: int = 0
    like_last: int = 0
    distinct: int = 0


@dataclass(frozen=True)
class SortedNumbers:
    """The values of a column that are there, in rising order, and their rows; on the disk."""

    n: int
    values: NumberFiles
    rows: NumberFiles
    stretches: tuple[Stretch, ...]

    @property
    def present(self) -> int:
        """How many values are there."""
        return self.values.n

    @property
    def distinct(self) -> int:
        """How many different ones."""
        found, last = 0, None
        for one in self.stretches:
            if one.records:
                found += one.distinct - (last is not None and one.first == last)
                last = one.last
        return found

    def in_turn(self, length: int) -> Iterator[tuple[Values, Ints]]:
        """(values, rows), so many at a time, in rising order."""
        for first in range(0, self.present, length):
            stop = min(first + length, self.present)
            yield self.values.read(first, stop), self.rows.read(first, stop)

    def at(self, places: Sequence[int]) -> Floats:
        """The values at some places of the order, from 0."""
        return np.array([self.values.read(int(p), int(p) + 1)[0] for p in places])

    def quantile(self, share: float) -> float:
        """As ``numpy.quantile`` of the values that are there."""
        place = share * (self.present - 1)
        low = int(np.floor(place))
        ends = self.at([low, min(low + 1, self.present - 1)])
        # numpy's own interpolation between two values, so that the bits are its bits
        return float(np.quantile(ends, place - low))

    def ranks(self, folder: SpillFolder, of_equal: RankOf = "average") -> NumberFiles:
        """The rank of each record from 0, in row order; NaN where there is no value."""
        work = _Ranked(self.values, self.rows, of_equal)
        return placed(work, self._items(), self.n, folder)

    def numbered(self, folder: SpillFolder) -> NumberFiles:
        """The number of each value among the different ones, from 0, in sorted order."""
        items = [(*item, folder.next_file()) for item in self._items()]
        lengths = mapped(_Dense(self.values), items)
        return NumberFiles(tuple(item[-1] for item in items), tuple(lengths), "<i8")

    def placed(self, numbers: NumberFiles, folder: SpillFolder) -> NumberFiles:
        """Numbers that stand in sorted order, put at the rows of the values; else NaN."""
        work = Paired(self.rows, numbers)
        return placed(work, spans(self.present), self.n, folder)

    def remove(self) -> None:
        """The order is not needed any more."""
        self.values.remove()
        self.rows.remove()

    def _items(self) -> list[tuple[int, int, int, int, int]]:
        """Of each stretch: its place, where its first value began, where its last ends, ..."""
        begins: list[int] = []
        dense: list[int] = []
        row, start, last, values = 0, 0, None, 0
        for one in self.stretches:
            if one.records:
                joins = last is not None and one.first == last
                begins.append(start if joins else row)
                dense.append(values - joins)
                values += one.distinct - joins
                if one.distinct > 1 or not joins:
                    start = row + one.records - one.like_last
                last = one.last
            else:
                begins.append(row)
                dense.append(values)
            row += one.records
        ends = [0] * len(begins)
        end, last = row, None
        for number in reversed(range(len(begins))):
            one = self.stretches[number]
            row -= one.records
            if one.records:
                joins = last is not None and one.last == last
                ends[number] = end if joins else row + one.records
                if one.distinct > 1 or not joins:
                    end = row + one.like_first if one.distinct > 1 else ends[number]
                last = one.first
        items, row = [], 0
        for number, one in enumerate(self.stretches):
            items.append(
                (row, row + one.records, begins[number], ends[number], dense[number])
            )
            row += one.records
        return [item for item in items if item[0] < item[1]]


@dataclass(frozen=True)
class Paired:
    """Rows and numbers that stand at the same places of an order; an item is a span of it."""

    rows: NumberFiles
    numbers: NumberFiles

    def __call__(self, item: tuple[int, int]) -> tuple[Ints, Values]:
        """(rows, numbers) of a span."""
        return self.rows.read(*item), self.numbers.read(*item)


@dataclass(frozen=True)
class _Ranked:
    """Rows and ranks of one stretch."""

    values: NumberFiles
    rows: NumberFiles
    of_equal: RankOf

    def __call__(self, item: tuple[int, int, int, int, int]) -> tuple[Ints, Floats]:
        first, stop, begins, ends, dense = item
        values, rows = self.values.read(first, stop), self.rows.read(first, stop)
        if self.of_equal == "first":
            return rows, np.arange(first, stop, dtype=np.float64)
        new, label = _labelled(values)
        if self.of_equal == "dense":
            return rows, (label + dense).astype(np.float64)
        starts = np.flatnonzero(new)
        low = starts + first
        high = np.append(starts[1:], stop - first) + first - 1
        # a value may have begun before this stretch, and go on after it
        low[0], high[-1] = begins, ends - 1
        if self.of_equal == "low":
            return rows, low[label].astype(np.float64)
        if self.of_equal == "high":
            return rows, high[label].astype(np.float64)
        return rows, ((low + high) / 2.0)[label]


@dataclass(frozen=True)
class _Dense:
    """Item: a stretch as ``SortedNumbers`` describes it, and a file for its dense ranks."""

    values: NumberFiles

    def __call__(self, item: tuple[int, int, int, int, int, Path]) -> int:
        first, stop, _, _, dense, path = item
        _, label = _labelled(self.values.read(first, stop))
        return write_numbers(path, label + dense)


@dataclass(frozen=True)
class _Look:
    """Some records of a span, for the cuts: values, tie-breakers, and how many are there."""

    source: NumberSource
    ties: Ties | None
    step: int

    def __call__(self, item: tuple[int, int]) -> tuple[int, Values, Values]:
        first, stop = item
        values = self.source.read(first, stop)
        there = _present(values)
        chosen = np.flatnonzero(there)[:: self.step]
        ties = _ties_of(self.ties, first, stop)[chosen]
        return int(there.sum()), values[chosen], ties


@dataclass(frozen=True)
class _Scatter:
    """Item: (first, stop, file). Records by the range in which they fall."""

    source: NumberSource
    ties: Ties | None
    cut_values: Values
    cut_ties: Values
    dtype: Any

    def __call__(self, item: tuple[int, int, Path]) -> Ints:
        first, stop, path = item
        values = self.source.read(first, stop)
        rows = np.flatnonzero(_present(values))
        values = values[rows]
        ties = _ties_of(self.ties, first, stop)[rows]
        records = np.empty(len(rows), self.dtype)
        records["value"] = values
        records["row"] = rows + first
        if self.ties is not None:
            records["tie"] = ties
        target = _range_of(values, ties, self.cut_values, self.cut_ties)
        return write_grouped(path, records, target, len(self.cut_values) + 1)


@dataclass(frozen=True)
class _SortRange:
    """Item: (number of the range, file of values, file of rows)."""

    grouped: GroupedFiles

    def __call__(self, item: tuple[int, Path, Path]) -> Stretch:
        target, values_file, rows_file = item
        records = self.grouped.read(target)
        values = np.ascontiguousarray(records["value"])
        # records come in row order, and the sort is stable
        if len(self.grouped.dtype) == 3:
            order = np.lexsort((records["tie"], values))
        else:
            order = np.argsort(values, kind="stable")
        values = values[order]
        write_numbers(values_file, values)
        write_numbers(rows_file, records["row"][order])
        if not len(values):
            return Stretch(0)
        return Stretch(
            len(values),
            values[0],
            values[-1],
            int(np.searchsorted(values, values[0], side="right")),
            int(len(values) - np.searchsorted(values, values[-1], side="left")),
            1 + int((values[1:] != values[:-1]).sum()),
        )


def sorted_numbers(
    source: NumberSource,
    folder: SpillFolder,
    *,
    ties: Ties | None = None,
    dtype: str = "<f8",
) -> SortedNumbers:
    """The numbers of a source in rising order.

    Parameters
    ----------
    source : NumberSource
        Numbers in row order (``NumberFiles``, ``ColumnNumbers``).
    folder : SpillFolder
        Where files are written.
    ties : function, optional
        Tie-breakers of a span of rows; the row itself, unless given.
    dtype : str
        Type of the numbers; NaN is missing.
    """
    items = spans(source.n)
    ranges = len(items)
    step = max(1, source.n // (LOOKS * ranges))
    seen = mapped(_Look(source, ties, step), items)
    values = np.concatenate([found for _, found, _ in seen])
    broken = np.concatenate([found for _, _, found in seen])
    cut_values, cut_ties = _cuts(values, broken, ranges)
    fields = [("value", dtype), ("row", "<i8")]
    if ties is not None:
        fields.append(("tie", "<u8"))
    record = np.dtype(fields)
    scatter = _Scatter(source, ties, cut_values, cut_ties, record)
    files = [folder.next_file() for _ in items]
    starts = mapped(scatter, [(*s, f) for s, f in zip(items, files, strict=True)])
    grouped = GroupedFiles.of(files, starts, len(cut_values) + 1, record)
    wanted = [
        (number, folder.next_file(), folder.next_file())
        for number in range(grouped.targets)
    ]
    stretches = mapped(_SortRange(grouped), wanted)
    grouped.remove()
    lengths = tuple(one.records for one in stretches)
    return SortedNumbers(
        source.n,
        NumberFiles(tuple(path for _, path, _ in wanted), lengths, dtype),
        NumberFiles(tuple(path for _, _, path in wanted), lengths, "<i8"),
        tuple(stretches),
    )


def _labelled(values: Values) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Where rising values change, and how often they have by then."""
    new = np.concatenate([[True], values[1:] != values[:-1]])
    return new, np.asarray(np.cumsum(new) - 1, dtype=np.int64)


def _present(values: Values) -> npt.NDArray[np.bool_]:
    if values.dtype.kind != "f":
        return np.ones(len(values), dtype=np.bool_)
    return np.asarray(~np.isnan(values))


def _ties_of(ties: Ties | None, first: int, stop: int) -> Values:
    if ties is None:
        return np.arange(first, stop, dtype=np.uint64)
    return ties(first, stop)


def _cuts(values: Values, ties: Values, ranges: int) -> tuple[Values, Values]:
    """The pairs of value and tie-breaker at which ranges of equal length begin."""
    if not len(values):
        return values, ties
    order = np.lexsort((ties, values))
    places = np.arange(1, ranges) * len(values) // ranges
    chosen = order[places]
    return values[chosen], ties[chosen]


def _range_of(
    values: Values, ties: Values, cut_values: Values, cut_ties: Values
) -> Ints:
    """How many cuts are at or below each record, compared by value and then by tie-breaker."""
    low = np.searchsorted(cut_values, values, side="left")
    target = np.searchsorted(cut_values, values, side="right")
    open_ones = np.flatnonzero(low < target)
    # few records have the very value of a cut, unless most have one value
    for begin in np.unique(low[open_ones]):
        same = open_ones[low[open_ones] == begin]
        end = int(target[same[0]])
        inside = np.searchsorted(cut_ties[begin:end], ties[same], side="right")
        target[same] = begin + inside
    return np.asarray(target, dtype=np.int64)
