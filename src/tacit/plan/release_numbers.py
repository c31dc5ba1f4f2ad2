"""Person and household numbers are replaced by release numbers: 1, 2, ... in random order.

The number of a household in the office's list says where it lives to whoever has the list. What
researchers need is who belongs together, and a number of the release says that as well. It is
drawn from the plan's key, so that ``tacit verify`` repeats it: each unit draws a key of 64 bits by
its place among all (``RowKeys``), and its number is the rank of that key. So a file on the disk is
numbered by sorting, and nothing of it is held.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from tacit.base import seeds
from tacit.base.typing import Floats, Ints
from tacit.data.buffers import array_of, whole_of
from tacit.data.category_codes import floats
from tacit.data.io.disk_table import SpilledColumns, SpillFolder, write_columns
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Column, Microdata, Role
from tacit.data.out_of_core import row_keys
from tacit.data.out_of_core.id_keys import GAP, value_keys
from tacit.data.out_of_core.number_files import (
    ArrayNumbers,
    NumberFiles,
    NumberSource,
    write_numbers,
)
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.row_keys import KeyNumbers, RowKeys
from tacit.data.out_of_core.sorting import sorted_numbers
from tacit.data.out_of_core.unit_numbers import UnitNumbers
from tacit.data.same_values import values_of

UNITS = (Role.person, Role.household)


def release_numbers(
    data: Microdata,
    key: int,
    kept: Collection[str] = (),
) -> Microdata:
    """The file with new numbers for persons and households, but for the columns that are kept.

    Equal numbers stay equal and different ones different; gaps stay gaps.

    Examples
    --------
    >>> data = Microdata.of({"hid": ["x9", "x9", "x7"], "age": [1, 2, 3]}, household="hid")
    >>> new = release_numbers(data, seeds.draw()).table["hid"].to_pylist()
    >>> new[0] == new[1], sorted(set(new))
    (True, [1, 2])
    """
    for place, column in enumerate(data.schema):
        if column.role not in UNITS or column.name in kept:
            continue
        own = seeds.child(key, place)
        keys = None
        if isinstance(data, OnDisk):
            keys = value_keys(data.disk.select([column.name]), column.name)
            if keys is not None:
                data = _on_disk(data, column, keys, own)
        if keys is None:
            data = _in_memory(data, column, own)
    return data


def _in_memory(data: Microdata, column: Column, key: int) -> Microdata:
    values = data.table.column(column.name)
    # numpy by way of buffers: Arrow's own way loads pandas, a third of a second
    gaps = floats(values.is_null()) > 0
    if pa.types.is_integer(values.type):
        # as they are: of numbers above 2^53 floats would make one of two persons
        numbers = whole_of(values.fill_null(0))
    else:
        numbers = values_of(data, column.name)
    if numbers.dtype.kind == "f":
        gaps |= np.isnan(numbers)
    _, code = np.unique(numbers[~gaps], return_inverse=True)
    number = int(code.max(initial=-1)) + 1
    new = np.zeros(data.n, dtype=np.int64)
    new[~gaps] = _drawn(number, key)[code] + 1
    return data.with_column(column.name, array_of(new, gaps), kind=column.kind)


def _drawn(number: int, key: int) -> Ints:
    """The numbers of so many units, from 0."""
    if number <= row_keys.BLOCK:
        return seeds.generator(key).permutation(number)
    order = np.argsort(RowKeys(key)(0, number), kind="stable")
    drawn = np.empty(number, dtype=np.int64)
    drawn[order] = np.arange(number)
    return drawn


def _on_disk(
    data: OnDisk, column: Column, keys: list[NumberSource], key: int
) -> OnDisk:
    """One column numbered anew, by sorting."""
    folder, name = data.disk.folder, column.name
    units = UnitNumbers.of_keys(keys, folder)
    last = int(units.rows.read(units.n - 1, units.n)[0])
    # rows without a number stand together behind all others
    gap = bool(keys[0].read(last, last + 1)[0] == GAP)
    number = units.number - gap
    items = [(*span, folder.next_file()) for span in spans(units.n)]
    work = _New(units.in_order, number, _drawn_on_disk(number, key, folder))
    lengths = tuple(mapped(work, items))
    in_order = NumberFiles(tuple(item[-1] for item in items), lengths, "<i8")
    new = in_order if units.in_file_order else units.at_rows(in_order, "<i8")
    wanted = [(*span, folder.next_file()) for span in spans(data.n)]
    mapped(_Written(new, name), wanted)
    written = SpilledColumns(tuple(item[-1] for item in wanted))
    after = data.schema.put(replace(column, categories=None, ask=""))
    return data.with_spilled([name], written, after)


def _drawn_on_disk(number: int, key: int, folder: SpillFolder) -> NumberSource:
    """As ``_drawn``."""
    if number <= row_keys.BLOCK:
        return ArrayNumbers(_drawn(number, key))
    ordered = sorted_numbers(KeyNumbers(RowKeys(key), number), folder, dtype="<u8")
    ranks = ordered.ranks(folder, "first")
    ordered.remove()
    return ranks


@dataclass(frozen=True)
class _New:
    """Item: (first, stop, file). The new numbers of records in the order of units; -1: a gap."""

    unit: NumberFiles
    number: int
    drawn: NumberSource

    def __call__(self, item: tuple[int, int, Path]) -> int:
        first, stop, path = item
        unit = self.unit.read(first, stop)
        low, high = int(unit[0]), min(int(unit[-1]) + 1, self.number)
        known: Floats = np.append(self.drawn.read(low, max(low, high)), -1)
        new = known[np.minimum(unit - low, len(known) - 1)]
        return write_numbers(path, new.astype(np.int64))


@dataclass(frozen=True)
class _Written:
    """Item: (first, stop, file). Numbers from 1 as an Arrow column."""

    new: NumberFiles
    name: str

    def __call__(self, item: tuple[int, int, Path]) -> None:
        first, stop, path = item
        new = self.new.read(first, stop)
        gaps = new < 0
        values = array_of(np.where(gaps, 0, new + 1), gaps)
        write_columns(path, [pa.table({self.name: values})])
