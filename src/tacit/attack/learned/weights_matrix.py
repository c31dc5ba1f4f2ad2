"""A full positive semidefinite matrix for the distance, learned by gradient.

d(a, b)^2 = |L' (a - b)|^2. L maximises sum_i v_i log P(own | i), with
P(j | i) = g_j exp(-d_ij^2) / sum over the distinct masked rows (g_j copies): a smooth stand-in
for the number of correct links (Goldberger et al. 2005 do the same for classes). Weights on the
diagonal are the special case of Abril, Navarro-Arribas and Torra (2012). The start is the
diagonal that the line search found, so the matrix is kept only if it links more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.attack.learned.line_search import BETTER
from tacit.attack.learned.weights_search import Pairs
from tacit.base.typing import Floats

# Smallest weight on the diagonal to start from: the gradient of a weight of zero is
# zero.
SMALLEST = 1e-8
# Squared distances of the start are brought to these sizes: soft ones see far, sharp
# ones count nearly as links are counted.
SHARPNESS = (0.5, 2.0)


@dataclass(frozen=True)
class Metric:
    """The matrix that learning found.

    Attributes
    ----------
    map
        L, of which the matrix is L L'.
    correct, diagonal_correct
        Expected correct links with it, and with the diagonal of the start.
    rounds
        Steps of the optimiser.
    """

    map: Floats
    correct: float
    diagonal_correct: float
    rounds: int

    @property
    def matrix(self) -> Floats:
        """A = L L'."""
        return np.asarray(self.map @ self.map.T)


def count(pairs: Pairs, root: Floats) -> float:
    """Expected correct links in the mapped space.

    Parameters
    ----------
    pairs : Pairs
        What is learned from.
    root : array
        L.
    """
    width = root.shape[1]
    no_nominal = np.zeros(width, bool)
    mapped = Pairs(
        pairs.x @ root,
        pairs.z @ root,
        pairs.own,
        pairs.value,
        no_nominal,
    )
    return mapped.correct(np.ones(width))


class _Loss:
    """-sum_i v_i log P(own | i) and its gradient, for L as a flat array."""

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs
        copies = np.bincount(pairs.own, minlength=len(pairs.z)).astype(float)
        self.log_copies = np.log(copies)[None]

    def __call__(self, flat: Floats) -> tuple[float, Floats]:
        pairs = self.pairs
        root = flat.reshape(pairs.d, pairs.d)
        x = pairs.x @ root
        z = pairs.z @ root
        gaps = (x**2).sum(1)[:, None] + (z**2).sum(1)[None] - 2 * x @ z.T
        score = self.log_copies - gaps
        # exponentials relative to the largest, so that none overflows
        high = score.max(1, keepdims=True)
        share = np.exp(score - high)
        total = share.sum(1, keepdims=True)
        share /= total
        rows = np.arange(pairs.n)
        log_own = score[rows, pairs.own] - high[:, 0] - np.log(total[:, 0])
        value = -(pairs.value * log_own).sum()
        # d value / d gap_ij = v_i ([j = own] - share_ij)
        pull = -pairs.value[:, None] * share
        pull[rows, pairs.own] += pairs.value
        row = pull.sum(1)
        column = pull.sum(0)
        outer = pairs.x.T * row @ pairs.x + pairs.z.T * column @ pairs.z
        cross = pairs.x.T @ pull @ pairs.z
        gradient = 2 * (outer - cross - cross.T) @ root
        return float(value), gradient.ravel()


def learn_matrix(
    pairs: Pairs,
    weights: Floats,
    *,
    rounds: int = 100,
) -> Metric:
    """Gradient steps (L-BFGS) from the diagonal of the weights; the best count is kept.

    Parameters
    ----------
    pairs : Pairs
        What is learned from.
    weights : array
        The diagonal to start from.
    rounds : int
        Most steps from each start.
    """
    # here, because importing it takes a third of a second and few ask for a matrix
    from scipy.optimize import minimize

    d = pairs.d
    start = np.diag(np.sqrt(np.maximum(weights, SMALLEST)))
    start_correct = count(pairs, start)
    own = ((pairs.x - pairs.z[pairs.own]) @ start) ** 2
    # squared distance from an original to its own record
    typical = max(float(np.median(own.sum(1))), 1e-12)
    loss = _Loss(pairs)
    best, correct, used = start, start_correct, 0
    for sharp in SHARPNESS:
        first = start * np.sqrt(sharp / typical)
        answer = minimize(
            loss,
            first.ravel(),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": rounds},
        )
        used += int(answer.nit)
        root = answer.x.reshape(d, d)
        reached = count(pairs, root)
        if reached > correct + BETTER:
            best, correct = root, reached
    return Metric(best, correct, start_correct, used)
