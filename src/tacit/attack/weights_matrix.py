"""A full positive semidefinite matrix for the distance, learned by gradient.

d(a, b)^2 = |L' (a - b)|^2. L maximises sum_i v_i log P(own | i), with P(j | i) = g_j exp(-d_ij^2) / sum over the
distinct masked rows (g_j copies): a smooth stand-in for the number of correct links (Goldberger et al. 2005 do the same
for classes). Weights on the diagonal are the special case of 001. The start is the diagonal that the line search
found, so the matrix is kept only if it links more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from tacit.attack.weights_search import Pairs
from tacit.microdata import FloatArray


@dataclass(frozen=True)
class Metric:
    """The matrix A = L L', the map L, and the expected correct links it gives."""

    map: FloatArray
    correct: float
    diagonal_correct: float
    rounds: int

    @property
    def matrix(self) -> FloatArray:
        return np.asarray(self.map @ self.map.T)


def count(pairs: Pairs, root: FloatArray) -> float:
    """Expected correct links in the mapped space."""
    mapped = Pairs(pairs.x @ root, pairs.z @ root, pairs.own, pairs.value, np.zeros(root.shape[1], bool))
    return mapped.correct(np.ones(root.shape[1]))


def learn_matrix(pairs: Pairs, weights: FloatArray, *, rounds: int = 100) -> Metric:
    """Gradient steps (L-BFGS) from the diagonal of the weights, at several sharpnesses; the best count is kept."""
    d = pairs.d
    start = np.diag(np.sqrt(np.maximum(weights, 1e-8)))
    base = count(pairs, start)
    own = ((pairs.x - pairs.z[pairs.own]) @ start) ** 2
    typical = max(float(np.median(own.sum(1))), 1e-12)
    best, top, used = start, base, 0
    copies = np.bincount(pairs.own, minlength=len(pairs.z)).astype(float)

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        root = flat.reshape(d, d)
        x, z = pairs.x @ root, pairs.z @ root
        gaps = (x**2).sum(1)[:, None] + (z**2).sum(1)[None] - 2 * x @ z.T
        score = np.log(copies)[None] - gaps
        high = score.max(1, keepdims=True)
        share = np.exp(score - high)
        total = share.sum(1, keepdims=True)
        share /= total
        rows = np.arange(pairs.n)
        value = -(pairs.value * (score[rows, pairs.own] - high[:, 0] - np.log(total[:, 0]))).sum()
        # d value / d gap_ij = v_i ([j = own] - share_ij)
        pull = -pairs.value[:, None] * share
        pull[rows, pairs.own] += pairs.value
        row, column = pull.sum(1), pull.sum(0)
        outer = pairs.x.T * row @ pairs.x + pairs.z.T * column @ pairs.z
        cross = pairs.x.T @ pull @ pairs.z
        gradient = 2 * (outer - cross - cross.T) @ root
        return float(value), gradient.ravel()

    for sharp in (0.5, 2.0):
        answer = minimize(
            loss, (start * np.sqrt(sharp / typical)).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": rounds}
        )
        used += int(answer.nit)
        root = answer.x.reshape(d, d)
        reached = count(pairs, root)
        if reached > top + 1e-9:
            best, top = root, reached
    return Metric(best, top, base, used)
