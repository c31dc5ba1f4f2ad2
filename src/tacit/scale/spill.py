"""Records sorted into bins on disk, and finished bins merged back into the order of the input.

A bin is a run of consecutive blocks that fits in memory. Two streamed passes do it: input to
bins, finished bins to output. Memory holds a buffer of records, never the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tacit.base.typing import Ints
from tacit.scale.block_fit import Fitted
from tacit.scale.memory import Budget
from tacit.scale.source import ChunkedSource

# bins written at the same time; systems allow 256 open files per process at the least (macOS)
OPEN_FILES = 128
# records that a cursor reads at a time at the least, however many bins share the chunk
LEAST_READ = 1000


def bins_of(
    sizes: Ints,
    most: int,
) -> Ints:
    """The bin of each block: consecutive blocks up to ``most`` records.

    A larger block is a bin of its own.
    """
    bins = np.zeros(len(sizes), np.int64)
    current, records = 0, 0
    for block, size in enumerate(sizes):
        # a bin has one block at least, however large
        if records and records + size > most:
            current, records = current + 1, 0
        bins[block] = current
        records += int(size)
    return bins


def spill(
    source: ChunkedSource,
    columns: Sequence[str],
    fitted: Fitted,
    bins: Ints,
    folder: Path,
    budget: Budget,
) -> None:
    """Write ``bin-N.parquet`` with number, block and ``columns`` of every record."""
    number = int(bins.max()) + 1
    wanted = list(dict.fromkeys([*fitted.coding.names, *columns]))
    # more bins than files may be open: read the input again
    for first in range(0, number, OPEN_FILES):
        open_bins = range(first, min(first + OPEN_FILES, number))
        writer = BinWriter(folder)
        for row, table in source.chunks(wanted):
            block = fitted.assign(table)
            rows = np.arange(row, row + table.num_rows)
            records = table.select(list(columns))
            records = records.add_column(0, "block", pa.array(block))
            records = records.add_column(0, "row", pa.array(rows))
            writer.add(records, bins[block], open_bins)
            if writer.waiting_records >= budget.buffer:
                writer.flush()
        writer.close()


class BinWriter:
    """Open bins, and the records that wait for them: few large writes instead of many small."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[int, pq.ParquetWriter] = {}
        self.waiting: dict[int, list[pa.Table]] = {}
        self.waiting_records = 0

    def add(
        self,
        records: pa.Table,
        bins: Ints,
        open_bins: range,
    ) -> None:
        """Put the records of the open bins aside, each for its bin."""
        # stable: records of a bin stay in the order of their numbers
        order = np.argsort(bins, kind="stable")
        edges = np.arange(open_bins.start, open_bins.stop + 1)
        cuts = np.searchsorted(bins[order], edges)
        for i, number in enumerate(open_bins):
            rows = order[cuts[i] : cuts[i + 1]]
            if len(rows):
                of_bin = records.take(pa.array(rows))
                self.waiting.setdefault(number, []).append(of_bin)
        self.waiting_records += records.num_rows

    def flush(self) -> None:
        """Write what waits."""
        for number, tables in self.waiting.items():
            table = pa.concat_tables(tables).combine_chunks()
            if number not in self.files:
                path = self.folder / f"bin-{number}.parquet"
                # lz4: these files live for minutes, speed counts more than size
                writer = pq.ParquetWriter(path, table.schema, compression="lz4")
                self.files[number] = writer
            self.files[number].write_table(table)
        self.waiting.clear()
        self.waiting_records = 0

    def close(self) -> None:
        """Write what still waits, and end the files."""
        self.flush()
        for file in self.files.values():
            file.close()


def blocks_of_bin(path: Path) -> list[tuple[int, pa.Table]]:
    """(block, records) of a spilled bin, in order of block and record number."""
    table = pq.read_table(path, use_threads=False, memory_map=False, pre_buffer=False)
    table = table.sort_by([("block", "ascending"), ("row", "ascending")])
    block = np.asarray(table.column("block"))
    table = table.drop_columns(["block"])
    names, starts = np.unique(block, return_index=True)
    ends = np.append(starts[1:], len(block))
    return [
        (int(name), table.slice(start, end - start))
        for name, start, end in zip(names, starts, ends, strict=True)
    ]


class Cursor:
    """A finished bin (sorted by record number), read forwards."""

    def __init__(
        self,
        path: Path,
        chunk: int,
    ) -> None:
        self.file = pq.ParquetFile(path, memory_map=False, pre_buffer=False)
        self.batches: Iterator[pa.RecordBatch] = self.file.iter_batches(
            chunk, use_threads=False
        )
        self.unread: pa.Table | None = None

    def until(self, row: int) -> list[pa.Table]:
        """All records not yet given with a number below ``row``."""
        given: list[pa.Table] = []
        while True:
            if self.unread is None:
                batch = next(self.batches, None)
                if batch is None:
                    return given
                self.unread = pa.Table.from_batches([batch])
            numbers = np.asarray(self.unread.column("row"))
            cut = int(np.searchsorted(numbers, row))
            if cut:
                given.append(self.unread.slice(0, cut))
            # the rest waits until the next call; otherwise the batch is used up
            if cut < self.unread.num_rows:
                self.unread = self.unread.slice(cut)
                return given
            self.unread = None


def merged(
    results: Sequence[Path],
    source: ChunkedSource,
    names: Sequence[str],
    chunk: int,
) -> Iterator[pa.Table]:
    """The input's chunks in order, with the columns ``names`` taken from the finished bins."""
    share = chunk // max(len(results), 1)
    cursors = [Cursor(path, max(share, LEAST_READ)) for path in results]
    for row, table in source.chunks():
        end = row + table.num_rows
        # every record of the chunk is in some bin: together they are the chunk
        parts = [part for cursor in cursors for part in cursor.until(end)]
        masked = pa.concat_tables(parts).sort_by("row")
        for name in names:
            at = table.schema.get_field_index(name)
            field = table.schema.field(at)
            table = table.set_column(at, field, masked.column(name))
        yield table
