"""Files read in chunks: Parquet (one file or a folder of them), or an Arrow table in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from tacit.base.errors import InputError
from tacit.data.frames import refuse_nested
from tacit.data.io import check_names
from tacit.data.io.parquet_parts import files_of, partitions_of
from tacit.data.notes import columns as said_of_columns
from tacit.scale.block_fit import P

# records read at a time where no memory limit says less; the budget has no larger chunks either
CHUNK = 200_000


class ChunkedSource(Protocol):
    """A file on this machine, whose records can be read again and again."""

    name: str
    schema: pa.Schema
    records: int

    def chunks(
        self, columns: Sequence[str] | None = None
    ) -> Iterator[tuple[int, pa.Table]]:
        """(number of the first record, table) in file order."""
        ...


def parquet_files(path: Path) -> list[Path]:
    """The Parquet files of a path, in the order of their names: that order numbers the records."""
    files = files_of(path)
    if not files:
        raise InputError(f"{path}: the folder holds no .parquet file")
    lost = partitions_of(path, files)[0][0]
    if lost:
        raise InputError(
            f"{path}: its folders hold the column '{next(iter(lost))}', which work in blocks "
            "would lose; tacit protect keeps it"
        )
    return files


@dataclass
class ParquetSource:
    """A Parquet file or folder.

    Record i is the i-th record of the files in the order of their names.
    """

    path: Path
    chunk: int = CHUNK

    def __post_init__(self) -> None:
        self.path = Path(self.path)
        self.name = str(self.path)
        self.files = parquet_files(self.path)
        try:
            self.schema = pq.read_schema(self.files[0])
            self.records = sum(pq.read_metadata(file).num_rows for file in self.files)
        except (pa.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"{self.path}: not a Parquet file ({reason})") from None
        refuse_schema(self.path, self.schema)

    def chunks(
        self, columns: Sequence[str] | None = None
    ) -> Iterator[tuple[int, pa.Table]]:
        """(number of the first record, table) in file order, at most ``chunk`` records each."""
        wanted = None if columns is None else list(columns)
        row = 0
        for path in self.files:
            # a map or a read-ahead of the whole file would count against the memory limit
            with pq.ParquetFile(path, memory_map=False, pre_buffer=False) as file:
                batches = file.iter_batches(
                    self.chunk, columns=wanted, use_threads=False
                )
                for batch in _whole(batches, path):
                    yield row, pa.Table.from_batches([batch])
                    row += batch.num_rows

    def learn(self, state: P) -> P:
        """Read the file once into ``state``."""
        for _, table in self.chunks(state.reads):
            state.add(table)
        return state

    def fingerprint(self) -> list[list[str | int]]:
        """What tells that the file is still the same one: names, lengths, times."""
        about = [(str(file.resolve()), file.stat()) for file in self.files]
        return [[name, status.st_size, status.st_mtime_ns] for name, status in about]


@dataclass
class TableSource:
    """A table in memory."""

    table: pa.Table
    name: str = "the table"
    chunk: int = CHUNK

    def __post_init__(self) -> None:
        self.schema = self.table.schema
        self.records = self.table.num_rows

    def chunks(
        self, columns: Sequence[str] | None = None
    ) -> Iterator[tuple[int, pa.Table]]:
        """(number of the first record, table), views of the table."""
        table = self.table if columns is None else self.table.select(list(columns))
        for row in range(0, self.records, self.chunk):
            yield row, table.slice(row, self.chunk)

    def learn(self, state: P) -> P:
        """Read the table once into ``state``."""
        for _, table in self.chunks(state.reads):
            state.add(table)
        return state


def _whole(batches: Iterator[pa.RecordBatch], path: Path) -> Iterator[pa.RecordBatch]:
    """The batches; a file whose end of the header is whole may be damaged in the middle."""
    while True:
        try:
            batch = next(batches)
        except StopIteration:
            return
        except (pa.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"{path}: cannot be read ({reason})") from None
        yield batch


def refuse_schema(path: Path, schema: pa.Schema) -> None:
    """Refuse columns that cannot be compared, names that stand twice, and missing codes."""
    refuse_nested(schema.empty_table(), f"{path}: ")
    check_names(path, schema.names)
    _refuse_missing_codes(path, schema)


def _refuse_missing_codes(path: Path, schema: pa.Schema) -> None:
    """Passes over a large file read codes as values; a file that declares some is refused."""
    for name, entry in said_of_columns(schema.empty_table()).items():
        if "missing" in entry or "suppressed" in entry:
            raise InputError(
                f"{path}: column '{name}' has missing codes, which large files are not read with; "
                "make them empty first, or use tacit protect"
            )
