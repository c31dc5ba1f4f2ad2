"""The pieces of a file on the disk, masked one by one or by the workers of an engine.

``tacit.data.out_of_core.pieces.mapped_by`` says who does them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tacit.base.errors import InputError
from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import DiskTable, SpilledColumns, write_columns
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Kind, Microdata, Schema
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.protect import by_address, by_rank

if TYPE_CHECKING:
    from tacit.protect.base import Passes, Protector

# blocks of one item: a million records, for which starting a task is worth while
BLOCKS = 128


@dataclass(frozen=True)
class RecordsPiece:
    """Masks consecutive blocks: an item is (first record, one after the last, file to write)."""

    method: Protector
    table: DiskTable
    schema: Schema
    draws: by_address.Draws

    def __call__(self, item: tuple[int, int, Path]) -> Schema:
        """Write the masked columns; what they are now."""
        first, stop, path = item
        names = self.schema.select(self.table.column_names)
        after: list[Schema] = []
        pieces = self.table.in_turn(by_address.BLOCK, None, first, stop)
        number = first // by_address.BLOCK

        def written() -> Iterator[pa.Table]:
            for block in by_address.treated(
                self.method, pieces, names, self.draws, number
            ):
                after[:] = [block.schema]
                yield block.table

        write_columns(path, written())
        return after[0]


@dataclass(frozen=True)
class ValuesPiece:
    """Masks a span of records by value: an item is (first record, one after the last, file)."""

    method: Protector
    table: DiskTable
    schema: Schema

    def __call__(self, item: tuple[int, int, Path]) -> Schema:
        """Write the masked columns; what they are now."""
        first, stop, path = item
        names = self.table.column_names
        span = next(self.table.in_turn(stop - first, names, first, stop))
        block = Microdata(span, self.schema, NativeFrame.of(span))
        # nothing is drawn
        masked = self.method._apply(block, names, np.random.default_rng(0))
        write_columns(path, [masked.table])
        return masked.schema


def _by_value(method: Protector, data: OnDisk, columns: list[str]) -> OnDisk:
    """Spans of records, masked by what was learned of the file."""
    settled = method.settled(data, columns)
    coded = [name for name in columns if method.by_code(data, name)]
    closed = data.with_date_formats(data.closed(coded), columns).select(columns)
    piece = ValuesPiece(settled, data.disk.select(columns), closed)
    items = [(*span, data.disk.folder.next_file()) for span in spans(data.n)]
    try:
        after = mapped(piece, items)[0]
    except InputError:
        # the sentence names a row of a piece; the whole column names that of the file
        for name in columns:
            method._apply(data.held([name]), [name], np.random.default_rng(0))
        raise
    for name in columns:
        if name in coded or after[name].kind is not Kind.date:
            # memory says how dates are written where they were read as days and are dates still
            form = data.schema[name].date_format
            after = after.put(replace(after[name], date_format=form))
    # the categories of the others are what the method made of them
    for column in by_address.opened(after.select(coded), data.schema):
        after = after.put(column)
    written = SpilledColumns(tuple(path for _, _, path in items))
    return data.with_spilled(columns, written, after)


def masked(
    method: Protector,
    data: OnDisk,
    columns: list[str],
    draws: by_address.Draws,
    way: Passes,
) -> Microdata:
    """What a fitted method makes of a file on the disk; the bytes are those of memory."""
    table = data.disk.select(columns)
    folder = table.folder
    if way == "values":
        return _by_value(method, data, columns)
    if way == "ranks":
        for place, name in enumerate(columns):
            data = by_rank.masked_from_disk(method, data, name, draws.at(place))
        return data
    length = BLOCKS * by_address.BLOCK
    runs = [
        (first, min(first + length, data.n), folder.next_file())
        for first in range(0, data.n, length)
    ]
    closed = data.closed(columns)
    piece = RecordsPiece(method, table, closed, draws)
    # all blocks say the same of their columns
    after = mapped(piece, runs)[0]
    paths = tuple(path for _, _, path in runs)
    schema = by_address.opened(after, data.schema)
    return data.with_spilled(columns, SpilledColumns(paths), schema)
