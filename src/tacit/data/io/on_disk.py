"""Microdata whose columns are on the disk, for files that are larger than memory.

Whatever asks for one column after the other (protectors, plans, manifests) works on it as on
any Microdata, with the same result, and holds one column at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike

from tacit.base.errors import InputError
from tacit.base.typing import Floats, Ints
from tacit.data import dates
from tacit.data.buffers import array_of
from tacit.data.category_codes import as_categories, category_order, floats
from tacit.data.column import Category, Column, Kind
from tacit.data.exact import is_rounded, may_be_rounded
from tacit.data.frames import NativeFrame, nested, readable
from tacit.data.inference import infer_from
from tacit.data.inference.disk_profile import DiskProfile, TooManyTexts
from tacit.data.inference.precision import decimals_in_turn, finite
from tacit.data.io import csv_stream
from tacit.data.io.codes_on_disk import ClosedCodes, OpenedCodes
from tacit.data.io.disk_table import BATCH, DiskTable, SpilledColumns, SpillFolder
from tacit.data.io.parquet_parts import ParquetParts
from tacit.data.microdata import Microdata
from tacit.data.notes import decimal
from tacit.data.out_of_core.row_filter import KeptOf, kept_rows
from tacit.data.out_of_core.row_sort import KeyOf, in_key_order
from tacit.data.out_of_core.sorting import sorted_numbers
from tacit.data.schema import Schema
from tacit.data.usual_types import refuse_unusual


class OnDisk(Microdata):
    """Records in files, with a schema; every change is written beside them."""

    in_memory = False

    @classmethod
    def open(
        cls,
        path: str | Path,
        folder: str | Path,
        schema: Schema | None = None,
        *,
        encoding: str | None = None,
        **roles: Iterable[str] | str | None,
    ) -> OnDisk:
        """Parquet, as a file or a folder; or CSV, which is first written to the folder.

        Parameters
        ----------
        path : path
            The file, or the folder of files.
        folder : path
            Where replaced columns are written, of this file and no other; whoever made it
            removes it.
        schema : Schema
            What the columns are; guessed unless given, from all their values.
        encoding : str
            Encoding of a CSV file; detected unless given.
        **roles
            Roles and kinds, as in ``Schema.set``.
        """
        return cls.some(path, folder, None, schema, roles, encoding=encoding)

    @classmethod
    def some(
        cls,
        path: str | Path,
        folder: str | Path,
        names: Sequence[str] | None,
        schema: Schema | None,
        roles: Mapping[str, Iterable[str] | str | None],
        *,
        encoding: str | None = None,
    ) -> OnDisk:
        """As ``open``, of some columns alone: the others are not looked at."""
        path, spill = Path(path), SpillFolder(Path(folder))
        if path.suffix.lower() in csv_stream.ENDINGS:
            table = csv_stream.on_disk(path, spill, encoding)
        else:
            table = DiskTable.of(ParquetParts.of(path).anywhere(), spill)
        if names is not None:
            table = table.select(names)
        left_out = nested(table.schema)
        if left_out:
            table = table.select(readable(table.column_names, left_out, f"{path}: "))
        if not table.num_rows:
            raise InputError(f"{path}: has a header but no records")
        for field in table.schema:
            parts = ColumnInTurn(table, field.name)
            refuse_unusual(field, parts(), f"{path}: ")
        return cls._read(table, schema, roles, native_of(table))

    @classmethod
    def _complete(cls, column: Column, table: DiskTable, *, is_array: bool) -> Column:
        """A column with what nobody said of it, guessed in passes over its values."""
        type_ = table.schema.field(column.name).type
        ranked = pa.types.is_dictionary(type_) and type_.ordered
        said = column.description.labels or column.description.level
        if (said and column.unsaid) or ranked:
            # labels and orders are looked at with the column in hand
            return super()._complete(column, table, is_array=is_array)
        source = ColumnInTurn(table, column.name)
        decimals = None
        if pa.types.is_floating(type_) and column.decimals is None:
            decimals = decimals_in_turn(lambda: map(finite, source()))
        if not column.unsaid:
            return column if decimals is None else replace(column, decimals=decimals)
        profile = DiskProfile(column.name, source, column.description.label)
        profile.no_codes = column.no_codes
        some = next(iter(source()))
        try:
            return column.completed(infer_from(profile, some, decimals))
        except TooManyTexts:
            return super()._complete(column, table, is_array=is_array)

    @classmethod
    def _is_rounded(cls, raw: DiskTable, name: str) -> bool:
        """Does a column of numbers hold one that no double does?"""
        if not may_be_rounded(raw.schema.field(name).type):
            return False
        return any(map(is_rounded, ColumnInTurn(raw, name)()))

    @classmethod
    def _all_opened(cls, raw: DiskTable, schema: Schema) -> DiskTable:
        """The table with gaps in place of missing codes, some records at a time."""
        table = raw
        for place, name in enumerate(raw.column_names):
            if schema[name].missing:
                opened = OpenedCodes(raw, schema[name], decimal(raw))
                written = raw.folder.write(opened.in_turn())
                table = table.replaced(place, written.schema.field(name), written)
        return table

    def written(self) -> DiskTable:
        """The records as they are written: gaps that were missing codes are those codes again."""
        table = self.disk
        for place, column in enumerate(self.schema):
            if not column.missing:
                continue
            name, raw = column.name, self._native.frame
            known, reader = raw.schema.field(name), raw.readers[name]
            if name in self._native.replaced:
                closed = ClosedCodes(self.disk, raw, column, decimal(self.disk))
                reader = table.folder.write(closed.in_turn())
                known = reader.schema.field(name)
            table = table.replaced(place, known, reader)
        return table

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

    def with_date_formats(self, schema: Schema, names: Iterable[str]) -> Schema:
        """The schema in which each text column of dates says its format.

        Some records of a file do not show whether the day or the month comes first. Held: the
        different texts of a column. What is no date is refused by its row of the file.
        """
        for name in names:
            column = schema[name]
            if column.kind is not Kind.date:
                continue
            if not dates.is_text(self.disk.schema.field(name).type):
                continue
            distinct = pa.chunked_array([self._distinct(name)])
            try:
                dates.moments(column, distinct)
                form = dates.format_of(column, distinct)
            except InputError:
                # the sentence names a row, which is that of the whole column
                self.days(name)
                raise
            schema = schema.put(replace(column, date_format=form))
        return schema

    def days_in_turn(self, name: str) -> Iterator[Floats]:
        """``days`` of some records at a time."""
        column = self.with_date_formats(self.schema, [name])[name]
        for table in self.disk.in_turn(BATCH, [name]):
            yield dates.days(column, table.column(name))

    def _distinct(self, name: str) -> pa.Array:
        """The values that occur, in the order in which they first do."""
        found: pa.Array | None = None
        for table in self.disk.in_turn(BATCH, [name]):
            some = pc.unique(as_categories(table.column(name)))
            both = some if found is None else pa.concat_arrays([found, some])
            found = pc.unique(both)
        return found

    def take(self, rows: ArrayLike) -> Microdata:
        """Some records, in the order given: every column is written anew."""
        index = np.asarray(rows)
        if index.dtype == bool:
            index = np.flatnonzero(index)
        places = array_of(index.astype(np.int64))
        table = self.disk.take(places)
        native = replace(native_of(table), origin=self._native.origin)
        return OnDisk(table, self.schema, native)

    def in_order_of(self, key_of: KeyOf) -> OnDisk:
        """The records in the order of a key that each of them has; nothing is held."""
        return self._changed(lambda table: in_key_order(table, key_of))

    def where(self, kept_of: KeptOf) -> OnDisk:
        """Some records, in the order of the file; nothing is held."""
        return self._changed(lambda table: kept_rows(table, kept_of))

    def _changed(self, rows: Callable[[DiskTable], DiskTable]) -> OnDisk:
        """Other rows."""
        table = rows(self.disk)
        return OnDisk(table, self.schema, self._native_of(table, rows))

    def _native_of(
        self, table: DiskTable, rows: Callable[[DiskTable], DiskTable]
    ) -> NativeFrame:
        """The other rows as they were read, where codes of gaps come from them."""
        coded = [column.name for column in self.schema if column.missing]
        if not coded:
            return replace(native_of(table), origin=self._native.origin)
        raw = rows(self._native.frame.select(coded))
        for name in coded:
            place = table.column_names.index(name)
            table = table.replaced(place, raw.schema.field(name), raw.readers[name])
        origin, replaced = self._native.origin, self._native.replaced
        return replace(native_of(table), origin=origin, replaced=replaced)

    def few(self, rows: Ints, names: Sequence[str]) -> Microdata:
        """Few records, in the order given, in memory: one pass over these columns."""
        order = np.argsort(rows, kind="stable")
        wanted, found, first = rows[order], [], 0
        for piece in self.disk.in_turn(BATCH, names):
            low, high = np.searchsorted(wanted, [first, first + piece.num_rows])
            found.append(piece.take(array_of(wanted[low:high] - first)))
            first += piece.num_rows
        table = pa.concat_tables(found).unify_dictionaries().combine_chunks()
        table = table.take(array_of(np.argsort(order, kind="stable")))
        return Microdata(table, self.schema.select(names), NativeFrame.of(table))

    def held(self, names: Sequence[str]) -> Microdata:
        """Some columns in memory, with the categories and decimals of the file."""
        table = self.disk.load(names)
        return Microdata(table, self.schema.select(names), NativeFrame.of(table))

    def with_plain_gaps(self, names: Iterable[str]) -> OnDisk:
        """As ``Microdata.with_plain_gaps``: the columns without codes are on the disk already."""
        raw, native = self._native.frame, self._native
        for name in names:
            if self.schema[name].missing:
                place, known = (
                    raw.column_names.index(name),
                    self.disk.schema.field(name),
                )
                raw = raw.replaced(place, known, self.disk.readers[name])
        return OnDisk(self.disk, self.schema, replace(native, frame=raw))

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
            # what pieces were told of the whole column is not true of the next one
            column = replace(schema[name], missing=self.schema[name].missing)
            columns = columns.put(column)
        return OnDisk(table, columns, native)

    def categories(self, name: str) -> list[Category]:
        """The values of a nominal or ordinal column in code order, some records at a time."""
        known = self._codes.get(name)
        if known is not None:
            return list(known[1])
        found = pa.chunked_array([self._distinct(name)])
        try:
            return category_order(self.schema[name], found)
        except InputError:
            # the sentence names a row, which is that of the whole column
            self._coded(name)
            raise

    def _coded(self, name: str) -> tuple[Floats, list[Category]]:
        known = self._codes.get(name)
        # one column at a time: what was asked for last is asked for again
        self._codes.clear()
        if known is not None:
            self._codes[name] = known
        return super()._coded(name)

    def _made(self, table: pa.Table, schema: Schema, native: NativeFrame) -> Microdata:
        return OnDisk(table, schema, native)


@dataclass(frozen=True)
class ColumnInTurn:
    """A column as Arrow has it, some records at a time; and its numbers, span by span."""

    table: DiskTable
    name: str

    def __call__(self) -> Iterator[pa.ChunkedArray]:
        """Its records in file order."""
        for some in self.table.in_turn(BATCH, [self.name]):
            yield some.column(0)

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.table.num_rows

    def read(self, first: int, stop: int) -> Floats:
        """Numbers of a span of rows; NaN where missing."""
        span = next(self.table.in_turn(stop - first, [self.name], first, stop))
        return floats(span.column(0))

    def count_distinct(self) -> int:
        """How many different numbers it has."""
        ordered = sorted_numbers(self, self.table.folder)
        ordered.remove()
        return ordered.distinct


def native_of(table: DiskTable) -> NativeFrame:
    """What stands for the user's frame: the columns as they were read."""
    return NativeFrame(table, "pyarrow", {name: name for name in table.column_names})
