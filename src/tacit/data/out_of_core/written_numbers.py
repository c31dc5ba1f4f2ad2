"""Columns of a file on the disk whose numbers have changed, written in pieces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import DiskTable, SpilledColumns, write_columns
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.data.out_of_core.number_files import NumberSource
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.schema import Schema


@dataclass(frozen=True)
class _Written:
    """Item: (first, stop, file). The columns of a span with their new numbers."""

    table: DiskTable
    schema: Schema
    numbers: tuple[NumberSource, ...]

    def __call__(self, item: tuple[int, int, Path]) -> None:
        first, stop, path = item
        names = self.table.column_names
        span = next(self.table.in_turn(stop - first, names, first, stop))
        block = Microdata(span, self.schema, NativeFrame.of(span))
        values = [source.read(first, stop) for source in self.numbers]
        write_columns(path, [block.with_numbers(names, np.column_stack(values)).table])


def with_numbers_of(data: OnDisk, columns: Mapping[str, NumberSource]) -> OnDisk:
    """``Microdata.with_numbers``, of numbers in row order that are not held.

    Parameters
    ----------
    data : OnDisk
        The file.
    columns : mapping of str to NumberSource
        The new numbers, or codes of categories, of some columns.
    """
    names = list(columns)
    if not names:
        return data
    schema = data.closed(names).select(names)
    work = _Written(data.disk.select(names), schema, tuple(columns.values()))
    items = [(*span, data.disk.folder.next_file()) for span in spans(data.n)]
    mapped(work, items)
    written = SpilledColumns(tuple(path for _, _, path in items))
    # what pieces were told of the whole column is not said of the next one
    return data.with_spilled(names, written, data.schema)
