"""How often each combination of keys occurs, exactly, and how often that of every record does.

Each item counts its own combinations first and sends each of them once, by a hash of its keys; a
target adds up what the items have. So a combination that half of the records have is one row per
item, and no target is larger for it. Totals go back to the items in the order in which they were
sent, and an item then knows the total of each of its records without a record ever having moved.

    counts = count_keys(KeyColumns.of(data, ["age", "region"]), folder)
    counts.keys, counts.sizes            # distinct combinations; {size: how many have it}
    for keys, size in counts.in_turn(): ...     # distinct combinations with their records
    frequency = counts.of_records(folder)       # NumberFiles, in row order
    number = counts.numbers(folder)             # the number of each record's combination

Keys are compared by their 64 bits: codes of categories (-1 is missing), or the bits of numbers.
Memory: an item, and the distinct combinations of a target (one in as many as there are items).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tacit.base.typing import Floats, Ints
from tacit.data.column import Kind
from tacit.data.io.disk_table import DiskTable, SpillFolder
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core.column_numbers import numbers_of_span
from tacit.data.out_of_core.grouped_files import GroupedFiles, write_grouped
from tacit.data.out_of_core.number_files import NumberFiles, write_numbers
from tacit.data.out_of_core.pieces import mapped, spans, spent
from tacit.data.schema import Schema
from tacit.kernels.grouping import group

# odd constants of splitmix64 (Steele, Lea and Flood 2014): bits of a key spread over all 64
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_STEP = np.uint64(0x9E3779B97F4A7C15)


class KeySource(Protocol):
    """Keys of records in row order; can be sent to a worker."""

    @property
    def n(self) -> int:
        """How many records there are."""
        ...

    @property
    def width(self) -> int:
        """How many keys a record has."""
        ...

    def read(self, first: int, stop: int) -> Ints:
        """The keys (records, width) of a span of rows, equal where the values are."""
        ...


@dataclass(frozen=True)
class KeyArray:
    """Keys in memory, for tests and for what is small."""

    keys: Ints

    @property
    def n(self) -> int:
        """How many records there are."""
        return len(self.keys)

    @property
    def width(self) -> int:
        """How many keys a record has."""
        return int(self.keys.shape[1])

    def read(self, first: int, stop: int) -> Ints:
        """The keys of a span of rows."""
        return self.keys[first:stop]


@dataclass(frozen=True)
class KeyColumns:
    """Columns of a file on the disk as keys."""

    table: DiskTable
    schema: Schema
    names: tuple[str, ...]

    @classmethod
    def of(cls, data: OnDisk, names: list[str]) -> KeyColumns:
        """Codes of categories, bits of numbers."""
        schema = data.closed(names).select(list(names))
        return cls(data.disk.select(names), schema, tuple(names))

    @property
    def n(self) -> int:
        """How many records there are."""
        return self.table.num_rows

    @property
    def width(self) -> int:
        """How many keys a record has."""
        return len(self.names)

    def read(self, first: int, stop: int) -> Ints:
        """The keys of a span of rows."""
        out = np.empty((stop - first, len(self.names)), dtype=np.int64)
        numbers = numbers_of_span(self.table, self.schema, self.names, first, stop)
        for j, name in enumerate(self.names):
            values = numbers[:, j]
            if self.schema[name].scale is Kind.continuous:
                out[:, j] = bits_of(values)
            else:
                out[:, j] = np.where(np.isnan(values), -1, values)
        return out


def bits_of(values: Floats) -> Ints:
    """Numbers as 64 bits that are equal where they are; -1 where missing.

    >>> bits_of(np.array([0.0, -0.0, np.nan])).tolist()
    [0, 0, -1]
    """
    # adding 0 turns -0.0 into 0.0
    bits = (values + 0.0).view(np.int64)
    return np.where(np.isnan(values), -1, bits)


def numbers_of(bits: Ints) -> Floats:
    """The inverse of ``bits_of``."""
    numbers = np.ascontiguousarray(bits).view(np.float64)
    return np.where(bits == -1, np.nan, numbers)


def group_rows(keys: Ints) -> tuple[Ints, Ints]:
    """The label of each row, equal where all keys are, and the first row of each label."""
    label, first = group(np.ascontiguousarray(keys[:, 0]))
    for column in keys.T[1:]:
        other, found = group(np.ascontiguousarray(column))
        # labels are below the number of records: their product fits 64 bits
        label, first = group(label * len(found) + other)
    return label, first


@dataclass(frozen=True)
class KeyCounts:
    """Combinations of keys and how many records have each; on the disk."""

    source: KeySource
    grouped: GroupedFiles
    totals: tuple[Path, ...]
    distinct: tuple[int, ...]
    sizes: dict[int, int]

    @property
    def keys(self) -> int:
        """How many different combinations there are."""
        return sum(self.distinct)

    def below(self, k: int) -> int:
        """Records whose combination fewer than k records have."""
        return sum(size * number for size, number in self.sizes.items() if size < k)

    def in_turn(self) -> Iterator[tuple[Ints, Ints]]:
        """(distinct keys, how many records have each), some at a time, in no order."""
        for target, path in enumerate(self.totals):
            records = self.grouped.read(target)
            _, first = group_rows(records["key"])
            size = np.fromfile(path, _TOTAL)["size"][first]
            if len(first):
                yield records["key"][first], size

    def of_records(self, folder: SpillFolder) -> NumberFiles:
        """How many records have the keys of each record, in row order."""
        return self._back(folder, "size")

    def numbers(self, folder: SpillFolder) -> NumberFiles:
        """The number of each record's combination, from 0 up to ``keys``, in row order.

        In ``in_turn`` they come in the order of their numbers.
        """
        return self._back(folder, "number")

    def remove(self) -> None:
        """The counts are not needed any more."""
        self.grouped.remove()
        spent(self.totals)

    def _back(self, folder: SpillFolder, field: str) -> NumberFiles:
        base = np.concatenate([[0], np.cumsum(self.distinct)]).astype(np.int64)
        work = _Back(self.source, self.grouped, self.totals, base, field)
        items = [
            (place, *span, folder.next_file())
            for place, span in enumerate(spans(self.source.n))
        ]
        lengths = mapped(work, items)
        files = tuple(path for _, _, _, path in items)
        return NumberFiles(files, tuple(lengths), "<i8")


_TOTAL = np.dtype([("size", "<i8"), ("number", "<i8")])


@dataclass(frozen=True)
class _CountItem:
    """Item: (first, stop, file). Its distinct combinations by target, with their counts."""

    source: KeySource
    targets: int
    dtype: Any

    def __call__(self, item: tuple[int, int, Path]) -> Ints:
        first, stop, path = item
        keys = self.source.read(first, stop)
        label, occurs = group_rows(keys)
        records = np.empty(len(occurs), self.dtype)
        records["key"] = keys[occurs]
        records["count"] = np.bincount(label, minlength=len(occurs))
        return write_grouped(
            path, records, target_of(keys[occurs], self.targets), self.targets
        )


@dataclass(frozen=True)
class _AddUp:
    """Item: (target, file). Total and number of each combination, as often as it was sent."""

    grouped: GroupedFiles

    def __call__(self, item: tuple[int, Path]) -> tuple[int, dict[int, int]]:
        target, path = item
        records = self.grouped.read(target)
        if not len(records):
            np.empty(0, _TOTAL).tofile(path)
            return 0, {}
        label, first = group_rows(records["key"])
        size = np.zeros(len(first), dtype=np.int64)
        np.add.at(size, label, records["count"])
        totals = np.empty(len(records), _TOTAL)
        totals["size"] = size[label]
        totals["number"] = label
        totals.tofile(path)
        sizes, how_many = np.unique(size, return_counts=True)
        return len(first), dict(zip(sizes.tolist(), how_many.tolist(), strict=True))


@dataclass(frozen=True)
class _Back:
    """Item: (place of the item, first, stop, file). What its records' combinations have."""

    source: KeySource
    grouped: GroupedFiles
    totals: tuple[Path, ...]
    base: Ints
    field: str

    def __call__(self, item: tuple[int, int, int, Path]) -> int:
        place, first, stop, path = item
        keys = self.source.read(first, stop)
        label, occurs = group_rows(keys)
        target = target_of(keys[occurs], len(self.totals))
        out = np.empty(len(occurs), dtype=np.int64)
        for number, file in enumerate(self.totals):
            lengths = self.grouped.lengths(number)
            if not lengths[place]:
                continue
            start = int(lengths[:place].sum()) * _TOTAL.itemsize
            found = np.fromfile(file, _TOTAL, int(lengths[place]), offset=start)
            own = found[self.field]
            if self.field == "number":
                own = own + self.base[number]
            # sent in the order in which they occur, target by target
            out[target == number] = own
        return write_numbers(path, out[label])


def count_keys(source: KeySource, folder: SpillFolder) -> KeyCounts:
    """Count the combinations of keys of a file.

    Parameters
    ----------
    source : KeySource
        Keys in row order (``KeyColumns``).
    folder : SpillFolder
        Where files are written.
    """
    items = spans(source.n)
    targets = len(items)
    record = np.dtype([("key", "<i8", (source.width,)), ("count", "<i8")])
    files = [folder.next_file() for _ in items]
    work = _CountItem(source, targets, record)
    starts = mapped(work, [(*s, f) for s, f in zip(items, files, strict=True)])
    grouped = GroupedFiles.of(files, starts, targets, record)
    wanted = [(target, folder.next_file()) for target in range(targets)]
    found = mapped(_AddUp(grouped), wanted)
    sizes: dict[int, int] = {}
    for _, of_target in found:
        for size, how_many in of_target.items():
            sizes[size] = sizes.get(size, 0) + how_many
    totals = tuple(path for _, path in wanted)
    distinct = tuple(number for number, _ in found)
    return KeyCounts(source, grouped, totals, distinct, dict(sorted(sizes.items())))


def target_of(keys: Ints, targets: int) -> Ints:
    """Where a combination is added up: by a hash of all its keys."""
    mixed = np.zeros(len(keys), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for column in keys.T:
            mixed = (mixed ^ column.astype(np.uint64)) + _STEP
            mixed = (mixed ^ (mixed >> np.uint64(30))) * _FIRST
            mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
            mixed = mixed ^ (mixed >> np.uint64(31))
    found: npt.NDArray[np.int64] = (mixed % np.uint64(targets)).astype(np.int64)
    return found
