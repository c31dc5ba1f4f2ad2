"""The pieces of a file on the disk, masked one by one or by the workers of an engine.

A piece is work that depends on its item alone (where its records are, and where the result is to
be written), so that it can be done anywhere and again. ``mapped_by`` says who does it; without it
the pieces are done one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import DiskTable, SpilledColumns, write_columns
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Column, Microdata, Schema
from tacit.protect import by_address

if TYPE_CHECKING:
    from tacit.protect.base import Passes, Protector

# blocks of one item: a million records, for which starting a task is worth while
BLOCKS = 128

Work: TypeAlias = Callable[[Any], Any]
Mapper: TypeAlias = Callable[[Work, Sequence[Any]], Iterator[tuple[int, Any]]]
"""(place, result) of every item, in any order; the ``map`` of an engine is one."""


def one_by_one(work: Work, items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """In this thread, in order."""
    for place, item in enumerate(items):
        yield place, work(item)


_mapper: ContextVar[Mapper] = ContextVar("mapper", default=one_by_one)


@contextmanager
def mapped_by(mapper: Mapper) -> Iterator[None]:
    """Pieces of files on the disk are done by this mapper inside the block."""
    token = _mapper.set(mapper)
    try:
        yield
    finally:
        _mapper.reset(token)


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
class ColumnPiece:
    """Masks one column: an item is (its place among those masked, its name, file to write)."""

    method: Protector
    table: DiskTable
    schema: Schema
    draws: by_address.Draws

    def __call__(self, item: tuple[int, str, Path]) -> Column:
        """Write the masked column; what it is now."""
        place, name, path = item
        table = self.table.load([name])
        whole = Microdata(table, self.schema.select([name]), NativeFrame.of(table))
        masked = self.method._apply(whole, [name], self.draws.at(place))
        write_columns(path, [masked.table])
        return masked.schema[name]


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
    run = _mapper.get()
    if way == "columns":
        by_column = [
            (place, name, folder.next_file()) for place, name in enumerate(columns)
        ]
        column_piece = ColumnPiece(method, table, data.schema, draws)
        for place, column in run(column_piece, by_column):
            _, name, path = by_column[place]
            schema = data.schema.put(column)
            data = data.with_spilled([name], SpilledColumns((path,)), schema)
        return data
    length = BLOCKS * by_address.BLOCK
    runs = [
        (first, min(first + length, data.n), folder.next_file())
        for first in range(0, data.n, length)
    ]
    closed = by_address.closed(data, columns)
    piece = RecordsPiece(method, table, closed, draws)
    # all blocks say the same of their columns
    after = dict(run(piece, runs))[0]
    paths = tuple(path for _, _, path in runs)
    schema = by_address.opened(after, data.schema)
    return data.with_spilled(columns, SpilledColumns(paths), schema)
