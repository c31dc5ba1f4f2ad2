"""Missing codes of a column on the disk: opened and closed some records at a time.

Whether text holds numbers, and whether a code comes back, all records of a column say together; so
there is a pass that asks, and one that writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from tacit.data.column import Column
from tacit.data.io.disk_table import BATCH, DiskTable
from tacit.data.microdata import kept_as_text
from tacit.data.missing import as_numbers, number_type


@dataclass(frozen=True)
class OpenedCodes:
    """A column with gaps in place of its codes."""

    table: DiskTable
    column: Column
    decimal: str

    def in_turn(self) -> Iterator[pa.Table]:
        """Some records at a time."""
        kind = None
        first = next(self._blanked(), None)
        text = first is not None and (
            pa.types.is_string(first.type) or pa.types.is_large_string(first.type)
        )
        if text and not kept_as_text(self.column):
            kind = number_type(self._blanked(), self.decimal)
        for values in self._blanked():
            opened = as_numbers(values, kind, self.decimal)
            yield pa.table({self.column.name: opened})

    def _blanked(self) -> Iterator[pa.ChunkedArray]:
        for some in self.table.in_turn(BATCH, [self.column.name]):
            yield self.column.missing.blanked(some.column(0))


@dataclass(frozen=True)
class ClosedCodes:
    """A column that was masked, with its codes back where they were."""

    now: DiskTable
    before: DiskTable
    column: Column
    decimal: str

    def in_turn(self) -> Iterator[pa.Table]:
        """Some records at a time."""
        missing = self.column.missing
        how = missing.closing(self._both())
        for now, before in self._both():
            closed = missing.closed_so(now, before, how, decimal=self.decimal)
            yield pa.table({self.column.name: closed})

    def _both(self) -> Iterator[tuple[pa.ChunkedArray, pa.ChunkedArray]]:
        names = [self.column.name]
        now, before = (one.in_turn(BATCH, names) for one in (self.now, self.before))
        for left, right in zip(now, before, strict=True):
            yield left.column(0), right.column(0)
