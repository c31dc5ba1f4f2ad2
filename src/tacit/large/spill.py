"""Records sorted into bins on disk, and finished bins merged back into the order of the input.

A bin is a run of consecutive blocks that fits in memory. Two streamed passes: input -> bins, finished bins -> output.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from tacit.large.fit import Fitted
from tacit.large.memory import Budget

Ints = NDArray[np.int64]
OPEN_FILES = 128


def bins_of(sizes: Ints, most: int) -> Ints:
    """The bin of each block: consecutive blocks up to ``most`` records (a larger block is a bin of its own)."""
    out, here, held = np.zeros(len(sizes), np.int64), 0, 0
    for block, size in enumerate(sizes):
        if held and held + size > most:
            here, held = here + 1, 0
        out[block] = here
        held += int(size)
    return out


def spill(source: Any, columns: Sequence[str], fitted: Fitted, bins: Ints, folder: Path, budget: Budget) -> None:
    """Write ``bin-N.parquet`` with the record number, the block and ``columns`` of every record."""
    number = int(bins.max()) + 1
    wanted = list(dict.fromkeys([*fitted.coding.names, *columns]))
    for first in range(0, number, OPEN_FILES):  # more bins than files may be open: read the input again
        writers: dict[int, pq.ParquetWriter] = {}
        waiting: dict[int, list[pa.Table]] = {}
        held = 0
        for row, table in source.chunks(wanted):
            block = fitted.assign(table)
            table = table.select(list(columns))
            table = table.add_column(0, "block", pa.array(block))
            table = table.add_column(0, "row", pa.array(np.arange(row, row + table.num_rows)))
            at = bins[block]
            order = np.argsort(at, kind="stable")
            cuts = np.searchsorted(at[order], np.arange(first, min(first + OPEN_FILES, number) + 1))
            for i, name in enumerate(range(first, min(first + OPEN_FILES, number))):
                if cuts[i + 1] > cuts[i]:
                    waiting.setdefault(name, []).append(table.take(pa.array(order[cuts[i] : cuts[i + 1]])))
            held += table.num_rows
            if held >= budget.buffer:
                _flush(waiting, writers, folder)
                held = 0
        _flush(waiting, writers, folder)
        for writer in writers.values():
            writer.close()


def _flush(waiting: dict[int, list[pa.Table]], writers: dict[int, pq.ParquetWriter], folder: Path) -> None:
    for name, tables in waiting.items():
        table = pa.concat_tables(tables).combine_chunks()
        if name not in writers:
            writers[name] = pq.ParquetWriter(folder / f"bin-{name}.parquet", table.schema, compression="lz4")
        writers[name].write_table(table)
    waiting.clear()


def blocks_of_bin(path: Path) -> list[tuple[int, pa.Table]]:
    """(block, records) of a spilled bin, in order of block and record number."""
    table = pq.read_table(path, use_threads=False, memory_map=False, pre_buffer=False).sort_by(
        [("block", "ascending"), ("row", "ascending")]
    )
    block = np.asarray(table.column("block"))
    table = table.drop_columns(["block"])
    names, starts = np.unique(block, return_index=True)
    ends = np.append(starts[1:], len(block))
    return [(int(b), table.slice(s, e - s)) for b, s, e in zip(names, starts, ends, strict=True)]


class Cursor:
    """A finished bin (sorted by record number), read forwards."""

    def __init__(self, path: Path, chunk: int) -> None:
        self.file = pq.ParquetFile(path, memory_map=False, pre_buffer=False)
        self.batches: Iterator[pa.RecordBatch] = self.file.iter_batches(chunk, use_threads=False)
        self.held: pa.Table | None = None

    def until(self, row: int) -> list[pa.Table]:
        """All records not yet given with a number below ``row``."""
        out: list[pa.Table] = []
        while True:
            if self.held is None:
                batch = next(self.batches, None)
                if batch is None:
                    return out
                self.held = pa.Table.from_batches([batch])
            cut = int(np.searchsorted(np.asarray(self.held.column("row")), row))
            if cut:
                out.append(self.held.slice(0, cut))
            if cut < self.held.num_rows:
                self.held = self.held.slice(cut)
                return out
            self.held = None


def merged(results: Sequence[Path], source: Any, names: Sequence[str], chunk: int) -> Iterator[pa.Table]:
    """The input's chunks in order, with the columns ``names`` replaced by those of the finished bins."""
    cursors = [Cursor(path, max(chunk // max(len(results), 1), 1000)) for path in results]
    for row, table in source.chunks():
        parts = [part for cursor in cursors for part in cursor.until(row + table.num_rows)]
        masked = pa.concat_tables(parts).sort_by("row")
        for name in names:
            at = table.schema.get_field_index(name)
            table = table.set_column(at, table.schema.field(at), masked.column(name))
        yield table
