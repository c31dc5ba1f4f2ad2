"""Who belongs together: the unit of every record of a file on the disk, by external sort.

Units are numbered as ``numpy.unique`` numbers their values, and the rows of each stand together in
``rows``. What is asked of units (how many rows has each, does a column differ within one) is then
asked of pieces of whole units, in any number of pieces, with the same answer.

    people = UnitNumbers.of_keys(id_keys(data, "person"), folder)
    people.single, people.number, people.largest
    people.labels                    # NumberFiles: the unit of each record, in row order
    people.rows, people.in_order     # NumberFiles: rows unit by unit, and the unit of each
    people.firsts()                  # NumberFiles: the first row of each unit
    values = people.gathered(ColumnNumbers.of(data, "age"))      # in the order of ``rows``
    people.split(values), people.differing(values)
    people.refined([values])         # cut where a value differs within a unit

Memory: a piece, and the largest unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tacit.base.typing import Floats, Ints
from tacit.data.io.disk_table import SpillFolder
from tacit.data.out_of_core.number_files import (
    NumberFiles,
    NumberSource,
    write_numbers,
)
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.placing import Moved, Numbered, placed
from tacit.data.out_of_core.sorting import Paired, SortedNumbers, sorted_numbers

# read at a time where the end of a unit is looked for
_NEXT = 4096

# pieces whose results are waited for together, where they are added up
TOGETHER = 8

Made = TypeVar("Made")


@dataclass(frozen=True)
class UnitNumbers:
    """A partition of the records of a file, on the disk."""

    rows: NumberFiles
    """The rows, unit by unit, in each in the order of the file."""
    in_order: NumberFiles
    """The unit of each of them: 0, 0, 1, ..."""
    number: int
    """How many units there are."""
    in_file_order: bool
    """``rows`` are 0, 1, 2, ...: the file is sorted by unit."""
    folder: SpillFolder = field(repr=False, compare=False)
    made: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)
    """What was asked for once."""

    @classmethod
    def of_keys(cls, keys: Sequence[NumberSource], folder: SpillFolder) -> UnitNumbers:
        """Records that agree on all keys are a unit; the first key counts most in their order.

        Parameters
        ----------
        keys : sequence of NumberSource
            Unsigned whole numbers of 64 bits (``id_keys``).
        folder : SpillFolder
            Where files are written.
        """
        ordered = sorted_numbers(keys[0], folder, dtype="<u8")
        for key in keys[1:]:
            second = sorted_numbers(key, folder, dtype="<u8")
            if second.distinct > 1:
                # both are below the number of records: their product fits 64 bits
                pairs = Pairs(
                    _labels(ordered, folder), _labels(second, folder), second.distinct
                )
                ordered.remove()
                ordered = sorted_numbers(pairs, folder, dtype="<u8")
                pairs.remove()
            second.remove()
        in_order = ordered.numbered(folder)
        ordered.values.remove()
        return cls._of(ordered.rows, in_order, ordered.distinct, folder)

    @classmethod
    def _of(
        cls, rows: NumberFiles, in_order: NumberFiles, number: int, folder: SpillFolder
    ) -> UnitNumbers:
        straight = all(mapped(_Straight(rows), spans(rows.n)))
        return cls(rows, in_order, number, straight, folder)

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.rows.n

    @property
    def single(self) -> bool:
        """Every unit has one record."""
        return self.number == self.n

    @property
    def labels(self) -> NumberFiles:
        """The unit of each record, in row order."""
        if self.in_file_order:
            return self.in_order
        return self.once("labels", lambda: self.at_rows(self.in_order, "<i8"))

    @property
    def places(self) -> NumberFiles:
        """Where each record stands in ``rows``, in row order."""
        if self.in_file_order:
            return self.rows
        return self.once(
            "places",
            lambda: placed(
                Numbered(self.rows), spans(self.n), self.n, self.folder, **_WHOLE
            ),
        )

    @property
    def pieces(self) -> list[tuple[int, int]]:
        """Spans of ``rows`` that hold whole units, of about a piece each."""
        return self.once("pieces", lambda: _whole_units(self.in_order))

    @property
    def sizes(self) -> dict[int, int]:
        """How many units have so many records."""
        return self.once("sizes", self._sizes)

    @property
    def largest(self) -> int:
        """Records of the largest unit."""
        return max(self.sizes, default=0)

    def gathered(self, source: NumberSource, dtype: str = "<f8") -> NumberSource:
        """Numbers in row order, put in the order of ``rows``."""
        if self.in_file_order:
            return source
        work = Moved(self.places, source)
        return placed(work, spans(self.n), self.n, self.folder, missing=0, dtype=dtype)

    def at_rows(self, numbers: NumberFiles, dtype: str = "<f8") -> NumberFiles:
        """Numbers in the order of ``rows``, put at their rows: the inverse of ``gathered``."""
        work = Paired(self.rows, numbers)
        return placed(work, spans(self.n), self.n, self.folder, missing=0, dtype=dtype)

    def firsts(self) -> NumberFiles:
        """The first row of each unit, in the order of units."""
        return self.once("firsts", self._firsts)

    def split(self, gathered: NumberSource) -> int:
        """Units whose known values differ."""
        found = self.over(known, gathered)
        return sum(disagree for disagree, _ in found)

    def differing(self, gathered: NumberSource) -> tuple[int, int] | None:
        """The first row of the first unit with two values, and the first that has another one."""
        for piece in self.over(_first_split, self.rows, gathered):
            if piece is not None:
                return piece  # type: ignore[no-any-return]  # whatever pieces give
        return None

    def constant(self, gathered: NumberSource) -> bool:
        """Has every record the value of the first one of its unit (or none, as it)?"""
        return all(self.over(_as_first, gathered))

    def refined(self, gathered: Sequence[NumberSource]) -> UnitNumbers:
        """Units cut so that each has one value in each of some columns; no value is one, too.

        They are in the order of units, and in each in that of the values, missing ones last.
        """
        if all(self.constant(values) for values in gathered):
            return self
        files = [
            (place, self.folder.next_file(), self.folder.next_file())
            for place, _ in enumerate(self.pieces)
        ]
        sources = (self.in_order, self.rows, *gathered)
        work = _Cut(_OverUnits(_refine, sources), tuple(self.pieces))
        found = mapped(work, files)
        lengths = tuple(stop - first for first, stop in self.pieces)
        rows = NumberFiles(tuple(path for _, path, _ in files), lengths, "<i8")
        within = NumberFiles(tuple(path for _, _, path in files), lengths, "<i8")
        ends = np.cumsum(found).tolist()
        added = [
            (*piece, end - units, self.folder.next_file())
            for piece, end, units in zip(self.pieces, ends, found, strict=True)
        ]
        mapped(_Added(within), added)
        within.remove()
        in_order = NumberFiles(tuple(item[-1] for item in added), lengths, "<i8")
        return UnitNumbers._of(rows, in_order, ends[-1], self.folder)

    def over(self, work: Callable[..., Any], *sources: NumberSource) -> list[Any]:
        """What some work gives of each piece of whole units: ``work(starts, *numbers)``."""
        return mapped(_OverUnits(work, (self.in_order, *sources)), self.pieces)

    def in_turn(
        self, work: Callable[..., Any], *sources: NumberSource
    ) -> Iterator[Any]:
        """As ``over``, in the order of the pieces, of which the results of few are held."""
        some = _OverUnits(work, (self.in_order, *sources))
        for first in range(0, len(self.pieces), TOGETHER):
            yield from mapped(some, self.pieces[first : first + TOGETHER])

    def _sizes(self) -> dict[int, int]:
        found: Counter[int] = Counter()
        for of_piece in self.over(_sizes):
            found.update(of_piece)
        return dict(sorted(found.items()))

    def _firsts(self) -> NumberFiles:
        items = [(*piece, self.folder.next_file()) for piece in self.pieces]
        lengths = mapped(_Firsts(self.in_order, self.rows), items)
        return NumberFiles(tuple(item[-1] for item in items), tuple(lengths), "<i8")

    def once(self, what: Hashable, make: Callable[[], Made]) -> Made:
        """What was made of these units under this name, and is kept with them."""
        if what not in self.made:
            self.made[what] = make()
        found: Made = self.made[what]
        return found


_WHOLE: dict[str, Any] = {"missing": 0, "dtype": "<i8"}


@dataclass(frozen=True)
class Pairs:
    """Two labels of each record as one number."""

    first: NumberFiles
    second: NumberFiles
    width: int

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.first.n

    def read(self, first: int, stop: int) -> npt.NDArray[np.uint64]:
        """Those of a span of rows."""
        both = self.first.read(first, stop) * self.width + self.second.read(first, stop)
        return np.asarray(both, dtype=np.uint64)

    def remove(self) -> None:
        """The labels are not needed any more."""
        self.first.remove()
        self.second.remove()


@dataclass(frozen=True)
class _OverUnits:
    """Item: a span of whole units. Where each begins, and the numbers, given to the work."""

    work: Callable[..., Any]
    sources: tuple[NumberSource, ...]

    def __call__(self, item: tuple[int, int]) -> Any:
        label, *numbers = (source.read(*item) for source in self.sources)
        return self.work(starts_of(label), *numbers, length=len(label))


def starts_of(label: Ints) -> Ints:
    """Where labels that stand together begin.

    >>> starts_of(np.array([4, 4, 5])).tolist()
    [0, 2]
    """
    return np.flatnonzero(np.concatenate([[True], label[1:] != label[:-1]]))


def _sizes(starts: Ints, length: int) -> dict[int, int]:
    """How many units have so many records."""
    size, number = np.unique(np.diff(starts, append=length), return_counts=True)
    return dict(zip(size.tolist(), number.tolist(), strict=True))


def known(starts: Ints, values: Floats, length: int) -> tuple[int, dict[int, int]]:
    """Units whose known values differ, and how many units have so many known values, above one."""
    low, high = np.fmin.reduceat(values, starts), np.fmax.reduceat(values, starts)
    members = np.add.reduceat((~np.isnan(values)).astype(np.int64), starts)
    several, number = np.unique(members[members > 1], return_counts=True)
    counts = dict(zip(several.tolist(), number.tolist(), strict=True))
    return int((low < high).sum()), counts


def _first_split(
    starts: Ints, rows: Ints, values: Floats, length: int
) -> tuple[int, int] | None:
    """The first row of the first unit with two values, and the first row with another one."""
    size = np.diff(starts, append=length)
    other = np.flatnonzero(values != np.repeat(values[starts], size))
    if not len(other):
        return None
    unit = int(np.searchsorted(starts, other[0], side="right")) - 1
    return int(rows[starts[unit]]), int(rows[other[0]])


def _as_first(starts: Ints, values: Floats, length: int) -> bool:
    """Whether all have the value of the first record of their unit."""
    values = np.nan_to_num(values, nan=np.inf)
    first = np.repeat(values[starts], np.diff(starts, append=length))
    return bool((values == first).all())


def _refine(
    starts: Ints, rows: Ints, *values: Floats, length: int
) -> tuple[Ints, Ints]:
    """Rows and new labels from 0, of a piece whose units are cut by values."""
    label = np.repeat(np.arange(len(starts)), np.diff(starts, append=length))
    known = [np.nan_to_num(one, nan=np.inf) for one in values]
    # the last key counts most, and equal ones stay in the order of rows
    order = np.lexsort((*known[::-1], label))
    new = np.zeros(length, dtype=np.bool_)
    for one in (label, *known):
        new[1:] |= one[order][1:] != one[order][:-1]
    return rows[order], np.cumsum(new).astype(np.int64)


@dataclass(frozen=True)
class _Cut:
    """Item: (number of the piece, file of rows, file of labels). How many units it has now."""

    refine: _OverUnits
    pieces: tuple[tuple[int, int], ...]

    def __call__(self, item: tuple[int, Path, Path]) -> int:
        place, rows_file, labels_file = item
        rows, label = self.refine(self.pieces[place])
        write_numbers(rows_file, rows)
        write_numbers(labels_file, label)
        return int(label[-1]) + 1


@dataclass(frozen=True)
class _Added:
    """Item: (first, stop, how many units come before, file). Labels, counted from the first."""

    within: NumberFiles

    def __call__(self, item: tuple[int, int, int, Path]) -> int:
        first, stop, before, path = item
        return write_numbers(path, self.within.read(first, stop) + before)


@dataclass(frozen=True)
class _Firsts:
    """Item: (first, stop, file). The first row of each unit."""

    in_order: NumberFiles
    rows: NumberFiles

    def __call__(self, item: tuple[int, int, Path]) -> int:
        first, stop, path = item
        starts = starts_of(self.in_order.read(first, stop))
        return write_numbers(path, self.rows.read(first, stop)[starts])


@dataclass(frozen=True)
class _Straight:
    """Item: a span. Whether its rows are where they are in the file."""

    rows: NumberFiles

    def __call__(self, item: tuple[int, int]) -> bool:
        return bool(np.array_equal(self.rows.read(*item), np.arange(*item)))


def _labels(ordered: SortedNumbers, folder: SpillFolder) -> NumberFiles:
    """The number of each record's value, in row order."""
    in_order = ordered.numbered(folder)
    work = Paired(ordered.rows, in_order)
    labels = placed(work, spans(ordered.n), ordered.n, folder, **_WHOLE)
    in_order.remove()
    return labels


def _whole_units(in_order: NumberFiles) -> list[tuple[int, int]]:
    """Spans that begin where units do."""
    cuts = [0]
    for first, _ in spans(in_order.n)[1:]:
        last = in_order.read(first - 1, first)[0]
        place = max(first, cuts[-1])
        while place < in_order.n:
            some = in_order.read(place, min(place + _NEXT, in_order.n))
            passed = int(np.searchsorted(some, last, side="right"))
            place += passed
            if passed < len(some):
                break
        if cuts[-1] < place < in_order.n:
            cuts.append(place)
    return list(zip(cuts, [*cuts[1:], in_order.n], strict=True))
