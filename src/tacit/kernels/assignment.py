"""The sparse assignment problem, exactly and with duals: an auction to come near, shortest paths to finish.

Minimise the sum of c over matched arcs; every row is matched once, column j at most ``capacity[j]`` times. Rows with
the same arcs form a class, and arcs are stored once a class (``indptr``, ``cols``, ``cost``). Duals v (one a
column) and u_i = min_j (c_ij - v_j) are optimal when every row is matched on an arc that attains its minimum and,
where some capacity stays unused, v <= 0 with v = 0 on every column with room.

* ``auction`` (Bertsekas 1988; with identical objects Bertsekas and Castanon 1989): a row takes its best column,
  lowering that column's v by what it is worth to it above the second best, plus eps. A column with room is taken
  at its present price: prices then fall only where records compete, so duals stay good for arcs not in the graph.
* ``drop`` unmatches rows that are not on a best arc.

``assignment_paths`` matches the rest exactly; the auction only makes its paths short.
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
