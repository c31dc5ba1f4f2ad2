"""Records of people on the disk, and which of their cells are blank.

Records stand person by person (``UnitNumbers``), each as one number: its combination of keys and a
bit for each cell that is blank. The different numbers are few and are held, with their classes;
who is in which class is asked of pieces of whole persons. Held besides: the persons and households
that lose cells.

    file = PeopleFile.of(data, table, len(columns))
    file.count_cells(), file.below(keys, places, k, "any")
    blanked_for_people(data, columns, file)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tacit.base.typing import Bools, Floats, Ints
from tacit.data import units
from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import DiskTable, SpilledColumns, write_columns
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata, Schema
from tacit.data.out_of_core.number_files import (
    NumberFiles,
    NumberSource,
    RowNumbers,
    write_numbers,
)
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.unit_numbers import UnitNumbers
from tacit.data.units_on_disk import UnitsOnDisk
from tacit.protect import by_address
from tacit.protect.grouping.blanks_from_disk import KeyTable
from tacit.protect.grouping.key_classes import Reading, compress
from tacit.protect.grouping.unit_anonymity import at_most, few_classes

AT_ONCE = 64
"""Questions about persons that are answered in one pass."""
MOST_COLUMNS = 38
"""Columns whose blanks fit in a number beside 16.7 million combinations."""


@dataclass(frozen=True)
class How:
    """What is wanted of some columns."""

    k: int
    importance: Floats
    """What a cell of each column costs, with those that go with it."""
    missing: Reading
    of_person: int
    """Bits of the columns that are blanked in all rows of a person."""
    of_home: int
    """Bits of the columns that are blanked in all rows of a household."""


@dataclass(frozen=True)
class PeopleFile:
    """Records person by person, and what is blank of each."""

    persons: UnitNumbers
    homes: NumberSource
    """The household of each record, in that order; the person, where there are none."""
    code: NumberSource
    """The combination of keys of each, times 2 ** ``width``, and a bit for each blank cell."""
    table: Ints
    """The different codes, in rising order."""
    count: Ints
    """How many records have each."""
    width: int

    @classmethod
    def of(cls, data: OnDisk, table: KeyTable, width: int) -> PeopleFile:
        """A file of which nothing is blank."""
        people, homes = units.persons(data), units.households(data)
        persons = _numbers(people, data)
        of_home = persons.in_order
        if homes is not None:
            labels = _numbers(homes, data).labels
            of_home = persons.gathered(labels, "<i8")  # type: ignore[assignment]
        combination = table.counts.numbers(data.disk.folder)
        code = persons.gathered(_Coded(combination, table.place, width), "<i8")
        codes = np.arange(len(table.codes), dtype=np.int64) << width
        return cls(persons, of_home, code, codes, table.count, width)

    def shown(self, keys: Ints, places: Sequence[int]) -> Ints:
        """The keys that a reader sees of each code, in some of the columns."""
        blank = (self.table[:, None] >> np.array(places)) & 1
        return np.where(blank, -1, keys[self.table >> self.width][:, list(places)])

    def count_cells(self) -> Ints:
        """Blank cells of each column."""
        blank = (self.table[:, None] >> np.arange(self.width)) & 1
        return np.asarray(self.count @ blank, dtype=np.int64)

    def below(
        self, keys: Ints, places: Sequence[int], k: int, missing: Reading
    ) -> Bools:
        """The codes that share these keys with fewer than k persons."""
        distinct, label, _ = compress(self.shown(keys, places))
        pairs = self.pairs(label, len(distinct))
        number, _ = pairs.counted()
        few = few_classes(distinct, number, k, missing, pairs.first_people, AT_ONCE)
        return np.asarray(few[label])

    def pairs(self, label: Ints, classes: int) -> Pairs:
        sources = self.persons.in_order, self.code, self.homes
        pieces = tuple(self.persons.pieces)
        return Pairs(*sources, self.table, label, classes, pieces)

    def with_blanks(self, pairs: Pairs, more: Blanks) -> PeopleFile:
        """The file of which more is blank."""
        folder = self.persons.folder
        _, before = pairs.counted()
        items = [
            (*piece, first, folder.next_file())
            for piece, first in zip(pairs.pieces, before, strict=True)
        ]
        found = mapped(_Apply(pairs, more), items)
        files, lengths = tuple(i[-1] for i in items), [i[1] - i[0] for i in items]
        codes = np.concatenate([some for some, _ in found])
        table, place = np.unique(codes, return_inverse=True)
        count = np.bincount(place, weights=np.concatenate([some for _, some in found]))
        return replace(
            self,
            code=NumberFiles(files, tuple(lengths), "<i8"),
            table=table,
            count=count.astype(np.int64),
        )


@dataclass(frozen=True)
class Pairs:
    """Persons and the classes that they are in, each pair once, in rising order."""

    person: NumberSource
    code: NumberSource
    homes: NumberSource
    table: Ints
    label: Ints
    """The class of each code."""
    classes: int
    pieces: tuple[tuple[int, int], ...]

    def read(self, first: int, stop: int) -> tuple[Ints, Ints, Ints, Ints]:
        """(person, class) of a piece, a record of each, and which of them each record is."""
        person = self.person.read(first, stop)
        own = self.label[np.searchsorted(self.table, self.code.read(first, stop))]
        base = int(person[0])
        pair = (person - base) * self.classes + own
        once, at, which = np.unique(pair, return_index=True, return_inverse=True)
        return once // self.classes + base, once % self.classes, at, which.ravel()

    def counted(self) -> tuple[Ints, list[int]]:
        """Persons of each class, and how many pairs come before each piece."""
        found = mapped(_Counted(self), self.pieces)
        number: Ints = np.sum(found, axis=0)
        before = np.cumsum([0, *(int(one.sum()) for one in found)])
        return number, before[:-1].tolist()

    def first_people(self, combinations: Sequence[Ints], k: int) -> list[Ints]:
        """As ``unit_anonymity.FirstPeople``."""
        found = mapped(_First(self, tuple(combinations), k), self.pieces)
        merged = (np.concatenate(some) for some in zip(*found, strict=True))
        return [at_most(np.unique(some, axis=0), k) for some in merged]

    def persons_of(self, parts: Sequence[Ints]) -> list[Ints]:
        """How many persons are in classes that are put together, for several ways to do so."""
        found = mapped(_Together(self, tuple(parts)), self.pieces)
        return [np.sum(some, axis=0) for some in zip(*found, strict=True)]


@dataclass(frozen=True)
class Blanks:
    """Bits of the cells that go, by what loses them; numbers rise, each once."""

    of_class: Ints
    pairs: tuple[Ints, Ints]
    persons: tuple[Ints, Ints]
    homes: tuple[Ints, Ints]

    @classmethod
    def of_pairs(
        cls,
        found: Sequence[Ints],
        bits: Ints,
        how: How,
        classes: int,
    ) -> Blanks:
        """Some pairs lose cells: (pair, person, household) of each, and its bits."""
        pair, person, home = found
        return cls(
            np.zeros(classes, dtype=np.int64),
            _added(pair, bits),
            _added(person, bits & how.of_person),
            _added(home, bits & how.of_home),
        )

    @classmethod
    def of_classes(cls, pairs: Pairs, bits: Ints, how: How) -> Blanks:
        """All records of some classes lose cells."""
        found = mapped(_Touched(pairs, bits, how), pairs.pieces)
        person, home = (
            _added(*(np.concatenate(one) for one in zip(*some, strict=True)))
            for some in zip(*found, strict=True)
        )
        nothing = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        return cls(bits, nothing, person, home)


def _added(number: Ints, bits: Ints) -> tuple[Ints, Ints]:
    """Each number once, with all its bits; without those that have none."""
    number, bits = number[bits > 0], bits[bits > 0]
    order = np.argsort(number, kind="stable")
    number, bits = number[order], bits[order]
    if not len(number):
        return number, bits
    first = np.flatnonzero(np.concatenate([[True], number[1:] != number[:-1]]))
    return number[first], np.bitwise_or.reduceat(bits, first)


def _looked_up(known: tuple[Ints, Ints], numbers: Ints) -> Ints:
    """The bits of some numbers; 0 where none are known."""
    ids, bits = known
    if not len(ids):
        return np.zeros(len(numbers), dtype=np.int64)
    place = np.minimum(np.searchsorted(ids, numbers), len(ids) - 1)
    return np.where(ids[place] == numbers, bits[place], 0)


def _numbers(found: units.Units, data: OnDisk) -> UnitNumbers:
    """Units that can be read in pieces; records are units, too."""
    if isinstance(found, UnitsOnDisk):
        return found.numbers
    return UnitNumbers.of_keys([RowNumbers(data.n)], data.disk.folder)


@dataclass(frozen=True)
class _Coded:
    """Combinations in value order, with room for the bits of cells."""

    combination: NumberFiles
    place: Ints
    width: int

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.combination.n

    def read(self, first: int, stop: int) -> Ints:
        """Those of a span of rows."""
        found: Ints = self.place[self.combination.read(first, stop)] << self.width
        return found


@dataclass(frozen=True)
class _Counted:
    """Item: a piece. Persons of each class."""

    pairs: Pairs

    def __call__(self, item: tuple[int, int]) -> Ints:
        _, own, _, _ = self.pairs.read(*item)
        return np.bincount(own, minlength=self.pairs.classes)


@dataclass(frozen=True)
class _First:
    """Item: a piece. The first persons of classes that are put together."""

    pairs: Pairs
    combinations: tuple[Ints, ...]
    k: int

    def __call__(self, item: tuple[int, int]) -> list[Ints]:
        person, own, _, _ = self.pairs.read(*item)
        base, width = int(person[0]), int(person[-1] - person[0]) + 1
        out = []
        for combination in self.combinations:
            at = combination[own]
            there = np.flatnonzero(at >= 0)
            # one number for both sorts many times faster than two
            once = np.unique(at[there] * width + person[there] - base)
            both = np.column_stack([once // width, once % width + base])
            out.append(at_most(both, self.k))
        return out


@dataclass(frozen=True)
class _Together:
    """Item: a piece. Persons of classes that are put together."""

    pairs: Pairs
    parts: tuple[Ints, ...]

    def __call__(self, item: tuple[int, int]) -> list[Ints]:
        person, own, _, _ = self.pairs.read(*item)
        out = []
        for part in self.parts:
            number = int(part.max(initial=-1)) + 1
            once = np.unique((person - person[0]) * number + part[own])
            out.append(np.bincount(once % number, minlength=number))
        return out


@dataclass(frozen=True)
class _Touched:
    """Item: a piece. Persons and households some of whose records are in a class with bits."""

    pairs: Pairs
    bits: Ints
    how: How

    def __call__(self, item: tuple[int, int]) -> tuple[tuple[Ints, Ints], ...]:
        person, own, at, _ = self.pairs.read(*item)
        bits, home = self.bits[own], self.pairs.homes.read(*item)[at]
        of_person = _added(person, bits & self.how.of_person)
        return of_person, _added(home, bits & self.how.of_home)


@dataclass(frozen=True)
class _Apply:
    """Item: (first, stop, pairs before it, file). Codes with more blanks; the different ones."""

    pairs: Pairs
    more: Blanks

    def __call__(self, item: tuple[int, int, int, Path]) -> tuple[Ints, Ints]:
        first, stop, before, path = item
        person, own, _, which = self.pairs.read(first, stop)
        number = np.arange(before, before + len(own))
        bits = self.more.of_class[own] | _looked_up(self.more.pairs, number)
        bits |= _looked_up(self.more.persons, person)
        home = self.pairs.homes.read(first, stop)
        code = self.pairs.code.read(first, stop) | bits[which]
        code |= _looked_up(self.more.homes, home)
        write_numbers(path, code)
        different, count = np.unique(code, return_counts=True)
        return different, count


@dataclass(frozen=True)
class _Blank:
    """Item: (first, stop, file). Columns without the cells that are blank."""

    table: DiskTable
    schema: Schema
    code: NumberSource

    def __call__(self, item: tuple[int, int, Path]) -> Schema:
        first, stop, path = item
        names = self.table.column_names
        span = next(self.table.in_turn(stop - first, names, first, stop))
        block = Microdata(span, self.schema, NativeFrame.of(span))
        blank = (self.code.read(first, stop)[:, None] >> np.arange(len(names))) & 1
        values = np.where(blank, np.nan, block.numbers(names))
        masked = block.with_numbers(names, values)
        write_columns(path, [masked.table])
        return masked.schema


def blanked_for_people(data: OnDisk, columns: list[str], file: PeopleFile) -> OnDisk:
    """The file without the cells that are blank."""
    folder = data.disk.folder
    code = file.code
    if not file.persons.in_file_order:
        assert isinstance(code, NumberFiles)
        code = file.persons.at_rows(code, "<i8")
    closed = data.closed(columns).select(columns)
    items = [(*span, folder.next_file()) for span in spans(data.n)]
    after = mapped(_Blank(data.disk.select(columns), closed, code), items)[0]
    written = SpilledColumns(tuple(item[-1] for item in items))
    return data.with_spilled(columns, written, by_address.opened(after, data.schema))
