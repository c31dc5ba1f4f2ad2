"""A graph of pairs with their costs, to which pairs are added; nobody has to hold the records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.attack.solver.csr import owners, pointers_of
from tacit.base.typing import Floats, Ints

Pairs = tuple[Ints, Ints, Floats]
"""Rows, columns and costs of some pairs; one may occur twice."""


@dataclass(frozen=True)
class SparseGraph:
    """Row i may go to ``cols[e]`` at ``cost[e]``, e in ``indptr[i] .. indptr[i + 1] - 1``.

    The columns of a row rise and none comes twice.
    """

    indptr: Ints
    cols: Ints
    cost: Floats
    width: int

    @classmethod
    def of(cls, pairs: Pairs, height: int, width: int) -> SparseGraph:
        """The graph of these pairs, with so many rows and columns."""
        rows, cols, cost = pairs
        # one number for each pair: sorted, equal ones stand together
        key = rows * width + cols
        order = np.argsort(key, kind="stable")
        key = key[order]
        is_first = np.ones(len(key), bool)
        is_first[1:] = key[1:] != key[:-1]
        rows, cols = np.divmod(key[is_first], width)
        return cls(pointers_of(rows, height), cols, cost[order[is_first]], width)

    def with_pairs(self, pairs: Pairs) -> SparseGraph:
        """The graph with these pairs, too."""
        mine = owners(self.indptr), self.cols, self.cost
        rows, cols, cost = (
            np.concatenate([old, new]) for old, new in zip(mine, pairs, strict=True)
        )
        return SparseGraph.of((rows, cols, cost), len(self.indptr) - 1, self.width)

    @property
    def typical(self) -> float:
        """The unit of eps: the median cost, or the mean where most costs are zero."""
        median = float(np.median(self.cost))
        return median if median > 0 else float(np.abs(self.cost).mean())
