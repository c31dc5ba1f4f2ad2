"""Graphs of candidate pairs: build, extend, turn round, and the cost of arcs.

Idea. A graph is in CSR form: the arcs of row i are indptr[i] .. indptr[i + 1] - 1, and
``cols`` names their columns. It is made by counting sort, in time linear in the pairs
but for the sorting inside each row.

Invariant. The columns of a row rise and none comes twice, so the number of an arc is
the same whatever the order in which the pairs were given.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats, Ints, rising
from tacit.kernels.compiler import NUMPY_STEP, njit

# the kinds of ``kdtree``, which is compiled vector code and not imported for two names
EUCLIDEAN, MANHATTAN = 1, 2

SORTED = 25
"""Operations on an entry that is sorted, about."""


def pair_costs(
    left: Floats,
    right: Floats,
    rows: Ints,
    cols: Ints,
    kind: int,
) -> Floats:
    """f(distance) of pairs (kinds of ``kdtree``).

    Differences come first, so that offsets cost no digits.
    """
    # two look-ups, a difference, a square and a sum for each column
    if _pair_costs.pays(5 * len(rows) * left.shape[1] * NUMPY_STEP):
        costs: Floats = _pair_costs(left, right, rows, cols, kind)
        return costs
    total = np.zeros(len(rows))
    for ours, theirs in zip(left.T, right.T, strict=True):
        gap = ours[rows] - theirs[cols]
        total += np.abs(gap) if kind == MANHATTAN else gap * gap
    return np.sqrt(total) if kind == EUCLIDEAN else total


def add_from_table(
    total: Floats,
    table: Floats,
    left: Ints,
    right: Ints,
    rows: Ints,
    cols: Ints,
) -> None:
    """total[p] += table[left[rows[p]], right[cols[p]]], in place: the cost that the classes of a
    pair tell, for each listed pair."""
    # three look-ups and a sum
    if _add_from_table.pays(4 * len(rows) * NUMPY_STEP):
        _add_from_table(total, table, left, right, rows, cols)
    else:
        total += table[left[rows], right[cols]]


def graph(
    n: int,
    rows: Ints,
    cols: Ints,
) -> tuple[Ints, Ints]:
    """(indptr, columns) of the distinct pairs, columns rising within a row.

    Pairs with a column of -1 (no neighbour) are left out.
    """
    if _graph.pays(SORTED * len(rows) * NUMPY_STEP):
        compiled: tuple[Ints, Ints] = _graph(n, rows, cols)
        return compiled
    linked = cols >= 0
    width = int(cols.max(initial=0)) + 1
    pair = rising(rows[linked] * width + cols[linked])
    owner, column = np.divmod(pair, width)
    return _starts(owner, n), column


def by_column(
    m: int,
    indptr: Ints,
    cols: Ints,
) -> tuple[Ints, Ints, Ints]:
    """(indptr, rows, arcs) of the same graph seen from its columns."""
    if _by_column.pays(SORTED * len(cols) * NUMPY_STEP):
        compiled: tuple[Ints, Ints, Ints] = _by_column(m, indptr, cols)
        return compiled
    arcs = np.argsort(cols, kind="stable")
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return _starts(cols, m), rows[arcs], arcs


def least(
    indptr: Ints,
    cols: Ints,
    cost: Floats,
    v: Floats,
) -> Floats:
    """u_c = min over the arcs of c of cost - v; inf without arcs."""
    if least_reduced.pays(5 * len(cols) * NUMPY_STEP):
        compiled: Floats = least_reduced(indptr, cols, cost, v)
        return compiled
    u = np.full(len(indptr) - 1, np.inf)
    has_arcs = np.diff(indptr) > 0
    if has_arcs.any():
        u[has_arcs] = np.minimum.reduceat(cost - v[cols], indptr[:-1][has_arcs])
    return u


def _starts(label: Ints, size: int) -> Ints:
    """Where the entries of each label begin, in an array sorted by label."""
    return np.append(0, np.cumsum(np.bincount(label, minlength=size))).astype(np.int64)


@njit(cache=True, nogil=True)
def _pair_costs(
    left: Floats,
    right: Floats,
    rows: Ints,
    cols: Ints,
    kind: int,
) -> Floats:
    """f(distance) of pairs (kinds of ``kdtree``).

    Differences come first, so that offsets cost no digits.
    """
    out = np.empty(len(rows))
    for e in range(len(rows)):
        total = 0.0
        for t in range(left.shape[1]):
            gap = left[rows[e], t] - right[cols[e], t]
            total += abs(gap) if kind == MANHATTAN else gap * gap
        out[e] = np.sqrt(total) if kind == EUCLIDEAN else total
    return out


@njit(cache=True, nogil=True)
def _add_from_table(
    total: Floats,
    table: Floats,
    left: Ints,
    right: Ints,
    rows: Ints,
    cols: Ints,
) -> None:
    """total[p] += table[left[rows[p]], right[cols[p]]]."""
    for p in range(len(rows)):
        total[p] += table[left[rows[p]], right[cols[p]]]


@njit(cache=True, nogil=True)
def _graph(
    n: int,
    rows: Ints,
    cols: Ints,
) -> tuple[Ints, Ints]:
    """(indptr, columns) of the distinct pairs, columns rising within a row.

    Pairs with a column of -1 (no neighbour) are left out.
    """
    # a counting sort by row
    indptr = np.zeros(n + 1, np.int64)
    for e in range(len(rows)):
        if cols[e] >= 0:
            indptr[rows[e] + 1] += 1
    indptr = np.cumsum(indptr)
    out = np.empty(indptr[n], np.int64)
    place = indptr[:-1].copy()
    for e in range(len(rows)):
        if cols[e] >= 0:
            out[place[rows[e]]] = cols[e]
            place[rows[e]] += 1
    # sort each row and move it up over the duplicates that were left out before it
    kept = 0
    for i in range(n):
        first = indptr[i]
        last = indptr[i + 1]
        columns = np.sort(out[first:last])
        indptr[i] = kept
        for p in range(len(columns)):
            if p == 0 or columns[p] != columns[p - 1]:
                out[kept] = columns[p]
                kept += 1
    indptr[n] = kept
    return indptr, out[:kept].copy()


@njit(cache=True, nogil=True)
def _by_column(
    m: int,
    indptr: Ints,
    cols: Ints,
) -> tuple[Ints, Ints, Ints]:
    """(indptr, rows, arcs) of the same graph seen from its columns."""
    start = np.zeros(m + 1, np.int64)
    for j in cols:
        start[j + 1] += 1
    start = np.cumsum(start)
    rows = np.empty(len(cols), np.int64)
    arcs = np.empty(len(cols), np.int64)
    place = start[:-1].copy()
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            p = place[cols[e]]
            rows[p] = i
            arcs[p] = e
            place[cols[e]] = p + 1
    return start, rows, arcs


@njit(cache=True, nogil=True)
def least_reduced(
    indptr: Ints,
    cols: Ints,
    cost: Floats,
    v: Floats,
) -> Floats:
    """u_c = min over the arcs of c of cost - v; inf without arcs."""
    u = np.empty(len(indptr) - 1)
    # an index without a sign is not looked at for counting from the end
    begins = indptr.view(np.uint64)
    columns = cols.view(np.uint64)
    for c in range(len(u)):
        best = np.inf
        for e in range(begins[c], begins[c + 1]):
            x = cost[e] - v[columns[e]]
            best = x if x < best else best
        u[c] = best
    return u
