"""The households of a file on the disk, of which one entry each is held and no column.

Keys and areas are numbered by counts of combinations (``key_counts``); what all rows of a household
share is then collected some records at a time. The release is written in pieces.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit.base.typing import Bools, Floats, Ints
from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import DiskTable, SpilledColumns, write_columns
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.data.out_of_core.column_numbers import ColumnNumbers
from tacit.data.out_of_core.key_counts import KeyColumns, count_keys
from tacit.data.out_of_core.number_files import (
    NumberFiles,
    NumberSource,
    RowNumbers,
    write_numbers,
)
from tacit.data.out_of_core.pieces import mapped, spans, spent
from tacit.data.schema import Schema
from tacit.data.units import Units, disagreeing, households, persons
from tacit.data.units_on_disk import UnitsOnDisk
from tacit.kernels.partners import Numbers
from tacit.protect import by_address
from tacit.protect.strata_on_disk import NumberedStrata
from tacit.protect.swapped_homes import Homes

MOST = np.iinfo(np.int32).max
"""A crowd that is larger is one of so many."""


@dataclass(frozen=True)
class HomesOnDisk:
    """As ``HomesOf``, of a file on the disk."""

    data: OnDisk
    units: Units
    """The households; persons or records where there are none."""
    people: Units
    home: NumberSource
    """The household of every row."""
    person: NumberSource
    """The person of every row."""

    @classmethod
    def of(cls, data: OnDisk) -> HomesOnDisk:
        """Of a file."""
        people = persons(data)
        homes = households(data) or people
        return cls(data, homes, people, _labels(homes), _labels(people))

    def homes(self, areas: list[str], similar: list[str]) -> Homes:
        """What all members share, of the first row of each household."""
        for name in [*areas, *similar]:
            self._require_level(name)
        area = NumberedStrata.of(self.data, areas)
        alike = np.zeros(self.units.number, np.int32)
        if similar:
            kinds = NumberedStrata.of(self.data, similar)
            alike = self._of_first_rows(kinds)
            kinds.remove()
        found = Homes(self._of_first_rows(area), area.values, self._sizes(), alike)
        area.remove()
        return found

    def crowd(self, keys: list[str], areas: list[str]) -> Numbers:
        """As ``HomesOf``; several rows per person: also 4 bytes for each combination."""
        folder = self.data.disk.folder
        counts = count_keys(KeyColumns.of(self.data, [*areas, *keys]), folder)
        if self.people.single:
            sharing = counts.of_records(folder)
            counts.remove()
            fewest = self._fewest(sharing)
            sharing.remove()
            return fewest
        number = counts.numbers(folder)
        counts.remove()
        both = count_keys(_Both(number, self.person), folder)
        persons = np.zeros(counts.keys, np.int32)
        for pairs, _ in both.in_turn():
            # five rows of one person are one who shares the keys
            np.add.at(persons, pairs[:, 0], 1)
        both.remove()
        fewest = self._fewest(_LookedUp(number, persons))
        number.remove()
        return fewest

    def rows_of(self, homes: Bools) -> Bools:
        """As ``HomesOf``: one byte per record."""
        out = np.empty(self.data.n, np.bool_)
        for first, stop in spans(self.data.n):
            out[first:stop] = homes[self.home.read(first, stop)]
        return out

    def written(self, areas: list[str], homes: Homes, source: Numbers) -> OnDisk:
        """As ``HomesOf``, in pieces."""
        data, folder = self.data, self.data.disk.folder
        area = homes.area[source]
        items = []
        for first, stop in spans(data.n):
            new, out = folder.next_file(), folder.next_file()
            # the workers read what they need from the disk
            write_numbers(new, area[self.home.read(first, stop)])
            items.append((first, stop, new, out))
        schema = data.closed(areas).select(areas)
        piece = _Written(data.disk.select(areas), schema, homes.values)
        after = mapped(piece, items)[0]
        spent(new for _, _, new, _ in items)
        written = SpilledColumns(tuple(out for _, _, _, out in items))
        plain = data.with_plain_gaps(areas)
        return plain.with_spilled(areas, written, by_address.opened(after, data.schema))

    def _require_level(self, name: str) -> None:
        """As ``units.require_level``, of one column."""
        number = self.units.number
        low, high = np.full(number, np.inf), np.full(number, -np.inf)
        values = ColumnNumbers.of(self.data, name)
        for first, stop in spans(self.data.n):
            some = values.read(first, stop)
            known = ~np.isnan(some)
            unit = self.home.read(first, stop)[known]
            np.minimum.at(low, unit, some[known])
            np.maximum.at(high, unit, some[known])
        split = low < high
        if split.any():
            rows = self._rows(int(np.argmax(split)))
            members = self.data.few(rows, [name])
            raise disagreeing(members, name, rows, self.units.word)

    def _rows(self, unit: int) -> Ints:
        """The rows of one household."""
        found = [
            first + np.flatnonzero(self.home.read(first, stop) == unit)
            for first, stop in spans(self.data.n)
        ]
        return np.concatenate(found)

    def _of_first_rows(self, numbers: NumberSource) -> Numbers:
        """What stands in the first row of each household."""
        out = np.zeros(self.units.number, np.int32)
        for first, stop in reversed(spans(self.data.n)):
            # of several rows the one that is written last stays: the first
            unit = self.home.read(first, stop)
            out[unit[::-1]] = numbers.read(first, stop)[::-1]
        return out

    def _sizes(self) -> Numbers:
        """Persons of each household; who has several rows counts where his first one is."""
        out = np.zeros(self.units.number, np.int32)
        seen = np.zeros(0 if self.people.single else self.people.number, np.bool_)
        for first, stop in spans(self.data.n):
            unit = self.home.read(first, stop)
            if len(seen):
                who = self.person.read(first, stop)
                once, at = np.unique(who, return_index=True)
                unit = unit[at[~seen[once]]]
                seen[once] = True
            np.add.at(out, unit, 1)
        return out

    def _fewest(self, counts: NumberSource) -> Numbers:
        """The smallest number of each household's rows."""
        out = np.full(self.units.number, MOST, np.int32)
        for first, stop in spans(self.data.n):
            some = np.minimum(counts.read(first, stop), MOST).astype(np.int32)
            np.minimum.at(out, self.home.read(first, stop), some)
        return out


def _labels(units: Units) -> NumberSource:
    """The unit of every row, to be read in pieces."""
    if isinstance(units, UnitsOnDisk):
        return units.numbers.labels
    return RowNumbers(units.number)


@dataclass(frozen=True)
class _Both:
    """Two numbers of each row as keys."""

    one: NumberSource
    other: NumberSource
    width: int = 2

    @property
    def n(self) -> int:
        """Rows of the file."""
        return self.one.n

    def read(self, first: int, stop: int) -> Ints:
        """Those of a span of rows."""
        both = self.one.read(first, stop), self.other.read(first, stop)
        return np.column_stack(both)


@dataclass(frozen=True)
class _LookedUp:
    """What a table says of the number of each row."""

    number: NumberFiles
    table: Numbers

    @property
    def n(self) -> int:
        """Rows of the file."""
        return self.number.n

    def read(self, first: int, stop: int) -> Numbers:
        """Those of a span of rows."""
        return np.asarray(self.table[self.number.read(first, stop)])


@dataclass(frozen=True)
class _Written:
    """Item: (first, stop, file of areas, file). The columns of a span with other areas."""

    table: DiskTable
    schema: Schema
    values: Floats

    def __call__(self, item: tuple[int, int, Path, Path]) -> Schema:
        first, stop, area, path = item
        names = self.table.column_names
        span = next(self.table.in_turn(stop - first, names, first, stop))
        block = Microdata(span, self.schema, NativeFrame.of(span))
        places = np.fromfile(area, np.int32)
        masked = block.with_numbers(names, self.values[places])
        write_columns(path, [masked.table])
        return masked.schema
