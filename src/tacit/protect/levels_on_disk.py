"""Levels of a file on the disk: a table of households, one of persons, and the rows.

The table of a level has one row per unit and is a file of its own on the disk, in which the method
masks as in any other; what a unit got is then put at all its members. A unit in which a column
slips is cut there, so that each piece has one value. Strata of a table are its spans
(``strata_on_disk``). Memory: a piece, and what the method itself holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import cast

import numpy as np

from tacit.base.typing import Bools
from tacit.data import units
from tacit.data.buffers import array_of
from tacit.data.io.disk_table import DiskTable, SpilledColumns, write_columns
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata, Role
from tacit.data.out_of_core.id_keys import id_keys
from tacit.data.out_of_core.number_files import (
    NumberFiles,
    NumberSource,
    write_numbers,
)
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.placing import Numbered, placed
from tacit.data.out_of_core.row_sort import Dictionaries
from tacit.data.out_of_core.unit_numbers import UnitNumbers
from tacit.data.units_on_disk import UnitsOnDisk, values_by_unit
from tacit.protect.file_parts import refuse_masked_strata, units_of
from tacit.protect.strata_on_disk import Spread, StrataOnDisk, Stratum, at_rows


@dataclass(frozen=True)
class LevelOnDisk:
    """The table of one level."""

    strata: StrataOnDisk
    members: UnitNumbers | None
    """The rows of each unit; None: a unit is a row."""

    @classmethod
    def of(
        cls,
        data: OnDisk,
        word: str,
        columns: list[str],
        by: Sequence[str],
        looked_at: Sequence[str],
    ) -> LevelOnDisk:
        """Columns of one level, as ``file_parts`` cuts them in memory."""
        found = units_of(data, word)
        if found is None:
            return cls(StrataOnDisk.of(data, columns, by, looked_at), None)
        refuse_masked_strata(data, columns, by)
        numbers = cast("UnitsOnDisk", found).numbers
        values = [values_by_unit(numbers, data, name) for name in columns]
        members = numbers.refined(values)
        kept = [
            name
            for name in looked_at
            if name in columns or members.constant(_values(members, data, name))
        ]
        # a person of several years is in no year
        cut = [name for name in by if name in kept]
        table = one_row_each(data, kept, members)
        return cls(StrataOnDisk.of(table, columns, cut, kept, word), members)

    def joined(self, data: OnDisk, masked: Iterator[Microdata]) -> OnDisk:
        """The file with what was masked in each part at all members."""
        if self.members is None:
            return self.strata.joined(masked, data)
        table = self.strata.joined(masked)
        columns = self.strata.parts[0].columns
        items = [(*span, data.disk.folder.next_file()) for span in spans(data.n)]
        some = table.disk.select(columns)
        words = Dictionaries.of(some, some.schema.remove_metadata())
        mapped(_Spread(some, self.members.in_order, words), items)
        written = SpilledColumns(tuple(item[-1] for item in items))
        rows = None if self.members.in_file_order else self.members.rows
        return at_rows(data, columns, written, rows, table.schema)


@dataclass(frozen=True)
class LevelsOnDisk:
    """The tables of all levels; what ``parted.Held`` is of a file in memory."""

    data: OnDisk
    levels: list[LevelOnDisk]

    @classmethod
    def of(
        cls,
        data: OnDisk,
        levels: Mapping[str, list[str]],
        by: Sequence[str],
        looked_at: Sequence[str],
    ) -> LevelsOnDisk:
        """Cut a file.

        Parameters
        ----------
        data : OnDisk
            The file.
        levels : mapping of str to list of str
            The columns of each level that are masked.
        by : list of str
            The columns that cut each level into strata, where they stand at it.
        looked_at : list of str
            The columns that the method looks at.
        """
        made = [
            LevelOnDisk.of(data, word, columns, by, looked_at)
            for word, columns in levels.items()
        ]
        return cls(data, made)

    @property
    def parts(self) -> list[Stratum]:
        """The parts, level by level."""
        return [part for level in self.levels for part in level.strata.parts]

    def table(self, part: Stratum) -> Microdata:
        """The table of units of a part."""
        for level in self.levels:
            if part in level.strata.parts:
                return level.strata.table(part)
        raise ValueError(f"no part of this file: {part}")

    def joined(self, masked: Iterator[Microdata]) -> OnDisk:
        """The file with what was masked in each part."""
        data = self.data
        for level in self.levels:
            data = level.joined(data, islice(masked, len(level.strata.parts)))
        # whoever masks has something to do after the last part, too
        for _ in masked:
            raise ValueError("more was masked than there are parts")
        return data


def one_row_each(data: OnDisk, names: Sequence[str], members: UnitNumbers) -> OnDisk:
    """The first row of each unit, in the order of units.

    Parameters
    ----------
    data : OnDisk
        The file.
    names : list of str
        The columns of the table.
    members : UnitNumbers
        The units.
    """
    some = data.select(names)
    assert isinstance(some, OnDisk)
    firsts, folder = members.firsts(), data.disk.folder
    # at the first row of each unit its number, elsewhere none
    unit = placed(
        *(Numbered(firsts), spans(members.number), data.n, folder),
        missing=-1,
        dtype="<i8",
    )
    table = some.where(_Marked(unit))
    if not members.in_file_order:
        items = [(*span, folder.next_file()) for span in spans(data.n)]
        lengths = mapped(_OnlyMarked(unit), items)
        files = tuple(item[-1] for item in items)
        order = NumberFiles(files, tuple(lengths), "<i8")
        table = table.in_order_of(Spread(order))
        order.remove()
    unit.remove()
    return table


def _values(members: UnitNumbers, data: OnDisk, name: str) -> NumberSource:
    """Numbers that are equal where a column's values are, no value being one, too, by unit."""
    role = data.schema[name].role
    if role not in (Role.person, Role.household):
        return values_by_unit(members, data, name)
    return members.gathered(_labels(data, name), "<i8")


def _labels(data: OnDisk, name: str) -> NumberSource:
    """The numbers of people from 0."""
    role = data.schema[name].role
    if data.schema.names(role=role) == [name]:
        found = units.persons(data) if role is Role.person else units.households(data)
        return cast("UnitsOnDisk", found).numbers.labels
    return UnitNumbers.of_keys(id_keys(data, name), data.disk.folder).labels


@dataclass(frozen=True)
class _Marked:
    """Which rows of a span have a number."""

    unit: NumberFiles

    def __call__(self, first: int, stop: int) -> Bools:
        return np.asarray(self.unit.read(first, stop) >= 0)


@dataclass(frozen=True)
class _OnlyMarked:
    """Item: (first, stop, file). The numbers that are there."""

    unit: NumberFiles

    def __call__(self, item: tuple[int, int, Path]) -> int:
        first, stop, path = item
        unit = self.unit.read(first, stop)
        return write_numbers(path, unit[unit >= 0])


@dataclass(frozen=True)
class _Spread:
    """Item: (first, stop, file). What their units have, of members in the order of units."""

    table: DiskTable
    unit: NumberFiles
    words: Dictionaries

    def __call__(self, item: tuple[int, int, Path]) -> None:
        first, stop, path = item
        unit = self.unit.read(first, stop)
        low, high = int(unit[0]), int(unit[-1]) + 1
        some = next(self.table.in_turn(high - low, None, low, high))
        plain = self.words.plain(some.replace_schema_metadata(None))
        members = plain.take(array_of(unit - low)).combine_chunks()
        write_columns(path, [self.words.typed(members)])
