"""Rows that stand for several records of a file each: its different combinations of keys.

A measure that asks its units how many records are marked, or for a mean over records, gives of a
table of combinations what it gives of the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tacit.base.typing import Bools, Floats, Ints
from tacit.data.units import Units


@dataclass(frozen=True)
class Repeated(Units):
    """Records, of which ``times[i]`` are as row i is; nobody has several.

    >>> three = Repeated.of(np.array([2, 1]))
    >>> three.number, three.mean(np.array([0.0, 3.0])), three.share(np.array([True, False]))
    (3, 1.0, 0.6666666666666666)
    """

    times: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def of(cls, times: Ints) -> Repeated:
        """Rows that occur so often."""
        return cls("record", np.arange(len(times), dtype=np.int64), times)

    @cached_property
    def number(self) -> int:
        """How many records there are."""
        return int(self.times.sum())

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.number

    @property
    def single(self) -> bool:
        """Every record is a unit."""
        return True

    def marked(self, rows: Bools) -> int:
        """Records whose row is marked."""
        return int(self.times[rows].sum())

    def share(self, rows: Bools) -> float:
        """Share of the records whose row is marked."""
        return self.marked(rows) / self.number if self.number else 0.0

    def highest(self, values: Floats) -> Floats:
        """The value of each row."""
        return values

    def total(self, values: Floats) -> float:
        """Sum over records."""
        return float(self.times @ values)

    def mean(self, values: Floats) -> float:
        """Mean over records; 0 without records."""
        return self.total(values) / self.number if self.number else 0.0

    def row_mean(self, values: Floats) -> float:
        """Mean over records; 0 without records."""
        return self.mean(values)

    def by_label(self, labels: Ints, number: int) -> Ints:
        """Records that have each of so many labels."""
        found = np.zeros(number, np.int64)
        # whole numbers are added as such
        np.add.at(found, labels, self.times)
        return found

    def weighed(self, each: float) -> Floats:
        """The weight of all records of each row."""
        return np.asarray(each * self.times)

    def owners(self, labels: Ints) -> Ints:
        """A key that several records have is nobody's own."""
        few = self.by_label(labels, int(labels.max(initial=-1)) + 1) == 1
        owner = np.full(len(few), -1, np.int64)
        owner[labels] = np.arange(len(labels))
        return np.where(few, owner, -1)

    def once(self, labels: Ints) -> Floats:
        """How many records each row stands for."""
        return self.times.astype(np.float64)
