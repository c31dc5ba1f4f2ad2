"""Combinations of keys that stand for several records each, of persons with several records.

As in ``repeated``, a row of a table stands for all records with its keys. Here a person may have
records in several rows, and two records of a row may be one person's; so for each record its row
and its person are held, and no key.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tacit.base.typing import Bools, Floats, Ints
from tacit.data.repeated import Repeated
from tacit.data.units import Units, records


@dataclass(frozen=True)
class Spread(Repeated):
    """Persons, whose records are those that rows stand for.

    >>> two = Spread.over(np.array([0, 0, 1]), Units("person", np.array([0, 1, 1])))
    >>> two.number, two.times.tolist(), two.mean(np.array([0.5, 1.0]))
    (2, [2, 1], 0.75)
    """

    who: Units = field(default_factory=lambda: records(0))
    """Whose record each record is."""
    row: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """The row of each record."""
    weight: Floats | None = None
    """What each person weighs, where records have weights."""

    @classmethod
    def over(cls, row: Ints, who: Units, weights: Floats | None = None) -> Spread:
        """Of the row, the person and perhaps the weight of each record."""
        times = np.bincount(row).astype(np.int64)
        every = np.arange(len(times), dtype=np.int64)
        weight = None
        if weights is not None:
            weight = who.weights(weights)
        return cls(who.word, every, times, who, row, weight)

    @cached_property
    def number(self) -> int:
        """How many persons there are."""
        return self.who.number

    @property
    def records(self) -> int:
        """How many records there are."""
        return len(self.row)

    @property
    def single(self) -> bool:
        """A person may have several records."""
        return False

    def any(self, rows: Bools) -> Bools:
        """Persons of whom any record is in a marked row."""
        return self.who.any(rows[self.row])

    def share(self, rows: Bools) -> float:
        """Share of the persons of whom any record is in a marked row."""
        return self.who.share(rows[self.row])

    def highest(self, values: Floats) -> Floats:
        """The largest known value of each person."""
        return self.who.highest(values[self.row])

    def total(self, values: Floats) -> float:
        """Sum over persons of their largest value."""
        return float(self.highest(values).sum())

    def mean(self, values: Floats) -> float:
        """Mean over persons of their largest value; 0 without persons."""
        return float(self.highest(values).mean()) if self.number else 0.0

    def row_mean(self, values: Floats) -> float:
        """Mean over records; 0 without records."""
        return float(self.times @ values) / self.records if self.records else 0.0

    def pairs(self, labels: Ints) -> tuple[Ints, Ints]:
        """(label, person), each pair once that a record has; ``labels`` are those of the rows."""
        return self.who.pairs(labels[self.row])

    def weights(self, given: Floats | None) -> Floats:
        """The weight of each person: of his records, or of rows that all weigh the same."""
        if given is None:
            return np.ones(self.number)
        if self.weight is not None:
            return self.weight
        return self.who.weights((given / self.times)[self.row])

    def owners(self, labels: Ints) -> Ints:
        """The person who has all records of each label; -1: several have some."""
        return self.who.owners(labels[self.row])

    def once(self, labels: Ints) -> Floats:
        """What the records of each row count together, if persons count once in each label."""
        each = self.who.once(labels[self.row])
        total = np.bincount(self.row, weights=each, minlength=len(self.times))
        return np.asarray(total, np.float64)
