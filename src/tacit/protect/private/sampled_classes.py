"""The secret sample of a large file, counted by combination; and its classes as a file.

Rows of a release that covers whole records are alike where their labels are, so that it is known
once the sampled records of each class are counted: no record is looked at again. Without a seed the
words come from the system; with one (for tests) each block of 8,192 records has a generator of its
own (``by_address``).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from tacit.base.typing import Bools, Ints
from tacit.data.io.disk_table import (
    DiskTable,
    SpilledColumns,
    SpillFolder,
    write_columns,
)
from tacit.data.out_of_core.key_counts import KeyCounts
from tacit.data.out_of_core.number_files import NumberFiles
from tacit.data.out_of_core.pieces import mapped, spans, whole_blocks
from tacit.protect import by_address
from tacit.protect.private.discrete_laplace import Bits


@dataclass(frozen=True)
class Sample:
    """Who is in the sample, of any span that begins a block; can be sent to a worker."""

    limit: int
    """A record is sampled if its random word is below."""
    draws: by_address.Draws | None
    """The generators of the blocks; None: the system's randomness."""

    @classmethod
    def drawn(cls, n: int, limit: int, rng: np.random.Generator | None) -> Bools:
        """All records of a file in memory."""
        if rng is None or n <= by_address.BLOCK:
            return np.asarray(Bits(rng).words(n) < np.uint64(limit))
        return cls(limit, by_address.Draws.of(rng))(0, n)

    def __call__(self, first: int, stop: int) -> Bools:
        """Those of a span of rows."""
        if self.draws is None:
            return np.asarray(Bits(None).words(stop - first) < np.uint64(self.limit))
        found = [
            Bits(self.draws.at((first + low) // by_address.BLOCK)).words(high - low)
            for low, high in spans(stop - first, by_address.BLOCK)
        ]
        return np.asarray(np.concatenate(found) < np.uint64(self.limit))


@dataclass(frozen=True)
class _Count:
    """Item: a span. Combinations that occur in its sample, and how often."""

    sample: Sample
    number: NumberFiles

    def __call__(self, item: tuple[int, int]) -> tuple[Ints, Ints]:
        sampled = self.number.read(*item)[self.sample(*item)]
        found, times = np.unique(sampled, return_counts=True)
        return found.astype(np.int64), times.astype(np.int64)


def counted_sample(counts: KeyCounts, sample: Sample, folder: SpillFolder) -> Ints:
    """How many sampled records have each combination, by its number."""
    number = counts.numbers(folder)
    total = np.zeros(counts.keys, dtype=np.int64)
    items = whole_blocks(number.n, by_address.BLOCK)
    for found, times in mapped(_Count(sample, number), items):
        total[found] += times
    number.remove()
    return total


@dataclass(frozen=True)
class _Repeat:
    """Item: (first, stop, file). Rows of the release, written."""

    rows: pa.Table
    ends: Ints

    def __call__(self, item: tuple[int, int, Path]) -> None:
        first, stop, path = item
        at = np.searchsorted(self.ends, np.arange(first, stop), side="right")
        write_columns(path, [self.rows.take(pa.array(at))])


def repeated(rows: pa.Table, times: Ints, folder: SpillFolder) -> DiskTable:
    """A file on the disk in which each row occurs so many times."""
    ends = np.cumsum(times)
    n = int(ends[-1]) if len(ends) else 0
    # a file without records has a piece, too
    items = [(*span, folder.next_file()) for span in spans(n) or [(0, 0)]]
    mapped(_Repeat(rows, ends), items)
    reader = SpilledColumns(tuple(path for _, _, path in items))
    readers = dict.fromkeys(rows.column_names, reader)
    return DiskTable(readers, rows.schema, n, folder)
