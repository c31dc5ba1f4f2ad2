"""Ridge regression of many columns on one basis, each known pair told without itself.

c = (B'B + l I)^-1 B'y; the error of a pair that is left out is e_i / (1 - h_ii) (Allen 1974), and
the penalty l is the one whose errors of that sort are smallest.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from tacit.attack.features.agreement import Learned
from tacit.attack.features.steady import steady
from tacit.base.typing import Bools, Floats

PENALTIES = 10.0 ** np.arange(-12, 3, 2)
"""In units of the largest squared singular value."""

Parts: TypeAlias = tuple[Floats, Floats, Floats, Floats, Floats]


class Ridge:
    """A basis of the originals (records x columns), decomposed once for all released columns."""

    def __init__(self, basis: Floats, pairs: Learned) -> None:
        self._basis = basis
        self._pairs = pairs
        self._parts: dict[bytes, Parts] = {}

    def predicted(self, shown: Floats) -> tuple[Floats, float]:
        """A released column for everybody, and the spread that is left of it (1: all)."""
        pairs = self._pairs
        own = shown[pairs.own]
        there = ~np.isnan(own)
        y = own[there]
        if len(y) < 3 or y.min() == y.max():
            return np.full(len(self._basis), np.nan), 1.0
        rows = pairs.rows[there]
        u, s, vt, shrink, hat = self._decomposed(there)
        mean, spread = y.mean(), y.std()
        unit = (y - mean) / spread
        target = u.T @ unit
        errors = (unit[:, None] - u @ (shrink * target[:, None])) / (1.0 - hat)
        sizes = np.sqrt(np.mean(errors**2, axis=0))
        best = int(np.argmin(sizes))
        safe = np.where(s > 1e-12 * s[0], s, np.inf)
        coefficients = vt.T @ (shrink[:, best] * target / safe)
        said = mean + spread * (self._basis @ coefficients)
        said[rows] = y - spread * errors[:, best]
        return steady(said), float(sizes[best])

    def _decomposed(self, there: Bools) -> Parts:
        """Of the known pairs that have a value (columns mostly have the same): singular values,
        how much each penalty leaves of them, and the weight of each pair in its own prediction."""
        key = there.tobytes()
        if key not in self._parts:
            rows = self._pairs.rows[there]
            u, s, vt = np.linalg.svd(self._basis[rows], full_matrices=False)
            shrink = s[:, None] ** 2 / (s[:, None] ** 2 + PENALTIES * s[0] ** 2)
            hat = np.minimum((u**2) @ shrink, 1.0 - 1e-9)
            self._parts[key] = u, s, vt, shrink, hat
        return self._parts[key]
