"""A column of a file on the disk as numbers in row order, read a span at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.base.errors import InputError
from tacit.base.typing import Floats
from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import DiskTable
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.data.schema import Schema


@dataclass(frozen=True)
class ColumnNumbers:
    """What ``Microdata.column`` gives, of any span of rows; small enough to be sent to a worker."""

    table: DiskTable
    schema: Schema
    name: str

    @classmethod
    def of(cls, data: OnDisk, name: str) -> ColumnNumbers:
        """A column of a file; categories are looked for once, so that codes mean the same."""
        schema = data.closed([name]).select([name])
        return cls(data.disk.select([name]), schema, name)

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.table.num_rows

    def read(self, first: int, stop: int) -> Floats:
        """Values or codes of a span of rows; NaN where missing."""
        return numbers_of_span(self.table, self.schema, [self.name], first, stop)[:, 0]


def numbers_of_span(
    table: DiskTable, schema: Schema, names: Sequence[str], first: int, stop: int
) -> Floats:
    """What ``Microdata.numbers`` gives of a span of rows; ``schema`` lists all categories."""
    if first >= stop:
        return np.empty((0, len(names)))
    span = next(table.in_turn(stop - first, names, first, stop))
    try:
        return Microdata(span, schema, NativeFrame.of(span)).numbers(names)
    except InputError:
        # the sentence names a row of the span; the whole column names that of the file
        for name in names:
            whole = table.load([name])
            Microdata(whole, schema.select([name]), NativeFrame.of(whole)).column(name)
        raise
