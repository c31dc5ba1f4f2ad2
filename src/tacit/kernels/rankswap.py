"""Rank swapping of one sorted column: which position takes the value of which."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit


@njit(cache=True, nogil=True)
def swap_positions(uniform: npt.NDArray[np.float64], window: int) -> npt.NDArray[np.int64]:
    """source[i]: the sorted position whose value goes to sorted position i; |source[i] - i| <= window.

    From the smallest value up, an unswapped position i swaps with a uniformly chosen unswapped position of
    i+1 .. i+window. The unswapped positions ahead are kept in an array, so that a choice costs O(1) whatever
    the window. A position with no partner left (the last one of an odd file, for example) joins a pair (j, s)
    as a cycle of three in which nobody moves further than `window`; when there is no such pair (small windows, at
    the end of the file) it joins the pair of its neighbour, and one value moves by window + 1.
    """
    n = uniform.shape[0]
    source = np.arange(n)
    pool = np.empty(n, dtype=np.int64)
    place = np.full(n, -1, dtype=np.int64)
    size = 0
    ahead = 0  # first position not yet looked at
    for i in range(n):
        if place[i] >= 0:  # i itself leaves the pool
            size -= 1
            moved = pool[size]
            pool[place[i]] = moved
            place[moved] = place[i]
            place[i] = -1
        while ahead <= min(i + window, n - 1):
            if ahead > i and source[ahead] == ahead:
                pool[size] = ahead
                place[ahead] = size
                size += 1
            ahead += 1
        if source[i] != i:
            continue
        if size > 0:
            chosen = min(int(uniform[i] * size), size - 1)
            j = pool[chosen]
            size -= 1
            moved = pool[size]
            pool[chosen] = moved
            place[moved] = chosen
            place[j] = -1
            source[i] = j
            source[j] = i
        elif n > 1:
            _join(source, i, window, uniform[i])
    return source


@njit(cache=True, nogil=True)
def _join(source: npt.NDArray[np.int64], i: int, window: int, u: float) -> None:
    n = source.shape[0]
    low = max(0, i - window)
    high = min(n - 1, i + window)
    count = 0
    for j in range(low, high + 1):
        if j != i and source[j] != j and abs(source[j] - i) <= window:
            count += 1
    pick = min(int(u * count), count - 1)
    partner = -1
    if count > 0:
        for j in range(low, high + 1):
            if j != i and source[j] != j and abs(source[j] - i) <= window:
                if pick == 0:
                    partner = j
                    break
                pick -= 1
    else:
        partner = i - 1 if i > 0 else i + 1
    source[i] = source[partner]
    source[partner] = i
