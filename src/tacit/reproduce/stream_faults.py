"""Published stream filters with their faults; for ``tacit reproduce`` only. Twins: tests/reproduce/test_faults.py.

Rank swapping: p is a number of ranks, whatever the window; a value changes places only with a smaller one; the
smallest value that has not been swapped leaves as it is.

Differentially private microaggregation: the group should be the k records of the window nearest to a corner of the
domain, but a min-heap stands where a max-heap should (Algorithm 6.7 of 004), so that a nearer record replaces the
*nearest* so far. The oldest record is lost from its own group when it is the nearest of the first k and another is
nearer still; it then leaves as it is.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@njit(cache=True, nogil=True)
def swap_downwards(values: Floats, reach: int, window: int, draw: Floats, out: Floats) -> None:
    """One column: record t, when it is the oldest of a full window, swaps with one of the ``reach`` next
    smaller values that are free, chosen by draw[t] in [0, 1). ``out`` gets the result.
    """
    n = values.shape[0]
    free = np.ones(n, dtype=np.bool_)
    best = np.empty(reach)
    place = np.empty(reach, dtype=np.int64)
    for t in range(n):
        out[t] = values[t]
    for t in range(n):
        if not free[t]:
            continue
        free[t] = False
        found = 0  # the `reach` largest of the smaller values, kept sorted from the smallest up
        for s in range(t + 1, min(t + window, n)):
            v = values[s]
            if not free[s] or v >= values[t] or (found == reach and v <= best[0]):
                continue
            if found < reach:
                at = found
                found += 1
                while at > 0 and best[at - 1] > v:
                    best[at], place[at] = best[at - 1], place[at - 1]
                    at -= 1
            else:
                at = 0
                while at + 1 < reach and best[at + 1] < v:
                    best[at], place[at] = best[at + 1], place[at + 1]
                    at += 1
            best[at], place[at] = v, s
        if found:
            s = place[int(draw[t] * found)]
            out[t], out[s] = values[s], values[t]
            free[s] = False


@njit(cache=True, nogil=True)
def groups_by_corner(records: Floats, k: int, window: int, out: Floats, raw: NDArray[np.bool_]) -> None:
    """The oldest record of a full window calls a group together: the first k that are free, of which the one nearest
    to the corner (least value of each column that has entered so far) gives way to each nearer one that follows.
    ``out`` gets the centroids, ``raw`` which records belong to none.
    """
    n, d = records.shape
    free = np.ones(n, dtype=np.bool_)
    corner = np.full(d, np.inf)
    distance, place = np.empty(k), np.empty(k, dtype=np.int64)
    entered = 0
    for t in range(n):
        while entered < min(t + window, n):
            for j in range(d):
                corner[j] = min(corner[j], records[entered, j])
            entered += 1
        raw[t] = False
        if not free[t]:
            continue
        found = 0
        for s in range(t, entered):
            if not free[s]:
                continue
            far = 0.0
            for j in range(d):
                far += (records[s, j] - corner[j]) ** 2
            if found < k:
                distance[found], place[found] = far, s
                found += 1
            else:
                least = np.argmin(distance)
                if far < distance[least]:
                    distance[least], place[least] = far, s
        for j in range(d):
            mean = 0.0
            for i in range(found):
                mean += records[place[i], j]
            for i in range(found):
                out[place[i], j] = mean / found
        for i in range(found):
            free[place[i]] = False
        if free[t]:
            free[t] = False
            raw[t] = True
            for j in range(d):
                out[t, j] = records[t, j]
