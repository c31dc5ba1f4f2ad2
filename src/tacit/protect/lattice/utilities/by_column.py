"""Losses that add up over columns: granularity, precision, non-uniform entropy.

What a cell loses depends on its own class alone, and a suppressed cell loses most. So a node with
records suppressed loses at least what it would lose without, which is the sum over columns of one
number for each level: a bound for every node before any record is counted.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tacit.base.typing import Floats
from tacit.protect.lattice.level_codes import KeyColumn, Levels
from tacit.protect.lattice.settle import Settled
from tacit.protect.lattice.utilities.base import Utility, at_node, over_lattice


class ByColumn(Utility):
    """A loss of cells between 0 and 1; ``lost`` gives it by class, and 1 is a suppressed cell."""

    def lost(
        self,
        column: KeyColumn,
        level: int,
    ) -> Floats:
        """What a cell of each class of a level loses, on average over its values."""
        raise NotImplementedError

    def suppressed(
        self,
        column: KeyColumn,
        level: int,
    ) -> Floats:
        """What a cell of each class of a level loses more when it is suppressed."""
        return 1.0 - self.lost(column, level)

    @cached_property
    def _by_level(self) -> list[Floats]:
        """For each column and level, the mean over all records, times the column's weight."""
        figures = []
        for column, weight in zip(self._columns, self.setting.weights, strict=True):
            means = []
            for level in range(column.height + 1):
                counts = column.counts[level]
                lost = self.lost(column, level)
                total = float((counts * lost).sum())
                records = max(float(counts.sum()), 1.0)
                means.append(total / records)
            # figures of a level are sums in another order than those of the next
            rising = np.maximum.accumulate(np.array(means))
            figures.append(weight * rising)
        return figures

    @property
    def _columns(self) -> list[KeyColumn]:
        return list(self.setting.columns)

    def floor(self) -> Floats:
        """The loss of each node if nobody is suppressed."""
        return over_lattice(self._columns, self._by_level)

    def floor_at(
        self,
        levels: Levels,
    ) -> float:
        """The loss of one node if nobody is suppressed."""
        return at_node(self._by_level, levels)

    def loss(
        self,
        settled: Settled,
    ) -> float:
        """The floor, and what suppressed records lose more."""
        cells = settled.cells
        total = at_node(self._by_level, cells.levels)
        # cells of the population only are not alive, either; they have no rows and add nothing
        dead = ~settled.alive
        if not dead.any():
            return total
        rows = cells.rows[dead]
        more = 0.0
        for j, column in enumerate(self._columns):
            level = cells.levels[j]
            by_class = self.suppressed(column, level)
            extra = by_class[cells.codes[j][dead]]
            weight = float(self.setting.weights[j])
            more += weight * float((rows * extra).sum())
        return total + more / max(self.setting.records, 1)


class Granularity(ByColumn):
    """The mean over cells of (values in its class - 1) / (values of the column - 1).

    Iyengar (2002); 0: no value is generalised, 1: every cell is the class of all values.
    """

    def lost(
        self,
        column: KeyColumn,
        level: int,
    ) -> Floats:
        """By the number of values of the file that a class holds."""
        # a column of one value has nothing to lose: 0 / 1
        values = max(int(column.leaves[0].sum()), 2)
        # a class of the population only holds no value of the file
        inside = np.maximum(column.leaves[level], 1)
        return np.asarray((inside - 1) / (values - 1))


class Precision(ByColumn):
    """The mean over cells of level / height of the column: 1 - Prec of Sweeney (2002)."""

    def lost(
        self,
        column: KeyColumn,
        level: int,
    ) -> Floats:
        """By the level alone."""
        share = level / max(column.height, 1)
        return np.full(column.sizes[level], share)


class Entropy(ByColumn):
    """The mean over cells of log2(records of the class / records of the value), over its largest.

    Non-uniform entropy (De Waal and Willenborg 1999; Gionis and Tassa 2009): the bits that a
    class hides of its values. 1: every cell is suppressed.
    """

    def lost(
        self,
        column: KeyColumn,
        level: int,
    ) -> Floats:
        """The mean bits of each class."""
        base = column.counts[0]
        up = column.between(0, level)
        whole = column.counts[level]
        with np.errstate(divide="ignore", invalid="ignore"):
            bits = np.log2(whole[up] / base)
            hidden = np.where(base > 0, bits, 0.0)
            summed = np.bincount(up, weights=base * hidden, minlength=len(whole))
            mean = np.where(whole > 0, summed / whole, 0.0)
        return np.asarray(mean / self._most(column))

    def suppressed(
        self,
        column: KeyColumn,
        level: int,
    ) -> Floats:
        """The bits between a class and all records."""
        whole = column.counts[level]
        n = max(int(whole.sum()), 1)
        with np.errstate(divide="ignore"):
            bits = np.log2(n / np.maximum(whole, 1))
            hidden = np.where(whole > 0, bits, 0.0)
        return np.asarray(hidden / self._most(column))

    def _most(
        self,
        column: KeyColumn,
    ) -> float:
        """The mean bits of a column of which nothing is shown."""
        base = column.counts[0]
        n = max(int(base.sum()), 1)
        with np.errstate(divide="ignore"):
            bits = np.log2(n / np.maximum(base, 1))
            hidden = np.where(base > 0, bits, 0.0)
        mean = float((base * hidden).sum()) / n
        # a column of one value hides nothing
        return mean if mean > 0 else 1.0
