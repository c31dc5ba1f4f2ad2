"""Groups along one column of a file on the disk: ``along_line`` in passes, with the same bits.

The column is sorted there. The shortest path to each place is found going forward, with the last
2k - 1 places in hand, and the groups going back; only the size of the last group of each path is
written. Averages are taken in pieces, and put at their rows. Memory: a piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from tacit.base.typing import Bools, Floats, Ints
from tacit.data.io.disk_table import SpillFolder
from tacit.data.out_of_core.lexical_order import lexical_order
from tacit.data.out_of_core.number_files import (
    NumberFiles,
    NumberSource,
    write_numbers,
)
from tacit.data.out_of_core.order_counts import OrderCounts
from tacit.data.out_of_core.pieces import mapped, spans, spent, whole_blocks
from tacit.data.out_of_core.placing import Moved, Numbered, placed
from tacit.data.out_of_core.sorting import sorted_numbers
from tacit.kernels.mdav.univariate import first_of_groups, optimal_steps
from tacit.protect import by_address
from tacit.protect.grouping.along_line import (
    Average,
    Scale,
    averaged,
    stretches,
    totals_of_blocks,
)


class TooFew(Exception):
    """A column has values of fewer than k records."""


@dataclass(frozen=True)
class ValueOrder:
    """The place of each record among all in value order; breaks the ties of a column."""

    ranks: NumberFiles

    @classmethod
    def of(cls, columns: Sequence[NumberSource], folder: SpillFolder) -> ValueOrder:
        """By the first of these columns, equal ones by the second, ..."""
        rows = lexical_order(columns, folder)
        ranks = placed(
            Numbered(rows), spans(rows.n), rows.n, folder, missing=0, dtype="<u8"
        )
        rows.remove()
        return cls(ranks)

    def __call__(self, first: int, stop: int) -> npt.NDArray[np.uint64]:
        found: npt.NDArray[np.uint64] = self.ranks.read(first, stop)
        return found


@dataclass(frozen=True)
class _OfGaps:
    """The place in value order of each record without a value; NaN elsewhere."""

    column: NumberSource
    order: ValueOrder

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.column.n

    def read(self, first: int, stop: int) -> Floats:
        """Those of a span of rows."""
        gaps = np.isnan(self.column.read(first, stop))
        return np.where(gaps, self.order(first, stop).astype(np.float64), np.nan)


@dataclass(frozen=True)
class _Put:
    """Numbers among which others are put at one place."""

    outer: NumberSource
    inner: NumberSource | None
    at: int
    length: int
    """How many are put there; without a source they are NaN."""

    @property
    def n(self) -> int:
        """All of them."""
        return self.outer.n + self.length

    def read(self, first: int, stop: int) -> npt.NDArray[np.float64]:
        """Those from ``first`` up to ``stop``."""
        end = self.at + self.length
        found = [self.outer.read(min(first, self.at), min(stop, self.at))]
        low, high = max(first, self.at), min(stop, end)
        if low < high and self.inner is None:
            found.append(np.full(high - low, np.nan))
        elif low < high and self.inner is not None:
            found.append(self.inner.read(low - self.at, high - self.at))
        found.append(
            self.outer.read(max(first, end) - self.length, max(stop, end) - self.length)
        )
        return np.concatenate([some for some in found if len(some)] or found[:1])


@dataclass(frozen=True)
class DiskLine:
    """The records of a column on the disk along their line."""

    values: NumberSource
    """NaN where missing."""
    rows: NumberSource
    scale: Scale
    files: tuple[NumberFiles, ...]

    @classmethod
    def of(
        cls,
        column: NumberSource,
        order: ValueOrder,
        folder: SpillFolder,
        *,
        fill: bool,
    ) -> DiskLine:
        """Sort the column; gaps are left out, or come after the values up to the mean."""
        ordered = sorted_numbers(column, folder, ties=order)
        present, gaps = ordered.present, column.n - ordered.present
        ends = ordered.at([0, present - 1]) if present else np.zeros(2)

        def totals(mean: float | None) -> Iterable[float]:
            work = _Totals(ordered.values, mean)
            return chain.from_iterable(
                mapped(work, whole_blocks(present, by_address.BLOCK))
            )

        scale = Scale.of(totals, present, (ends[0], ends[1]))
        files = (ordered.values, ordered.rows)
        if not gaps or not fill:
            return cls(ordered.values, ordered.rows, scale, files)
        middle = int(OrderCounts.of(ordered).up_to(np.array([scale.mean]))[0])
        missing = sorted_numbers(_OfGaps(column, order), folder)
        return cls(
            _Put(ordered.values, None, middle, gaps),
            _Put(ordered.rows, missing.rows, middle, gaps),
            scale,
            (*files, missing.values, missing.rows),
        )

    @property
    def n(self) -> int:
        """Records on the line."""
        return self.rows.n

    def along(self, numbers: NumberSource, folder: SpillFolder) -> NumberFiles:
        """Numbers in row order, put along the line."""
        # rows that are not on the line go behind it
        place = placed(
            Numbered(self.rows),
            spans(self.n),
            numbers.n,
            folder,
            missing=self.n,
            dtype="<i8",
        )
        found = placed(
            _OnLine(place, numbers, self.n), spans(numbers.n), self.n, folder
        )
        place.remove()
        return found

    def remove(self) -> None:
        """The line is not needed any more."""
        for one in self.files:
            one.remove()


@dataclass(frozen=True)
class _OnLine:
    """Item: a span of rows. Their places on the line, and numbers; of those that are on it."""

    place: NumberSource
    numbers: NumberSource
    length: int

    def __call__(self, item: tuple[int, int]) -> tuple[Ints, Floats]:
        places, numbers = Moved(self.place, self.numbers)(item)
        here = places < self.length
        return places[here], numbers[here]


@dataclass(frozen=True)
class _Totals:
    """Item: a span. The sum of each of its blocks, or that of squares about a mean."""

    values: NumberFiles
    mean: float | None

    def __call__(self, item: tuple[int, int]) -> list[float]:
        return totals_of_blocks(self.values.read(*item), self.mean)


@dataclass(frozen=True)
class FixedBegins:
    """Runs of k; the last one takes the remainder."""

    n: int
    k: int

    def read(self, first: int, stop: int) -> Bools:
        """Which places from ``first`` up to ``stop`` begin a group."""
        places = np.arange(first, stop)
        last = max(self.n // self.k, 1) - 1
        return np.asarray((places % self.k == 0) & (places // self.k <= last))


def optimal_begins(line: DiskLine, k: int, folder: SpillFolder) -> NumberFiles:
    """Which places begin a group of the partition with the least squared error."""
    reach = 2 * k - 1
    score, best = np.empty(0), np.zeros(1)
    files = []
    items = spans(line.n)
    for first, stop in items:
        # no group reaches further back than this
        score, best = score[-reach:], best[-reach - 1 :]
        known = len(score)
        score = np.concatenate(
            [score, line.scale.scores(line.values.read(first, stop))]
        )
        best = np.concatenate([best, np.full(stop - first, np.inf)])
        steps = optimal_steps.taking((stop - first) * 2 * k)
        size = steps(score, best, known, k)
        files.append(folder.next_file())
        write_numbers(files[-1], size[known + 1 :].astype("<i4"))
    begins = [folder.next_file() for _ in items]
    end = line.n
    for number in reversed(range(len(items))):
        first, stop = items[number]
        size = np.concatenate([[0], np.fromfile(files[number], "<i4")]).astype(np.int64)
        walk = first_of_groups.taking((stop - first) * 2)
        # a group of the stretch behind may begin here, or before
        at = end - first
        own, left = walk(size, max(at, 0))
        if 0 <= at < stop - first:
            own[at] = True
        end = first + min(left, at)
        write_numbers(begins[number], own)
    spent(files)
    return NumberFiles(tuple(begins), tuple(b - a for a, b in items), "?")


@dataclass(frozen=True)
class _Averages:
    """Item: a span of the line. The rows of the groups that begin in it, and their averages."""

    line: DiskLine
    begins: NumberSource
    weights: NumberFiles | None
    average: Average
    reach: int

    def __call__(self, item: tuple[int, int]) -> tuple[Ints, Floats]:
        first, stop = item
        end = min(stop + self.reach, self.line.n)
        begins = self.begins.read(first, end)
        values, rows = (
            self.line.values.read(first, end),
            self.line.rows.read(first, end),
        )
        weights = None if self.weights is None else self.weights.read(first, end)
        found_rows, found = [np.empty(0, dtype=np.int64)], [np.empty(0)]
        for low, high in stretches(begins, first, stop):
            own = None if weights is None else weights[low:high]
            found.append(
                averaged(values[low:high], begins[low:high], own, self.average)
            )
            found_rows.append(rows[low:high].astype(np.int64))
        return np.concatenate(found_rows), np.concatenate(found)


def masked_along_disk(
    column: NumberSource,
    order: ValueOrder,
    weights: NumberSource | None,
    k: int,
    average: Average,
    folder: SpillFolder,
    *,
    optimal: bool,
    fill: bool,
) -> NumberFiles | None:
    """The averages that stand for the values of a column, in row order; None: it has none.

    Parameters
    ----------
    column : NumberSource
        Values or codes in row order; NaN where missing.
    order : ValueOrder
        The records in value order.
    weights : NumberSource or None
        Sampling weights.
    k : int
        Smallest group.
    average : function
        Mean, median; can be sent to a worker.
    folder : SpillFolder
        Where files are written.
    optimal : bool
        The best groups, or runs of k.
    fill : bool
        Records without a value get an average, too.
    """
    line = DiskLine.of(column, order, folder, fill=fill)
    if line.n < k:
        line.remove()
        if line.n:
            raise TooFew(line.n)
        return None
    begins = optimal_begins(line, k, folder) if optimal else FixedBegins(line.n, k)
    along = None if weights is None else line.along(weights, folder)
    work = _Averages(line, begins, along, average, 2 * k)
    numbers = placed(work, whole_blocks(line.n, by_address.BLOCK), column.n, folder)
    line.remove()
    for files in (begins, along):
        if isinstance(files, NumberFiles):
            files.remove()
    return numbers
