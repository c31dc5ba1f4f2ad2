"""The sparse assignment problem, exactly and with duals: an auction to come near, shortest paths to finish.

Minimise the sum of c over matched arcs; every row is matched once, column j at most ``capacity[j]`` times. Rows with
the same arcs form a class, and arcs are stored once a class (``indptr``, ``cols``, ``cost``). Duals v (one a
column) and u_i = min_j (c_ij - v_j) are optimal when every row is matched on an arc that attains its minimum and,
where some capacity stays unused, v <= 0 with v = 0 on every column with room.

* ``auction`` (Bertsekas 1988; with identical objects Bertsekas and Castanon 1989): a row takes its best column,
  lowering that column's v by what it is worth to it above the second best, plus eps. A column with room is taken
  at its present price: prices then fall only where records compete, so duals stay good for arcs not in the graph.
* ``drop`` unmatches rows that are not on a best arc.
* ``augment`` (Jonker and Volgenant 1987) matches the rest by Dijkstra over reduced costs, keeping duals feasible.
* ``release`` raises v on columns with room back to zero, the same way from the column's side.

Exactness rests on ``augment`` and ``release`` alone; the auction only makes them short.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit


class State(NamedTuple):
    """Who holds which slot. The slots of column j are start[j] .. start[j + 1], the first used[j] are taken."""

    kind: Any  # class of each row
    start: Any
    used: Any
    slot_row: Any
    slot_price: Any
    row_col: Any  # -1: not matched
    row_slot: Any
    row_cost: Any


def new_state(kind: Any, capacity: Any) -> State:
    """Nobody matched; ``kind[i]`` is the class of row i, ``capacity[j]`` how many rows column j takes."""
    start = np.concatenate([[0], np.cumsum(capacity)]).astype(np.int64)
    n, slots = len(kind), int(start[-1])
    return State(
        np.ascontiguousarray(kind, dtype=np.int64),
        start,
        np.zeros(len(capacity), np.int64),
        np.full(slots, -1, np.int64),
        np.zeros(slots),
        np.full(n, -1, np.int64),
        np.full(n, -1, np.int64),
        np.zeros(n),
    )


@njit(cache=True, nogil=True)
def put(state: State, i: int, j: int, slot: int, cost: float) -> None:
    """Row i holds this slot of column j."""
    state.slot_row[slot] = i
    state.row_col[i], state.row_slot[i], state.row_cost[i] = j, slot, cost


@njit(cache=True, nogil=True)
def take_out(state: State, i: int) -> None:
    """Row i leaves its column; the last taken slot moves into the gap."""
    j, slot = state.row_col[i], state.row_slot[i]
    state.used[j] -= 1
    last = state.start[j] + state.used[j]
    other = state.slot_row[last]
    state.slot_row[slot] = other
    state.row_slot[other] = slot
    state.slot_row[last] = -1
    state.row_col[i], state.row_slot[i] = -1, -1


@njit(cache=True, nogil=True)
def _heap_swap(state: State, a: int, b: int) -> None:
    p, q = state.slot_row[a], state.slot_row[b]
    state.slot_row[a], state.slot_row[b] = q, p
    state.row_slot[q], state.row_slot[p] = a, b
    state.slot_price[a], state.slot_price[b] = state.slot_price[b], state.slot_price[a]


@njit(cache=True, nogil=True)
def drop(indptr: Any, cols: Any, cost: Any, v: Any, state: State, slack: float) -> int:
    """Unmatch rows whose arc is more than ``slack`` (and rounding) above their best; returns how many are unmatched."""
    best = np.empty(len(indptr) - 1)
    for c in range(len(best)):
        x = np.inf
        for e in range(indptr[c], indptr[c + 1]):
            x = min(x, cost[e] - v[cols[e]])
        best[c] = x
    free = 0
    for i in range(len(state.kind)):
        j = state.row_col[i]
        if j >= 0:
            rounding = 4e-16 * (abs(state.row_cost[i]) + abs(v[j]))
            if state.row_cost[i] - v[j] > best[state.kind[i]] + slack + rounding:
                take_out(state, i)
        if state.row_col[i] < 0:
            free += 1
    return free


@njit(cache=True, nogil=True)
def auction(indptr: Any, cols: Any, cost: Any, far: Any, v: Any, state: State, eps: float, most: int, stop: Any) -> int:
    """Bid until every row is matched, or ``most`` bids were made. Returns the number of bids.

    ``far[c]``: a lower bound of c_ij - v_j over the arcs that class c does not list; it stands in for the second best.
    """
    n = len(state.kind)
    for j in range(len(v)):  # who is there pays the present price
        state.slot_price[state.start[j] : state.start[j] + state.used[j]] = -v[j]
    queue = np.empty(n, np.int64)
    top = 0
    for i in range(n - 1, -1, -1):
        if state.row_col[i] < 0:
            queue[top] = i
            top += 1
    bids = 0
    while top > 0 and bids < most and (bids & 1023 or stop[0] == 0):
        top -= 1
        i = queue[top]
        c = state.kind[i]
        first, second, arc = np.inf, far[c], -1
        for e in range(indptr[c], indptr[c + 1]):
            x = cost[e] - v[cols[e]]
            if x < first:
                first, second, arc = x, min(first, second), e
            elif x < second:
                second = x
        if arc < 0:
            continue
        j = cols[arc]
        bids += 1
        begin = state.start[j]
        if state.used[j] < state.start[j + 1] - begin:
            slot = begin + state.used[j]
            state.used[j] += 1
            put(state, i, j, slot, cost[arc])
            state.slot_price[slot] = -v[j]
            p = slot - begin
            while p > 0 and state.slot_price[begin + (p - 1) // 2] > state.slot_price[begin + p]:
                _heap_swap(state, begin + p, begin + (p - 1) // 2)
                p = (p - 1) // 2
            continue
        loser = state.slot_row[begin]
        state.row_col[loser] = -1
        queue[top] = loser
        top += 1
        put(state, i, j, begin, cost[arc])
        raised = second - first if first < second < np.inf else 0.0
        state.slot_price[begin] = -v[j] + raised + eps
        p, size = 0, state.used[j]
        while True:
            q = 2 * p + 1
            if q >= size:
                break
            if q + 1 < size and state.slot_price[begin + q + 1] < state.slot_price[begin + q]:
                q += 1
            if state.slot_price[begin + q] >= state.slot_price[begin + p]:
                break
            _heap_swap(state, begin + p, begin + q)
            p = q
        v[j] = -state.slot_price[begin]
    return bids


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
