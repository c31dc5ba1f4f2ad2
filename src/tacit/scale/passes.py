"""Passes over a file: small states that chunks are added to and that can be merged.

All states hold integers, least and largest values: their merge gives the same state in any
order, so a file read in chunks on one machine and a file spread over a cluster end with the
same tree.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.errors import InputError
from tacit.base.typing import Floats, Ints
from tacit.kernels.trees.orthtree import codes, moments
from tacit.scale.column_codes import Coding, keys_of, number_column
from tacit.scale.partition.orthtree import Growth
from tacit.scale.partition.ranges import zero_moments

# a sum of codes is added up in two halves: 16 bits and the rest
_HALF = 16
_LOW_HALF = (1 << _HALF) - 1


class Pass(Protocol):
    """What is learnt in one reading."""

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that it needs."""
        ...

    def add(self, table: pa.Table) -> None:
        """Take the next records into account."""
        ...

    def merge(self, other: Self) -> None:
        """Take into account what another state has read."""
        ...


@dataclass
class Survey:
    """Records, ranges of the numeric columns, categories of the others."""

    numeric: tuple[str, ...]
    categorical: tuple[str, ...]
    n: int = 0
    present: Counter[str] = field(default_factory=Counter)
    low: dict[str, float] = field(default_factory=dict)
    high: dict[str, float] = field(default_factory=dict)
    categories: dict[str, Counter[str]] = field(default_factory=dict)

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column."""
        return (*self.numeric, *self.categorical)

    def add(self, table: pa.Table) -> None:
        """Widen ranges and count categories."""
        # an empty chunk has no least value
        if not table.num_rows:
            return
        self.n += table.num_rows
        for name in self.numeric:
            self._add_numbers(name, number_column(table, name))
        for name in self.categorical:
            counted = pc.value_counts(keys_of(table, name)).to_pylist()
            counts = {pair["values"]: pair["counts"] for pair in counted}
            self.categories.setdefault(name, Counter()).update(counts)

    def _add_numbers(
        self,
        name: str,
        values: Floats,
    ) -> None:
        values = values[~np.isnan(values)]
        if not len(values):
            return
        self.present[name] += len(values)
        low, high = float(values.min()), float(values.max())
        if not (np.isfinite(low) and np.isfinite(high)):
            raise InputError(
                f"column '{name}' has values that are not finite numbers; "
                "mend them first"
            )
        self._widen(name, low, high)

    def _widen(
        self,
        name: str,
        low: float,
        high: float,
    ) -> None:
        known_low = self.low.get(name, low)
        known_high = self.high.get(name, high)
        self.low[name] = min(known_low, low)
        self.high[name] = max(known_high, high)

    def merge(self, other: Survey) -> None:
        """The wider ranges, the sums of counts."""
        self.n += other.n
        self.present.update(other.present)
        for name in other.low:
            self._widen(name, other.low[name], other.high[name])
        for name, counts in other.categories.items():
            self.categories.setdefault(name, Counter()).update(counts)

    def box(self) -> tuple[Floats, Floats]:
        """Low and high corner of the numeric columns."""
        low = np.array([self.low[name] for name in self.numeric])
        high = np.array([self.high[name] for name in self.numeric])
        # adding 0.0 turns -0.0 into 0.0, so that bounds have one form only
        return low + 0.0, high + 0.0


@dataclass
class Moments:
    """Sums of codes and of their squares by numeric column; sums of codes by category."""

    numeric: tuple[str, ...]
    categorical: tuple[str, ...]
    low: Floats
    high: Floats
    total: Ints = field(init=False)
    squares: Ints = field(init=False)
    sums: dict[str, Counter[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.total, self.squares = zero_moments(len(self.numeric))

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column."""
        return (*self.numeric, *self.categorical)

    def add(self, table: pa.Table) -> None:
        """Add the codes of these records."""
        values = np.empty((table.num_rows, len(self.numeric)))
        for j, name in enumerate(self.numeric):
            column = number_column(table, name)
            # a missing value gets code 0, which adds nothing to a sum
            missing = np.isnan(column)
            values[:, j] = np.where(missing, self.low[j], column)
        code = codes(values, self.low, self.high)
        moments(code, self.total, self.squares)
        if not self.numeric:
            # without numbers, categories are ordered by frequency alone
            return
        code_sum = code.astype(np.int64).sum(axis=1)
        for name in self.categorical:
            self._add_categories(name, keys_of(table, name), code_sum)

    def _add_categories(
        self,
        name: str,
        keys: pa.Array,
        code_sum: Ints,
    ) -> None:
        """Add up the codes of each category.

        ``bincount`` adds in float64, which is exact below 2^53: hence the two halves.
        """
        coded = pc.dictionary_encode(keys)
        category = np.asarray(coded.indices)
        size = len(coded.dictionary)
        upper = (code_sum >> _HALF).astype(np.float64)
        lower = (code_sum & _LOW_HALF).astype(np.float64)
        upper_sum = np.bincount(category, weights=upper, minlength=size)
        lower_sum = np.bincount(category, weights=lower, minlength=size)
        sums = self.sums.setdefault(name, Counter())
        categories = coded.dictionary.to_pylist()
        for key, high, low in zip(categories, upper_sum, lower_sum, strict=True):
            sums[key] += (int(high) << _HALF) + int(low)

    def merge(self, other: Moments) -> None:
        """Sums of sums."""
        self.total += other.total
        self.squares += other.squares
        for name, counts in other.sums.items():
            self.sums.setdefault(name, Counter()).update(counts)


@dataclass
class Tally:
    """Integers by key.

    On a cluster they are added up by the executors: the driver gets one row per key.
    """

    coding: Coding
    growth: Growth

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that the tree cuts."""
        return self.coding.names

    def rows(self) -> tuple[Ints, Ints]:
        """Keys (m,) and their sums (m, c)."""
        raise NotImplementedError

    def put(
        self,
        key: Ints,
        sums: Ints,
    ) -> None:
        """Add the sums of some keys; a key may come several times."""
        raise NotImplementedError

    def merge(self, other: Tally) -> None:
        """Add what another tally has."""
        self.put(*other.rows())


def _no_integers() -> Ints:
    return np.zeros(0, np.int64)


@dataclass
class Levels(Tally):
    """Records of each child of the nodes that are to be split."""

    names: Ints = field(default_factory=_no_integers)
    count: Ints = field(default_factory=_no_integers)

    def add(self, table: pa.Table) -> None:
        """Count records by child."""
        names, count = self.growth.counts(self.coding.numbers(table))
        self.put(names, count[:, None])

    def rows(self) -> tuple[Ints, Ints]:
        """Children and their records."""
        return self.names, self.count[:, None]

    def put(
        self,
        key: Ints,
        sums: Ints,
    ) -> None:
        """Add records of children; new children are put in order."""
        all_names = np.concatenate([self.names, key])
        all_counts = np.concatenate([self.count, sums[:, 0]])
        # both tallies are merged by name; a child that is new gets its place among the others
        names, place = np.unique(all_names, return_inverse=True)
        count = np.zeros(len(names), np.int64)
        np.add.at(count, place, all_counts)
        self.names, self.count = names, count


@dataclass
class Leaves(Tally):
    """Records and sums of codes of each leaf."""

    count: Ints = field(init=False)
    total: Ints = field(init=False)

    def __post_init__(self) -> None:
        self.count, self.total = self.growth.no_sums()

    def add(self, table: pa.Table) -> None:
        """Add records and their codes to their leaves."""
        self.growth.sums(self.coding.numbers(table), self.count, self.total)

    def rows(self) -> tuple[Ints, Ints]:
        """Leaves with records; their count and sums side by side."""
        leaf = np.flatnonzero(self.count)
        return leaf, np.column_stack([self.count[leaf], self.total[leaf]])

    def put(
        self,
        key: Ints,
        sums: Ints,
    ) -> None:
        """Add count and sums of leaves."""
        np.add.at(self.count, key, sums[:, 0])
        np.add.at(self.total, key, sums[:, 1:])
