"""Graphs of candidate pairs: build, extend, turn round, and the cost of arcs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def pair_costs(left: Any, right: Any, rows: Any, cols: Any, kind: int) -> Any:
    """f(distance) of pairs (kinds of ``kdtree``): differences first, so offsets cost no digits."""
    out = np.empty(len(rows))
    for e in range(len(rows)):
        total = 0.0
        for t in range(left.shape[1]):
            x = left[rows[e], t] - right[cols[e], t]
            total += abs(x) if kind == 2 else x * x
        out[e] = np.sqrt(total) if kind == 1 else total
    return out


@njit(cache=True, nogil=True)
def graph(n: int, rows: Any, cols: Any) -> Any:
    """(indptr, columns) of distinct pairs, columns rising within a row; pairs with a column of -1 are left out."""
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
    kept = 0
    for i in range(n):
        first, last = indptr[i], indptr[i + 1]
        part = np.sort(out[first:last])
        indptr[i] = kept
        for p in range(len(part)):
            if p == 0 or part[p] != part[p - 1]:
                out[kept] = part[p]
                kept += 1
    indptr[n] = kept
    return indptr, out[:kept].copy()


@njit(cache=True, nogil=True)
def by_column(m: int, indptr: Any, cols: Any) -> Any:
    """(indptr, rows, arcs) of the same graph seen from its columns."""
    at = np.zeros(m + 1, np.int64)
    for j in cols:
        at[j + 1] += 1
    at = np.cumsum(at)
    rows, arcs = np.empty(len(cols), np.int64), np.empty(len(cols), np.int64)
    place = at[:-1].copy()
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            j = cols[e]
            rows[place[j]], arcs[place[j]] = i, e
            place[j] += 1
    return at, rows, arcs


@njit(cache=True, nogil=True)
def least(indptr: Any, cols: Any, cost: Any, v: Any) -> Any:
    """u_c = min over the arcs of c of cost - v; inf without arcs."""
    u = np.full(len(indptr) - 1, np.inf)
    for c in range(len(u)):
        for e in range(indptr[c], indptr[c + 1]):
            u[c] = min(u[c], cost[e] - v[cols[e]])
    return u
