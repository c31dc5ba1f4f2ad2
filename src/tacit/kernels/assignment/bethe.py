"""Belief propagation for the marginals of a weighted random matching: the kernel.

Idea. The probability of a matching is proportional to the product of phi_ij over its
edges. With the messages
    r_ij = 1 / sum over k != j of phi_ik s_ik        (row i is not needed elsewhere)
    s_ij = 1 / sum over l != i of phi_lj r_lj        (column j is not needed elsewhere)
the belief of an edge is phi r s / (1 + phi r s). Its fixed point is the minimum of the
Bethe free energy, which is convex for this problem (Vontobel 2013, The Bethe permanent
of a nonnegative matrix). A row that stands for a equal records, or a column for g,
counts its own other copies as rivals: copies have equal messages.

The plain Bethe answer jumps to 0 or 1 where two records compete for two: it takes the
better of both pairings. The fractional family b (1 - b)^f = phi u v (Chertkov and
Yedidia 2013, Approximating the permanent with fractional belief propagation) repairs
that: f = 1 is Bethe, f = 0 is Sinkhorn's scaling, f = 1/2 is exact for two against two.
It is run as belief propagation on phi (1 - b)^(1 - f), whose last factor is renewed
every round.

A sparse graph leaves candidates out. Their likelihood, sum of phi, is given for each
row and column; their messages are taken to be like those of the candidates that were
kept (the geometric mean), as they are after WARM rounds; from then on the weight of
being linked outside is fixed, as a unique fixed point needs.

Invariant. A row or column rests while no message at it moves a belief by more than the
tolerance: b (1 - b) |change of log message| is what a message moves. Most of a large
file rests after a few rounds; the long chains of close rivals go on alone.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit

FAR = 700.0
"""Logarithms of messages stay within this, where exp neither overflows nor vanishes."""
WARM = 10
"""Rounds in which nothing rests and the weights of candidates left out follow the
messages."""
CERTAIN = 30.0
"""Log odds above which log(1 + exp(odds)) is odds, to all digits that matter here."""


@njit(cache=True, nogil=True)
def _log_without(
    value: Floats,
    copies: Floats,
    free: float,
    size: int,
    e: int,
) -> float:
    """log(exp(free) + sum of copies * exp(value) without one copy of e), added up anew."""
    best = free
    if copies[e] > 1.0:
        best = max(best, value[e])
    for f in range(size):
        if f != e:
            best = max(best, value[f])
    if best == -np.inf:
        return -np.inf
    # min: with one copy the factor is zero, and exp must not overflow beside it
    own = (copies[e] - 1.0) * np.exp(min(0.0, value[e] - best))
    rest = np.exp(free - best) + own
    for f in range(size):
        if f != e:
            rest += copies[f] * np.exp(value[f] - best)
    return float(best + np.log(rest))


@njit(cache=True, nogil=True)
def _log_others(
    value: Floats,
    copies: Floats,
    free: float,
    part: Floats,
    out: Floats,
    size: int,
) -> None:
    """out[e] = log(exp(free) + sum of copies * exp(value) without one copy of e).

    With no cancellation; ``part`` is room for the terms.
    """
    top = free
    for e in range(size):
        top = max(top, value[e])
    if top == -np.inf:
        out[:size] = -np.inf
        return
    total = np.exp(free - top)
    for e in range(size):
        part[e] = np.exp(value[e] - top)
        total += copies[e] * part[e]
    for e in range(size):
        if part[e] < 0.5 * total:
            out[e] = top + np.log(total - part[e])
        else:
            # the heavy edge, of which a row has at most one or two: a difference would
            # lose its digits
            out[e] = _log_without(value, copies, free, size, e)


@njit(cache=True, nogil=True)
def _message(
    others: float,
    old: float,
    keep: float,
) -> float:
    """The damped new message: 1 / others in logarithms."""
    fresh = min(FAR, max(-FAR, -others))
    return keep * old + (1.0 - keep) * fresh


@njit(cache=True, nogil=True)
def _belief(odds: float) -> float:
    """The probability of an edge from its log odds."""
    return 1.0 / (1.0 + np.exp(-odds)) if odds > -FAR else 0.0


@njit(cache=True, nogil=True)
def _log_not_linked(odds: float) -> float:
    """log(1 - belief) from the log odds."""
    return -np.log1p(np.exp(odds)) if odds < CERTAIN else -odds


@njit(cache=True, nogil=True)
def propagate(
    start: Ints,
    column: Ints,
    log_phi: Floats,
    by_column: Ints,
    order: Ints,
    row_copies: Floats,
    column_copies: Floats,
    row_free: Floats,
    column_free: Floats,
    row_left: Floats,
    column_left: Floats,
    row_scale: Floats,
    fraction: float,
    damping: float,
    rounds: int,
    tolerance: float,
) -> tuple[Floats, int, int]:
    """Edge beliefs in CSR order, rounds used, and how many rows and columns do not rest.

    start, column, log_phi: the rows' edges. by_column, order: start of each column's
    edges in `order`, which lists edge numbers column by column. *_free: log weight of
    staying unmatched (-inf: must be matched). *_left: log likelihood of all candidates
    left out (-inf: none). row_scale: what was added to the rows' log_phi.
    """
    n = start.shape[0] - 1
    m = by_column.shape[0] - 1
    edges = column.shape[0]
    row = np.empty(edges, np.int64)
    widest = 1
    for i in range(n):
        row[start[i] : start[i + 1]] = i
        widest = max(widest, start[i + 1] - start[i])
    for j in range(m):
        widest = max(widest, by_column[j + 1] - by_column[j])
    # room for the edges of one row or column
    value = np.empty(widest)
    copies = np.empty(widest)
    part = np.empty(widest)
    others = np.empty(widest)
    log_w = log_phi.copy()  # phi, times (1 - belief)^(1 - fraction) of the last round
    log_r = np.zeros(edges)
    log_s = np.zeros(edges)
    belief = np.zeros(edges)
    row_out = row_free.copy()  # log weight of not being linked inside the graph
    column_out = column_free.copy()
    row_awake = np.ones(n, np.bool_)
    column_awake = np.ones(m, np.bool_)
    done = 0
    awake = n + m
    while done < rounds and awake > 0:
        # the first messages have no earlier ones to be mixed with
        keep = damping if done > 0 else 0.0
        warm = done < WARM

        # rows: r from s
        for i in range(n):
            if not (warm or row_awake[i]):
                continue
            row_awake[i] = False
            first = start[i]
            size = start[i + 1] - first
            total = 0.0
            for p in range(size):
                e = first + p
                value[p] = log_w[e] + log_s[e]
                copies[p] = column_copies[column[e]]
                total += log_s[e]
            if warm and size > 0:
                outside = row_left[i] + total / size
                row_out[i] = np.logaddexp(row_free[i], outside)
            _log_others(value, copies, row_out[i], part, others, size)
            for p in range(size):
                e = first + p
                new = _message(others[p], log_r[e], keep)
                change = abs(new - log_r[e])
                if belief[e] * (1.0 - belief[e]) * change > tolerance:
                    row_awake[i] = True
                    column_awake[column[e]] = True
                log_r[e] = new

        # columns: s from r, and the beliefs
        for j in range(m):
            if not (warm or column_awake[j]):
                continue
            column_awake[j] = False
            first = by_column[j]
            size = by_column[j + 1] - first
            total = 0.0
            for p in range(size):
                e = order[first + p]
                value[p] = log_w[e] + log_r[e]
                copies[p] = row_copies[row[e]]
                total += log_r[e] + row_scale[row[e]]
            if warm and size > 0:
                outside = column_left[j] + total / size
                column_out[j] = np.logaddexp(column_free[j], outside)
            _log_others(value, copies, column_out[j], part, others, size)
            for p in range(size):
                e = order[first + p]
                log_s[e] = _message(others[p], log_s[e], keep)
                odds = log_w[e] + log_r[e] + log_s[e]
                new = _belief(odds)
                if abs(new - belief[e]) > tolerance:
                    column_awake[j] = True
                    row_awake[row[e]] = True
                belief[e] = new
                if fraction < 1.0:
                    not_linked = (1.0 - fraction) * _log_not_linked(odds)
                    fresh = log_phi[e] + not_linked
                    log_w[e] = damping * log_w[e] + (1.0 - damping) * fresh
        done += 1
        awake = 0
        for i in range(n):
            awake += row_awake[i]
        for j in range(m):
            awake += column_awake[j]
    return belief, done, awake
