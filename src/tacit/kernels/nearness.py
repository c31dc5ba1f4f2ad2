"""How near a released number is to what is known, counted in released numbers that are nearer.

The distance to the (k + 1)-th nearest released number is the reach of k: whatever lies within it
is among the k nearest. Halving k again and again gives levels of nearness that need no unit.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit


@njit(cache=True, nogil=True)
def reaches(ordered: Floats, said: Floats, counts: Ints) -> Floats:
    """Distance from each known number to its (count + 1)-th nearest in rising ``ordered``.

    Infinite where there are not so many; NaN for what is not known.
    """
    m = len(ordered)
    out = np.empty((len(said), len(counts)))
    for i in range(len(said)):
        s = said[i]
        if np.isnan(s):
            out[i, :] = np.nan
            continue
        place = np.searchsorted(ordered, s)
        for b in range(len(counts)):
            k = counts[b] + 1
            if k > m:
                out[i, b] = np.inf
                continue
            # the window of k numbers around s begins at the first start whose left end is no
            # further than what would follow on the right
            low = max(0, place - k)
            high = min(place, m - k)
            while low < high:
                middle = (low + high) // 2
                if s - ordered[middle] > ordered[middle + k] - s:
                    low = middle + 1
                else:
                    high = middle
            out[i, b] = max(abs(s - ordered[low]), abs(ordered[low + k - 1] - s))
    return out


@njit(cache=True, nogil=True)
def add_nearness(
    cost: Floats, said: Floats, reach: Floats, shown: Floats, gain: Floats
) -> None:
    """Take the gain of its level of nearness off the cost of each pair; gaps say nothing."""
    levels = reach.shape[1]
    for i in range(len(said)):
        s = said[i]
        if np.isnan(s):
            continue
        for j in range(len(shown)):
            d = abs(shown[j] - s)
            if np.isnan(d):
                continue
            level = 0
            while level < levels and d < reach[i, level]:
                level += 1
            cost[i, j] -= gain[level]


@njit(cache=True, nogil=True)
def add_sameness(
    cost: Floats, ours: Ints, theirs: Ints, agree: Floats, differ: float
) -> None:
    """Take the gain of equal labels (by label) or of different ones off the cost of each pair."""
    for i in range(len(ours)):
        a = ours[i]
        if a < 0:
            continue
        for j in range(len(theirs)):
            if theirs[j] >= 0:
                cost[i, j] -= agree[a] if theirs[j] == a else differ


@njit(cache=True, nogil=True)
def add_table(cost: Floats, ours: Ints, theirs: Ints, gain: Floats) -> None:
    """Take the gain of its two labels off the cost of each pair."""
    for i in range(len(ours)):
        row = gain[ours[i]]
        for j in range(len(theirs)):
            cost[i, j] -= row[theirs[j]]


@njit(cache=True, nogil=True)
def add_nearness_of_pairs(
    cost: Floats,
    rows: Ints,
    others: Ints,
    said: Floats,
    reach: Floats,
    shown: Floats,
    gain: Floats,
) -> None:
    """``add_nearness`` for listed pairs."""
    levels = reach.shape[1]
    for e in range(len(rows)):
        d = abs(shown[others[e]] - said[rows[e]])
        if np.isnan(d):
            continue
        level = 0
        while level < levels and d < reach[rows[e], level]:
            level += 1
        cost[e] -= gain[level]


@njit(cache=True, nogil=True)
def windows(ordered: Floats, said: Floats, width: int) -> Ints:
    """Where in rising ``ordered`` the nearest ``width`` numbers to each begin; -1: not known."""
    m = len(ordered)
    out = np.full(len(said), -1, np.int64)
    for i in range(len(said)):
        s = said[i]
        if np.isnan(s):
            continue
        place = np.searchsorted(ordered, s)
        low = max(0, place - width)
        high = min(place, m - width)
        while low < high:
            middle = (low + high) // 2
            if s - ordered[middle] > ordered[middle + width] - s:
                low = middle + 1
            else:
                high = middle
        out[i] = low
    return out
