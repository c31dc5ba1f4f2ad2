"""Persons and households of a file on the disk, with the face of ``Units``.

Who only asks whether somebody is there twice, whose level a column has, or who is in two
households holds nothing: it is answered in pieces (``out_of_core.unit_numbers``). ``labels`` are
read into memory for whoever asks for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
import numpy.typing as npt

from tacit.base.errors import InputError
from tacit.base.typing import Floats, Ints
from tacit.data.io.disk_table import SpillFolder
from tacit.data.io.on_disk import ColumnInTurn, OnDisk
from tacit.data.microdata import Microdata, Role
from tacit.data.out_of_core.column_numbers import ColumnNumbers
from tacit.data.out_of_core.id_keys import GAP, HIGHEST, FirstGap, id_keys
from tacit.data.out_of_core.number_files import NumberFiles, NumberSource
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.sorting import SortedNumbers, sorted_numbers
from tacit.data.out_of_core.unit_numbers import UnitNumbers, known
from tacit.data.units import SHARES, Units, broken, expected, is_number, nobody


class UnitsOnDisk(Units):
    """The units of a file on the disk; ``numbers`` are what can be read in pieces."""

    numbers: UnitNumbers

    def __init__(self, word: str, numbers: UnitNumbers) -> None:
        object.__setattr__(self, "word", word)
        object.__setattr__(self, "numbers", numbers)

    @cached_property
    def labels(self) -> Ints:  # type: ignore[override]  # read only, as there
        """The unit of each row, in memory."""
        return np.asarray(self.numbers.labels.read(0, self.numbers.n))

    @cached_property
    def number(self) -> int:
        """How many units there are."""
        return self.numbers.number

    @property
    def records(self) -> int:
        """Rows of the file."""
        return self.numbers.n

    @property
    def single(self) -> bool:
        """Every unit has one row."""
        return self.numbers.single

    @property
    def largest(self) -> int:
        """Rows of the unit that has most."""
        return self.numbers.largest

    def apart(self, others: Units) -> tuple[int, int] | None:
        """As of units in memory."""
        if not isinstance(others, UnitsOnDisk):
            return super().apart(others)
        ours, theirs = self.numbers, others.numbers
        return ours.once(
            ("apart", theirs.rows),
            lambda: ours.differing(ours.gathered(theirs.labels, "<i8")),
        )

    def stand(self, data: Microdata, name: str, slips: float) -> bool:
        """As of units in memory, of a column that is not held."""
        if not isinstance(data, OnDisk):
            return super().stand(data, name, slips)
        reader = data.disk.readers[name]
        # the reader is kept, so that nobody else gets its identity
        found, _ = self.numbers.once(
            ("stand", id(reader), data.schema[name], slips),
            lambda: (self._stands(data, name, slips), reader),
        )
        return found

    def whole(self, data: Microdata, name: str) -> bool:
        """As of units in memory."""
        if not isinstance(data, OnDisk):
            return super().whole(data, name)
        if not is_number(data.disk.schema.field(name).type):
            return False
        work = _AnyBroken(ColumnInTurn(data.disk.select([name]), name))
        return not any(mapped(work, spans(data.n)))

    def move(self, data: Microdata, name: str, other: str, slips: float) -> bool:
        """As of units in memory."""
        if not isinstance(data, OnDisk):
            return super().move(data, name, other, slips)
        both = (ColumnInTurn(data.disk.select([one]), one) for one in (name, other))
        apart = _Apart(*both)
        gathered = self.numbers.gathered(apart)
        return self._at_level(apart, gathered, data.disk.folder, slips)

    def head(self, length: int) -> tuple[Ints, Units]:
        """As of units in memory."""
        stop = min(length, self.numbers.n)
        # labels rise, and are counted from 0
        return self.numbers.rows.read(0, stop), Units(
            self.word, self.numbers.in_order.read(0, stop)
        )

    def _stands(self, data: OnDisk, name: str, slips: float) -> bool:
        gathered = values_by_unit(self.numbers, data, name)
        values = ColumnNumbers.of(data, name)
        return self._at_level(values, gathered, data.disk.folder, slips)

    def _at_level(
        self,
        values: NumberSource,
        gathered: NumberSource,
        folder: SpillFolder,
        slips: float,
    ) -> bool:
        pieces = self.numbers.over(known, gathered)
        disagree = sum(one for one, _ in pieces)
        members: Counter[int] = Counter()
        for _, counts in pieces:
            members.update(counts)
        several = sum(members.values())
        # chance splits no more units than there are
        if not several or disagree > slips * several:
            return False
        if not disagree:
            return True
        ordered = sorted_numbers(values, folder)
        sizes = np.array(sorted(members))
        number = np.array([members[size] for size in sizes.tolist()])
        chance = expected(_counts(ordered), ordered.present, sizes, number)
        ordered.remove()
        return bool(disagree <= slips * chance)


def values_by_unit(numbers: UnitNumbers, data: OnDisk, name: str) -> NumberSource:
    """A column in the order of units; put there once for all who ask."""
    reader = data.disk.readers[name]
    # the reader is kept, so that nobody else gets its identity
    found, _ = numbers.once(
        ("values", id(reader), data.schema[name]),
        lambda: (numbers.gathered(ColumnNumbers.of(data, name)), reader),
    )
    return found


@dataclass(frozen=True)
class _AnyBroken:
    """Item: a span of rows. Whether some number is not whole."""

    source: NumberSource

    def __call__(self, item: tuple[int, int]) -> bool:
        return bool(broken(self.source.read(*item)).any())


@dataclass(frozen=True)
class _Apart:
    """The difference of two columns."""

    one: NumberSource
    other: NumberSource

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.one.n

    def read(self, first: int, stop: int) -> Floats:
        """Those of a span of rows."""
        apart: Floats = self.one.read(first, stop) - self.other.read(first, stop)
        return apart


def persons_on_disk(data: Microdata, names: list[str]) -> Units:
    """The persons of a file on the disk; none may be missing."""
    file = cast("OnDisk", data)

    def made() -> Units:
        keys = []
        for name in names:
            of_column = id_keys(file, name)
            work = FirstGap(file.disk.select([name]), name, of_column[0])
            gaps = [row for row in mapped(work, spans(file.n)) if row is not None]
            if gaps:
                raise InputError(nobody(name, gaps[0]))
            keys += of_column
        return UnitsOnDisk("person", UnitNumbers.of_keys(keys, file.disk.folder))

    return _kept(file, "persons", names, made)


def households_on_disk(data: Microdata, names: list[str]) -> Units:
    """The households of a file on the disk; rows without a number live alone."""
    file = cast("OnDisk", data)
    people = file.schema.names(role=Role.person)

    def made() -> Units:
        of_columns = [id_keys(file, name) for name in names]
        first_keys = tuple(keys[0] for keys in of_columns)
        persons = None
        if people:
            found = cast("UnitsOnDisk", persons_on_disk(file, people))
            persons = found.numbers.labels
        flat = [key for keys in of_columns for key in keys]
        homes = [
            _Homes(key, first_keys, persons, counts_most=not place)
            for place, key in enumerate(flat)
        ]
        return UnitsOnDisk("household", UnitNumbers.of_keys(homes, file.disk.folder))

    return _kept(file, "households", [*names, *people], made)


def who_live_together(file: OnDisk, name: str) -> UnitNumbers:
    """Records with the same value of a column, whatever its role; without one each is alone."""

    def made() -> UnitsOnDisk:
        keys = id_keys(file, name)
        homes = [
            _Homes(key, (keys[0],), None, counts_most=not place)
            for place, key in enumerate(keys)
        ]
        numbers = UnitNumbers.of_keys(homes, file.disk.folder)
        return UnitsOnDisk("household", numbers)

    return cast("UnitsOnDisk", _kept(file, "who live together", [name], made)).numbers


@dataclass(frozen=True)
class _Homes:
    """Keys of households; who has no number has that of the person behind all others."""

    keys: NumberSource
    gaps: tuple[NumberSource, ...]
    persons: NumberFiles | None
    counts_most: bool

    @property
    def n(self) -> int:
        """Records of the file."""
        return self.keys.n

    def read(self, first: int, stop: int) -> npt.NDArray[np.uint64]:
        """Those of a span of rows."""
        alone = np.zeros(stop - first, dtype=np.bool_)
        for one in self.gaps:
            alone |= one.read(first, stop) == GAP
        person = np.zeros(stop - first, dtype=np.uint64)
        if self.counts_most:
            # a person without a household's number is one household, however many rows he has
            rows = np.arange(first, stop)
            number = rows if self.persons is None else self.persons.read(first, stop)
            person = number.astype(np.uint64) + np.uint64(HIGHEST)
        return np.where(alone, person, self.keys.read(first, stop))


def _counts(ordered: SortedNumbers) -> Iterator[Ints]:
    """How often each value occurs, in rising order, ``SHARES`` of them at a time."""
    waiting, last, begun = np.empty(0, np.int64), None, 0
    for values, _ in ordered.in_turn(1 << 20):
        found, count = np.unique(values, return_counts=True)
        if last is not None and found[0] == last:
            count[0] += begun
        elif last is not None:
            waiting = np.append(waiting, begun)
        # the last value may go on
        last, begun = found[-1], int(count[-1])
        waiting = np.concatenate([waiting, count[:-1]])
        while len(waiting) >= SHARES:
            yield waiting[:SHARES]
            waiting = waiting[SHARES:]
    waiting = np.append(waiting, begun) if last is not None else waiting
    if len(waiting):
        yield waiting


def _kept(
    data: OnDisk, what: str, names: list[str], make: Callable[[], Units]
) -> Units:
    """Units of columns that are as they were: a step that changes others sorts nothing."""
    readers = tuple(data.disk.readers[name] for name in names)
    columns = data.schema.select(names)
    key = (what, tuple(names), tuple(id(one) for one in readers), columns)
    kept = data.disk.folder.kept
    if key not in kept:
        # the readers are kept, so that nobody else gets their identity
        kept[key] = (make(), readers)
    found: Units = kept[key][0]
    return found
