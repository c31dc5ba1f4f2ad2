"""Costs of listed pairs of records, whatever the evidence consists of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.attack.base import Distinct, distinct
from tacit.base.typing import Floats, Ints
from tacit.kernels.assignment.graph import add_from_table, pair_costs
from tacit.kernels.trees import kdtree

if TYPE_CHECKING:
    from tacit.attack.informed.evidence import Evidence

TABLE = 40_000_000
"""A part whose distinct values give at most this many cells (320 MB) is written down once."""
JOINT = 4_000_000
"""Cells (32 MB) up to which all parts are looked up in one table."""
BLOCK = 64
"""Otherwise a part, which only knows matrices, is asked for blocks of this side."""


class PairCosts:
    """Costs of original i with masked j for any list of pairs.

    Most parts see few different values (categories, patterns of gaps), so a small table over the
    distinct values holds every cost, and a pair looks its two values up.

    >>> import numpy as np
    >>> from tacit.attack.informed.evidence import Evidence
    >>> cost = PairCosts(Evidence(np.array([[0.0], [2.0]]), np.array([[1.0]])))
    >>> cost(np.array([0, 1]), np.array([0, 0])).tolist()
    [0.5, 0.5]
    """

    def __init__(self, evidence: Evidence) -> None:
        self._u = np.ascontiguousarray(evidence.u)
        self._v = np.ascontiguousarray(evidence.v)
        self._parts = _lookups(evidence)

    def __call__(
        self,
        i: Ints,
        j: Ints,
    ) -> Floats:
        """Cost of each listed pair; inf: impossible."""
        if self._u.shape[1]:
            total = pair_costs(self._u, self._v, i, j, kdtree.SQUARED)
            total *= 0.5
        else:
            total = np.zeros(len(i))
        for part in self._parts:
            part.add(total, i, j)
        return total


def _lookups(evidence: Evidence) -> list[_Lookup]:
    """All parts as one where few rows differ in any of them, so that a pair is looked up once."""
    parts = evidence.parts
    if len(parts) > 1:
        # without vectors: rows of ``block`` are then what the parts look at
        alone = replace(evidence, u=evidence.u[:, :0], v=evidence.v[:, :0])
        ours, theirs = alone.classes()
        if len(ours.rows) * len(theirs.rows) <= JOINT:
            return [_Lookup(ours, theirs, alone.block)]
    return [_Lookup(distinct(part.a), distinct(part.b), part.cost) for part in parts]


class _Lookup:
    """The cost of what few distinct values tell of a pair."""

    def __init__(
        self,
        ours: Distinct,
        theirs: Distinct,
        cost: Callable[[Floats, Floats], Floats],
    ) -> None:
        self.cost = cost
        self.ours, self.theirs = ours, theirs
        cells = len(ours.rows) * len(theirs.rows)
        self.table: Floats | None = None
        if cells <= TABLE:
            self.table = np.ascontiguousarray(
                cost(ours.rows, theirs.rows), dtype=np.float64
            )

    def add(
        self,
        total: Floats,
        i: Ints,
        j: Ints,
    ) -> None:
        """Add the cost of each listed pair to ``total``."""
        left, right = self.ours.inverse, self.theirs.inverse
        if self.table is not None:
            add_from_table(total, self.table, left, right, i, j)
            return
        for s in range(0, len(i), BLOCK):
            here = slice(s, s + BLOCK)
            rows = self.ours.rows[left[i[here]]]
            columns = self.theirs.rows[right[j[here]]]
            total[here] += np.diag(self.cost(rows, columns))
