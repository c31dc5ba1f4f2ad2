"""Shortest paths that make an assignment exact, whatever state and duals it begins with (see ``assignment``).

* ``augment`` (Jonker and Volgenant 1987) matches every unmatched row by Dijkstra over the reduced costs
  c_ij - u_i - v_j >= 0 and lowers v by what the path costs, so that duals stay feasible and links stay tight.
* ``release`` raises v on columns with room back to zero, the same way from the column's side.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from tacit.kernels.assignment import State, put, take_out


@njit(cache=True, nogil=True)
def _push(key: Any, item: Any, size: int, x: float, j: int) -> Any:
    if size == len(key):
        key, item = np.append(key, np.empty(size)), np.append(item, np.empty(size, np.int64))
    p = size
    while p > 0 and key[(p - 1) >> 1] > x:
        key[p], item[p] = key[(p - 1) >> 1], item[(p - 1) >> 1]
        p = (p - 1) >> 1
    key[p], item[p] = x, j
    return key, item


@njit(cache=True, nogil=True)
def _pop(key: Any, item: Any, size: int) -> None:
    """Move the last of ``size`` + 1 entries into the place of the first."""
    x, j, p = key[size], item[size], 0
    while True:
        q = 2 * p + 1
        if q >= size:
            break
        if q + 1 < size and key[q + 1] < key[q]:
            q += 1
        if key[q] >= x:
            break
        key[p], item[p] = key[q], item[q]
        p = q
    key[p], item[p] = x, j


@njit(cache=True, nogil=True)
def augment(indptr: Any, cols: Any, cost: Any, v: Any, state: State, stop: Any) -> int:
    """Match every unmatched row by a shortest path. Returns -1, or a row that no free column can be reached from."""
    m = len(v)
    dist, via, arc = np.full(m, np.inf), np.empty(m, np.int64), np.empty(m, np.int64)
    done = np.zeros(m, np.bool_)
    touched = np.empty(m, np.int64)
    scanned = np.full(len(indptr) - 1, -1, np.int64)
    key, item = np.empty(1024), np.empty(1024, np.int64)
    for root in range(len(state.kind)):
        if state.row_col[root] >= 0:
            continue
        if stop[0] != 0:
            return root
        reached, size, now, end = 0, 0, 0.0, -1
        base = np.inf
        for e in range(indptr[state.kind[root]], indptr[state.kind[root] + 1]):
            base = min(base, cost[e] - v[cols[e]])
        column = -1
        while True:
            first = state.start[column] if column >= 0 else 0
            for slot in range(first, first + (state.used[column] if column >= 0 else 1)):
                i = state.slot_row[slot] if column >= 0 else root
                c = state.kind[i]
                if scanned[c] == root:
                    continue  # rows of one class have the same arcs
                scanned[c] = root
                offset = now - (base if column < 0 else state.row_cost[i] - v[column])
                for e in range(indptr[c], indptr[c + 1]):
                    j = cols[e]
                    if done[j]:
                        continue
                    x = max(offset + cost[e] - v[j], now)
                    if x < dist[j]:
                        if dist[j] == np.inf:
                            touched[reached] = j
                            reached += 1
                        dist[j], via[j], arc[j] = x, i, e
                        key, item = _push(key, item, size, x, j)
                        size += 1
            column = -1
            while size > 0 and column < 0:
                x, j = key[0], item[0]
                size -= 1
                _pop(key, item, size)
                if not done[j] and x == dist[j]:
                    column = j
            if column < 0:
                return root
            now = dist[column]
            done[column] = True
            if state.used[column] < state.start[column + 1] - state.start[column]:
                end = column
                break
        for t in range(reached):
            j = touched[t]
            if done[j]:
                v[j] -= now - dist[j]
        slot, j = state.start[end] + state.used[end], end
        state.used[end] += 1
        while True:
            i = via[j]
            left, hole = state.row_col[i], state.row_slot[i]
            put(state, i, j, slot, cost[arc[j]])
            if i == root:
                break
            j, slot = left, hole
        for t in range(reached):
            dist[touched[t]], done[touched[t]] = np.inf, False
    return -1


@njit(cache=True, nogil=True)
def release(rows_at: Any, rows_of: Any, arc_of: Any, cost: Any, v: Any, state: State, members: Any, stop: Any) -> int:
    """Columns with room and v < 0: raise v to zero, moving rows in where that is better. All rows are matched.

    ``rows_at``, ``rows_of``, ``arc_of``: the graph by column (classes and arc numbers); ``members``: where each
    class's rows begin. Returns the number of columns repaired.
    """
    m = len(v)
    dist, via, arc, towards = np.full(m, np.inf), np.empty(m, np.int64), np.empty(m, np.int64), np.empty(m, np.int64)
    done = np.zeros(m, np.bool_)
    touched = np.empty(m, np.int64)
    key, item = np.empty(1024), np.empty(1024, np.int64)
    repaired = 0
    root = 0
    while root < m:  # a column with more than one place to fill comes up again
        if state.used[root] >= state.start[root + 1] - state.start[root] or v[root] >= 0.0:
            root += 1
            continue
        if stop[0] != 0:
            return repaired
        repaired += 1
        dist[root], touched[0], reached, size = 0.0, root, 1, 1
        key[0], item[0] = 0.0, root
        best, end = np.inf, -1
        while size > 0:
            x, k = key[0], item[0]
            size -= 1
            _pop(key, item, size)
            if done[k] or x > dist[k]:
                continue
            if x >= best:
                break
            done[k] = True
            if x - v[k] < best:
                best, end = x - v[k], k
            for p in range(rows_at[k], rows_at[k + 1]):
                c, e = rows_of[p], arc_of[p]
                for i in range(members[c], members[c + 1]):
                    j = state.row_col[i]
                    if j == k or done[j]:
                        continue
                    y = x + max(cost[e] - v[k] - (state.row_cost[i] - v[j]), 0.0)
                    if y < dist[j] and y < best:
                        if dist[j] == np.inf:
                            touched[reached] = j
                            reached += 1
                        dist[j], via[j], arc[j], towards[j] = y, i, e, k
                        key, item = _push(key, item, size, y, j)
                        size += 1
        for t in range(reached):
            j = touched[t]
            if done[j] and dist[j] < best:
                v[j] = min(v[j] + best - dist[j], 0.0)
        if end != root:
            v[end] = 0.0
        steps, j = 0, end
        while j != root:
            item[steps] = j
            steps, j = steps + 1, towards[j]
            if steps == len(item):
                item = np.append(item, np.empty(steps, np.int64))
        for t in range(steps - 1, -1, -1):  # from the root on, so that there is always room for who comes next
            j = item[t]
            i, k = via[j], towards[j]
            take_out(state, i)
            put(state, i, k, state.start[k] + state.used[k], cost[arc[j]])
            state.used[k] += 1
        if len(key) < len(item):
            key = np.empty(len(item))
        for t in range(reached):
            dist[touched[t]], done[touched[t]] = np.inf, False
    return repaired
