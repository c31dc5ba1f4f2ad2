"""Suppression for people of a file on the disk: the twin of ``unit_anonymity``.

Records stand person by person (``UnitNumbers``), each as one number: its combination of keys and a
bit for each cell that is blank. The different numbers are few and are held, with their classes;
who is in which class is asked of pieces of whole persons. Held besides: the persons and households
that lose cells. Draws and results are those of memory, bit for bit.

    file = PeopleFile.of(data, table, len(columns))
    file = suppressed(file, table.codes, places, how, rng)
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
    write_numbers,
)
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.row_keys import RowKeys
from tacit.data.out_of_core.unit_numbers import UnitNumbers
from tacit.data.units_on_disk import UnitsOnDisk
from tacit.protect import by_address
from tacit.protect.by_rank import ties_of
from tacit.protect.grouping.anonymity import (
    random_rows,
    suppress_classes,
    worst_cells,
)
from tacit.protect.grouping.blanks_from_disk import Keys, KeyTable, smallest
from tacit.protect.grouping.class_blanks import ClassBlanks
from tacit.protect.grouping.key_classes import Reading, compress
from tacit.protect.grouping.unit_anonymity import SEARCHES, at_most, few_classes

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
        pairs = self._pairs(label, len(distinct))
        number, _ = pairs.counted()
        few = few_classes(distinct, number, k, missing, pairs.first_people, AT_ONCE)
        return np.asarray(few[label])

    def _pairs(self, label: Ints, classes: int) -> Pairs:
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


def suppressed(
    file: PeopleFile,
    keys: Ints,
    places: list[int],
    how: How,
    rng: np.random.Generator,
) -> PeopleFile:
    """As ``unit_anonymity.suppress_for_people``.

    Parameters
    ----------
    file : PeopleFile
        The records, and what is blank of them already.
    keys : array of int
        The keys of each combination.
    places : list of int
        The columns whose classes need k persons.
    how : How
        What is wanted.
    rng : Generator
        Draws which of several equal persons lose cells.
    """
    for _ in range(SEARCHES):
        distinct, label, _ = compress(file.shown(keys, places))
        pairs = file._pairs(label, len(distinct))
        number, before = pairs.counted()
        asked = distinct, number, how.k, how.missing, pairs.first_people
        if not few_classes(*asked, AT_ONCE).any():
            return file
        draw = _Draw.of(pairs, before, int(number.sum()), rng)
        every = list(range(len(places)))
        wanted = how.k, how.importance, how.missing, rng
        classes = ClassBlanks.of(distinct, number)
        found, cells = draw.lost(suppress_classes(classes, every, *wanted))
        blanks = Blanks.of_pairs(found, _bits(cells, places), how, len(distinct))
        more = file.with_blanks(pairs, blanks)
        # the search found nothing new, and would find the same again
        if int(more.count_cells().sum()) == int(file.count_cells().sum()):
            break
        file = more
    return _column_by_column(file, keys, places, how)


def _column_by_column(
    file: PeopleFile, keys: Ints, places: list[int], how: How
) -> PeopleFile:
    """As ``anonymity.column_by_column``: one more column of every class below k, in rounds."""
    rounds = 0
    while True:
        distinct, label, _ = compress(file.shown(keys, places))
        pairs = file._pairs(label, len(distinct))
        number, _ = pairs.counted()
        asked = distinct, number, how.k, how.missing, pairs.first_people
        few = few_classes(*asked, AT_ONCE)
        if not few.any():
            return file
        if rounds < len(places):
            parts = [
                compress(np.delete(distinct, j, axis=1))[1] for j in range(len(places))
            ]
            persons = [
                of_part[part]
                for of_part, part in zip(pairs.persons_of(parts), parts, strict=True)
            ]
            cells = worst_cells(distinct, persons, how.importance) & few[:, None]
        else:
            shown = np.asarray((distinct >= 0).any(axis=1))
            if not (few & shown).any():
                few = _smallest_class(file, pairs, shown)
            cells = few[:, None] & (distinct >= 0)
        blanks = Blanks.of_classes(pairs, _bits(cells, places), how)
        file = file.with_blanks(pairs, blanks)
        rounds += 1


def _smallest_class(file: PeopleFile, pairs: Pairs, among: Bools) -> Bools:
    """The class with the fewest records of these, the first in the file of several."""
    if not among.any():
        return np.ones(pairs.classes, dtype=np.bool_)
    size = np.bincount(pairs.label, weights=file.count, minlength=pairs.classes)
    least = size[among].min()
    tied = among & (size == least)
    found = mapped(_Earliest(pairs, file.persons.rows, tied), pairs.pieces)
    _, chosen = min(found)
    return np.asarray(np.arange(pairs.classes) == chosen)


@dataclass(frozen=True)
class _Draw:
    """Which of the pairs of a class lose cells: those whose random keys are the smallest."""

    pairs: Pairs
    before: Sequence[int]
    ties: RowKeys | None
    few: tuple[Ints, list[Ints]] | None
    """Pairs that are so few that they are drawn as one piece: their order, and all of them."""

    @classmethod
    def of(
        cls, pairs: Pairs, before: Sequence[int], total: int, rng: np.random.Generator
    ) -> _Draw:
        """Draw first of all, as ``anonymity.suppress`` does."""
        if total > by_address.BLOCK:
            return cls(pairs, before, ties_of(rng), None)
        found = mapped(_All(pairs), _items(pairs, before))
        own, *rest = (np.concatenate(some) for some in zip(*found, strict=True))
        return cls(pairs, before, None, (random_rows(own, rng), rest))

    def lost(self, state: ClassBlanks) -> tuple[list[Ints], Bools]:
        """Number, person and household of the pairs that lose cells, and the cells of each."""
        if self.few is not None:
            rows, rest = self.few
            cells = state.of_records(rows)
            lose = np.flatnonzero(cells.any(axis=1))
            return [one[lose] for one in rest], cells[lose]
        assert self.ties is not None
        order = state.in_order()
        order = order[state.cells[order].any(axis=1)]
        need = np.bincount(
            state.origin[order], weights=state.count[order], minlength=len(state.keys)
        ).astype(np.int64)
        work = _Candidates(_All(self.pairs), need, self.ties)
        found = mapped(work, _items(self.pairs, self.before))
        own, key, *rest = (np.concatenate(some) for some in zip(*found, strict=True))
        chosen = smallest(own, key, rest[0], need)
        cells = state.cells[np.repeat(order, state.count[order])]
        return [one[chosen] for one in rest], cells


def _items(pairs: Pairs, before: Sequence[int]) -> list[tuple[int, int, int]]:
    """Each piece, and how many pairs come before it."""
    return [(*piece, at) for piece, at in zip(pairs.pieces, before, strict=True)]


def _bits(cells: Bools, places: Sequence[int]) -> Ints:
    """Cells of some columns as bits among all."""
    return np.asarray(cells @ (np.int64(1) << np.array(places)), dtype=np.int64)


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
    return UnitNumbers.of_keys([_Rows(data.n)], data.disk.folder)


@dataclass(frozen=True)
class _Rows:
    """The number of each row."""

    n: int

    def read(self, first: int, stop: int) -> Ints:
        """Those of a span."""
        return np.arange(first, stop)


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
class _All:
    """Item: (first, stop, pairs before it). Class, number, person and household of each pair."""

    pairs: Pairs

    def __call__(self, item: tuple[int, int, int]) -> tuple[Ints, Ints, Ints, Ints]:
        first, stop, before = item
        person, own, at, _ = self.pairs.read(first, stop)
        home = self.pairs.homes.read(first, stop)[at]
        return own, np.arange(before, before + len(own)), person, home


@dataclass(frozen=True)
class _Candidates:
    """Item: (first, stop, pairs before it). Pairs with the smallest keys, as many as needed."""

    every: _All
    need: Ints
    ties: RowKeys

    def __call__(
        self, item: tuple[int, int, int]
    ) -> tuple[Ints, Keys, Ints, Ints, Ints]:
        own, number, person, home = self.every(item)
        rows = np.flatnonzero(self.need[own] > 0)
        key = self.ties(item[2], item[2] + len(own))[rows]
        chosen = smallest(own[rows], key, rows, self.need)
        rows = rows[chosen]
        return own[rows], key[chosen], number[rows], person[rows], home[rows]


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
class _Earliest:
    """Item: a piece. The first row of some classes, and its class."""

    pairs: Pairs
    rows: NumberSource
    tied: Bools

    def __call__(self, item: tuple[int, int]) -> tuple[int, int]:
        _, own, _, which = self.pairs.read(*item)
        label, rows = own[which], self.rows.read(*item)
        rows = np.where(self.tied[label], rows, np.iinfo(np.int64).max)
        first = int(np.argmin(rows))
        return int(rows[first]), int(label[first])


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
