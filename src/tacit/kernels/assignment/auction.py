"""The sparse assignment problem, with duals: an auction to come near the optimum.

Minimise the sum of c over matched arcs; every row is matched once, column j at most
``capacity[j]`` times. Rows with the same arcs form a class, and arcs are stored once per
class (``indptr``, ``cols``, ``cost``). Duals v (one per column) and
u_i = min_j (c_ij - v_j) are optimal when every row is matched on an arc that attains its
minimum and, where some capacity stays unused, v <= 0 with v = 0 on every column with
room.

Idea. ``auction`` (Bertsekas 1988; with identical objects Bertsekas and Castanon 1989):
a row takes its best column, lowering that column's v by what it is worth to it above the
second best, plus eps. A column with room is taken at its present price: prices then fall
only where records compete, so duals stay good for arcs not in the graph. ``drop``
unmatches rows that are not on a best arc. ``refine`` fits the duals to the links, and
``paths`` matches the rest exactly; the auction only leaves them little to do.

Invariant. The slots in use of a column are a heap by price (the first has the least),
and v[j] of a full column is minus that least price: a bidder always displaces the holder
who pays least. A row that has bid stays within eps of its best arc.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.kernels.arrays import Floats, Ints, StopFlag
from tacit.kernels.assignment.graph import least_reduced as least
from tacit.kernels.compiler import njit

ROUNDING = 4e-16
"""About two units of rounding (2.2e-16 each): the error of cost - v, relatively."""
POLL = 1023
"""The flag is read every 1,024 bids (a mask): often enough for a person who waits."""


class State(NamedTuple):
    """Who is in which slot; the slots of column j are start[j] .. start[j + 1] - 1.

    The first used[j] of them are taken.
    """

    kind: Ints  # class of each row
    start: Ints
    used: Ints
    slot_row: Ints  # -1: free
    slot_price: Floats
    row_col: Ints  # -1: not matched
    row_slot: Ints
    row_cost: Floats


def new_state(kind: Ints, capacity: Ints) -> State:
    """Nobody matched; ``kind[i]`` is the class of row i.

    ``capacity[j]`` says how many rows column j takes.
    """
    start = np.concatenate([[0], np.cumsum(capacity)]).astype(np.int64)
    n = len(kind)
    slots = int(start[-1])
    return State(
        kind=np.ascontiguousarray(kind, dtype=np.int64),
        start=start,
        used=np.zeros(len(capacity), np.int64),
        slot_row=np.full(slots, -1, np.int64),
        slot_price=np.zeros(slots),
        row_col=np.full(n, -1, np.int64),
        row_slot=np.full(n, -1, np.int64),
        row_cost=np.zeros(n),
    )


@njit(cache=True, nogil=True)
def put(
    state: State,
    i: int,
    j: int,
    slot: int,
    cost: float,
) -> None:
    """Row i takes this slot of column j."""
    state.slot_row[slot] = i
    state.row_col[i] = j
    state.row_slot[i] = slot
    state.row_cost[i] = cost


@njit(cache=True, nogil=True)
def take_out(state: State, i: int) -> None:
    """Row i leaves its column; the last taken slot moves into the gap."""
    j = state.row_col[i]
    slot = state.row_slot[i]
    state.used[j] -= 1
    last = state.start[j] + state.used[j]
    other = state.slot_row[last]
    state.slot_row[slot] = other
    state.row_slot[other] = slot
    state.slot_row[last] = -1
    state.row_col[i] = -1
    state.row_slot[i] = -1


@njit(cache=True, nogil=True)
def _heap_swap(
    state: State,
    a: int,
    b: int,
) -> None:
    """The rows in slots a and b change places, with their prices."""
    row_a = state.slot_row[a]
    row_b = state.slot_row[b]
    state.slot_row[a] = row_b
    state.slot_row[b] = row_a
    state.row_slot[row_b] = a
    state.row_slot[row_a] = b
    price_a = state.slot_price[a]
    state.slot_price[a] = state.slot_price[b]
    state.slot_price[b] = price_a


@njit(cache=True, nogil=True)
def _sift_up(
    state: State,
    begin: int,
    p: int,
) -> None:
    """Entry p of the heap that begins at slot ``begin`` rises while its parent is dearer."""
    price = state.slot_price
    while p > 0:
        parent = (p - 1) // 2
        if price[begin + parent] <= price[begin + p]:
            break
        _heap_swap(state, begin + p, begin + parent)
        p = parent


@njit(cache=True, nogil=True)
def _sift_down(
    state: State,
    begin: int,
    size: int,
) -> None:
    """The first entry of the heap sinks while one of its children is cheaper."""
    price = state.slot_price
    p = 0
    while True:
        child = 2 * p + 1
        if child >= size:
            break
        other = child + 1
        if other < size and price[begin + other] < price[begin + child]:
            child = other
        if price[begin + child] >= price[begin + p]:
            break
        _heap_swap(state, begin + p, begin + child)
        p = child


@njit(cache=True, nogil=True)
def drop(
    indptr: Ints,
    cols: Ints,
    cost: Floats,
    v: Floats,
    state: State,
    slack: float,
) -> int:
    """Unmatch rows whose arc is more than ``slack`` (and rounding) above their best.

    Returns how many rows are unmatched then.
    """
    best = least(indptr, cols, cost, v)
    free = 0
    for i in range(len(state.kind)):
        j = state.row_col[i]
        if j >= 0:
            reduced = state.row_cost[i] - v[j]
            rounding = ROUNDING * (abs(state.row_cost[i]) + abs(v[j]))
            if reduced > best[state.kind[i]] + slack + rounding:
                take_out(state, i)
        if state.row_col[i] < 0:
            free += 1
    return free


@njit(cache=True, nogil=True)
def auction(
    indptr: Ints,
    cols: Ints,
    cost: Floats,
    far: Floats,
    v: Floats,
    state: State,
    eps: float,
    most: int,
    stop: StopFlag,
) -> int:
    """Bid until every row is matched, or ``most`` bids were made.

    ``far[c]``: a lower bound of c_ij - v_j over the arcs that class c does not list; it
    stands in for the second best. Returns the number of bids.
    """
    # plain arrays: a tuple that is handed on is counted at each call
    kind, start, used = state.kind, state.start, state.used
    slot_row, slot_price = state.slot_row, state.slot_price
    row_col, row_slot, row_cost = state.row_col, state.row_slot, state.row_cost
    n = len(kind)
    for j in range(len(v)):  # who is there pays the present price
        for slot in range(start[j], start[j] + used[j]):
            slot_price[slot] = -v[j]
    # a stack of the rows that are not matched, the first row on top
    queue = np.empty(n, np.int64)
    top = 0
    for i in range(n - 1, -1, -1):
        if row_col[i] < 0:
            queue[top] = i
            top += 1
    # an index without a sign is not looked at for counting from the end
    begins = indptr.view(np.uint64)
    columns = cols.view(np.uint64)
    bids = 0
    while top > 0 and bids < most:
        if bids & POLL == 0 and stop[0] != 0:
            break
        top -= 1
        i = queue[top]
        c = kind[i]
        first = np.inf
        second = far[c]
        arc = begins[c]
        # choices and no branches: which arc is the best cannot be foretold
        for e in range(begins[c], begins[c + 1]):
            x = cost[e] - v[columns[e]]
            is_less = x < first
            other = first if is_less else x
            first = x if is_less else first
            arc = e if is_less else arc
            second = other if other < second else second
        if first == np.inf:
            continue  # a row without arcs stays unmatched
        j = cols[arc]
        bids += 1
        begin = start[j]
        is_full = used[j] == start[j + 1] - begin
        slot = begin
        price = -v[j]
        if is_full:
            # who pays least, the first of the heap, has to look for another column
            loser = slot_row[begin]
            row_col[loser] = -1
            queue[top] = loser
            top += 1
            # without a second best there is nothing to compare with: eps alone
            raised = second - first if first < second < np.inf else 0.0
            price += raised + eps
        else:
            slot += used[j]
            used[j] += 1
        slot_row[slot] = i
        row_col[i] = j
        row_slot[i] = slot
        row_cost[i] = cost[arc]
        slot_price[slot] = price
        # a column of one place is a heap as it is
        if used[j] > 1:
            if is_full:
                _sift_down(state, begin, used[j])
            else:
                _sift_up(state, begin, slot - begin)
        if is_full:
            v[j] = -slot_price[begin]
    return bids
