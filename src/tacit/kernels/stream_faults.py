"""Rank swapping as a published stream filter does it, with its faults; for ``tacit reproduce`` only.

Faults: p is a number of ranks, whatever the window; a value changes places only with a smaller one; the
smallest value that has not been swapped leaves as it is. Plain twin: tests/reproduce/test_faults.py.
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
