"""Microdata whose columns are on the disk, for files that are larger than memory.

Whatever asks for one column after the other (protectors, plans, manifests) works on it as on
any Microdata, with the same result, and holds one column at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from tacit.base.errors import InputError
from tacit.base.typing import Floats
from tacit.data.buffers import array_of
from tacit.data.column import Category
from tacit.data.frames import NativeFrame, refuse_nested
from tacit.data.io.disk_table import DiskTable, SpilledColumns, SpillFolder
from tacit.data.io.parquet_parts import ParquetParts
from tacit.data.microdata import Microdata
from tacit.data.schema import Schema


class OnDisk(Microdata):
    """Records in files, with a schema; every change is written beside them."""

    in_memory = False

    @classmethod
    def open(
        cls,
        path: str | Path,
        folder: str | Path,
        schema: Schema | None = None,
        **roles: Iterable[str] | str | None,
    ) -> OnDisk:
        """Parquet, as a file or a folder.

        Parameters
        ----------
        path : path
            The file, or the folder of files.
        folder : path
            Where replaced columns are written; whoever made it removes it.
        schema : Schema
            What the columns are; guessed unless given, from all their values.
        **roles
            Roles and kinds, as in ``Schema.set``.
        """
        parts = ParquetParts.of(path)
        table = DiskTable.of(parts, SpillFolder(Path(folder)))
        refuse_nested(table.schema.empty_table(), f"{path}: ")
        if not table.num_rows:
            raise InputError(f"{path}: has a header but no records")
        return cls._read(table, schema, roles, _native(table))

    @property
    def disk(self) -> DiskTable:
        """The columns on the disk."""
        table: DiskTable = self._table
        return table

    def in_turn(self, names: Sequence[str], length: int) -> Iterator[Floats]:
        """``numbers`` of so many records at a time, read as they are asked for."""
        schema = self.schema.select(names)
        for table in self.disk.in_turn(length, names):
            piece = Microdata(table, schema, NativeFrame.of(table))
            try:
                yield piece.numbers(names)
            except InputError:
                # the sentence names a row of the piece; the whole column names that of the file
                for name in names:
                    self.column(name)
                raise

    def take(self, rows: ArrayLike) -> Microdata:
        """Some records, in the order given: every column is written anew."""
        index = np.asarray(rows)
        if index.dtype == bool:
            index = np.flatnonzero(index)
        places = array_of(index.astype(np.int64))
        table = self.disk.take(places)
        return OnDisk(table, self.schema, _native(table))

    def held(self, names: Sequence[str]) -> Microdata:
        """Some columns in memory, with the categories and decimals of the file."""
        table = self.disk.load(names)
        return Microdata(table, self.schema.select(names), NativeFrame.of(table))

    def with_spilled(
        self, names: Sequence[str], written: SpilledColumns, schema: Schema
    ) -> OnDisk:
        """The file with these columns as they have been written; ``schema`` says what they are."""
        table, native, columns = self.disk, self._native, self.schema
        of_written = written.schema
        for name in names:
            place = table.column_names.index(name)
            table = table.replaced(place, of_written.field(name), written)
            native = native.changed(name)
            columns = columns.put(schema[name])
        return OnDisk(table, columns, native)

    def _coded(self, name: str) -> tuple[Floats, list[Category]]:
        known = self._codes.get(name)
        # one column at a time: what was asked for last is asked for again
        self._codes.clear()
        if known is not None:
            self._codes[name] = known
        return super()._coded(name)

    def _made(self, table: pa.Table, schema: Schema, native: NativeFrame) -> Microdata:
        return OnDisk(table, schema, native)


def _native(table: DiskTable) -> NativeFrame:
    """What stands for the user's frame: the columns as they were read."""
    return NativeFrame(table, "pyarrow", {name: name for name in table.column_names})
