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


@dataclass(frozen=True)
class Beliefs:
    """Probability of each edge (rows[e], columns[e]), the last change and whether the iteration settled."""

    rows: IntArray
    columns: IntArray
    probability: FloatArray
    change: float
    rounds: int
    settled: bool


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
    fraction: float = 0.8,
    damping: float = 0.3,
    rounds: int = 500,
    tolerance: float = 1e-6,
) -> Beliefs:
    """Bethe marginals of the matching with weights exp(-cost) on the given edges.

    `row_copies` and `column_copies` are the numbers of identical records that a row or column stands for; the
    probability is then that of one copy with one copy, so sum over columns of copies * probability = 1.
    `*_free` is the cost of staying unmatched (default: not allowed).
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
    free_r = np.full(n, np.inf) if row_free is None else np.asarray(row_free, float)
    free_c = np.full(m, np.inf) if column_free is None else np.asarray(column_free, float)
    belief, change, used = propagate(
        start,
        columns.astype(np.int64),
        best[rows] - cost,
        column_start,
        by_column,
        np.ones(n) if row_copies is None else np.asarray(row_copies, float),
        np.ones(m) if column_copies is None else np.asarray(column_copies, float),
        best - free_r,
        -free_c,
        fraction,
        damping,
        rounds,
        tolerance,
    )
    return Beliefs(rows, columns, belief, float(change), int(used), bool(change < tolerance))


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
