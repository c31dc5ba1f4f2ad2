"""A key column as integer codes at every level of its hierarchy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tacit.base.typing import Ints
from tacit.data.hierarchies.rule import TOP, Rule
from tacit.data.hierarchies.tree import Tree, coded
from tacit.data.microdata import Microdata

Levels = tuple[int, ...]
"""A node of the lattice: the level of each column."""


@dataclass(frozen=True)
class KeyColumn:
    """The codes of the records at level 0, and the classes of each code further up.

    A missing value is a value of its own, which stays missing at every level but where the class
    is that of all values.
    """

    name: str
    codes: Ints
    tree: Tree
    records: int
    """Records of the file; what follows in ``codes`` is the population."""
    times: Ints | None = None
    """How many records of the file each of them stands for; None: one."""
    _between: dict[tuple[int, int], Ints] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        rule: Rule,
        data: Microdata,
        name: str,
        records: int | None = None,
        times: Ints | None = None,
    ) -> KeyColumn:
        """The column of a file under a rule; ``records`` of its rows are the file."""
        found = coded(rule, data, name)
        # packed keys and counts take no negative codes: a gap is the code after the last value
        gap = len(found.tree.labels[0])
        codes = np.where(found.codes < 0, gap, found.codes)
        own = data.n if records is None else records
        return cls(name, codes, found.tree, own, times)

    @property
    def height(self) -> int:
        """The highest level."""
        return self.tree.height

    @cached_property
    def gaps(self) -> tuple[int, ...]:
        """The code of a missing value at each level."""
        own = len(self.tree.labels[0])
        codes = [own]
        for labels in self.tree.labels[1:]:
            # '*' holds gaps as well: beside it they would be a class of their own, told by the
            # blank
            all_in_one = labels == (TOP,)
            codes.append(0 if all_in_one else len(labels))
        return tuple(codes)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many codes each level has, that of missing values among them."""
        each = zip(self.tree.labels, self.gaps, strict=True)
        return tuple(max(len(labels), gap + 1) for labels, gap in each)

    def between(
        self,
        low: int,
        high: int,
    ) -> Ints:
        """The class at level ``high`` of each class at level ``low``."""
        # a search asks for the same levels at thousands of nodes
        if (low, high) not in self._between:
            classes = len(self.tree.labels[low])
            here = np.arange(classes, dtype=np.int64)
            for level in range(low, high):
                here = self.tree.up[level][here]
            # the place behind the labels, where there is one, is that of gaps
            gap = self.gaps[high]
            whole = np.full(self.sizes[low], gap, dtype=np.int64)
            whole[: len(here)] = here
            self._between[low, high] = whole
        return self._between[low, high]

    @cached_property
    def counts(self) -> tuple[Ints, ...]:
        """At each level, how many records each class holds."""
        # users lose what the file had; what the population has was never theirs
        own = self.codes[: self.records]
        # sums of whole numbers below 2^53 are exact in floats
        values = np.bincount(own, self.times, minlength=self.sizes[0])
        base = values.astype(np.int64)
        levels = []
        for level, size in enumerate(self.sizes):
            up = self.between(0, level)
            summed = np.bincount(up, weights=base, minlength=size)
            levels.append(np.rint(summed).astype(np.int64))
        return tuple(levels)

    @cached_property
    def leaves(self) -> tuple[Ints, ...]:
        """At each level, how many values of the file each class holds; a gap is one."""
        # values that only the population has cannot be lost, either
        present = (self.counts[0] > 0).astype(np.float64)
        levels = []
        for level, size in enumerate(self.sizes):
            summed = np.bincount(
                self.between(0, level), weights=present, minlength=size
            )
            levels.append(np.rint(summed).astype(np.int64))
        return tuple(levels)

    def label(
        self,
        level: int,
        code: int,
    ) -> str | None:
        """The label of a class; None where it is that of missing values."""
        labels = self.tree.labels[level]
        return labels[code] if code < len(labels) else None


def shape_of(columns: Sequence[KeyColumn]) -> tuple[int, ...]:
    """How many levels each column has."""
    return tuple(column.height + 1 for column in columns)
