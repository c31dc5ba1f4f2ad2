"""Compositions of households and histories of persons in a file on the disk.

The rows of a unit stand together there. The sorted list of its combinations of keys is its key, and
units of one size are counted as combinations are (``out_of_core.key_tally``): each item counts its
own, and sends each once. Memory: a piece, the largest unit, and the compositions of a target; where
keys have gaps also 4,000 compositions of one size, which are compared with each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit.base.typing import Bools, Floats, Ints
from tacit.data.out_of_core import pieces
from tacit.data.out_of_core.key_tally import KeyTally, tally_keys
from tacit.data.out_of_core.number_files import NumberFiles, NumberSource
from tacit.data.out_of_core.pieces import mapped, spent
from tacit.data.out_of_core.unit_numbers import UnitNumbers, starts_of
from tacit.risk.compositions import MOST_COMPARED, alike

Counted = tuple[Ints, Ints, Floats]
"""Of different compositions: how many units have each, how many agree with it, and their weight."""


def compositions_in_turn(
    codes: Ints,
    units: UnitNumbers,
    row: NumberSource,
    weights: NumberSource | None,
) -> Iterator[tuple[int, Counted]]:
    """(size, different compositions), some at a time.

    Parameters
    ----------
    codes : array
        One row per combination, one column per key; -1 where the value is missing.
    units : UnitNumbers
        Whose records these are.
    row : NumberSource
        The combination of each record, in row order.
    weights : NumberSource, optional
        The weight of each record, in row order; a unit has the mean of its records.
    """
    folder = units.folder
    gathered = units.gathered(row, "<i4")
    weighed = None if weights is None else units.gathered(weights)
    work = _BySize(units.in_order, gathered, weighed)
    items = [(*piece, folder.next_file(), folder.next_file()) for piece in units.pieces]
    found = mapped(work, items)
    has_gap = np.asarray((codes < 0).any(axis=1))
    for size in sorted({size for sizes in found for size in sizes}):
        parts = []
        for (_, _, path, other), sizes in zip(items, found, strict=True):
            if size in sizes:
                parts.append(_Part(path, other, *sizes[size]))
        source = OfSize(size, tuple(parts))
        unit_weights = None if weights is None else _WeightsOf(source)
        # lists of many rows are counted in items of fewer units
        length = max(1, pieces.PIECE // size)
        tally = tally_keys(source, folder, unit_weights, length=length)
        yield from ((size, some) for some in _counted(tally, codes, has_gap))
        tally.remove()
    spent(path for item in items for path in item[2:])
    for files, read_from in ((gathered, row), (weighed, weights)):
        if isinstance(files, NumberFiles) and files is not read_from:
            files.remove()


def _counted(tally: KeyTally, codes: Ints, has_gap: Bools) -> Iterator[Counted]:
    """What is known of the compositions of one size."""
    if tally.number <= MOST_COMPARED:
        kinds, times, weights = tally.read()
        F = times.astype(np.float64) if weights is None else weights
        gaps = np.asarray(has_gap[kinds].any(axis=1))
        f, F = alike(codes, kinds, gaps, times.astype(np.float64), F)
        yield times, f, F
        return
    # above that a suppressed cell is a value of its own
    for _, times, weights in tally.in_turn():
        F = times.astype(np.float64) if weights is None else weights
        yield times, times, F


@dataclass(frozen=True)
class _Part:
    """Units of one size in a piece: their files, where they begin in each, and how many."""

    rows: Path
    weights: Path
    first_row: int
    first_unit: int
    number: int


@dataclass(frozen=True)
class OfSize:
    """The sorted rows of the units of one size, as keys."""

    size: int
    parts: tuple[_Part, ...]

    @property
    def n(self) -> int:
        """How many units there are."""
        return sum(part.number for part in self.parts)

    @property
    def width(self) -> int:
        """Rows of each."""
        return self.size

    def read(self, first: int, stop: int) -> Ints:
        """Those of a span of units."""
        found = [
            np.fromfile(
                part.rows,
                np.int32,
                (high - low) * self.size,
                offset=4 * (part.first_row + low * self.size),
            )
            for part, low, high in self.within(first, stop)
        ]
        rows = np.concatenate(found).reshape(-1, self.size)
        return rows.astype(np.int64)

    def within(self, first: int, stop: int) -> Iterator[tuple[_Part, int, int]]:
        """The parts of a span of units, and what of each."""
        before = 0
        for part in self.parts:
            low, high = max(first - before, 0), min(stop - before, part.number)
            if low < high:
                yield part, low, high
            before += part.number


@dataclass(frozen=True)
class _WeightsOf:
    """The weights of the units of one size."""

    units: OfSize

    @property
    def n(self) -> int:
        """How many units there are."""
        return self.units.n

    def read(self, first: int, stop: int) -> Floats:
        """Those of a span of units."""
        found = [
            np.fromfile(
                part.weights,
                np.float64,
                high - low,
                offset=8 * (part.first_unit + low),
            )
            for part, low, high in self.units.within(first, stop)
        ]
        return np.concatenate(found)


@dataclass(frozen=True)
class _BySize:
    """Item: (first, stop, file of rows, file of weights), whole units. Where each size begins."""

    in_order: NumberFiles
    row: NumberSource
    weight: NumberSource | None

    def __call__(
        self, item: tuple[int, int, Path, Path]
    ) -> dict[int, tuple[int, int, int]]:
        first, stop, rows_file, weights_file = item
        starts = starts_of(self.in_order.read(first, stop))
        sizes = np.diff(starts, append=stop - first)
        row = self.row.read(first, stop).astype(np.int32)
        each = None
        if self.weight is not None:
            weight = self.weight.read(first, stop)
            each = np.add.reduceat(weight, starts) / sizes
        found: dict[int, tuple[int, int, int]] = {}
        rows = units = 0
        with rows_file.open("wb") as of_rows, weights_file.open("wb") as of_weights:
            for size in np.unique(sizes).tolist():
                chosen = np.flatnonzero(sizes == size)
                places = starts[chosen][:, None] + np.arange(size)
                # who is in it, and how many they are: the order of rows says nothing
                members = np.sort(row[places], axis=1)
                of_rows.write(members.tobytes())
                if each is not None:
                    of_weights.write(each[chosen].tobytes())
                found[size] = rows, units, len(chosen)
                rows += members.size
                units += len(chosen)
        return found
