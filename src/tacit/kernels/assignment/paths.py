"""Shortest paths that make an assignment exact, whatever state and duals it begins with.

Idea. The problem and its duals are those of ``auction``.

* ``augment`` (Jonker and Volgenant 1987) matches every unmatched row by Dijkstra over
  the reduced costs c_ij - u_i - v_j >= 0 and lowers v by what the path costs, so that
  duals stay feasible and links stay tight.
* ``release`` raises v on columns with room back to zero, the same way from the column's
  side.

Invariant. A column that Dijkstra has settled (``done``) has its final distance, and
after each path every matched row is on an arc of its least reduced cost. Rounding cannot
break the order: a distance is never taken to be below that of the column it came from.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats, Ints, StopFlag
from tacit.kernels.assignment.auction import State, put, take_out
from tacit.kernels.compiler import njit

FIRST_ROOM = 1024
"""Entries for which a heap has room at first; it doubles when it is full."""


@njit(cache=True, nogil=True)
def _push(
    key: Floats,
    item: Ints,
    size: int,
    x: float,
    j: int,
) -> tuple[Floats, Ints]:
    """Put (x, j) into the heap of ``size`` entries; returns its arrays, perhaps larger."""
    if size == len(key):
        key = np.append(key, np.empty(size))
        item = np.append(item, np.empty(size, np.int64))
    p = size
    while p > 0:
        parent = (p - 1) >> 1
        if key[parent] <= x:
            break
        key[p] = key[parent]
        item[p] = item[parent]
        p = parent
    key[p] = x
    item[p] = j
    return key, item


@njit(cache=True, nogil=True)
def _pop(
    key: Floats,
    item: Ints,
    size: int,
) -> None:
    """Move the last of ``size`` + 1 entries into the place of the first."""
    x = key[size]
    j = item[size]
    p = 0
    while True:
        child = 2 * p + 1
        if child >= size:
            break
        if child + 1 < size and key[child + 1] < key[child]:
            child += 1
        if key[child] >= x:
            break
        key[p] = key[child]
        item[p] = item[child]
        p = child
    key[p] = x
    item[p] = j


@njit(cache=True, nogil=True)
def _has_room(state: State, j: int) -> bool:
    """Whether column j can take one more row."""
    return bool(state.used[j] < state.start[j + 1] - state.start[j])


@njit(cache=True, nogil=True)
def augment(
    indptr: Ints,
    cols: Ints,
    cost: Floats,
    v: Floats,
    state: State,
    stop: StopFlag,
) -> int:
    """Match every unmatched row by a shortest path.

    Returns -1, or a row that no free column can be reached from (or at which the flag
    stopped it).
    """
    m = len(v)
    dist = np.full(m, np.inf)
    via = np.empty(m, np.int64)  # the row through which the column was reached
    arc = np.empty(m, np.int64)  # the arc that row would take
    done = np.zeros(m, np.bool_)
    touched = np.empty(m, np.int64)
    scanned = np.full(len(indptr) - 1, -1, np.int64)
    key = np.empty(FIRST_ROOM)
    item = np.empty(FIRST_ROOM, np.int64)
    for root in range(len(state.kind)):
        if state.row_col[root] >= 0:
            continue
        if stop[0] != 0:
            return root
        reached = 0
        size = 0
        now = 0.0
        best = np.inf
        own = state.kind[root]
        for e in range(indptr[own], indptr[own + 1]):
            best = min(best, cost[e] - v[cols[e]])
        column = -1  # the search begins at the root itself, which has no column
        while True:
            # the rows that would have to leave this column
            first = 0
            leaving = 1
            if column >= 0:
                first = state.start[column]
                leaving = state.used[column]
            for slot in range(first, first + leaving):
                i = root
                reduced = best
                if column >= 0:
                    i = state.slot_row[slot]
                    reduced = state.row_cost[i] - v[column]
                c = state.kind[i]
                if scanned[c] == root:
                    continue  # rows of one class have the same arcs
                scanned[c] = root
                offset = now - reduced
                for e in range(indptr[c], indptr[c + 1]):
                    j = cols[e]
                    if done[j]:
                        continue
                    # a reduced cost below zero by rounding counts as zero
                    x = max(offset + cost[e] - v[j], now)
                    if x < dist[j]:
                        if dist[j] == np.inf:
                            touched[reached] = j
                            reached += 1
                        dist[j] = x
                        via[j] = i
                        arc[j] = e
                        key, item = _push(key, item, size, x, j)
                        size += 1
            # the nearest column that is not settled; stale entries are passed over
            column = -1
            while size > 0 and column < 0:
                x = key[0]
                j = item[0]
                size -= 1
                _pop(key, item, size)
                if not done[j] and x == dist[j]:
                    column = j
            if column < 0:
                return root
            now = dist[column]
            done[column] = True
            if _has_room(state, column):
                break
        # settled columns become dearer by what they were nearer than the end
        for t in range(reached):
            j = touched[t]
            if done[j]:
                v[j] -= now - dist[j]
        # back along the path: each row takes the place that the one after it left
        j = column
        slot = state.start[j] + state.used[j]
        state.used[j] += 1
        while True:
            i = via[j]
            left = state.row_col[i]
            hole = state.row_slot[i]
            put(state, i, j, slot, cost[arc[j]])
            if i == root:
                break
            j = left
            slot = hole
        for t in range(reached):
            dist[touched[t]] = np.inf
            done[touched[t]] = False
    return -1


@njit(cache=True, nogil=True)
def release(
    rows_at: Ints,
    rows_of: Ints,
    arc_of: Ints,
    cost: Floats,
    v: Floats,
    state: State,
    members: Ints,
    stop: StopFlag,
) -> int:
    """Columns with room and v < 0: raise v to zero, moving rows in where that is better.

    All rows are matched. ``rows_at``, ``rows_of``, ``arc_of``: the graph by column
    (classes and arc numbers); ``members``: where each class's rows begin. Returns the
    number of columns repaired.
    """
    m = len(v)
    dist = np.full(m, np.inf)
    via = np.empty(m, np.int64)  # the row that would leave the column
    arc = np.empty(m, np.int64)  # the arc that row would take
    towards = np.empty(m, np.int64)  # the column it would go to
    done = np.zeros(m, np.bool_)
    touched = np.empty(m, np.int64)
    key = np.empty(FIRST_ROOM)
    item = np.empty(FIRST_ROOM, np.int64)
    repaired = 0
    root = 0
    while root < m:  # a column with more than one place to fill comes up again
        if v[root] >= 0.0 or not _has_room(state, root):
            root += 1
            continue
        if stop[0] != 0:
            return repaired
        repaired += 1
        dist[root] = 0.0
        touched[0] = root
        reached = 1
        key[0] = 0.0
        item[0] = root
        size = 1
        # the path ends where raising v to zero costs least: best = min of dist - v
        best = np.inf
        end = -1
        while size > 0:
            x = key[0]
            k = item[0]
            size -= 1
            _pop(key, item, size)
            if done[k] or x > dist[k]:
                continue
            if x >= best:
                break
            done[k] = True
            if x - v[k] < best:
                best = x - v[k]
                end = k
            for p in range(rows_at[k], rows_at[k + 1]):
                c = rows_of[p]
                e = arc_of[p]
                for i in range(members[c], members[c + 1]):
                    j = state.row_col[i]
                    if j == k or done[j]:
                        continue
                    # what row i loses when it moves from j to k
                    reduced = state.row_cost[i] - v[j]
                    y = x + max(cost[e] - v[k] - reduced, 0.0)
                    if y < dist[j] and y < best:
                        if dist[j] == np.inf:
                            touched[reached] = j
                            reached += 1
                        dist[j] = y
                        via[j] = i
                        arc[j] = e
                        towards[j] = k
                        key, item = _push(key, item, size, y, j)
                        size += 1
        for t in range(reached):
            j = touched[t]
            if done[j] and dist[j] < best:
                v[j] = min(v[j] + best - dist[j], 0.0)
        if end != root:
            v[end] = 0.0  # it has room from now on
        # the path, from its end to the root; the heap is not needed any more
        steps = 0
        j = end
        while j != root:
            item[steps] = j
            steps += 1
            j = towards[j]
            if steps == len(item):
                item = np.append(item, np.empty(steps, np.int64))
        # from the root on, so that there is always room for who comes next
        for t in range(steps - 1, -1, -1):
            j = item[t]
            i = via[j]
            k = towards[j]
            take_out(state, i)
            put(state, i, k, state.start[k] + state.used[k], cost[arc[j]])
            state.used[k] += 1
        if len(key) < len(item):
            key = np.empty(len(item))  # both arrays of the heap have one size
        for t in range(reached):
            dist[touched[t]] = np.inf
            done[touched[t]] = False
    return repaired
