"""Passes over a file: each is a small state that chunks are added to and that can be merged with another's.

All states hold integers, least and largest values: their merge gives the same state in any order, so a file read in
chunks on one machine and a file spread over a cluster end with the same tree.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.kernels.orthtree import codes, moments
from tacit.large.coding import Coding, keys_of, number_column
from tacit.partition.grid import Floats, zero_moments
from tacit.partition.orthtree import Growth

Ints = NDArray[np.int64]


class Pass(Protocol):
    """What is learnt in one reading of the columns ``reads``."""

    @property
    def reads(self) -> tuple[str, ...]: ...

    def add(self, table: pa.Table) -> None: ...

    def merge(self, other: Self) -> None: ...


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
        return (*self.numeric, *self.categorical)

    def add(self, table: pa.Table) -> None:
        if not table.num_rows:
            return
        self.n += table.num_rows
        for name in self.numeric:
            values = number_column(table, name)
            values = values[~np.isnan(values)]
            if not len(values):
                continue
            self.present[name] += len(values)
            low, high = float(values.min()), float(values.max())
            if not (np.isfinite(low) and np.isfinite(high)):
                raise InputError(f"column '{name}' has values that are not finite numbers; mend them first")
            self.low[name] = min(self.low.get(name, low), low)
            self.high[name] = max(self.high.get(name, high), high)
        for name in self.categorical:
            found = pc.value_counts(keys_of(table, name)).to_pylist()
            self.categories.setdefault(name, Counter()).update({f["values"]: f["counts"] for f in found})

    def merge(self, other: Survey) -> None:
        self.n += other.n
        self.present.update(other.present)
        for name in other.low:
            self.low[name] = min(self.low.get(name, np.inf), other.low[name])
            self.high[name] = max(self.high.get(name, -np.inf), other.high[name])
        for name, counts in other.categories.items():
            self.categories.setdefault(name, Counter()).update(counts)

    def box(self) -> tuple[Floats, Floats]:
        return (
            np.array([self.low[name] for name in self.numeric]) + 0.0,
            np.array([self.high[name] for name in self.numeric]) + 0.0,
        )


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
        return (*self.numeric, *self.categorical)

    def add(self, table: pa.Table) -> None:
        values = np.empty((table.num_rows, len(self.numeric)))
        for j, name in enumerate(self.numeric):
            column = number_column(table, name)
            values[:, j] = np.where(np.isnan(column), self.low[j], column)  # code 0 adds nothing to a sum
        code = codes(values, self.low, self.high)
        moments(code, self.total, self.squares)
        for name in self.categorical if self.numeric else ():
            coded = pc.dictionary_encode(keys_of(table, name))
            size = len(coded.dictionary)
            # halves of the codes, so that float weights stay exact
            at = np.asarray(coded.indices)
            row = code.astype(np.int64).sum(axis=1)
            upper = np.bincount(at, weights=(row >> 16).astype(np.float64), minlength=size)
            lower = np.bincount(at, weights=(row & 0xFFFF).astype(np.float64), minlength=size)
            sums = self.sums.setdefault(name, Counter())
            for key, a, b in zip(coded.dictionary.to_pylist(), upper, lower, strict=True):
                sums[key] += (int(a) << 16) + int(b)

    def merge(self, other: Moments) -> None:
        self.total += other.total
        self.squares += other.squares
        for name, counts in other.sums.items():
            self.sums.setdefault(name, Counter()).update(counts)


@dataclass
class Tally:
    """Integers by key. On a cluster they are added up by the executors: the driver gets one row a key."""

    coding: Coding
    growth: Growth

    @property
    def reads(self) -> tuple[str, ...]:
        return self.coding.names

    def rows(self) -> tuple[Ints, Ints]:
        """Keys (m,) and their sums (m, c)."""
        raise NotImplementedError

    def put(self, key: Ints, sums: Ints) -> None:
        """Add the sums of some keys; a key may come several times."""
        raise NotImplementedError

    def merge(self, other: Tally) -> None:
        self.put(*other.rows())


@dataclass
class Levels(Tally):
    """Records of each child of the nodes that are to be split."""

    names: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    count: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, table: pa.Table) -> None:
        names, count = self.growth.counts(self.coding.numbers(table))
        self.put(names, count[:, None])

    def rows(self) -> tuple[Ints, Ints]:
        return self.names, self.count[:, None]

    def put(self, key: Ints, sums: Ints) -> None:
        both, at = np.unique(np.concatenate([self.names, key]), return_inverse=True)
        count = np.zeros(len(both), np.int64)
        np.add.at(count, at, np.concatenate([self.count, sums[:, 0]]))
        self.names, self.count = both, count


@dataclass
class Leaves(Tally):
    """Records and sums of codes of each leaf."""

    count: Ints = field(init=False)
    total: Ints = field(init=False)

    def __post_init__(self) -> None:
        self.count, self.total = self.growth.no_sums()

    def add(self, table: pa.Table) -> None:
        self.growth.sums(self.coding.numbers(table), self.count, self.total)

    def rows(self) -> tuple[Ints, Ints]:
        met = np.flatnonzero(self.count)
        return met, np.column_stack([self.count[met], self.total[met]])

    def put(self, key: Ints, sums: Ints) -> None:
        np.add.at(self.count, key, sums[:, 0])
        np.add.at(self.total, key, sums[:, 1:])
