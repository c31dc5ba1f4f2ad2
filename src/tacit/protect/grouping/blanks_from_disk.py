"""Local suppression of a file on the disk: the search in memory, over its distinct combinations.

Records with equal keys are one row of a table with their number (``key_counts``). Where some of
them lose cells, it is those with the smallest random keys (``RowKeys``), in memory as on the disk;
they are the only records that are held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tacit.base.typing import Bools, Ints
from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import DiskTable, SpilledColumns, write_columns
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Kind, Microdata, Schema
from tacit.data.out_of_core.key_counts import KeyCounts, numbers_of
from tacit.data.out_of_core.number_files import NumberFiles
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.row_keys import RowKeys
from tacit.protect import by_address
from tacit.protect.grouping.class_blanks import ClassBlanks
from tacit.protect.grouping.few_combinations import counted_combinations

Keys = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class KeyTable:
    """The distinct combinations of a file on the disk, in value order, and their records."""

    codes: Ints
    count: Ints
    # the place in that order of each combination as it was numbered on the disk
    place: Ints
    counts: KeyCounts

    @classmethod
    def of(cls, data: OnDisk, columns: Sequence[str]) -> KeyTable:
        """Count the combinations; numbers become ranks, as in memory."""
        counts = counted_combinations(data, columns)
        found = list(counts.in_turn())
        keys = np.concatenate([some for some, _ in found])
        count = np.concatenate([size for _, size in found])
        codes = np.empty_like(keys)
        for j, name in enumerate(columns):
            codes[:, j] = keys[:, j]
            if data.schema[name].scale is Kind.continuous:
                _, rank = np.unique(numbers_of(keys[:, j]), return_inverse=True)
                codes[:, j] = np.where(keys[:, j] == -1, -1, rank.ravel())
        order = np.lexsort(codes.T[::-1])
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return cls(codes[order], count[order], place, counts)


@dataclass(frozen=True)
class _Candidates:
    """Item: a span of rows. Of each class the records with the smallest keys, as many as needed."""

    numbers: NumberFiles
    place: Ints
    need: Ints
    ties: RowKeys

    def __call__(self, item: tuple[int, int]) -> tuple[Ints, Keys, Ints]:
        first, stop = item
        label = self.place[self.numbers.read(first, stop)]
        rows = np.flatnonzero(self.need[label] > 0)
        label, key = label[rows], self.ties(first, stop)[rows]
        chosen = smallest(label, key, rows, self.need)
        chosen_rows: Ints = rows[chosen] + first
        return label[chosen], key[chosen], chosen_rows


def smallest(label: Ints, key: Keys, rows: Ints, need: Ints) -> Ints:
    """Places of the records with the smallest keys, class after class, as many as needed."""
    order = np.lexsort((rows, key, label))
    label = label[order]
    turn = np.arange(len(label)) - np.searchsorted(label, label, side="left")
    return np.asarray(order[turn < need[label]])


@dataclass(frozen=True)
class _Blank:
    """Item: (first, stop, places in it, cells of each, file). Columns without these cells."""

    table: DiskTable
    schema: Schema

    def __call__(self, item: tuple[int, int, Ints, Bools, Path]) -> Schema:
        first, stop, places, cells, path = item
        names = self.table.column_names
        span = next(self.table.in_turn(stop - first, names, first, stop))
        block = Microdata(span, self.schema, NativeFrame.of(span))
        values = block.numbers(names)
        values[places] = np.where(cells, np.nan, values[places])
        masked = block.with_numbers(names, values)
        write_columns(path, [masked.table])
        return masked.schema


def blanked(
    data: OnDisk,
    columns: Sequence[str],
    table: KeyTable,
    state: ClassBlanks,
    ties: RowKeys,
) -> OnDisk:
    """The file without the cells that the search found."""
    columns, folder = list(columns), data.disk.folder
    order = state.in_order()
    cells = state.cells
    order = order[cells[order].any(axis=1)]
    need = np.bincount(
        state.origin[order], weights=state.count[order], minlength=len(state.keys)
    ).astype(np.int64)
    numbers = table.counts.numbers(folder)
    found = mapped(_Candidates(numbers, table.place, need, ties), spans(data.n))
    label, key, rows = (np.concatenate(part) for part in zip(*found, strict=True))
    chosen = smallest(label, key, rows, need)
    # both class after class: the i-th record of a class takes its i-th row
    rows, pattern = rows[chosen], np.repeat(order, state.count[order])
    by_row = np.argsort(rows)
    rows, pattern = rows[by_row], pattern[by_row]
    numbers.remove()
    table.counts.remove()
    closed = data.closed(columns).select(columns)
    items = []
    for first, stop in spans(data.n):
        low, high = np.searchsorted(rows, [first, stop])
        own = rows[low:high] - first, cells[pattern[low:high]]
        items.append((first, stop, *own, folder.next_file()))
    after = mapped(_Blank(data.disk.select(columns), closed), items)[0]
    written = SpilledColumns(tuple(item[-1] for item in items))
    schema = by_address.opened(after, data.schema)
    return data.with_spilled(columns, written, schema)
