"""Link probabilities on a graph of candidates: arrays in, arrays out.

For every original the posterior probability of each candidate when exactly one matching of the whole files
is the true one, P(matching) proportional to the product of exp(-cost). The exact answer needs permanents
and is called infeasible in 000 (section 3.3); belief propagation gives the Bethe approximation of it in
time linear in the edges.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
FRACTION = 0.85
"""Of the fractional family (`kernels.bethe`); docs/informed.md says how it was chosen."""


@dataclass(frozen=True)
class Beliefs:
    """Probability of each edge (rows[e], columns[e]); `restless`: rows and columns still moving after the rounds."""

    rows: IntArray
    columns: IntArray
    probability: FloatArray
    rounds: int
    restless: int

    @property
    def settled(self) -> bool:
        return self.restless == 0


def link_probabilities(
    rows: IntArray,
    columns: IntArray,
    cost: FloatArray,
    shape: tuple[int, int],
    *,
    row_copies: FloatArray | None = None,
    column_copies: FloatArray | None = None,
    row_free: FloatArray | None = None,
    column_free: FloatArray | None = None,
    row_left: FloatArray | None = None,
    column_left: FloatArray | None = None,
    fraction: float = FRACTION,
    damping: float = 0.3,
    rounds: int = 500,
    tolerance: float = 1e-6,
) -> Beliefs:
    """Bethe marginals of the matching with weights exp(-cost) on the given edges.

    `row_copies` and `column_copies` are the numbers of identical records that a row or column stands for; the
    probability is then that of one copy with one copy, so sum over columns of copies * probability = 1.
    `*_free` is the cost of staying unmatched (default: not allowed). `*_left` is minus the log likelihood of all
    candidates that the edges leave out (default: none are). No belief moved by more than `tolerance` in the last
    round when the result is settled.
    """
    from ..kernels.bethe import propagate

    n, m = shape
    order = np.lexsort((columns, rows))
    rows, columns, cost = rows[order], columns[order], np.asarray(cost, float)[order]
    start = np.searchsorted(rows, np.arange(n + 1)).astype(np.int64)
    by_column = np.lexsort((rows, columns)).astype(np.int64)
    column_start = np.searchsorted(columns[by_column], np.arange(m + 1)).astype(np.int64)
    best = np.full(n, np.inf)
    np.minimum.at(best, rows, cost)
    best[~np.isfinite(best)] = 0.0
    never = [np.full(size, np.inf) for size in shape]
    belief, used, restless = propagate(
        start,
        columns.astype(np.int64),
        best[rows] - cost,
        column_start,
        by_column,
        np.ones(n) if row_copies is None else np.asarray(row_copies, float),
        np.ones(m) if column_copies is None else np.asarray(column_copies, float),
        best - (never[0] if row_free is None else row_free),
        -(never[1] if column_free is None else column_free),
        best - (never[0] if row_left is None else row_left),
        -(never[1] if column_left is None else column_left),
        best,
        fraction,
        damping,
        rounds,
        tolerance,
    )
    return Beliefs(rows, columns, belief, int(used), int(restless))


def dense_probabilities(cost: FloatArray, **options: float) -> FloatArray:
    """The same for a dense square cost matrix; returns the matrix of probabilities."""
    n, m = cost.shape
    rows, columns = np.divmod(np.arange(n * m), m)
    beliefs = link_probabilities(rows, columns, cost.ravel(), (n, m), **options)  # type: ignore[arg-type]
    return beliefs.probability.reshape(n, m)


def record_by_record(cost: FloatArray) -> FloatArray:
    """Each row normalised on its own: what an intruder believes who forgets that the link is a bijection."""
    likelihood = np.exp(cost.min(1, keepdims=True) - cost)
    return np.asarray(likelihood / likelihood.sum(1, keepdims=True), float)


@dataclass(frozen=True)
class Reliability:
    """Mean stated probability against the share that was true, per bin; error = the weighted mean gap
    (ECE).
    """

    stated: FloatArray
    true: FloatArray
    count: IntArray
    error: float


def reliability(probability: FloatArray, outcome: FloatArray, bins: int = 10) -> Reliability:
    """Bins of equal width on [0, 1]; bins without members are dropped. Outcome is 0/1 (or a share under
    ties).
    """
    place = np.minimum((np.asarray(probability) * bins).astype(np.int64), bins - 1)
    count = np.bincount(place, minlength=bins)
    keep = count > 0
    stated = np.bincount(place, probability, bins)[keep] / count[keep]
    true = np.bincount(place, np.asarray(outcome, float), bins)[keep] / count[keep]
    error = float((np.abs(stated - true) * count[keep]).sum() / max(1, count.sum()))
    return Reliability(stated, true, count[keep].astype(np.int64), error)
