"""What a constraint sees: classes, how many people are in each, and their confidential values."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tacit.base.typing import Bools, Floats, Ints
from tacit.protect.lattice.class_cells import Cells, grouped


@dataclass(frozen=True)
class Extras:
    """What is known of the records of a cell besides their keys, by its number ``extra``."""

    person: Ints | None = None
    """Whose records they are; None: every record is a unit of its own."""
    home: Ints | None = None
    """Who is suppressed together: the household, or the person."""
    values: dict[str, Ints] = field(default_factory=dict)
    """Codes of confidential columns, -1 where missing."""
    whole: dict[str, Floats] = field(default_factory=dict)
    """Shares of their values in the whole file."""


@dataclass(frozen=True)
class Shares:
    """Which values of a column occur in which class, by class and value."""

    label: Ints
    value: Ints
    count: Floats
    """People with the value; one with several values is shared out."""
    size: Floats
    """People of each class whose value is known."""

    @property
    def number(self) -> int:
        """How many classes there are."""
        return len(self.size)

    @property
    def share(self) -> Floats:
        """The share of each cell in its class."""
        return np.asarray(self.count / self.size[self.label])

    def by_class(
        self,
        figures: Floats,
    ) -> Floats:
        """The sum over the cells of each class."""
        summed = np.bincount(self.label, weights=figures, minlength=self.number)
        return np.asarray(summed, dtype=np.float64)


class View:
    """Some of the cells of a node, in classes."""

    def __init__(
        self,
        cells: Cells,
        extras: Extras,
        alive: Bools | None = None,
        *,
        in_one: bool = False,
    ) -> None:
        self.cells = cells
        self.extras = extras
        # a slice shares memory with the cells, indices would copy them
        self._at = slice(None) if alive is None else np.flatnonzero(alive)
        self.rows = cells.rows[self._at]
        # records that were suppressed are one class, whatever their keys were
        self.number = 1 if in_one else cells.number
        label = cells.label[self._at]
        self.label = np.zeros_like(label) if in_one else label

    @cached_property
    def records(self) -> Ints:
        """Records of each class."""
        return _total(self.label, self.rows, self.number)

    @cached_property
    def occupied(self) -> Bools:
        """Classes with at least one record."""
        return np.asarray(self.records > 0)

    @cached_property
    def size(self) -> Ints:
        """People (or records) of each class."""
        if self.extras.person is None:
            return self.records
        present = self.rows > 0
        person = self.people[present]
        most = int(person.max(initial=0)) + 1
        # somebody with several rows in a class hides nobody else there
        _, first = grouped(self.label[present] * most + person)
        once = self.label[present][first]
        return np.bincount(once, minlength=self.number).astype(np.int64)

    @cached_property
    def weight(self) -> Floats:
        """Sum of weights of each class."""
        if self.cells.weight is None:
            # without weights everybody stands for themselves
            return self.size.astype(np.float64)
        weights = self.cells.weight[self._at]
        summed = np.bincount(self.label, weights=weights, minlength=self.number)
        return summed.astype(np.float64)

    @cached_property
    def population(self) -> Ints:
        """Records of the population in each class, whoever of the file is suppressed."""
        counts = self.cells.population
        if counts is None:
            return self.size
        if self.number != self.cells.number:
            # the suppressed may be anybody
            return np.array([int(counts.sum())], dtype=np.int64)
        return _total(self.cells.label, counts, self.number)

    @property
    def _extra(self) -> Ints:
        extra = self.cells.extra
        if extra is None:
            return np.zeros(len(self.rows), dtype=np.int64)
        return np.asarray(extra[self._at])

    @cached_property
    def people(self) -> Ints:
        """Whose records each cell holds."""
        assert self.extras.person is not None
        return np.asarray(self.extras.person[self._extra])

    def shares(
        self,
        column: str,
    ) -> Shares:
        """How the values of a confidential column are shared out in each class."""
        values = self.extras.values[column][self._extra]
        # a gap counted as one more value would make a class look diverse
        known = (values >= 0) & (self.rows > 0)
        label = self.label[known]
        value = values[known]
        each = self.rows[known].astype(np.float64)
        if self.extras.person is not None:
            # of a person's m records in a class, each counts 1/m
            person = self.people[known]
            most = int(person.max(initial=0)) + 1
            pair, first = grouped(label * most + person)
            held = np.bincount(pair, weights=each, minlength=len(first))
            each = each / held[pair]
        most = max(int(value.max(initial=0)) + 1, 1)
        # sorted by class: t-closeness finds the cells of a class by bisection
        key, place = np.unique(label * most + value, return_inverse=True)
        count = np.bincount(place.ravel(), weights=each, minlength=len(key))
        of_class = key // most
        of_value = key % most
        size = np.bincount(of_class, weights=count, minlength=self.number)
        # thirds add up to whole people
        whole: Floats = np.round(size, 9)
        return Shares(of_class, of_value, count.astype(np.float64), whole)


def _total(
    label: Ints,
    counts: Ints,
    number: int,
) -> Ints:
    summed = np.bincount(label, weights=counts, minlength=number)
    return np.rint(summed).astype(np.int64)
