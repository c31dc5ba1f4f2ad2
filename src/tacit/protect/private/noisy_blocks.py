"""Private values drawn record by record, block by block: the same from the disk as in memory.

Without a seed every draw comes from the system, and a piece is drawn at once. With one (for tests)
each block of 8,192 records draws from a generator of its own (``by_address``); a file of one block
draws column after column from the generator of the method, as it always did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from tacit.base.errors import InputError
from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import DiskTable, SpilledColumns, write_columns
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Kind, Microdata, Schema
from tacit.data.out_of_core.pieces import mapped, spans, whole_blocks
from tacit.protect import by_address
from tacit.protect.private import declared

Source = np.random.Generator | None
"""Where random words come from; None: the system."""
OfRecords = Callable[[Microdata, Source], tuple[dict[str, pa.Array], dict[str, int]]]
"""From records and a source to new columns, and how many values of each were clamped."""
Check = Callable[[Microdata, int], None]
"""Raises where records are outside the declared domain; they begin at a row of the file."""


@dataclass(frozen=True)
class NoisyBlocks:
    """What is drawn for each block of a large file; can be sent to a worker."""

    of_records: OfRecords
    draws: by_address.Draws | None
    """The generators of the blocks; None: the system's randomness."""

    def spans(self, first: int, stop: int) -> list[tuple[int, int]]:
        """The records that are drawn for at a time."""
        if self.draws is None:
            return [(first, stop)]
        return [
            (first + a, first + b) for a, b in spans(stop - first, by_address.BLOCK)
        ]

    def __call__(
        self, data: Microdata, first: int
    ) -> Iterator[tuple[pa.Table, Mapping[str, int]]]:
        """New columns of some records, the first of which begins a block."""
        for low, high in self.spans(first, first + data.n):
            source = None
            if self.draws is not None:
                source = self.draws.at(low // by_address.BLOCK)
            some = data.table.slice(low - first, high - low)
            block = Microdata(some, data.schema, NativeFrame.of(some))
            columns, clamped = self.of_records(block, source)
            yield pa.table(columns), clamped


@dataclass(frozen=True)
class _Draw:
    """Item: (first, stop, file). New columns of a span, written; how many were clamped."""

    table: DiskTable
    schema: Schema
    blocks: NoisyBlocks

    def __call__(self, item: tuple[int, int, Path]) -> list[Mapping[str, int]]:
        first, stop, path = item
        span = next(self.table.in_turn(stop - first, None, first, stop))
        data = Microdata(span, self.schema, NativeFrame.of(span))
        drawn = list(self.blocks(data, first))
        write_columns(path, [table for table, _ in drawn])
        return [clamped for _, clamped in drawn]


@dataclass(frozen=True)
class _Look:
    """Item: (first, stop). Raises where records are outside the domain."""

    table: DiskTable
    schema: Schema
    check: Check

    def __call__(self, item: tuple[int, int]) -> None:
        first, stop = item
        span = next(self.table.in_turn(stop - first, None, first, stop))
        self.check(Microdata(span, self.schema, NativeFrame.of(span)), first)


def checked(data: Microdata, columns: list[str], check: Check) -> None:
    """Look at all records of a file before anything is drawn or spent."""
    if isinstance(data, OnDisk):
        schema = data.schema.select(columns)
        look = _Look(data.disk.select(columns), schema, check)
        try:
            mapped(look, spans(data.n))
        except InputError:
            # a sentence of numbers names a row of the span; the column names that of the file
            for name in columns:
                if schema[name].scale is Kind.continuous:
                    data.column(name)
            raise
    else:
        check(data, 0)


def drawn(
    data: Microdata,
    columns: list[str],
    of_records: OfRecords,
    source: Source,
) -> tuple[Microdata, dict[str, int]]:
    """The release, and how many values of each column were clamped.

    Parameters
    ----------
    data : Microdata
        The file, whose records are in the declared domain.
    columns : list of str
        What is masked.
    of_records : function
        New columns of some records.
    source : Generator or None
        Of a seed for tests; None: the system.
    """
    if data.n <= by_address.BLOCK:
        made, clamped = of_records(data.held(columns), source)
        return declared.released(data, made), clamped
    draws = None if source is None else by_address.Draws.of(source)
    blocks = NoisyBlocks(of_records, draws)
    if not isinstance(data, OnDisk):
        found = list(blocks(data, 0))
        table = pa.concat_tables([table for table, _ in found])
        columns_made = {name: table[name].combine_chunks() for name in columns}
        return declared.released(data, columns_made), _summed(
            clamped for _, clamped in found
        )
    folder = data.disk.folder
    pieces = whole_blocks(data.n, by_address.BLOCK)
    items = [(*span, folder.next_file()) for span in pieces]
    work = _Draw(data.disk.select(columns), data.schema.select(columns), blocks)
    counts = mapped(work, items)
    written = SpilledColumns(tuple(path for _, _, path in items))
    release = declared.released_on_disk(data, columns, written)
    return release, _summed(one for several in counts for one in several)


def _summed(counts: Iterator[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for one in counts:
        for name, number in one.items():
            total[name] = total.get(name, 0) + number
    return total
