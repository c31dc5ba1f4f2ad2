"""The constraints of the proof that were needed so far: of N^2 rows only a few are ever violated.

Notation as in ``weights_proof``.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from tacit.attack.learned.weights_search import Pairs
from tacit.base.typing import Floats

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult


class Rows:
    """The rows built so far, and the search for violated ones.

    Parameters
    ----------
    pairs : Pairs
        What is learned from.
    margin : float
        Relative win that the proof asks of a correct link.
    """

    def __init__(
        self,
        pairs: Pairs,
        margin: float,
    ) -> None:
        self.pairs, self.margin = pairs, margin
        self.by_record: list[dict[int, Floats]] = [{} for _ in range(pairs.n)]
        self.total = 0

    def deltas(self, i: int) -> Floats:
        """D_ij / |D_ij| of all rows j."""
        pairs = self.pairs
        x = pairs.x[i]
        z = pairs.z
        gaps = np.where(pairs.nominal, x != z, (x - z) ** 2)
        # positive where the own record is nearer in this attribute
        ahead = gaps - gaps[pairs.own[i]]
        size = np.abs(ahead).max(1, keepdims=True)
        return np.asarray(ahead / np.where(size > 0, size, 1.0), float)

    def violated(
        self,
        i: int,
        w: Floats,
        most: int = 3,
        slack: float = 0.5,
    ) -> int:
        """Add up to ``most`` of the worst rows of record i at w; returns how many were missing."""
        deltas = self.deltas(i)
        value = deltas @ w
        value[self.pairs.own[i]] = np.inf
        built = self.by_record[i]
        missing = 0
        for j in np.argsort(value, kind="stable")[:most].tolist():
            if value[j] < self.margin * slack and j not in built:
                built[j] = deltas[j]
                missing += 1
        self.total += missing
        return missing

    def always(self, i: int) -> bool:
        """Every single attribute links record i with the margin, so every weight vector does."""
        deltas = self.deltas(i)
        deltas[self.pairs.own[i]] = np.inf
        return bool(deltas.min() >= self.margin)

    def never(
        self,
        i: int,
        first: Floats,
        deadline: float,
    ) -> bool:
        """No weight vector links record i: a small linear program with its own lazy rows."""
        # here, because importing it takes a third of a second and few ask for a proof
        from scipy.optimize import linprog

        d = self.pairs.d
        w = first
        while time.monotonic() < deadline:
            # a hair less than the margin: what the program satisfies is not built again
            if not self.violated(i, w, most=4, slack=1 - 1e-3):
                return False
            table = np.array(list(self.by_record[i].values()))
            # maximise the smallest relative win s: w . D >= s
            answer: OptimizeResult = linprog(
                np.append(np.zeros(d), -1.0),
                A_ub=np.column_stack([-table, np.ones(len(table))]),
                b_ub=np.zeros(len(table)),
                A_eq=np.append(np.ones(d), 0.0)[None],
                b_eq=[1.0],
                bounds=[(0, 1)] * d + [(None, 1)],
                method="highs",
            )
            if answer.status != 0 or -answer.fun < self.margin:
                return True
            w = answer.x[:d]
        return False
