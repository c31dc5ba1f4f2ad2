"""MASSC of a file of more than one block: the same bits in memory and from the disk.

Records of one combination of keys are in random order by keys of 64 bits that each draws by its
address (``RowKeys``). All but the last of them have a neighbour with their own keys, so that only
the last record of a combination can change: to the next combination of its stratum. So the disk
holds the distinct combinations, and the last record of each. Totals are added block by block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tacit.base.typing import Floats, Ints
from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import DiskTable, SpilledColumns, write_columns
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Kind, Microdata, Schema
from tacit.data.out_of_core.block_sums import block_sums
from tacit.data.out_of_core.column_numbers import numbers_of_span
from tacit.data.out_of_core.number_files import NumberFiles
from tacit.data.out_of_core.pieces import mapped, spans, whole_blocks
from tacit.data.out_of_core.row_keys import RowKeys
from tacit.protect import by_address

Bits = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Classes:
    """The distinct combinations of a file on the disk, by their numbers."""

    values: Floats
    """What each is, as ``Microdata.numbers``."""
    stratum: Ints
    donor: Ints
    """The combination whose keys its last record may take."""

    @classmethod
    def of(cls, values: Floats, codes: Ints, count: Ints, stratum: Ints) -> Classes:
        """From values and codes of the keys, and the records of each."""
        order = np.lexsort((*codes.T[::-1], stratum))
        donor = np.arange(len(order))
        same = stratum[order[1:]] == stratum[order[:-1]]
        donor[order[:-1][same]] = order[1:][same]
        # the last of a stratum takes the one before, which has other keys if it is alone
        last = order[np.append(~same, True)]
        before = np.append(False, same)[np.append(~same, True)]
        previous = order[np.flatnonzero(np.append(~same, True)) - 1]
        back = before & (count[last] == 1)
        donor[last[back]] = previous[back]
        return cls(values, stratum, donor)


@dataclass(frozen=True)
class StratumOf:
    """The stratum of each record."""

    number: NumberFiles
    stratum: Ints

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.number.n

    def read(self, first: int, stop: int) -> Ints:
        """Those of a span of rows."""
        return np.asarray(self.stratum[self.number.read(first, stop)])


@dataclass(frozen=True)
class _Last:
    """Item: a span. Of each of its combinations the record with the largest key."""

    number: NumberFiles
    keys: RowKeys

    def __call__(self, item: tuple[int, int]) -> tuple[Ints, Bits, Ints]:
        number, key = self.number.read(*item), self.keys(*item)
        order = np.lexsort((key, number))
        ends = np.append(number[order][1:] != number[order][:-1], True)
        found = order[ends]
        return number[found], key[found], found + item[0]


def last_records(number: NumberFiles, keys: RowKeys, classes: int) -> Ints:
    """The row of the last record of each combination, in the order of keys and then of rows."""
    row = np.full(classes, -1, dtype=np.int64)
    best = np.zeros(classes, dtype=np.uint64)
    for found, key, rows in mapped(_Last(number, keys), spans(number.n)):
        # spans come in file order: of equal keys the later row is the last
        later = (row[found] < 0) | (key >= best[found])
        row[found[later]], best[found[later]] = rows[later], key[later]
    return row


@dataclass(frozen=True)
class Moves:
    """Whether records take the keys of their neighbour, drawn block by block."""

    chance: Floats
    """By stratum."""
    draws: by_address.Draws

    def __call__(self, first: int, stratum: Ints) -> npt.NDArray[np.bool_]:
        """Of records that begin a block, by their strata."""
        drawn = [
            self.draws.at((first + low) // by_address.BLOCK).random(high - low)
            for low, high in spans(len(stratum), by_address.BLOCK)
        ]
        return np.asarray(np.concatenate(drawn) < self.chance[stratum])


@dataclass(frozen=True)
class _Substitute:
    """Item: (first, stop, file). Keys of a span, some of them the neighbour's."""

    table: DiskTable
    schema: Schema
    number: NumberFiles
    classes: Classes
    last: Ints
    moves: Moves

    def __call__(self, item: tuple[int, int, Path]) -> Schema:
        first, stop, path = item
        names = self.table.column_names
        span = next(self.table.in_turn(stop - first, names, first, stop))
        block = Microdata(span, self.schema, NativeFrame.of(span))
        number = self.number.read(first, stop)
        moved = self.moves(first, self.classes.stratum[number])
        moved &= self.last[number] == np.arange(first, stop)
        values = block.numbers(names)
        values[moved] = self.classes.values[self.classes.donor[number[moved]]]
        masked = block.with_numbers(names, values)
        write_columns(path, [masked.table])
        return masked.schema


def substituted_on_disk(
    data: OnDisk,
    columns: list[str],
    number: NumberFiles,
    classes: Classes,
    keys: RowKeys,
    moves: Moves,
) -> OnDisk:
    """The file in which some records have the keys of their neighbour."""
    folder = data.disk.folder
    last = last_records(number, keys, len(classes.stratum))
    closed = data.closed(columns).select(columns)
    table = data.disk.select(columns)
    work = _Substitute(table, closed, number, classes, last, moves)
    pieces = whole_blocks(data.n, by_address.BLOCK)
    items = [(*span, folder.next_file()) for span in pieces]
    after = by_address.opened(mapped(work, items)[0], data.schema)
    written = SpilledColumns(tuple(path for _, _, path in items))
    return data.with_spilled(columns, written, after)


# -- calibration -------------------------------------------------------------------------


def _known(block: Floats) -> Floats:
    """The constant 1, which keeps the number of records, and the columns after the weight."""
    known = np.column_stack([np.ones(len(block)), block[:, 1:]])
    # a missing value adds nothing to a total
    return np.where(np.isnan(known), 0.0, known)


def _totals(block: Floats) -> Floats:
    return np.asarray(block[:, 0] @ _known(block))


@dataclass(frozen=True)
class _Cross:
    """Weighted cross products of a block, and below them the weighted totals."""

    size: Floats

    def __call__(self, block: Floats) -> Floats:
        scaled = _known(block) / self.size
        weights = np.ascontiguousarray(block[:, 0])
        return np.vstack([scaled.T @ (weights[:, None] * scaled), weights @ scaled])


@dataclass(frozen=True)
class _Calibrate:
    """The new weights of a block."""

    size: Floats
    c: Floats

    def __call__(self, block: Floats) -> Floats:
        return np.asarray(block[:, 0] * (1 + (_known(block) / self.size) @ self.c))


@dataclass(frozen=True)
class _Written:
    """Item: (first, stop, file). New weights of a span, block by block."""

    table: DiskTable
    schema: Schema
    weight: str
    of_block: Callable[[Floats], Floats]

    def __call__(self, item: tuple[int, int, Path]) -> Schema:
        first, stop, path = item
        names = self.table.column_names
        numbers = numbers_of_span(self.table, self.schema, names, first, stop)
        blocks = spans(len(numbers), by_address.BLOCK)
        new = np.concatenate([self.of_block(numbers[a:b]) for a, b in blocks])
        span = next(self.table.in_turn(stop - first, [self.weight], first, stop))
        schema = self.schema.select([self.weight])
        block = Microdata(span, schema, NativeFrame.of(span))
        block = block.with_column(self.weight, new, kind=Kind.continuous)
        write_columns(path, [block.table])
        return block.schema


def weighted_totals(data: Microdata, names: list[str]) -> Floats:
    """Weighted totals of 1 and of the columns after the first, which is the weight."""
    return block_sums(data, names, _totals, by_address.BLOCK)


def recalibrated(
    sample: Microdata,
    names: list[str],
    totals: Floats,
    solve: Callable[[Floats, Floats], Floats],
) -> Microdata:
    """The sample with weights whose totals are those given.

    Parameters
    ----------
    sample : Microdata
        Records with design weights, in memory or on the disk.
    names : list of str
        The weight, and the columns whose totals are kept.
    totals : array
        Those of 1 and of these columns.
    solve : function
        c of ``cross c = missing``.
    """
    largest = np.zeros(len(names))
    for block in sample.in_turn(names, by_address.BLOCK):
        largest = np.maximum(largest, np.abs(_known(block)).max(axis=0))
    # a column of zeros: nothing is divided by zero
    size = np.maximum(largest, np.finfo(float).tiny)
    sums = block_sums(sample, names, _Cross(size), by_address.BLOCK)
    work = _Calibrate(size, solve(sums[:-1], totals / size - sums[-1]))
    weight = names[0]
    if not isinstance(sample, OnDisk):
        found = [work(block) for block in sample.in_turn(names, by_address.BLOCK)]
        new = np.concatenate(found)
        return sample.with_column(weight, new, kind=Kind.continuous)
    folder = sample.disk.folder
    schema = sample.schema.select(names)
    piece = _Written(sample.disk.select(names), schema, weight, work)
    pieces = whole_blocks(sample.n, by_address.BLOCK)
    items = [(*span, folder.next_file()) for span in pieces]
    after = mapped(piece, items)[0]
    written = SpilledColumns(tuple(path for _, _, path in items))
    return sample.with_spilled([weight], written, after)
