"""Strata of a table on the disk: sorted by stratum, each of which is then a span of it.

A stratum is masked as if it were a file: a small one in memory, a large one on the disk, with the
same bytes. What was masked is sorted back to the rows of the file. Memory: a piece or a stratum of
``FEW`` records, the strata, and what the method itself holds of one. The table is the file, or one
of its households or persons (``levels_on_disk``); without strata it is one span.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tacit.base.typing import Ints
from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import BATCH, DiskTable, Reader, SpilledColumns
from tacit.data.io.on_disk import OnDisk, native_of
from tacit.data.microdata import Kind, Microdata, Role, Schema
from tacit.data.out_of_core.key_counts import KeyColumns, count_keys, numbers_of
from tacit.data.out_of_core.number_files import NumberFiles
from tacit.data.out_of_core.row_sort import in_key_order
from tacit.data.out_of_core.sorting import sorted_numbers
from tacit.protect.file_parts import RECORD, refuse_masked_strata

FEW = 1 << 17
"""Records of a stratum that is masked in memory."""


@dataclass(frozen=True)
class Stratum:
    """A span of the sorted file; what ``Part`` is of a file in memory."""

    stratum: tuple[object, ...]
    where: str
    columns: list[str]
    kept: list[str]
    first: int
    stop: int
    level: str

    @property
    def rows(self) -> range:
        """Its places in the sorted file."""
        return range(self.first, self.stop)

    @property
    def key(self) -> tuple[object, ...]:
        """What names the part in another file."""
        return (self.level, *self.stratum)


@dataclass(frozen=True)
class Spread:
    """Places, as keys that are spread evenly over 64 bits."""

    places: NumberFiles

    def __call__(self, first: int, stop: int) -> npt.NDArray[np.uint64]:
        """Those of a span of rows."""
        step = np.uint64((1 << 64) // max(self.places.n, 1))
        return self.places.read(first, stop).astype(np.uint64) * step


@dataclass(frozen=True)
class NumberedStrata:
    """The stratum of each record, numbered in the order of values."""

    number: NumberFiles
    """The number under which it was counted."""
    rank: Ints
    """The place of each such number in the order of values."""
    values: npt.NDArray[np.float64]
    """(strata, columns), in their order: numbers or codes, as ``Microdata.numbers``."""
    size: Ints
    """Records of each stratum, in their order."""

    @classmethod
    def of(cls, data: OnDisk, by: Sequence[str]) -> NumberedStrata:
        """The strata of columns, of which there is at least one; missing values are a value."""
        counts = count_keys(KeyColumns.of(data, list(by)), data.disk.folder)
        found = list(counts.in_turn())
        keys = np.concatenate([some for some, _ in found])
        size = np.concatenate([some for _, some in found])
        number = counts.numbers(data.disk.folder)
        counts.remove()
        values = np.column_stack(
            [_numbers(data, name, keys[:, j]) for j, name in enumerate(by)]
        )
        # a missing value is the highest
        order = np.lexsort(np.nan_to_num(values, nan=np.inf).T[::-1])
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return cls(number, rank, values[order], size[order])

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.number.n

    def read(self, first: int, stop: int) -> Ints:
        """Those of a span of rows."""
        return np.asarray(self.rank[self.number.read(first, stop)])

    def remove(self) -> None:
        """The numbers of rows are not needed any more."""
        self.number.remove()


@dataclass(frozen=True)
class SpanReader:
    """Some consecutive records of columns on the disk."""

    reader: Reader
    first: int
    stop: int

    def column(self, name: str) -> pa.ChunkedArray:
        """One column."""
        return pa.concat_tables(self.in_turn([name])).unify_dictionaries().column(name)

    def in_turn(
        self, names: Sequence[str], first: int = 0, stop: int | None = None
    ) -> Iterator[pa.Table]:
        """Some records of some columns."""
        end = self.stop if stop is None else min(self.first + stop, self.stop)
        return self.reader.in_turn(names, self.first + first, end)


@dataclass(frozen=True)
class StrataOnDisk:
    """A table sorted by stratum."""

    data: OnDisk
    ordered: OnDisk
    """The columns that are looked at, stratum after stratum, each in the order of the table."""
    rows: NumberFiles | None
    """The row of the table of each of them; None: as they are there."""
    parts: list[Stratum]

    @classmethod
    def of(
        cls,
        data: OnDisk,
        columns: Sequence[str],
        by: Sequence[str],
        looked_at: Sequence[str],
        level: str = RECORD,
    ) -> StrataOnDisk:
        """Cut a table into strata, in the order of their values.

        Parameters
        ----------
        data : OnDisk
            The table.
        columns : list of str
            What is masked.
        by : list of str
            The columns that cut the table; missing values are a value.
        looked_at : list of str
            The columns that the method looks at.
        level : str
            What a row stands for.
        """
        refuse_masked_strata(data, columns, by)
        some = data.select(looked_at)
        assert isinstance(some, OnDisk)
        names, kept = list(columns), list(looked_at)
        if not by:
            whole = Stratum((), "", names, kept, 0, data.n, level)
            return cls(data, _closed(some, some, names), None, [whole])
        folder = data.disk.folder
        strata = NumberedStrata.of(data, by)
        by_stratum = sorted_numbers(strata, folder, dtype="<i8")
        places = by_stratum.ranks(folder, "first")
        ordered = some.in_order_of(Spread(places))
        for files in (strata, places, by_stratum.values):
            files.remove()
        closed = _closed(some, ordered, names)
        ends = np.cumsum(strata.size)
        parts = []
        for first, stop in zip(ends - strata.size, ends, strict=True):
            # all rows of a stratum have the same values
            example = next(closed.disk.in_turn(1, by, int(first), int(first) + 1))
            shared = tuple(example.column(name)[0].as_py() for name in by)
            words = [f"{name}={value}" for name, value in zip(by, shared, strict=True)]
            span = int(first), int(stop)
            parts.append(Stratum(shared, ", ".join(words), names, kept, *span, level))
        return cls(data, closed, by_stratum.rows, parts)

    def table(self, part: Stratum) -> Microdata:
        """The records of a stratum, with the categories of the whole file."""
        disk, schema = self.ordered.disk, self.ordered.schema
        n = part.stop - part.first
        if n <= FEW:
            table = next(disk.in_turn(n, None, part.first, part.stop))
            return Microdata(table, schema, NativeFrame.of(table))
        # columns of one reader stay together, so that they are read together
        ends = part.first, part.stop
        spans = {id(one): SpanReader(one, *ends) for one in disk.readers.values()}
        readers = {name: spans[id(one)] for name, one in disk.readers.items()}
        cut = DiskTable(readers, disk.schema, n, disk.folder)
        return OnDisk(cut, schema, native_of(cut))

    def joined(self, masked: Iterator[Microdata], onto: OnDisk | None = None) -> OnDisk:
        """The table with what was masked in each stratum, in their order, back at its rows.

        ``onto`` is the table with what else was masked meanwhile.
        """
        data = self.data if onto is None else onto
        columns, folder = self.parts[0].columns, self.data.disk.folder
        schema, length = None, 0
        files: list[Path] = []
        waiting: list[pa.Table] = []
        for part in masked:
            schema = schema or part.schema
            for table in _in_turn(part, columns):
                waiting.append(table)
                length += table.num_rows
                if columns and length >= FEW:
                    files += folder.write([_together(waiting)]).files
                    waiting, length = [], 0
        if not columns:
            return data
        if waiting:
            files += folder.write([_together(waiting)]).files
        assert schema is not None
        written = _of_one_type(files, self.data)
        joined = at_rows(data, columns, written, self.rows, schema)
        if self.rows is not None:
            self.rows.remove()
        return joined


def at_rows(
    data: OnDisk,
    columns: list[str],
    written: SpilledColumns,
    rows: NumberFiles | None,
    schema: Schema,
) -> OnDisk:
    """A file with masked columns, put at their rows.

    Parameters
    ----------
    data : OnDisk
        The file before.
    columns : list of str
        Those that were masked.
    written : SpilledColumns
        What they are now, in the order of ``rows``.
    rows : NumberFiles, optional
        The row to which each value goes; those of the file, in its order, unless given.
    schema : Schema
        What the masked columns are.
    """
    after = data.schema
    for name in columns:
        column = schema[name]
        if column.kind is data.schema[name].kind:
            # the categories of the part were the file's own
            column = replace(column, categories=data.schema[name].categories)
        after = after.put(column)
    if rows is None:
        return data.with_spilled(columns, written, after)
    readers = dict.fromkeys(columns, written)
    table = DiskTable(readers, written.schema, data.n, data.disk.folder)
    back = in_key_order(table, Spread(rows))
    for name in columns:
        reader = back.readers[name]
        assert isinstance(reader, SpilledColumns)
        data = data.with_spilled([name], reader, after)
    return data


def _closed(before: OnDisk, table: OnDisk, masked: list[str]) -> OnDisk:
    """A table whose columns list the categories that the file has, as each part has but some.

    Numbers of people are in no list: nobody looks at their codes, and there are as many as people.
    """
    listed = [
        column.name
        for column in before.schema
        if column.role not in (Role.person, Role.household) or column.name in masked
    ]
    schema = before.closed(listed)
    for column in before.schema:
        # numbers move by the step of their stratum, as in memory
        known = replace(schema[column.name], missing=column.missing)
        schema = schema.put(known)
    closed = table.with_schema(schema)
    assert isinstance(closed, OnDisk)
    return closed


def _numbers(data: OnDisk, name: str, keys: Ints) -> npt.NDArray[np.float64]:
    """A key that was counted as a number or code; NaN: missing."""
    if data.schema[name].scale is Kind.continuous:
        return numbers_of(keys)
    return np.where(keys < 0, np.nan, keys)


def _in_turn(part: Microdata, columns: list[str]) -> Iterator[pa.Table]:
    """The masked columns of a stratum, some records at a time."""
    if isinstance(part, OnDisk):
        yield from part.disk.in_turn(BATCH, columns)
    else:
        yield part.table.select(columns)


def _together(tables: list[pa.Table]) -> pa.Table:
    # a method may return whole numbers in one part and broken ones in another
    bare = [table.replace_schema_metadata(None) for table in tables]
    whole = pa.concat_tables(bare, promote_options="permissive")
    return whole.unify_dictionaries().combine_chunks()


def _of_one_type(files: list[Path], data: OnDisk) -> SpilledColumns:
    """The same columns, where their types differ from file to file in one that holds all."""
    schemas = [SpilledColumns((path,)).schema for path in files]
    wanted = pa.unify_schemas(schemas, promote_options="permissive")
    out = []
    for path, schema in zip(files, schemas, strict=True):
        if schema.equals(wanted):
            out.append(path)
            continue
        tables = SpilledColumns((path,)).in_turn(wanted.names)
        out += data.disk.folder.write(table.cast(wanted) for table in tables).files
    return SpilledColumns(tuple(out))
