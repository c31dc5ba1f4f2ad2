"""Combinations of keys that stand for several records each, of persons with several records.

As in ``repeated``, a row of a table stands for all records with its keys. Here a person may have
records in several rows, and two records of a row may be one person's. The row of every record
stands on the disk, person by person (``out_of_core.unit_numbers``); what is asked of persons is
asked of pieces of whole persons. Memory: a piece, the largest person, and some numbers for each
row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.base.typing import Bools, Floats, Ints
from tacit.data.out_of_core.number_files import NumberSource
from tacit.data.out_of_core.unit_numbers import UnitNumbers
from tacit.data.repeated import Repeated
from tacit.kernels.unit_counts import count_units, only_unit, shared_out

Rows = npt.NDArray[np.int32]
"""The row of each record of a piece, person by person."""
Found = tuple[Ints, Ints, Floats]
"""Labels that occur in a piece, how many persons have each, and what they weigh."""


@dataclass(frozen=True, kw_only=True)
class Spread(Repeated):
    """Persons, whose records are those that rows stand for."""

    who: UnitNumbers
    """Whose record each record is."""
    row: NumberSource
    """The row of each record, person by person."""
    weight: NumberSource | None = None
    """What each record weighs, person by person, where records have weights."""

    @classmethod
    def over(
        cls,
        row: NumberSource,
        times: Ints,
        who: UnitNumbers,
        weight: NumberSource | None = None,
    ) -> Spread:
        """Of the row and perhaps the weight of each record, in the order of persons."""
        every = np.arange(len(times), dtype=np.int64)
        return cls("person", every, times, who=who, row=row, weight=weight)

    @cached_property
    def number(self) -> int:
        """How many persons there are."""
        return self.who.number

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.who.n

    @property
    def single(self) -> bool:
        """A person may have several records."""
        return False

    def any(self, rows: Bools) -> Bools:
        """Persons of whom any record is in a marked row; one byte each is held."""
        return self.highest(rows.astype(np.float64)) > 0

    def having(self, rows: Bools) -> int:
        """How many persons have a record in a marked row."""
        return int(sum(self.in_turn(_Having(rows))))

    def share(self, rows: Bools) -> float:
        """Share of the persons of whom any record is in a marked row."""
        return self.having(rows) / self.number if self.number else 0.0

    def highest(self, values: Floats) -> Floats:
        """The largest known value of each person, which is held."""
        return np.concatenate([np.zeros(0), *self.in_turn(Highest(values))])

    def total(self, values: Floats) -> float:
        """Sum over persons of their largest value."""
        return float(sum(self.in_turn(_Total(Highest(values)))))

    def mean(self, values: Floats) -> float:
        """Mean over persons of their largest value; 0 without persons."""
        return self.total(values) / self.number if self.number else 0.0

    def row_mean(self, values: Floats) -> float:
        """Mean over records; 0 without records."""
        return float(self.times @ values) / self.records if self.records else 0.0

    def counted(
        self, labels: Ints, number: int, given: Floats | None
    ) -> tuple[Ints, Floats]:
        """Persons who have each label of the rows, and the sum of their weights."""
        work = _Counted(labels.astype(np.int32), number, self.by_row(given))
        return self.summed(work, number, given)

    def summed(
        self, work: Callable[..., Found], number: int, given: Floats | None
    ) -> tuple[Ints, Floats]:
        """What pieces have found of so many labels, added up in their order."""
        f, F = np.zeros(number, np.int64), np.zeros(number)
        for label, persons, weight in self.in_turn(work, given):
            f[label] += persons
            F[label] += weight
        return f, F

    def people(self, given: Floats | None) -> float:
        """What all persons weigh together."""
        if given is None:
            return float(self.number)
        return float(sum(self.in_turn(_Weighed(self.by_row(given)), given)))

    def owners(self, labels: Ints) -> Ints:
        """The person who has all records of each label; -1: several have some."""
        number = int(labels.max(initial=-1)) + 1
        owner = np.full(number, -2, np.int64)
        base = 0
        for label, found, persons in self.in_turn(_Owners(labels, number)):
            # persons are whole in a piece, so that a label of two pieces is several persons'
            mine = np.where(found < 0, -1, found + base)
            owner[label] = np.where(owner[label] == -2, mine, -1)
            base += persons
        return owner

    def once(self, labels: Ints) -> Floats:
        """What the records of each row count together, if persons count once in each label."""
        number = int(labels.max(initial=-1)) + 1
        total = np.zeros(len(self.times))
        for rows, counts in self.in_turn(_Once(labels.astype(np.int32), number)):
            total[rows] += counts
        return total

    def in_turn(
        self, work: Callable[..., Any], given: Floats | None = None
    ) -> Iterator[Any]:
        """What some work gives of each piece of whole persons.

        It is called with where each person begins, the row of each record and, for weights that
        stand in the file, the weight of each.
        """
        if given is not None and self.weight is not None:
            return self.who.in_turn(work, self.row, self.weight)
        return self.who.in_turn(work, self.row)

    def by_row(self, given: Floats | None) -> Floats | None:
        """What a record of each row weighs, where all of a row weigh the same."""
        if given is None or self.weight is not None:
            return None
        return np.asarray(given / self.times)


def weights_in(row: Rows, by_row: Floats | None, weight: Floats | None) -> Floats:
    """What each record of a piece weighs; empty where all persons weigh 1."""
    if weight is not None:
        return weight
    return np.zeros(0) if by_row is None else by_row[row]


@dataclass(frozen=True)
class _Having:
    """How many persons have a record in a marked row."""

    marked: Bools

    def __call__(self, starts: Ints, row: Rows, length: int) -> int:
        found = np.logical_or.reduceat(self.marked[row], starts)
        return int(found.sum())


@dataclass(frozen=True)
class Highest:
    """The largest known value of each person."""

    values: Floats

    def __call__(self, starts: Ints, row: Rows, length: int) -> Floats:
        return np.asarray(np.fmax.reduceat(self.values[row], starts))


@dataclass(frozen=True)
class _Total:
    """The sum of numbers of persons."""

    highest: Highest

    def __call__(self, starts: Ints, row: Rows, length: int) -> float:
        return float(self.highest(starts, row, length).sum())


@dataclass(frozen=True)
class _Counted:
    """Persons of each label, and what they weigh."""

    labels: Rows
    number: int
    by_row: Floats | None

    def __call__(
        self, starts: Ints, row: Rows, weight: Floats | None = None, *, length: int
    ) -> Found:
        each = weights_in(row, self.by_row, weight)
        f, F = count_units(starts, self.labels[row], each, self.number)
        found = np.flatnonzero(f)
        return found, f[found], F[found]


@dataclass(frozen=True)
class _Weighed:
    """What the persons of a piece weigh together: of each the mean of his records."""

    by_row: Floats | None

    def __call__(
        self, starts: Ints, row: Rows, weight: Floats | None = None, *, length: int
    ) -> float:
        each = weights_in(row, self.by_row, weight)
        sizes = np.diff(starts, append=length)
        return float((np.add.reduceat(each, starts) / sizes).sum())


@dataclass(frozen=True)
class _Owners:
    """(labels, the person of the piece who has all records of each, persons of the piece)."""

    labels: Ints
    number: int

    def __call__(self, starts: Ints, row: Rows, length: int) -> tuple[Ints, Ints, int]:
        owner = only_unit(starts, self.labels[row].astype(np.int32), self.number)
        found = np.flatnonzero(owner > -2)
        return found, owner[found].astype(np.int64), len(starts)


@dataclass(frozen=True)
class _Once:
    """(rows, what the records of each count together)."""

    labels: Rows
    number: int

    def __call__(self, starts: Ints, row: Rows, length: int) -> tuple[Ints, Floats]:
        rows = len(self.labels)
        total = shared_out(starts, self.labels[row], row, self.number, rows)
        found = np.flatnonzero(total)
        return found, total[found]
