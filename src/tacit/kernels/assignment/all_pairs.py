"""The matrix of all costs of a small file: filled, matched where that is easy, and relaxed.

Idea. Where these kernels are compiled already they do what ``attack.solver.dense`` asks of scipy
and numpy in a fraction of the time. Each loop over columns has no branch, so that it becomes vector
code.

``match`` (Jonker and Volgenant 1987) begins with the least cost of each column as its price v.
Rows take their cheapest column while it is free; the others look for shortest paths over the
reduced costs, which are never negative.

Invariant. ``fill`` and ``ways`` give the bits of scipy and of ``dense``: the same operations in the
same order, and a minimum does not depend on order.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit

# the kinds of ``kdtree``, which is compiled vector code and not imported for two names
EUCLIDEAN, MANHATTAN = 1, 2


@njit(cache=True, nogil=True)
def fill(left: Floats, columns: Floats, kind: int, out: Floats) -> None:
    """out[i, j] = f(distance) of row i of ``left`` and column j of ``columns`` (d, m)."""
    d, m = columns.shape
    total = np.empty(m)
    for i in range(left.shape[0]):
        total[:] = 0.0
        for t in range(d):
            x = left[i, t]
            if kind == MANHATTAN:
                for j in range(m):
                    total[j] += abs(x - columns[t, j])
            else:
                for j in range(m):
                    gap = x - columns[t, j]
                    total[j] += gap * gap
        if kind == EUCLIDEAN:
            for j in range(m):
                out[i, j] = np.sqrt(total[j])
        else:
            for j in range(m):
                out[i, j] = total[j]


@njit(cache=True, nogil=True)
def _least(values: Floats) -> float:
    """The smallest of the values, none of which is missing."""
    # four at a time that do not wait for each other: as fast as it gets without vectors
    a = b = c = d = np.inf
    whole = len(values) // 4 * 4
    for j in range(0, whole, 4):
        a = values[j] if values[j] < a else a
        b = values[j + 1] if values[j + 1] < b else b
        c = values[j + 2] if values[j + 2] < c else c
        d = values[j + 3] if values[j + 3] < d else d
    least = min(min(a, b), min(c, d))
    for j in range(whole, len(values)):
        least = min(least, values[j])
    return least


@njit(cache=True, nogil=True)
def _cheapest(row: Floats, v: Floats, reduced: Floats) -> int:
    """The first column of least cost - v; ``reduced`` is room for these."""
    for j in range(len(v)):
        reduced[j] = row[j] - v[j]
    least = _least(reduced)
    best = 0
    while reduced[best] != least:
        best += 1
    return best


@njit(cache=True, nogil=True)
def match(cost: Floats, most: int) -> tuple[bool, Ints]:
    """The column of each row of a square matrix; not found where ``most`` scans do not do."""
    n = len(cost)
    column_of = np.full(n, -1, np.int64)
    row_of = np.full(n, -1, np.int64)
    v = cost[0].copy()
    for i in range(1, n):
        for j in range(n):
            v[j] = min(v[j], cost[i, j])
    reduced = np.empty(n)
    for i in range(n):
        j = _cheapest(cost[i], v, reduced)
        if row_of[j] < 0:
            row_of[j] = i
            column_of[i] = j
    dist = np.empty(n)
    via = np.empty(n, np.int64)
    # columns not settled yet keep their price here; a settled one is infinitely dear
    open_at = np.empty(n)
    done = np.empty(n, np.int64)
    scans = 0
    for root in range(n):
        if column_of[root] >= 0:
            continue
        dist[:] = np.inf
        open_at[:] = v
        settled = 0
        i = root
        now = 0.0
        level = reduced[_cheapest(cost[root], v, reduced)]
        while True:
            scans += 1
            if scans > most:
                return False, column_of
            # dist through row i: now + (c_ij - v_j) - the reduced cost of its own column
            offset = now - level
            for j in range(n):
                x = offset + (cost[i, j] - open_at[j])
                shorter = x < dist[j]
                dist[j] = x if shorter else dist[j]
                via[j] = i if shorter else via[j]
                reduced[j] = dist[j] if open_at[j] > -np.inf else np.inf
            least = _least(reduced)
            j = 0
            while reduced[j] != least:
                j += 1
            now = max(now, least)
            done[settled] = j
            settled += 1
            open_at[j] = -np.inf
            if row_of[j] < 0:
                break
            i = row_of[j]
            level = cost[i, j] - v[j]
        for t in range(settled):
            k = done[t]
            v[k] -= now - dist[k]
        while True:
            i = via[j]
            row_of[j] = i
            before = column_of[i]
            column_of[i] = j
            j = before
            if i == root:
                break
    return True, column_of


@njit(cache=True, nogil=True)
def _relax_down(
    cost: Floats, rows: Ints, own: Floats, some: Ints, way: Floats, out: Floats
) -> None:
    """out[j] = min over some columns c, held by rows[c], of cost[rows[c], j] - own[c] + way[c]."""
    out[:] = np.inf
    for c in some:
        row = rows[c]
        for j in range(len(out)):
            x = (cost[row, j] - own[c]) + way[c]
            out[j] = x if x < out[j] else out[j]


@njit(cache=True, nogil=True)
def _relax_across(
    cost: Floats, rows: Ints, own: Floats, some: Ints, way: Floats, out: Floats
) -> None:
    """out[c] = min over some columns j of cost[rows[c], j] - own[c] + way[j]."""
    m = len(way)
    is_many = 4 * len(some) > m
    # where most columns are asked for, all are looked at in a row, the others infinitely far
    there = np.full(m, np.inf)
    for j in some:
        there[j] = way[j]
    near = way[some]
    # an index without a sign is not looked at for counting from the end
    columns = some.view(np.uint64)
    reach = np.empty(m if is_many else len(some))
    for c in range(len(out)):
        row = rows[c]
        if is_many:
            for j in range(m):
                reach[j] = (cost[row, j] - own[c]) + there[j]
        else:
            for k in range(len(some)):
                reach[k] = (cost[row, columns[k]] - own[c]) + near[k]
        out[c] = _least(reach)


@njit(cache=True, nogil=True)
def ways(cost: Floats, rows: Ints, own: Floats, across: bool, scale: float) -> Floats:
    """``dense._shortest`` where each column c is held by one row, rows[c], at the cost own[c]."""
    m = len(rows)
    way = np.zeros(m)
    reached = np.empty(m)
    some = np.arange(m)
    for _ in range(m + 1):
        if across:
            _relax_across(cost, rows, own, some, way, reached)
        else:
            _relax_down(cost, rows, own, some, way, reached)
        changed = 0
        shorter = np.empty(m, np.int64)
        for j in range(m):
            # less is rounding, on which the passes would go on
            if reached[j] < way[j] - 1e-15 * (scale - way[j]):
                way[j] = reached[j]
                shorter[changed] = j
                changed += 1
        if changed == 0:
            break
        some = shorter[:changed]
    return way
