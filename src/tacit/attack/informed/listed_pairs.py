"""Costs of listed pairs of records, whatever the evidence consists of."""

from __future__ import annotations

import numpy as np

from tacit.attack.base import distinct
from tacit.attack.informed.evidence import Evidence, Part
from tacit.base.typing import Floats, Ints
from tacit.kernels.assignment.graph import pair_costs
from tacit.kernels.trees import kdtree

TABLE = 40_000_000
"""A part whose distinct values give at most this many cells (320 MB) is written down once."""
BLOCK = 64
"""Otherwise a part, which only knows matrices, is asked for blocks of this side."""


class PairCosts:
    """Costs of original i with masked j for any list of pairs.

    Most parts see few different values (categories, patterns of gaps), so a small table over the
    distinct values holds every cost, and a pair looks its two values up.

    >>> import numpy as np
    >>> cost = PairCosts(Evidence(np.array([[0.0], [2.0]]), np.array([[1.0]])))
    >>> cost(np.array([0, 1]), np.array([0, 0])).tolist()
    [0.5, 0.5]
    """

    def __init__(self, evidence: Evidence) -> None:
        self._u = np.ascontiguousarray(evidence.u)
        self._v = np.ascontiguousarray(evidence.v)
        self._parts = [_Lookup(part) for part in evidence.parts]

    def __call__(
        self,
        i: Ints,
        j: Ints,
    ) -> Floats:
        """Cost of each listed pair; inf: impossible."""
        total = np.zeros(len(i))
        if self._u.shape[1]:
            total += 0.5 * pair_costs(self._u, self._v, i, j, kdtree.SQUARED)
        for part in self._parts:
            total += part(i, j)
        return total


class _Lookup:
    def __init__(self, part: Part) -> None:
        self.cost = part.cost
        self.ours, self.theirs = distinct(part.a), distinct(part.b)
        cells = len(self.ours.rows) * len(self.theirs.rows)
        self.table = (
            part.cost(self.ours.rows, self.theirs.rows) if cells <= TABLE else None
        )

    def __call__(
        self,
        i: Ints,
        j: Ints,
    ) -> Floats:
        left, right = self.ours.inverse[i], self.theirs.inverse[j]
        if self.table is not None:
            return np.asarray(self.table[left, right])
        out = np.empty(len(i))
        for s in range(0, len(i), BLOCK):
            here = slice(s, s + BLOCK)
            block = self.cost(self.ours.rows[left[here]], self.theirs.rows[right[here]])
            out[here] = np.diag(block)
        return out
