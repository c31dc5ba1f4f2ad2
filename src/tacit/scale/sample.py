"""A sample of a file on the disk that fits in memory: whole households, persons or records.

Each unit has a key, drawn by its number (``RowKeys``), and those with the least keys are taken:
every unit with the same chance, and the same ones whenever the file is sampled to the same size.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tacit.base import seeds
from tacit.base.typing import Ints
from tacit.data import units
from tacit.data.buffers import array_of
from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import BATCH
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.data.out_of_core.pieces import spans
from tacit.data.out_of_core.row_keys import RowKeys

MOST = 100_000
"""Records of a sample at the most: more would make many attacks slow, and prove no more."""
OF_RECORD = 600
"""Bytes per record that linking it one to one with all others takes (``attack.Assignment``)."""
COPIES = 7
"""Times that a record is held while it is masked and attacked."""
LEAST = 1000
"""Records that a comparison needs, however little memory there is."""
# keys looked at beyond the share that is wanted: six standard errors of their number
ERRORS = 6


def fitting(limit: int, columns: int, workers: int) -> int:
    """How many records several processes may each work on within a limit.

    >>> fitting(4 * 10**9, 6, 2), fitting(10**9, 6, 2), fitting(10**6, 6, 2)
    (100000, 89031, 1000)
    """
    # the program is in every process, and another one reads the file
    free = limit / (workers + 1) - 250 * 10**6
    each = 8 * columns * COPIES + OF_RECORD
    return int(min(MOST, max(LEAST, free / each)))


def sample(data: OnDisk, records: int) -> Microdata:
    """About so many records of a file in memory, in their order; exactly, without units."""
    rows = sampled_rows(data, records)
    found = []
    for first, stop in spans(data.n, BATCH):
        low, high = np.searchsorted(rows, [first, stop])
        if low < high:
            some = next(data.disk.in_turn(stop - first, None, first, stop))
            found.append(some.take(array_of(rows[low:high] - first)))
    table = pa.concat_tables(found).unify_dictionaries().combine_chunks()
    return Microdata(table, data.schema, NativeFrame.of(table))


def sampled_rows(data: Microdata, records: int) -> Ints:
    """The rows that are taken: all of a household, or of a person."""
    keys = RowKeys(seeds.child(data.n, records))
    found = units.households(data) or units.persons(data)
    if found.single:
        return least_keys(keys, data.n, records)
    order = np.argsort(keys(0, found.number), kind="stable")
    enough = 1 + int(np.searchsorted(np.cumsum(found.sizes[order]), records))
    chosen = np.zeros(found.number, dtype=np.bool_)
    chosen[order[:enough]] = True
    return np.flatnonzero(chosen[found.labels])


def least_keys(keys: RowKeys, n: int, records: int) -> Ints:
    """The rows with the least keys, in file order; a piece of them is held."""
    if records >= n:
        return np.arange(n)
    wanted = records + ERRORS * np.sqrt(records) + ERRORS**2
    most = np.uint64(min(wanted / n, 1.0) * float(2**64 - 2**11))
    rows, drawn = [], []
    for first, stop in spans(n):
        key = keys(first, stop)
        low = np.flatnonzero(key <= most)
        rows.append(low + first)
        drawn.append(key[low])
    order = np.argsort(np.concatenate(drawn), kind="stable")[:records]
    return np.sort(np.concatenate(rows)[order])
