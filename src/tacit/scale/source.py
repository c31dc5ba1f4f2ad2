"""Files read in chunks: Parquet (one file or a folder of them), or an Arrow table in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tacit.errors import InputError
from tacit.large.fit import P


def parquet_files(path: Path) -> list[Path]:
    """The Parquet files of a path, in the order of their names: that order numbers the records."""
    if not path.exists():
        raise InputError(f"{path}: there is no such file")
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    if not files:
        raise InputError(f"{path}: the folder holds no .parquet file")
    return files


@dataclass
class ParquetSource:
    """A Parquet file or folder. Record i is the i-th record of the files in the order of their names."""

    path: Path
    chunk: int = 200_000

    def __post_init__(self) -> None:
        self.path = Path(self.path)
        self.name = str(self.path)
        self.files = parquet_files(self.path)
        try:
            self.schema = pq.read_schema(self.files[0])
            self.records = sum(pq.read_metadata(file).num_rows for file in self.files)
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{self.path}: not a Parquet file ({str(error).splitlines()[0]})") from None

    def chunks(self, columns: Sequence[str] | None = None) -> Iterator[tuple[int, pa.Table]]:
        """(number of the first record, table) in file order, each of at most ``chunk`` records."""
        row = 0
        for path in self.files:
            with pq.ParquetFile(path, memory_map=False, pre_buffer=False) as file:
                wanted = None if columns is None else list(columns)
                for batch in file.iter_batches(self.chunk, columns=wanted, use_threads=False):
                    yield row, pa.Table.from_batches([batch])
                    row += batch.num_rows

    def learn(self, state: P) -> P:
        for _, table in self.chunks(state.reads):
            state.add(table)
        return state

    def fingerprint(self) -> list[Any]:
        """What tells that the file is still the same one: names, lengths, times."""
        return [[str(f.resolve()), f.stat().st_size, f.stat().st_mtime_ns] for f in self.files]


@dataclass
class TableSource:
    """A table in memory."""

    table: pa.Table
    name: str = "the table"
    chunk: int = 200_000

    def __post_init__(self) -> None:
        self.schema = self.table.schema
        self.records = self.table.num_rows

    def chunks(self, columns: Sequence[str] | None = None) -> Iterator[tuple[int, pa.Table]]:
        table = self.table if columns is None else self.table.select(list(columns))
        for row in range(0, self.records, self.chunk):
            yield row, table.slice(row, self.chunk)

    def learn(self, state: P) -> P:
        for _, table in self.chunks(state.reads):
            state.add(table)
        return state
