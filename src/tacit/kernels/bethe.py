"""Belief propagation for the marginals of a weighted random matching: the kernel.

The probability of a matching is proportional to the product of phi_ij over its edges. With the messages
    r_ij = 1 / sum over k != j of phi_ik s_ik        (row i is not needed elsewhere)
    s_ij = 1 / sum over l != i of phi_lj r_lj        (column j is not needed elsewhere)
the belief of an edge is phi r s / (1 + phi r s). Its fixed point is the minimum of the Bethe free energy,
which is convex for this problem (Vontobel 2013, The Bethe permanent of a nonnegative matrix). A row that
stands for a equal records, or a column for g, counts its own other copies as rivals: copies have equal
messages.

The plain Bethe answer jumps to 0 or 1 where two records compete for two: it takes the better of both
pairings. The fractional family b (1 - b)^f = phi u v (Chertkov and Yedidia 2013, Approximating the
permanent with fractional belief propagation) repairs that: f = 1 is Bethe, f = 0 is Sinkhorn's scaling, f =
1/2 is exact for two against two. It is run as belief propagation on phi (1 - b)^(1 - f), whose last factor
is renewed every round.

A sparse graph leaves candidates out. Their likelihood, sum of phi, is given for each row and column; their
messages are taken to be like those of the candidates that were kept (the geometric mean), as they are after
WARM rounds; from then on the weight of being linked outside is fixed, as a unique fixed point needs.

A row or column rests while no message at it moves a belief by more than the tolerance: b (1 - b) |change of
log message| is what a message moves. Most of a large file rests after a few rounds; the long chains of close
rivals go on alone.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FAR = 700.0
"""Logarithms of messages stay within this, where exp neither overflows nor vanishes."""
WARM = 10
"""Rounds in which nothing rests and the weights of candidates left out follow the messages."""


@njit(cache=True, nogil=True)
def _log_others(value, copies, free, part, out, size):  # type: ignore[no-untyped-def]
    """out[e] = log(exp(free) + sum of copies * exp(value) without one copy of e), with no cancellation."""
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
            continue
        # the heavy edge: add the others up again instead of subtracting; at most one or two a row
        best = free
        if copies[e] > 1.0:
            best = max(best, value[e])
        for f in range(size):
            if f != e:
                best = max(best, value[f])
        if best == -np.inf:
            out[e] = -np.inf
            continue
        rest = np.exp(free - best) + (copies[e] - 1.0) * np.exp(min(0.0, value[e] - best))
        for f in range(size):
            if f != e:
                rest += copies[f] * np.exp(value[f] - best)
        out[e] = best + np.log(rest)


@njit(cache=True, nogil=True)
def _message(others, old, keep):  # type: ignore[no-untyped-def]
    """The damped new message: 1 / others in logarithms."""
    return keep * old + (1.0 - keep) * min(FAR, max(-FAR, -others))


@njit(cache=True, nogil=True)
def propagate(  # type: ignore[no-untyped-def]
    start,
    column,
    log_phi,
    by_column,
    order,
    row_copies,
    column_copies,
    row_free,
    column_free,
    row_left,
    column_left,
    row_scale,
    fraction,
    damping,
    rounds,
    tolerance,
):
    """Edge beliefs in CSR order, rounds used, and the number of rows and columns that had not come to rest.

    start, column, log_phi: the rows' edges. by_column, order: start of each column's edges in `order`,
    which lists edge numbers column by column. *_free: log weight of staying unmatched (-inf: must be matched).
    *_left: log likelihood of all candidates left out (-inf: none). row_scale: what was added to the rows' log_phi.
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
    value, copies, part, others = np.empty(widest), np.empty(widest), np.empty(widest), np.empty(widest)
    log_w = log_phi.copy()
    log_r = np.zeros(edges)
    log_s = np.zeros(edges)
    belief = np.zeros(edges)
    row_out = row_free.copy()
    column_out = column_free.copy()
    row_awake = np.ones(n, np.bool_)
    column_awake = np.ones(m, np.bool_)
    done, awake = 0, n + m
    while done < rounds and awake > 0:
        keep = damping if done > 0 else 0.0
        warm = done < WARM
        for i in range(n):
            if not (warm or row_awake[i]):
                continue
            row_awake[i] = False
            lo, size, total = start[i], start[i + 1] - start[i], 0.0
            for e in range(size):
                value[e] = log_w[lo + e] + log_s[lo + e]
                copies[e] = column_copies[column[lo + e]]
                total += log_s[lo + e]
            if warm and size > 0:
                row_out[i] = np.logaddexp(row_free[i], row_left[i] + total / size)
            _log_others(value, copies, row_out[i], part, others, size)
            for e in range(lo, lo + size):
                new = _message(others[e - lo], log_r[e], keep)
                if belief[e] * (1.0 - belief[e]) * abs(new - log_r[e]) > tolerance:
                    row_awake[i] = column_awake[column[e]] = True
                log_r[e] = new
        awake = 0
        for j in range(m):
            if not (warm or column_awake[j]):
                continue
            column_awake[j] = False
            lo, size, total = by_column[j], by_column[j + 1] - by_column[j], 0.0
            for p in range(size):
                e = order[lo + p]
                value[p] = log_w[e] + log_r[e]
                copies[p] = row_copies[row[e]]
                total += log_r[e] + row_scale[row[e]]
            if warm and size > 0:
                column_out[j] = np.logaddexp(column_free[j], column_left[j] + total / size)
            _log_others(value, copies, column_out[j], part, others, size)
            for p in range(size):
                e = order[lo + p]
                log_s[e] = _message(others[p], log_s[e], keep)
                odds = log_w[e] + log_r[e] + log_s[e]
                new = 1.0 / (1.0 + np.exp(-odds)) if odds > -FAR else 0.0
                if abs(new - belief[e]) > tolerance:
                    column_awake[j] = row_awake[row[e]] = True
                belief[e] = new
                if fraction < 1.0:
                    not_linked = -np.log1p(np.exp(odds)) if odds < 30.0 else -odds
                    log_w[e] = damping * log_w[e] + (1.0 - damping) * (log_phi[e] + (1.0 - fraction) * not_linked)
        done += 1
        for i in range(n):
            awake += row_awake[i]
        for j in range(m):
            awake += column_awake[j]
    return belief, done, awake
