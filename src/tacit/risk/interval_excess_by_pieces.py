"""Interval disclosure beyond guessing, of files on the disk: columns are sorted there.

Everything about column j happens in the order of its original values, of which the sort knows the
rows. The different values with their mean ranks lie in files of rising numbers, so that a piece of
the order reads the stretches around it; the masked columns are put in that order, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.base.typing import Floats, Ints
from tacit.data.io.disk_table import SpillFolder
from tacit.data.out_of_core import pieces
from tacit.data.out_of_core.disk_rows import DiskRows
from tacit.data.out_of_core.number_files import (
    ArrayNumbers,
    NumberFiles,
    NumberSource,
    write_numbers,
)
from tacit.data.out_of_core.order_counts import OrderCounts, at_rising
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.placing import placed
from tacit.data.out_of_core.sorting import SortedNumbers, Stretch, sorted_numbers
from tacit.data.pair import Pair
from tacit.risk.interval_by_pieces import AtRanks
from tacit.risk.interval_excess import BLOCK, Guesses, near_enough


def judged_columns(
    pair: Pair,
    names: list[str],
    own_row: Ints,
    widths: Sequence[float],
    noise: float | None,
) -> Iterator[DiskColumn]:
    """Each column in turn; its files are removed when the next one is asked for."""
    x, z = pair.rows(names)
    assert isinstance(x, DiskRows)
    assert isinstance(z, DiskRows)
    folder = z.folder
    guesses = Guesses.of(z, noise)
    masked: list[NumberSource] = [z.source(j) for j in range(len(names))]
    moved: list[NumberFiles] = []
    in_order = np.array_equal(own_row, np.arange(len(z)))
    if not in_order:
        # masked values at the rows of their originals
        moved = [_at_originals(column, own_row, folder) for column in masked]
        masked = list(moved)
    for j in range(len(names)):
        if in_order:
            ordered = x.ordered(j)
        else:
            released = _Released(x.source(j), own_row >= 0)
            ordered = sorted_numbers(released, folder)
        if ordered.present:
            column = DiskColumn.of(j, ordered, masked, tuple(widths), guesses, folder)
            yield column
            column.remove()
        else:
            yield DiskColumn(j, ordered, masked, (), guesses, folder)
        if not in_order:
            ordered.remove()
    for files in moved:
        files.remove()


@dataclass(frozen=True)
class _Released:
    """A column of the originals whose record was released; else NaN."""

    column: NumberSource
    released: npt.NDArray[np.bool_]

    @property
    def n(self) -> int:
        """Rows of the file."""
        return self.column.n

    def read(self, first: int, stop: int) -> Floats:
        """Those from ``first`` up to ``stop``."""
        return np.where(
            self.released[first:stop], self.column.read(first, stop), np.nan
        )


def _at_originals(
    column: NumberSource, own_row: Ints, folder: SpillFolder
) -> NumberFiles:
    """A masked column with each value at the row of its original; else NaN."""
    released = np.flatnonzero(own_row >= 0)
    whose = np.full(column.n, np.nan)
    whose[own_row[released]] = released
    work = AtRanks(ArrayNumbers(whose), column)
    return placed(work, spans(column.n), len(own_row), folder)


@dataclass(frozen=True)
class DiskColumn:
    """A column on the disk; without ``values`` it has none."""

    place: int
    ordered: SortedNumbers
    masked: list[NumberSource]
    widths: tuple[float, ...]
    guesses: Guesses
    folder: SpillFolder
    values: Support | None = None
    ranks: NumberFiles | None = None

    @classmethod
    def of(
        cls,
        place: int,
        ordered: SortedNumbers,
        masked: list[NumberSource],
        widths: tuple[float, ...],
        guesses: Guesses,
        folder: SpillFolder,
    ) -> DiskColumn:
        """With its different values, and where each record stands."""
        values = Support.of(ordered, folder)
        ranks = ordered.ranks(folder, "first")
        return cls(place, ordered, masked, widths, guesses, folder, values, ranks)

    def remove(self) -> None:
        """The files are not needed any more."""
        if self.values is not None and self.ranks is not None:
            self.values.remove()
            self.ranks.remove()

    def close_as_released(self) -> list[float]:
        """Of the masked values."""
        return self._share_close(1, [self.place])

    def close_if_filtered(self) -> list[float]:
        """Of every filtered guess, which is made of all columns of a record."""
        return self._share_close(len(self.guesses.titles), range(len(self.masked)))

    def _share_close(self, ways: int, columns: Sequence[int]) -> list[float]:
        """The share of guesses made of these columns that are near enough, over widths."""
        if self.values is None or self.ranks is None:
            return [0.0] * ways
        n = self.ordered.present
        there = [
            placed(
                AtRanks(self.ranks, self.masked[k]), spans(self.ranks.n), n, self.folder
            )
            for k in columns
        ]
        only = len(columns) == 1 and ways == 1
        work = _Close(
            self.values, tuple(there), self.widths, self.guesses, self.place, only
        )
        enough = np.sum(mapped(work, spans(n)), axis=0)
        for files in there:
            files.remove()
        return [int(hits) / n / len(self.widths) for hits in enough]

    def best_constant(self) -> float:
        """Of all constants."""
        if self.values is None:
            return 0.0
        work = _MostInside(self.values, self.widths)
        most = max(mapped(work, spans(self.values.number)))
        return float(most) / (len(self.widths) * self.values.n)


@dataclass(frozen=True)
class Support:
    """The different values of a sorted column in files; can be sent to a worker.

    Attributes
    ----------
    n
        How many records there are.
    values, starts
        The different values, and the place in the order at which each begins.
    ranks
        The mean rank of each, from 1.
    """

    n: int
    values: NumberFiles
    starts: OrderCounts
    ranks: OrderCounts

    @classmethod
    def of(cls, ordered: SortedNumbers, folder: SpillFolder) -> Support:
        """In one pass over the order."""
        values, starts = _Files(folder), _Files(folder, "<i8")
        last, place = np.nan, 0
        for piece, _ in ordered.in_turn(pieces.PIECE):
            before = np.concatenate([[last], piece[:-1]])
            new = np.flatnonzero(piece != before)
            values.write(piece[new])
            starts.write(new + place)
            last, place = piece[-1], place + len(piece)
        n, begins = ordered.present, starts.files()
        ranks = _Files(folder)
        for first, stop in spans(begins.n):
            start = begins.read(first, stop)
            ends = np.append(begins.read(first + 1, stop + 1), [n] * (stop == begins.n))
            ranks.write(start + (ends - start + 1) / 2)
        return cls(n, values.files(), starts.counts(), ranks.counts())

    @property
    def number(self) -> int:
        """How many different values there are."""
        return self.values.n

    def remove(self) -> None:
        """The files are not needed any more."""
        for files in (self.values, self.starts.values, self.ranks.values):
            files.remove()

    def near(self, first: int, stop: int, width: float) -> tuple[Ints, Ints]:
        """(first, last) of the values whose mean rank is within a width of some values' own."""
        ranks = self.ranks.values.read(first, stop)
        # less than a record is rounding
        reach = width * self.n + 1e-9
        return self.ranks.below(ranks - reach), self.ranks.up_to(ranks + reach) - 1

    def at(self, places: Ints) -> Floats:
        """The values at some rising places; infinite beyond both ends."""
        inside = np.clip(places, 0, self.number - 1)
        found = at_rising(self.values, inside)
        found[places < 0] = -np.inf
        found[places >= self.number] = np.inf
        return found


class _Files:
    """Rising numbers that are written one piece after the other."""

    def __init__(self, folder: SpillFolder, dtype: str = "<f8") -> None:
        self.folder = folder
        self.dtype = dtype
        self.written: list[Any] = []
        self.stretches: list[Stretch] = []

    def write(self, numbers: npt.NDArray[Any]) -> None:
        """The next piece."""
        path = self.folder.next_file()
        write_numbers(path, numbers.astype(self.dtype))
        self.written.append(path)
        ends = (numbers[0], numbers[-1]) if len(numbers) else (None, None)
        self.stretches.append(Stretch(len(numbers), *ends))

    def files(self) -> NumberFiles:
        """All of them."""
        lengths = tuple(stretch.records for stretch in self.stretches)
        return NumberFiles(tuple(self.written), lengths, self.dtype)

    def counts(self) -> OrderCounts:
        """All of them, to be counted."""
        return OrderCounts(self.files(), tuple(self.stretches))


@dataclass(frozen=True)
class _Close:
    """Item: a span of the order. How many guesses of each way are near enough, over widths."""

    values: Support
    masked: tuple[NumberFiles, ...]
    widths: tuple[float, ...]
    guesses: Guesses
    place: int
    only_released: bool

    def __call__(self, item: tuple[int, int]) -> Ints:
        first, stop = item
        starts = self.values.starts
        low = int(starts.up_to(np.array([first]))[0]) - 1
        high = int(starts.up_to(np.array([stop - 1]))[0])
        begins = starts.values.read(low, high)
        own = np.searchsorted(begins, np.arange(first, stop), side="right") - 1
        rows = np.column_stack([files.read(first, stop) for files in self.masked])
        found = np.zeros(
            1 if self.only_released else len(self.guesses.titles), np.int64
        )
        ends = [self._ends(low, high, width) for width in self.widths]
        # some thousands of records at a time stay in the processor's cache
        for start in range(0, stop - first, BLOCK):
            some = slice(start, start + BLOCK)
            made = self._made(rows[some])
            here = own[some]
            for of_width in ends:
                one, two, three, four = (end[here] for end in of_width)
                found += near_enough((one, two, three, four), made)
        return found

    def _ends(self, low: int, high: int, width: float) -> tuple[Floats, ...]:
        """The values beside the first and the last that are near enough to some values."""
        first, last = self.values.near(low, high, width)
        at = self.values.at
        return at(first - 1), at(first), at(last), at(last + 1)

    def _made(self, rows: Floats) -> list[Floats]:
        if self.only_released:
            return [self.guesses.as_released(rows[:, 0], self.place)]
        return self.guesses.filtered(rows, self.place)


@dataclass(frozen=True)
class _MostInside:
    """Item: a span of the different values. The most records that one of them is right about."""

    values: Support
    widths: tuple[float, ...]

    def __call__(self, item: tuple[int, int]) -> int:
        inside = np.zeros(item[1] - item[0], np.int64)
        for width in self.widths:
            first, last = self.values.near(*item, width)
            inside += self._start(last + 1) - self._start(first)
        return int(inside.max(initial=0))

    def _start(self, places: Ints) -> Ints:
        """Where some rising values begin; beyond the last at the end."""
        number = self.values.number
        found = at_rising(self.values.starts.values, np.minimum(places, number - 1))
        return np.where(places < number, found, self.values.n).astype(np.int64)
