"""Whole records in the order of a key that each of them has: an external permutation of rows.

Keys are whole numbers of 64 bits, drawn evenly, so that equal ranges of them are pieces of nearly
equal length. Two passes over the columns: each item sorts its records by the range of their keys,
and each range is put in order on its own. Equal keys stay in the order of the file.

Columns are moved some at a time, so that a file of 500 columns needs no more memory than one of 16.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import ipc

from tacit.data.buffers import array_of, whole_of
from tacit.data.io.disk_table import (
    BATCH,
    DiskTable,
    Reader,
    SpilledColumns,
    write_columns,
)
from tacit.data.out_of_core.pieces import mapped, spans, spent

# moved at a time: of eight bytes each, an item is then 128 MB
COLUMNS = 16

# no column of a file has this name
KEY = "\0key"

KeyOf = Callable[[int, int], npt.NDArray[np.uint64]]
"""The keys of the records from the first up to the second row; can be sent to a worker."""


@dataclass(frozen=True)
class Dictionaries:
    """The values of columns of categories, which differ from item to item."""

    schema: pa.Schema
    words: dict[str, pa.Array]
    """In the order in which the file lists them."""

    @classmethod
    def of(cls, table: DiskTable, schema: pa.Schema) -> Dictionaries:
        """Of all records of these columns."""
        found: dict[str, pa.Array] = {}
        for column in schema:
            if not pa.types.is_dictionary(column.type):
                continue
            words = pa.array([], column.type.value_type)
            for some in table.in_turn(BATCH, [column.name]):
                for chunk in some.column(0).chunks:
                    words = pc.unique(pa.concat_arrays([words, chunk.dictionary]))
            found[column.name] = words
        return cls(schema, found)

    @staticmethod
    def plain(table: pa.Table) -> pa.Table:
        """Columns without dictionaries."""
        for place, column in enumerate(table.schema):
            if pa.types.is_dictionary(column.type):
                values = table.column(place).cast(column.type.value_type)
                table = table.set_column(place, column.name, values)
        return table

    def typed(self, table: pa.Table) -> pa.Table:
        """Columns with the dictionaries of the whole file, where they had some."""
        for name, words in self.words.items():
            place = table.column_names.index(name)
            type_ = self.schema.field(name).type
            codes = pc.index_in(table.column(name).combine_chunks(), value_set=words)
            coded = pa.DictionaryArray.from_arrays(
                codes.cast(type_.index_type), words, ordered=type_.ordered
            )
            table = table.set_column(place, name, coded)
        return table.cast(self.schema)


@dataclass(frozen=True)
class _Scatter:
    """Item: (names, first, stop, file). Records by the range of their keys, a batch for each."""

    table: DiskTable
    key_of: KeyOf
    targets: int

    def __call__(self, item: tuple[list[str], int, int, Path]) -> None:
        names, first, stop, path = item
        whole = next(self.table.in_turn(stop - first, names, first, stop))
        key = self.key_of(first, stop)
        target = range_of(key, self.targets)
        order = np.argsort(target.astype(np.uint32), kind="stable")
        ends = np.cumsum(np.bincount(target, minlength=self.targets))
        moved = (
            Dictionaries.plain(whole)
            .append_column(KEY, array_of(key))
            .take(array_of(order))
        )
        moved = moved.combine_chunks()
        with (
            pa.OSFile(str(path), "wb") as file,
            ipc.new_file(file, moved.schema) as writer,
        ):
            begin = 0
            for end in ends.tolist():
                batches = moved.slice(begin, end - begin).to_batches()
                # an empty table has no batch, and each target has its number
                empty = pa.RecordBatch.from_pylist([], schema=moved.schema)
                writer.write_batch(batches[0] if batches else empty)
                begin = end


@dataclass(frozen=True)
class _Gather:
    """Item: (target, files of the items, file to write). One range of keys in order."""

    words: Dictionaries

    def __call__(self, item: tuple[int, list[Path], Path]) -> int:
        target, files, path = item
        batches = []
        for source in files:
            with pa.OSFile(str(source)) as file:
                batches.append(ipc.open_file(file).get_batch(target))
        table = pa.Table.from_batches(batches)
        key = whole_of(table.column(table.num_columns - 1))
        order = np.argsort(key, kind="stable")
        own = table.drop_columns([KEY]).take(array_of(order)).combine_chunks()
        write_columns(path, [self.words.typed(own)])
        return int(table.num_rows)


def in_key_order(table: DiskTable, key_of: KeyOf) -> DiskTable:
    """The records of a table in the order of their keys.

    Parameters
    ----------
    table : DiskTable
        The records.
    key_of : function
        The key of each record of a span, as unsigned whole numbers drawn evenly from 64 bits.
    """
    items = spans(table.num_rows)
    names = table.column_names
    folder = table.folder
    readers: dict[str, Reader] = {}
    for begin in range(0, len(names), COLUMNS):
        some = names[begin : begin + COLUMNS]
        files = [folder.next_file() for _ in items]
        scatter = _Scatter(table, key_of, len(items))
        mapped(scatter, [(some, *s, f) for s, f in zip(items, files, strict=True)])
        wanted = [(t, files, folder.next_file()) for t in range(len(items))]
        schema = pa.schema([table.schema.field(name) for name in some])
        mapped(_Gather(Dictionaries.of(table, schema)), wanted)
        spent(files)
        reader = SpilledColumns(tuple(path for _, _, path in wanted))
        readers |= dict.fromkeys(some, reader)
    return DiskTable(readers, table.schema, table.num_rows, folder)


def range_of(key: npt.NDArray[np.uint64], targets: int) -> npt.NDArray[np.int64]:
    """The range of each key among so many equal ones.

    >>> range_of(np.array([0, 2**63, 2**64 - 1], dtype=np.uint64), 4).tolist()
    [0, 2, 3]
    """
    # the upper 32 bits are enough, and their product with the number of ranges fits
    upper = key >> np.uint64(32)
    return ((upper * np.uint64(targets)) >> np.uint64(32)).astype(np.int64)
