"""A sample of a file on the disk: of each stratum the records with the smallest random keys.

Each record draws a key of 64 bits by its address (``RowKeys``), in memory as on the disk. Sorted by
stratum and key, the last record of each sample says up to which key the others are in it. Memory: a
piece, and the strata.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tacit.base.typing import Bools, Floats, Ints
from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import DiskTable, SpilledColumns, write_columns
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata, Schema
from tacit.data.out_of_core.key_counts import KeyColumns, count_keys
from tacit.data.out_of_core.number_files import NumberFiles, NumberSource
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.row_keys import RowKeys
from tacit.data.out_of_core.sorting import sorted_numbers


@dataclass(frozen=True)
class OneStratum:
    """All records are in stratum 0."""

    n: int

    def read(self, first: int, stop: int) -> Ints:
        """The stratum of a span of rows."""
        return np.zeros(stop - first, dtype=np.int64)


def strata_on_disk(data: OnDisk, names: Sequence[str]) -> tuple[NumberSource, Ints]:
    """The stratum of each record, and how many records each has."""
    if not names:
        return OneStratum(data.n), np.array([data.n])
    counts = count_keys(KeyColumns.of(data, list(names)), data.disk.folder)
    size = np.concatenate([some for _, some in counts.in_turn()])
    stratum = counts.numbers(data.disk.folder)
    counts.remove()
    return stratum, size


@dataclass(frozen=True)
class InSample:
    """Whether records are in the sample; can be sent to a worker."""

    stratum: NumberSource
    keys: RowKeys
    last_key: npt.NDArray[np.uint64]
    last_row: Ints

    @classmethod
    def of(
        cls,
        data: OnDisk,
        stratum: NumberSource,
        wanted: Ints,
        size: Ints,
        keys: RowKeys,
    ) -> InSample:
        """So many records of each stratum, which has at least one."""
        ordered = sorted_numbers(stratum, data.disk.folder, ties=keys, dtype="<i8")
        first = np.cumsum(size) - size
        places = (first + wanted - 1).tolist()
        last = np.array([ordered.rows.read(p, p + 1)[0] for p in places], np.int64)
        ordered.remove()
        key = np.array([keys(row, row + 1)[0] for row in last.tolist()], np.uint64)
        return cls(stratum, keys, key, last)

    def __call__(self, first: int, stop: int) -> Bools:
        """Those of a span of rows."""
        stratum = self.stratum.read(first, stop)
        key, last = self.keys(first, stop), self.last_key[stratum]
        rows = np.arange(first, stop)
        # equal keys stay in the order of the file
        tied = (key == last) & (rows <= self.last_row[stratum])
        return np.asarray((key < last) | tied)


@dataclass(frozen=True)
class _Raise:
    """Item: (first, stop, file). A weight times what its stratum says, written."""

    table: DiskTable
    schema: Schema
    stratum: NumberSource
    factor: Floats

    def __call__(self, item: tuple[int, int, Path]) -> Schema:
        first, stop, path = item
        span = next(self.table.in_turn(stop - first, None, first, stop))
        block = Microdata(span, self.schema, NativeFrame.of(span))
        factor = self.factor[self.stratum.read(first, stop)]
        for name in block.names:
            block = raised(block, name, factor)
        write_columns(path, [block.table])
        return block.schema


def raised(data: Microdata, name: str, factor: Floats) -> Microdata:
    """Records of a sample with the weight of all for whom they stand."""
    kind = data.schema[name].scale
    return data.with_column(name, data.column(name) * factor, kind=kind)


def raised_on_disk(
    data: OnDisk, names: Sequence[str], stratum: NumberSource, factor: Floats
) -> OnDisk:
    """The file with these weights times what the stratum of each record says."""
    if not names:
        return data
    folder = data.disk.folder
    schema = data.closed(names).select(list(names))
    work = _Raise(data.disk.select(names), schema, stratum, factor)
    items = [(*span, folder.next_file()) for span in spans(data.n)]
    after = mapped(work, items)[0]
    written = SpilledColumns(tuple(path for _, _, path in items))
    return data.with_spilled(names, written, after)


def sampled_on_disk(
    data: OnDisk,
    strata: Sequence[str],
    share: float,
    weights: Sequence[str],
    keys: RowKeys,
) -> OnDisk:
    """A share of the records of each stratum, with raised weights."""
    stratum, size = strata_on_disk(data, strata)
    wanted = sample_sizes(size, share)
    chosen = InSample.of(data, stratum, wanted, size, keys)
    data = raised_on_disk(data, weights, stratum, size / wanted)
    sample = data.where(chosen)
    if isinstance(stratum, NumberFiles):
        stratum.remove()
    return sample


def sample_sizes(size: Ints, share: float | Floats) -> Ints:
    """Records drawn of each stratum: at least one, or its others would stand for nobody."""
    drawn: Ints = np.maximum(1, np.rint(share * size)).astype(np.int64)
    return drawn
