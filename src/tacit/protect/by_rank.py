"""A column masked by the ranks of its values, in memory or from the disk, with the same bytes.

Equal values stand in random order: each record draws a number of 64 bits by its address
(``RowKeys``), and ties are broken by it. A small file is shuffled and sorted as a whole, as it
always was. On the disk the column is sorted there (``out_of_core.sorting``), the method looks at
the values in rising order, and what it gives is put back at the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import DiskTable, SpilledColumns, write_columns
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata, Schema
from tacit.data.out_of_core.block_sums import block_sums
from tacit.data.out_of_core.column_numbers import ColumnNumbers
from tacit.data.out_of_core.number_files import NumberFiles
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.placing import placed
from tacit.data.out_of_core.row_keys import RowKeys
from tacit.data.out_of_core.sorting import sorted_numbers
from tacit.protect import by_address

if TYPE_CHECKING:
    from tacit.protect.base import Protector


def random_order(
    sort_key: Floats, present: Ints, n: int, rng: np.random.Generator
) -> Ints:
    """The rows that are present in the order of their keys, equal ones in random order."""
    if n <= by_address.BLOCK:
        # a stable sort of a random order leaves equal values in random order
        start = rng.permutation(present.size)
        by_key = np.argsort(sort_key[start], kind="stable")
        return np.asarray(present[start[by_key]])
    ties = ties_of(rng)(0, n)[present]
    return np.asarray(present[np.lexsort((ties, sort_key))])


def ties_of(rng: np.random.Generator) -> RowKeys:
    """What breaks the ties of a column, drawn first of all."""
    return RowKeys(by_address.root(rng))


def frequency_ranks(count: Ints) -> Ints:
    """The rank of each code by its frequency, rarest first, ties by code."""
    every_code = np.arange(count.size)
    place = np.empty(count.size, dtype=np.int64)
    place[np.lexsort((every_code, count))] = every_code
    return place


@dataclass(frozen=True)
class LookedUp:
    """The codes of a column as other numbers, by a table."""

    source: ColumnNumbers
    table: Ints

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.source.n

    def read(self, first: int, stop: int) -> Floats:
        """A span of rows; NaN where missing."""
        return look_up(self.table, self.source.read(first, stop))


def look_up(table: Ints, codes: Floats) -> Floats:
    """The entry of each code; NaN stays."""
    gaps = np.isnan(codes)
    places = np.where(gaps, 0, codes).astype(np.int64)
    return np.where(gaps, np.nan, table[places])


@dataclass(frozen=True)
class _CountCodes:
    """How often each code occurs in a block."""

    size: int

    def __call__(self, block: Floats) -> Floats:
        codes = block[~np.isnan(block)].astype(np.int64)
        return np.bincount(codes, minlength=self.size).astype(np.float64)


def code_counts(data: Microdata, name: str) -> Ints:
    """How many records have each category of a column, in code order."""
    size = len(data.categories(name))
    counts = block_sums(data, [name], _CountCodes(size), by_address.BLOCK)
    return counts.astype(np.int64)


@dataclass(frozen=True)
class _Decoded:
    """Item: (first, stop, file). Numbers as values of the column, written."""

    table: DiskTable
    schema: Schema
    name: str
    numbers: NumberFiles
    table_back: Ints | None

    def __call__(self, item: tuple[int, int, Path]) -> Schema:
        first, stop, path = item
        span = next(self.table.in_turn(stop - first, [self.name], first, stop))
        numbers = self.numbers.read(first, stop)
        if self.table_back is not None:
            numbers = look_up(self.table_back, numbers)
        block = Microdata(span, self.schema, NativeFrame.of(span))
        masked = block.with_numbers([self.name], numbers[:, None])
        write_columns(path, [masked.table])
        return masked.schema


def masked_from_disk(
    method: Protector, data: OnDisk, name: str, rng: np.random.Generator
) -> OnDisk:
    """One column of a file on the disk, masked by ranks; what is held does not grow with it."""
    folder = data.disk.folder
    source: ColumnNumbers | LookedUp = ColumnNumbers.of(data, name)
    place: Ints | None = None
    if method.by_frequency(data, name):
        place = frequency_ranks(code_counts(data, name))
        source = LookedUp(ColumnNumbers.of(data, name), place)
    ordered = sorted_numbers(source, folder, ties=ties_of(rng))
    work = method.in_rank_order(ordered, rng, folder)
    numbers = placed(work, spans(ordered.present), data.n, folder)
    ordered.remove()
    return decoded(data, name, numbers, None if place is None else np.argsort(place))


def decoded(
    data: OnDisk, name: str, numbers: NumberFiles, back: Ints | None = None
) -> OnDisk:
    """The file with other numbers in one column, as values of its type.

    Parameters
    ----------
    data : OnDisk
        The file.
    name : str
        The column.
    numbers : NumberFiles
        Values or codes in row order, which are removed.
    back : array, optional
        What each number is the place of.
    """
    folder = data.disk.folder
    closed = data.closed([name]).select([name])
    piece = _Decoded(data.disk.select([name]), closed, name, numbers, back)
    items = [(*span, folder.next_file()) for span in spans(data.n)]
    after = mapped(piece, items)[0]
    numbers.remove()
    written = SpilledColumns(tuple(path for _, _, path in items))
    return data.with_spilled([name], written, by_address.opened(after, data.schema))
