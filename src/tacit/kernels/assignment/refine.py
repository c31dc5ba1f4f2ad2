"""Duals that fit a matching: an assignment that is nearly optimal is made exact without a path.

Idea. After the last phase of the auction the links are mostly the optimal ones, while the duals
are off by up to eps. Unmatching every row that is not on a best arc and looking for a path for each
of them finds the same links again. Price refinement (Goldberg 1997) moves the duals instead: a row
whose own arc is above another one, c_im - v_m > c_ij - v_j, lowers v_j to c_ij - (c_im - v_m), and
the rows in column j are looked at again. These are Bellman's and Ford's shortest paths over the
columns, begun at duals that are right but for eps.

Where the links are not optimal there is a cycle round which duals would fall for ever; and a
column with room must keep its dual. So the number of looks is limited, such columns are left alone,
and whoever is not on a best arc afterwards is left to ``drop`` and ``augment``.

Invariant. No dual rises, and the links stay as they are.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats, Ints, StopFlag
from tacit.kernels.assignment.auction import POLL, ROUNDING, State
from tacit.kernels.compiler import njit


@njit(cache=True, nogil=True)
def refine(
    indptr: Ints,
    cols: Ints,
    cost: Floats,
    v: Floats,
    state: State,
    most: int,
    stop: StopFlag,
) -> int:
    """Lower duals until every matched row is on a best arc, or ``most`` rows were looked at.

    Returns how many rows were looked at.
    """
    n = len(state.kind)
    # an index without a sign is not looked at for counting from the end
    begins = indptr.view(np.uint64)
    columns = cols.view(np.uint64)
    # rows that wait, first come, first served: a ring
    ring = np.arange(n)
    waits = np.ones(n, np.bool_)
    head = 0
    waiting = n
    looks = 0
    while waiting > 0 and looks < most:
        if looks & POLL == 0 and stop[0] != 0:
            break
        i = ring[head]
        head = head + 1 if head + 1 < n else 0
        waiting -= 1
        waits[i] = False
        looks += 1
        own = state.row_col[i]
        if own < 0:
            continue
        c = state.kind[i]
        level = state.row_cost[i] - v[own]
        best = np.inf
        for e in range(begins[c], begins[c + 1]):
            x = cost[e] - v[columns[e]]
            best = x if x < best else best
        rounding = ROUNDING * (abs(state.row_cost[i]) + abs(v[own]))
        if level <= best + rounding:
            continue
        for e in range(indptr[c], indptr[c + 1]):
            j = cols[e]
            if cost[e] - v[j] >= level:
                continue
            begin = state.start[j]
            if state.used[j] < state.start[j + 1] - begin:
                continue  # a better column with room: the links are not optimal
            v[j] = cost[e] - level
            for slot in range(begin, begin + state.used[j]):
                holder = state.slot_row[slot]
                if not waits[holder]:
                    waits[holder] = True
                    place = head + waiting
                    ring[place if place < n else place - n] = holder
                    waiting += 1
    return looks
