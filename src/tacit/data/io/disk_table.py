"""A table whose columns are on the disk: what ``Microdata`` asks of an Arrow table, and no more.

A column is read when somebody asks for it, and forgotten when nobody holds it. A column that is
replaced is written to a file of the folder, and so is every column of a table of other rows.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakValueDictionary

import pyarrow as pa
from pyarrow import ipc

from tacit.data.io.parquet_parts import ParquetParts

# records of a written batch: what is read at a time, column by column
BATCH = 65_536


class Reader(Protocol):
    """Columns on the disk."""

    def column(self, name: str) -> pa.ChunkedArray:
        """One column."""
        ...

    def in_turn(
        self, names: Sequence[str], first: int = 0, stop: int | None = None
    ) -> Iterator[pa.Table]:
        """Some records of some columns, in tables of any length."""
        ...


@dataclass(frozen=True)
class SpilledColumns:
    """Columns in Arrow files, each of which holds the records that follow the one before."""

    files: tuple[Path, ...]

    @property
    def schema(self) -> pa.Schema:
        """Names and types."""
        with pa.OSFile(str(self.files[0])) as file:
            return ipc.open_file(file).schema

    def column(self, name: str) -> pa.ChunkedArray:
        """One column."""
        tables = list(self.in_turn([name]))
        return pa.concat_tables(tables).unify_dictionaries().column(name)

    def in_turn(
        self, names: Sequence[str], first: int = 0, stop: int | None = None
    ) -> Iterator[pa.Table]:
        """Some records of some columns."""
        row = 0
        for path in self.files:
            length = sum(batch_lengths(path))
            if length and row + length <= first:
                row += length
                continue
            with pa.OSFile(str(path)) as file:
                schema = ipc.open_file(file).schema
                places = [schema.get_field_index(name) for name in names]
                options = ipc.IpcReadOptions(included_fields=sorted(places))
                opened = ipc.open_file(file, options=options)
                if not opened.num_record_batches:
                    yield opened.schema.empty_table().select(list(names))
                for number, length in enumerate(batch_lengths(path)):
                    if stop is not None and row >= stop:
                        return
                    end = row + length
                    high = end if stop is None else min(end, stop)
                    # what comes before is not read: a span would cost as much as the file
                    if end > first:
                        batch = opened.get_batch(number)
                        low = max(first, row)
                        table = pa.Table.from_batches(
                            [batch.slice(low - row, high - low)]
                        )
                        yield table.select(list(names))
                    row = end


@lru_cache(maxsize=4096)
def batch_lengths(path: Path) -> tuple[int, ...]:
    """Records of each batch of a file, which is never written again under its name."""
    with pa.OSFile(str(path)) as file:
        # no column is read
        options = ipc.IpcReadOptions(included_fields=[])
        opened = ipc.open_file(file, options=options)
        numbers = range(opened.num_record_batches)
        return tuple(opened.get_batch(number).num_rows for number in numbers)


@dataclass(eq=False)
class _Numbers:
    """The last number that was given to a file of a folder."""

    last: int = 0


# of the folders that somebody holds
_given: WeakValueDictionary[Path, _Numbers] = WeakValueDictionary()


@dataclass
class SpillFolder:
    """Where replaced columns are written; every file has a number of its own."""

    path: Path
    numbers: _Numbers = field(init=False, repr=False, compare=False)
    kept: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)
    """What was written for a question that may be asked again, by the question."""

    def __post_init__(self) -> None:
        # two files that are worked on in one folder must not write over each other's columns
        place = self.path.absolute()
        self.numbers = _given.get(place) or _Numbers()
        _given[place] = self.numbers

    def __getstate__(self) -> dict[str, object]:
        """What is kept here is asked for here, not by a worker."""
        return {"path": self.path, "numbers": self.numbers, "kept": {}}

    def next_file(self) -> Path:
        """A name that no other file has."""
        self.numbers.last += 1
        return self.path / f"columns-{self.numbers.last:06d}.arrow"

    def write(self, tables: Iterable[pa.Table]) -> SpilledColumns:
        """Tables one after the other."""
        return SpilledColumns((write_columns(self.next_file(), tables),))


def write_columns(path: Path, tables: Iterable[pa.Table]) -> Path:
    """An Arrow file of these tables, in batches of equal length; returns its path."""
    pieces = iter(tables)
    first = next(pieces)
    with (
        pa.OSFile(str(path), "wb") as file,
        ipc.new_file(file, first.schema) as writer,
    ):
        for table in itertools.chain([first], pieces):
            writer.write_table(table.combine_chunks(), max_chunksize=BATCH)
    return path


class DiskTable:
    """Columns on the disk under the names that an Arrow table's methods have."""

    def __init__(
        self,
        readers: Mapping[str, Reader],
        schema: pa.Schema,
        num_rows: int,
        folder: SpillFolder,
    ) -> None:
        self.readers = dict(readers)
        self.schema = schema
        self.num_rows = num_rows
        self.folder = folder

    @classmethod
    def of(cls, parts: ParquetParts, folder: SpillFolder) -> DiskTable:
        """The columns of Parquet files."""
        readers = dict.fromkeys(parts.schema.names, parts)
        return cls(readers, parts.schema, parts.num_rows, folder)

    @property
    def column_names(self) -> list[str]:
        """Names in file order."""
        return list(self.schema.names)

    @property
    def num_columns(self) -> int:
        """How many columns there are."""
        return len(self.schema)

    def column(self, name: str) -> pa.ChunkedArray:
        """One column, read now."""
        return self.readers[name].column(name)

    def __getitem__(self, name: str) -> pa.ChunkedArray:
        return self.column(name)

    def load(self, names: Sequence[str]) -> pa.Table:
        """Some columns as an Arrow table in memory."""
        columns = {name: self.column(name) for name in names}
        schema = pa.schema([self.schema.field(name) for name in names])
        return pa.table(columns, schema=schema.with_metadata(self.schema.metadata))

    def select(self, names: Sequence[str]) -> DiskTable:
        """Some columns."""
        fields = [self.schema.field(name) for name in names]
        schema = pa.schema(fields, metadata=self.schema.metadata)
        readers = {name: self.readers[name] for name in names}
        return DiskTable(readers, schema, self.num_rows, self.folder)

    def set_column(
        self, place: int, name: str | pa.Field, values: pa.Array | pa.ChunkedArray
    ) -> DiskTable:
        """The table with one column replaced by values in memory, which are written."""
        known = name if isinstance(name, pa.Field) else pa.field(name, values.type)
        table = pa.table([values], schema=pa.schema([known]))
        return self.replaced(place, known, self.folder.write([table]))

    def replaced(self, place: int, known: pa.Field, reader: Reader) -> DiskTable:
        """The table with one column that is on the disk already."""
        schema = self.schema.set(place, known)
        readers = {**self.readers, known.name: reader}
        return DiskTable(readers, schema, self.num_rows, self.folder)

    def take(self, rows: pa.Array) -> DiskTable:
        """Other rows: column after column is read, and written in the new order."""
        return self._rewritten(lambda values: values.take(rows), len(rows))

    def replace_schema_metadata(self, metadata: Mapping[bytes, bytes]) -> DiskTable:
        """The same columns with other notes."""
        schema = self.schema.with_metadata(metadata)
        return DiskTable(self.readers, schema, self.num_rows, self.folder)

    def in_turn(
        self,
        length: int,
        names: Sequence[str] | None = None,
        first: int = 0,
        stop: int | None = None,
    ) -> Iterator[pa.Table]:
        """So many records at a time, in file order; each column of a table is one chunk."""
        wanted = self.column_names if names is None else list(names)
        stop = self.num_rows if stop is None else stop
        schema = pa.schema([self.schema.field(name) for name in wanted])
        by_reader: dict[int, tuple[Reader, list[str]]] = {}
        for name in wanted:
            reader = self.readers[name]
            by_reader.setdefault(id(reader), (reader, []))[1].append(name)
        streams = [
            of_equal_length(reader.in_turn(held, first, stop), length)
            for reader, held in by_reader.values()
        ]
        for _ in range(first, stop, length):
            tables = [next(stream) for stream in streams]
            columns = {
                name: table.column(name)
                for table in tables
                for name in table.column_names
            }
            held = pa.table([columns[name] for name in wanted], schema=schema)
            yield held.replace_schema_metadata(self.schema.metadata)

    def _rewritten(
        self, change: Callable[[pa.ChunkedArray], pa.ChunkedArray], length: int
    ) -> DiskTable:
        readers: dict[str, Reader] = {}
        for known in self.schema:
            values = change(self.column(known.name))
            table = pa.table([values], schema=pa.schema([known]))
            readers[known.name] = self.folder.write([table])
        return DiskTable(readers, self.schema, length, self.folder)


def of_equal_length(tables: Iterable[pa.Table], length: int) -> Iterator[pa.Table]:
    """The same records in tables of this length; the last one may be shorter."""
    waiting: list[pa.Table] = []
    records = 0
    for table in tables:
        waiting.append(table)
        records += table.num_rows
        while records >= length:
            whole = pa.concat_tables(waiting)
            yield whole.slice(0, length).combine_chunks()
            waiting = [whole.slice(length)]
            records -= length
    if records:
        yield pa.concat_tables(waiting).combine_chunks()
