"""Noisy means of runs of k along an order, and the rows at which they are released, of large files.

Noise is drawn in blocks of runs of about 8,192 records: from the system, or, with a seed for
tests, from a generator of its own for each (``by_address``). Released is the mean of run after run,
at rows in random order, which no record has a part in: each row has a key of 64 bits (``RowKeys``),
and that with the smallest one takes the first place. On the disk records and keys are sorted
there. Memory: a piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from tacit.base.typing import Floats, Ints
from tacit.data.io.disk_table import SpilledColumns, SpillFolder, write_columns
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core import pieces
from tacit.data.out_of_core.column_numbers import ColumnNumbers
from tacit.data.out_of_core.lexical_order import lexical_order
from tacit.data.out_of_core.number_files import NumberFiles, NumberSource
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.placing import Moved, Numbered, placed
from tacit.data.out_of_core.row_keys import KeyNumbers, RowKeys
from tacit.data.out_of_core.sorting import sorted_numbers
from tacit.protect import by_address
from tacit.protect.private import declared
from tacit.protect.private.bounds import Grid, refuse_missing
from tacit.protect.private.discrete_laplace import discrete_laplace


@dataclass(frozen=True)
class NoisyRuns:
    """The values that are released along an order; can be sent to a worker."""

    n: int
    k: int
    grid: Grid
    scale: float
    draws: by_address.Draws | None
    """The generators of the blocks of runs; None: the system's randomness."""

    @property
    def groups(self) -> int:
        """How many runs there are; the last one takes the remainder."""
        return max(self.n // self.k, 1)

    @property
    def block(self) -> int:
        """Runs of a block."""
        return max(1, by_address.BLOCK // self.k)

    def items(self) -> list[tuple[int, int]]:
        """Whole blocks of runs, of about the length of a piece."""
        many = max(1, pieces.PIECE // (self.block * self.k))
        return spans(self.groups, many * self.block)

    def span(self, first: int, stop: int) -> tuple[int, int]:
        """The places of these runs in the order."""
        end = self.n if stop == self.groups else stop * self.k
        return first * self.k, end

    def values(self, ordered: Ints, first: int, stop: int) -> Floats:
        """What stands at the places of these runs, whose first begins a block.

        ``ordered`` are the values there, on the grid. Sums and noise are integers, so nothing is
        rounded before the noise.
        """
        count = stop - first
        run = np.minimum(np.arange(len(ordered)) // self.k, count - 1)
        sums = np.add.reduceat(ordered, np.arange(count) * self.k)
        noisy = sums + self._noise(first, stop)
        inside = np.clip(noisy / np.bincount(run), 0, self.grid.steps)
        return np.asarray(self.grid.value(inside[run]))

    def _noise(self, first: int, stop: int) -> Ints:
        if self.draws is None:
            return discrete_laplace(self.scale, stop - first, None)
        return np.concatenate(
            [
                discrete_laplace(
                    self.scale, b - a, self.draws.at((first + a) // self.block)
                )
                for a, b in spans(stop - first, self.block)
            ]
        )


def in_key_order(keys: RowKeys, n: int) -> Ints:
    """The rows of a file in memory in random order."""
    return np.argsort(keys(0, n), kind="stable")


@dataclass(frozen=True)
class GridPlaces:
    """A column of a file on the disk, on its grid."""

    column: ColumnNumbers
    grid: Grid

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.column.n

    def read(self, first: int, stop: int) -> Ints:
        """Those of a span of rows."""
        return self.grid.place(self.column.read(first, stop))[0]


@dataclass(frozen=True)
class _Distance:
    """How far each record is from the lower corner of the domain; or one of its columns."""

    columns: tuple[GridPlaces, ...]
    only: int | None = None

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.columns[0].n

    def read(self, first: int, stop: int) -> Floats:
        """Those of a span of rows."""
        if self.only is not None:
            return self.columns[self.only].read(first, stop).astype(np.float64)
        places = np.column_stack([one.read(first, stop) for one in self.columns])
        return distances(places, [one.grid for one in self.columns])


def distances(places: Ints, domain: Sequence[Grid]) -> Floats:
    """Squared distance of each record from the lower corner, sides of the domain being 1."""
    steps = np.array([grid.steps for grid in domain], dtype=np.float64)
    shares = np.ascontiguousarray(places) / steps
    return np.asarray((shares**2).sum(axis=1))


@dataclass(frozen=True)
class _Outside:
    """Item: a span. How many values are outside the bounds; a missing one is refused."""

    column: ColumnNumbers
    grid: Grid

    def __call__(self, item: tuple[int, int]) -> int:
        values = self.column.read(*item)
        refuse_missing(values, self.column.name)
        return self.grid.place(values)[1]


def outside(data: OnDisk, name: str, grid: Grid) -> int:
    """How many values of a column are outside its bounds; it must have no gap."""
    work = _Outside(ColumnNumbers.of(data, name), grid)
    return int(sum(mapped(work, spans(data.n))))


@dataclass(frozen=True)
class _Release:
    """Item: some runs. The rows at which they are released, and their values."""

    runs: NoisyRuns
    ordered: NumberSource
    rows: NumberFiles

    def __call__(self, item: tuple[int, int]) -> tuple[Ints, Floats]:
        span = self.runs.span(*item)
        return self.rows.read(*span), self.runs.values(self.ordered.read(*span), *item)


@dataclass(frozen=True)
class _Written:
    """Item: (first, stop, file). Numbers in the type that was declared."""

    name: str
    numbers: NumberFiles
    whole: bool

    def __call__(self, item: tuple[int, int, Path]) -> None:
        first, stop, path = item
        values = declared.numbers(self.numbers.read(first, stop), whole=self.whole)
        write_columns(path, [pa.table({self.name: values})])


def released_along(
    data: OnDisk,
    name: str,
    ordered: NumberSource,
    runs: NoisyRuns,
    keys: RowKeys,
    *,
    whole: bool,
) -> OnDisk:
    """The file with one column of noisy means, at rows in random order.

    Parameters
    ----------
    data : OnDisk
        The file.
    name : str
        The column.
    ordered : NumberSource
        Its values on the grid, along the order.
    runs : NoisyRuns
        What is released along it.
    keys : RowKeys
        The random order of the rows.
    whole : bool
        Released as whole numbers.
    """
    folder = data.disk.folder
    shuffled = sorted_numbers(KeyNumbers(keys, data.n), folder, dtype="<u8")
    work = _Release(runs, ordered, shuffled.rows)
    numbers = placed(work, runs.items(), data.n, folder)
    shuffled.remove()
    items = [(*span, folder.next_file()) for span in spans(data.n)]
    mapped(_Written(name, numbers, whole), items)
    numbers.remove()
    written = SpilledColumns(tuple(path for _, _, path in items))
    return declared.released_on_disk(data, [name], written)


def by_value(column: GridPlaces, folder: SpillFolder) -> NumberFiles:
    """The places of one column in rising order."""
    ordered = sorted_numbers(column, folder, dtype="<i8")
    ordered.rows.remove()
    return ordered.values


def by_distance(
    columns: Sequence[GridPlaces], folder: SpillFolder
) -> list[NumberFiles]:
    """The places of each column in the order of distances, ties by value."""
    every = tuple(columns)
    keys = [_Distance(every), *(_Distance(every, j) for j, _ in enumerate(every))]
    rows = lexical_order(keys, folder)
    n, items = rows.n, spans(rows.n)
    place = placed(Numbered(rows), items, n, folder, missing=0, dtype="<i8")
    rows.remove()
    found = [
        placed(Moved(place, one), items, n, folder, missing=0, dtype="<i8")
        for one in every
    ]
    place.remove()
    return found
