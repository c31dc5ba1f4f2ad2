"""The numbers of people, as whole numbers of 64 bits that rise as the values do.

Nearly every record has a number of its own, so that a list of the different ones would be as long
as the file. Here none is made: a number is its own key, and a text is the keys of its bytes, eight
at a time.

    keys = id_keys(data, "person")       # the first counts most, as in a dictionary
    keys[0].read(first, stop)            # GAP where the number is missing

Numbers with declared categories, and dates, are their codes; those are held once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.errors import InputError
from tacit.data.column import Kind
from tacit.data.io.disk_table import DiskTable
from tacit.data.io.on_disk import ColumnInTurn, OnDisk
from tacit.data.out_of_core.column_numbers import ColumnNumbers
from tacit.data.out_of_core.lexical_order import Rising
from tacit.data.out_of_core.number_files import NumberSource
from tacit.data.out_of_core.pieces import mapped, spans

Bits = npt.NDArray[np.uint64]

GAP = ~np.uint64(0)
"""The key of a missing number; no other number has it."""
HIGHEST = 0xFFF0_0000_0000_0001
"""Keys of numbers that are there are below: infinity is just so."""
_BYTES = 8


@dataclass(frozen=True)
class WholeKeys:
    """Whole numbers, counted from the lowest."""

    table: DiskTable
    name: str
    lowest: int

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.table.num_rows

    def read(self, first: int, stop: int) -> Bits:
        """Those of a span of rows."""
        values = _span(self.table, self.name, first, stop)
        there = pc.is_valid(values).to_numpy(zero_copy_only=False)
        whole = pc.fill_null(values, pa.scalar(self.lowest, values.type))
        bits = whole.to_numpy(zero_copy_only=False).astype(np.uint64)
        # unsigned numbers wrap round, so that the difference is right below zero, too
        return np.where(there, bits - np.uint64(self.lowest % (1 << 64)), GAP)


@dataclass(frozen=True)
class TextKeys:
    """Eight bytes of each text, of which ``part`` counts the eights."""

    table: DiskTable
    name: str
    part: int

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.table.num_rows

    def read(self, first: int, stop: int) -> Bits:
        """Those of a span of rows."""
        values = _span(self.table, self.name, first, stop).cast(pa.large_binary())
        there = pc.is_valid(values).to_numpy(zero_copy_only=False)
        _, offsets, content = values.buffers()
        ends = np.frombuffer(offsets, np.int64)[
            values.offset : values.offset + len(values) + 1
        ]
        letters = np.frombuffer(content, np.uint8) if content else np.zeros(1, np.uint8)
        key = np.zeros(len(values), np.uint64)
        for at in range(self.part * _BYTES, (self.part + 1) * _BYTES):
            place = ends[:-1] + at
            inside = place < ends[1:]
            # no byte of a text is 255: one more leaves 0 for its end, before every letter
            letter = letters[np.where(inside, place, 0)].astype(np.uint64) + np.uint64(
                1
            )
            key = (key << np.uint64(8)) | np.where(inside, letter, np.uint64(0))
        return np.where(there, key, GAP)


def id_keys(data: OnDisk, name: str) -> list[NumberSource]:
    """The keys of a column; records are in the order of its values when sorted by all of them.

    Parameters
    ----------
    data : OnDisk
        The file.
    name : str
        A column of numbers of persons, households or the like.
    """
    column, type_ = data.schema[name], data.disk.schema.field(name).type
    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    table = data.disk.select([name])
    listed = column.scale is not Kind.continuous and column.categories is None
    if listed and pa.types.is_integer(type_):
        return _whole_keys(table, name)
    if listed and pa.types.is_floating(type_):
        return [Rising(ColumnInTurn(table, name))]
    if listed and column.kind is not Kind.date and _is_text(type_):
        return _text_keys(table, name)
    return [Rising(ColumnNumbers.of(data, name))]


def value_keys(table: DiskTable, name: str) -> list[NumberSource] | None:
    """The keys of a column as Arrow has it, whatever it means; None: neither numbers nor text."""
    type_ = table.schema.field(name).type
    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    if pa.types.is_integer(type_):
        return _whole_keys(table, name)
    if pa.types.is_floating(type_):
        return [Rising(ColumnInTurn(table, name))]
    return _text_keys(table, name) if _is_text(type_) else None


def _whole_keys(table: DiskTable, name: str) -> list[NumberSource]:
    ends = _ends(table, name) or (0, 0)
    if ends[1] - ends[0] < HIGHEST:
        return [WholeKeys(table, name, ends[0])]
    raise InputError(
        f"column '{name}': its numbers go from {ends[0]} to {ends[1]}, too far apart to be sorted "
        "on the disk; write them as text"
    )


def _text_keys(table: DiskTable, name: str) -> list[NumberSource]:
    longest = max(mapped(_Longest(table, name), spans(table.num_rows)), default=0)
    parts = max(1, -(-longest // _BYTES))
    return [TextKeys(table, name, part) for part in range(parts)]


@dataclass(frozen=True)
class FirstGap:
    """Item: a span of rows. The first row whose number is missing or blank; None: all are there."""

    table: DiskTable
    name: str
    keys: NumberSource

    def __call__(self, item: tuple[int, int]) -> int | None:
        """The row, from 0."""
        gap = self.keys.read(*item) == GAP
        values = next(self.table.in_turn(item[1] - item[0], [self.name], *item)).column(
            0
        )
        if _is_text(values.type):
            bare = pc.equal(pc.utf8_trim_whitespace(values), "")
            gap |= pc.fill_null(bare, False).to_numpy()
        return item[0] + int(np.argmax(gap)) if gap.any() else None


@dataclass(frozen=True)
class _Ends:
    """Item: a span of rows. The lowest and the highest whole number."""

    table: DiskTable
    name: str

    def __call__(self, item: tuple[int, int]) -> tuple[int | None, int | None]:
        ends = pc.min_max(_span(self.table, self.name, *item)).as_py()
        return ends["min"], ends["max"]


@dataclass(frozen=True)
class _Longest:
    """Item: a span of rows. Bytes of the longest text."""

    table: DiskTable
    name: str

    def __call__(self, item: tuple[int, int]) -> int:
        return (
            pc.max(pc.binary_length(_span(self.table, self.name, *item))).as_py() or 0
        )


def _ends(table: DiskTable, name: str) -> tuple[int, int] | None:
    """The lowest and highest number of a column; None without any."""
    found = mapped(_Ends(table, name), spans(table.num_rows))
    low = [one for one, _ in found if one is not None]
    high = [one for _, one in found if one is not None]
    return (min(low), max(high)) if low else None


def _span(table: DiskTable, name: str, first: int, stop: int) -> pa.Array:
    """A span of a column in one array, without a dictionary."""
    if first >= stop:
        return pa.array([], table.schema.field(name).type)
    values = next(table.in_turn(stop - first, [name], first, stop)).column(0)
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    whole = values.combine_chunks()
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole


def _is_text(type_: pa.DataType) -> bool:
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_))
