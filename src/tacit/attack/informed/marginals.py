"""Marginals: for each original the masked record that is likeliest to be its own, given
that links are one-to-one.

The assignment is the likeliest bijection as a whole. Near the bound, where many bijections
are nearly as likely, its single links are not the likeliest ones: summing over all
bijections finds more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.attack.base import Distinct, Matching
from tacit.attack.class_links import members_share
from tacit.attack.informed.evidence import Evidence
from tacit.attack.informed.evidence_assignment import DENSE
from tacit.attack.informed.evidence_graph import candidate_pairs
from tacit.attack.probabilistic.beliefs import link_probabilities
from tacit.attack.probabilistic.left_out import left_out
from tacit.base.typing import TIE, Bools, Floats, Ints

EDGES = 250_000
"""Most pairs on which beliefs are propagated; above it the scaling's own probabilities are
taken."""
FAINT = 1e-3
"""A pair with a scaled probability below this is not propagated by itself; together they
count as one."""
CANDIDATES = 24
"""Likeliest candidates of each record where all pairs are too many, as in `evidence_graph`."""
ROUNDS = 200
"""Most rounds of scaling and of propagation."""
TOLERANCE = 1e-3
"""The scaling ends when no sum over a row is further from 1 than this."""
UNSEEN, GROWN = 1e-10, 1e3
"""While factors stay below GROWN, a pair below UNSEEN adds nothing that can be seen to any sum."""
LINES = 32
"""Rows or columns of the matrix that are summed at a time."""
WALL = 50.0
"""Nats by which an impossible pair is behind the worst possible one while scaling; exp(-50)
cannot be seen."""


@dataclass(frozen=True)
class Marginals:
    """Probability of a link between one copy of distinct original rows[e] and one copy of
    masked columns[e]."""

    rows: Ints
    columns: Ints
    probability: Floats


def link_by_marginals(evidence: Evidence, *, sharp: bool = True) -> Matching:
    """Each original names the masked record of largest marginal probability; ties are shared.

    ``score`` is that probability, so that records above .5 or .9 can be counted.

    Parameters
    ----------
    evidence : Evidence
        Minus log likelihoods; they must be in nats, not any distance.
    sharp : bool
        Propagate beliefs after scaling: better probabilities, nearly the same names, more time.
    """
    ours, theirs = evidence.classes()
    found = marginals(evidence, ours, theirs, sharp=sharp)
    best = np.zeros(len(ours.rows))
    np.maximum.at(best, found.rows, found.probability)
    top = found.probability >= best[found.rows] * (1 - 1e-6) - TIE
    top &= found.probability > 0
    rows, columns = found.rows[top], found.columns[top]
    weight = theirs.count[columns].astype(float)
    total = np.bincount(rows, weight, len(ours.rows))
    start = np.searchsorted(rows, np.arange(len(ours.rows) + 1))
    second = np.zeros(len(ours.rows))
    np.maximum.at(second, found.rows[~top], found.probability[~top])
    share = weight / total[rows]
    done = members_share(
        ours, theirs, start, columns, share, score=best, margin=best - second
    )
    done.log = [{"rule": "marginal", "above_half": float((done.score > 0.5).sum())}]
    return done


def marginals(
    evidence: Evidence,
    ours: Distinct,
    theirs: Distinct,
    *,
    sharp: bool = True,
) -> Marginals:
    """Marginal link probabilities between distinct records, in order of rows.

    Small files: all pairs are scaled to a doubly stochastic matrix (Sinkhorn), which takes
    a link between two records for independent of the others; where the pairs that remain
    are few enough, belief propagation sharpens them. Large files: propagation on the
    candidates of `evidence_graph`.
    """
    if max(ours.count.sum(), theirs.count.sum()) > DENSE:
        return _sparse(evidence, ours, theirs)
    cost = evidence.block(ours.rows, theirs.rows)
    scaled = sinkhorn(cost, ours.count.astype(float), theirs.count.astype(float))
    crowd = scaled * np.maximum(ours.count[:, None], theirs.count)
    strong = (crowd > FAINT) & np.isfinite(cost)
    square = ours.count.sum() == theirs.count.sum()
    if not sharp or strong.sum() > EDGES or not square:
        rows, columns = np.nonzero(scaled > 0)
        return Marginals(rows, columns, scaled[rows, columns])
    rows, columns = np.nonzero(strong)
    # what is left out still competes: its likelihood counts as one more candidate
    row_left = _faint(cost, strong, theirs.count)
    column_left = _faint(cost.T, strong.T, ours.count)
    beliefs = link_probabilities(
        rows,
        columns,
        cost[rows, columns],
        cost.shape,
        row_copies=ours.count.astype(float),
        column_copies=theirs.count.astype(float),
        row_left=row_left,
        column_left=column_left,
        rounds=ROUNDS,
        tolerance=1e-5,
    )
    return Marginals(beliefs.rows, beliefs.columns, beliefs.probability)


def _faint(
    cost: Floats,
    strong: Bools,
    copies: Ints,
) -> Floats:
    """Minus the log likelihood of the pairs of each record that are not propagated (inf: none)."""
    low = np.where(np.isfinite(cost), cost, np.inf).min(1, keepdims=True)
    low = np.where(np.isfinite(low), low, 0.0)
    gain = np.where(strong | ~np.isfinite(cost), 0.0, np.exp(low - cost))
    with np.errstate(divide="ignore"):
        return np.asarray(low[:, 0] - np.log(gain @ copies.astype(float)))


def _sparse(
    evidence: Evidence,
    ours: Distinct,
    theirs: Distinct,
) -> Marginals:
    """Belief propagation on the nearest candidates, with an estimate of what they leave out."""
    rows, columns, cost = candidate_pairs(evidence, ours, theirs, CANDIDATES)
    row_left, column_left = left_out(evidence, ours, theirs, rows, columns, cost)
    beliefs = link_probabilities(
        rows,
        columns,
        cost,
        (len(ours.rows), len(theirs.rows)),
        row_copies=ours.count.astype(float),
        column_copies=theirs.count.astype(float),
        row_left=row_left,
        column_left=column_left,
        rounds=ROUNDS,
        tolerance=1e-4,
    )
    return Marginals(beliefs.rows, beliefs.columns, beliefs.probability)


def sinkhorn(
    cost: Floats,
    row_copies: Floats,
    column_copies: Floats,
) -> Floats:
    """exp(-cost) scaled so that sums over rows and columns, copies counted, are 1 (Sinkhorn 1964).

    Returns P with sum_j column_copies_j P_ij = 1 and sum_i row_copies_i P_ij = 1, the
    probability of one copy with one copy. The longer file is matched only in part: as many
    blank records as it has more stand on the other side, equally likely for all.

    >>> sinkhorn(np.array([[0.0, 1.0], [1.0, 0.0]]), np.ones(2), np.ones(2)).round(3).tolist()
    [[0.731, 0.269], [0.269, 0.731]]
    """
    possible = np.isfinite(cost)
    seen = cost[possible]
    wall = (float(seen.max()) if seen.size else 0.0) + WALL
    full = np.where(possible, cost, wall)
    n, m = float(row_copies.sum()), float(column_copies.sum())
    if m > n:
        full = np.vstack([full, np.zeros((1, full.shape[1]))])
        row_copies = np.append(row_copies, m - n)
    elif n > m:
        full = np.hstack([full, np.zeros((full.shape[0], 1))])
        column_copies = np.append(column_copies, n - m)
    scaled = _scale(full, row_copies, column_copies)
    return np.where(possible, scaled[: cost.shape[0], : cost.shape[1]], 0.0)


def _scale(
    cost: Floats,
    row_copies: Floats,
    column_copies: Floats,
) -> Floats:
    """A few rounds in logarithms, then products on the pairs that still count: the same
    fixed point, faster."""
    # here, because importing it takes a quarter of a second and few attacks come this way
    from scipy.sparse import csr_array

    row, column = np.zeros(cost.shape[0]), np.zeros(cost.shape[1])
    log_rows, log_columns = np.log(row_copies), np.log(column_copies)
    done = 0
    while True:
        for _ in range(5):
            row = -_log_sum_of_rows(log_columns + column, cost)
            column = -_log_sum_of_columns(log_rows + row, cost)
        kernel = _scaled(row, column, cost)
        seen = csr_array(np.where(kernel > UNSEEN, kernel, 0.0))
        turned = csr_array(seen.T)
        u, v = np.ones(len(row)), np.ones(len(column))
        settled = False
        for _ in range(50):
            u = 1.0 / (seen @ (column_copies * v))
            v = 1.0 / (turned @ (row_copies * u))
            off = np.abs(u * (seen @ (column_copies * v)) - 1.0).max()
            done += 1
            settled = bool(off < TOLERANCE)
            # where factors have grown, pairs that were left out may count again: look anew
            if settled or max(u.max(), v.max()) > GROWN:
                break
        row, column = row + np.log(u), column + np.log(v)
        if settled or done >= ROUNDS:
            return _scaled(row, column, cost)


def _scaled(row: Floats, column: Floats, cost: Floats) -> Floats:
    """exp(row_i + column_j - cost_ij), in one array."""
    out = row[:, None] + column
    out -= cost
    return np.asarray(np.exp(out, out=out))


def _log_sum_of_rows(shift: Floats, cost: Floats) -> Floats:
    """log sum_j exp(shift_j - cost_ij), some rows at a time: what is in between stays near."""
    out = np.empty(len(cost))
    for first in range(0, len(cost), LINES):
        some = slice(first, first + LINES)
        values = shift - cost[some]
        top = values.max(1)
        values -= top[:, None]
        out[some] = top + np.log(np.exp(values, out=values).sum(1))
    return out


def _log_sum_of_columns(shift: Floats, cost: Floats) -> Floats:
    """log sum_i exp(shift_i - cost_ij), some columns at a time."""
    out = np.empty(cost.shape[1])
    for first in range(0, cost.shape[1], LINES):
        some = slice(first, first + LINES)
        values = shift[:, None] - cost[:, some]
        top = values.max(0)
        values -= top
        out[some] = top + np.log(np.exp(values, out=values).sum(0))
    return out
