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
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _log_others(value, copies, free, out, lo, hi):  # type: ignore[no-untyped-def]
    """out[e] = log(free + sum of copies * exp(value) over lo..hi without one copy of e), with no
    cancellation.
    """
    top = free
    for e in range(lo, hi):
        top = max(top, value[e])
    if top == -np.inf:
        for e in range(lo, hi):
            out[e] = -np.inf
        return
    total = np.exp(free - top)
    for e in range(lo, hi):
        total += copies[e] * np.exp(value[e] - top)
    for e in range(lo, hi):
        mine = np.exp(value[e] - top)
        if mine < 0.5 * total:
            out[e] = top + np.log(total - mine)
            continue
        # the heavy edge: add the others up again instead of subtracting; at most one or two a row
        best = free
        if copies[e] > 1.0:
            best = max(best, value[e])
        for f in range(lo, hi):
            if f != e:
                best = max(best, value[f])
        if best == -np.inf:
            out[e] = -np.inf
            continue
        rest = np.exp(free - best) + (copies[e] - 1.0) * np.exp(min(0.0, value[e] - best))
        for f in range(lo, hi):
            if f != e:
                rest += copies[f] * np.exp(value[f] - best)
        out[e] = best + np.log(rest)


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
    fraction,
    damping,
    rounds,
    tolerance,
):
    """Edge beliefs in CSR order, the largest last change of a belief, and the rounds used.

    start, column, log_phi: the rows' edges. by_column, order: start of each column's edges in `order`,
    which lists edge numbers column by column. *_free: log weight of staying unmatched (-inf: must be
    matched).
    """
    n = start.shape[0] - 1
    m = by_column.shape[0] - 1
    edges = column.shape[0]
    rows = np.empty(edges, np.int64)
    place = np.empty(edges, np.int64)
    for i in range(n):
        for e in range(start[i], start[i + 1]):
            rows[e] = i
    for p in range(edges):
        place[order[p]] = p
    in_row = np.empty(edges)
    in_column = np.empty(edges)
    for e in range(edges):
        in_row[e] = column_copies[column[e]]
    for p in range(edges):
        in_column[p] = row_copies[rows[order[p]]]
    log_w = log_phi.copy()
    log_r = np.zeros(edges)
    log_s = np.zeros(edges)
    value = np.empty(edges)
    others = np.empty(edges)
    belief = np.zeros(edges)
    change = np.inf
    done = 0
    while done < rounds:
        for e in range(edges):
            value[e] = log_w[e] + log_s[e]
        for i in range(n):
            _log_others(value, in_row, row_free[i], others, start[i], start[i + 1])
        for e in range(edges):
            new = min(700.0, max(-700.0, -others[e]))
            log_r[e] = new if done == 0 else damping * log_r[e] + (1.0 - damping) * new
        for p in range(edges):
            value[p] = log_w[order[p]] + log_r[order[p]]
        for j in range(m):
            _log_others(value, in_column, column_free[j], others, by_column[j], by_column[j + 1])
        change = 0.0
        for e in range(edges):
            new = min(700.0, max(-700.0, -others[place[e]]))
            log_s[e] = new if done == 0 else damping * log_s[e] + (1.0 - damping) * new
            odds = log_w[e] + log_r[e] + log_s[e]
            b = 1.0 / (1.0 + np.exp(-odds)) if odds > -700.0 else 0.0
            change = max(change, abs(b - belief[e]))
            belief[e] = b
            if fraction < 1.0:
                not_linked = -np.log1p(np.exp(odds)) if odds < 30.0 else -odds
                new = log_phi[e] + (1.0 - fraction) * not_linked
                log_w[e] = damping * log_w[e] + (1.0 - damping) * new
        done += 1
        if change < tolerance:
            break
    return belief, change, done
