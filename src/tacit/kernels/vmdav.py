"""V-MDAV: groups of variable size (Solanas and Martinez-Balleste 2006)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit


@njit(cache=True, nogil=True)
def _square(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> float:
    s = 0.0
    for j in range(a.shape[0]):
        d = a[j] - b[j]
        s += d * d
    return s


@njit(cache=True, nogil=True)
def vmdav_groups(values: npt.NDArray[np.float64], k: int, gamma: float) -> npt.NDArray[np.int64]:
    """Group number of each row; every group has k .. 2k-1 members (n >= k).

    The record farthest from the centroid of the file takes its k-1 nearest; then the nearest outsider e is
    let in while d_in < gamma * d_out, where d_in is its distance to the group and d_out its distance to the
    nearest other outsider. The fewer than k records that remain go to the nearest group that has room.
    """
    n, d = values.shape
    labels = np.full(n, -1, dtype=np.int64)
    centre = np.zeros(d)
    for j in range(d):
        centre[j] = values[:, j].mean()
    far = np.empty(n)
    for i in range(n):
        far[i] = _square(values[i], centre)
    order = np.argsort(-far, kind="mergesort")
    active = np.arange(n)
    left = n
    near = np.empty(n)
    cursor = 0
    groups = 0
    members = np.empty(2 * k, dtype=np.int64)
    while left >= k:
        while labels[order[cursor]] >= 0:
            cursor += 1
        seed = order[cursor]
        # distance of every active record to the seed, then the k nearest (the seed is its own nearest)
        for a in range(left):
            near[a] = _square(values[active[a]], values[seed])
        size = 0
        labels[seed] = groups
        members[size] = seed
        size += 1
        while size < k:
            best = -1
            for a in range(left):
                if labels[active[a]] < 0 and (best < 0 or near[a] < near[best]):
                    best = a
            labels[active[best]] = groups
            members[size] = active[best]
            size += 1
        # `near` becomes the distance to the nearest member of the group
        for m in range(1, size):
            for a in range(left):
                if labels[active[a]] < 0:
                    near[a] = min(near[a], _square(values[active[a]], values[members[m]]))
        rest = left - size
        while size < 2 * k - 1 and rest > 0:
            best = -1
            for a in range(left):
                if labels[active[a]] < 0 and (best < 0 or near[a] < near[best]):
                    best = a
            e = active[best]
            out = np.inf
            for a in range(left):
                i = active[a]
                if i != e and labels[i] < 0:
                    out = min(out, _square(values[i], values[e]))
            # squared distances: d_in < gamma d_out
            if not near[best] < gamma * gamma * out:
                break
            labels[e] = groups
            members[size] = e
            size += 1
            rest -= 1
            for a in range(left):
                if labels[active[a]] < 0:
                    near[a] = min(near[a], _square(values[active[a]], values[e]))
        groups += 1
        kept = 0
        for a in range(left):
            if labels[active[a]] < 0:
                active[kept] = active[a]
                kept += 1
        left = kept
    _place_rest(values, labels, active[:left], groups, k)
    return labels


@njit(cache=True, nogil=True)
def _place_rest(
    values: npt.NDArray[np.float64],
    labels: npt.NDArray[np.int64],
    rest: npt.NDArray[np.int64],
    groups: int,
    k: int,
) -> None:
    n, d = values.shape
    centres = np.zeros((groups, d))
    sizes = np.zeros(groups, dtype=np.int64)
    for i in range(n):
        if labels[i] >= 0:
            sizes[labels[i]] += 1
            centres[labels[i]] += values[i]
    for g in range(groups):
        centres[g] /= sizes[g]
    for r in range(rest.shape[0]):
        i = rest[r]
        best = -1
        nearest = np.inf
        for g in range(groups):
            if sizes[g] < 2 * k - 1:
                q = _square(values[i], centres[g])
                if q < nearest:
                    nearest = q
                    best = g
        if best >= 0:
            labels[i] = best
            sizes[best] += 1
            continue
        # every group is full: split the nearest one, whose 2k-1 members and this record make two groups of k
        for g in range(groups):
            q = _square(values[i], centres[g])
            if q < nearest:
                nearest = q
                best = g
        crowd = np.empty(2 * k, dtype=np.int64)
        c = 0
        for j in range(n):
            if labels[j] == best:
                crowd[c] = j
                c += 1
        crowd[c] = i
        distance = np.empty(2 * k)
        for m in range(2 * k):
            distance[m] = _square(values[crowd[m]], values[i])
        by = np.argsort(distance, kind="mergesort")
        fresh = labels.max() + 1
        for m in range(k):
            labels[crowd[by[m]]] = fresh
        for s in range(r + 1, rest.shape[0]):
            # the two new groups have room for all that remain: nearest of the two by their first members
            t = rest[s]
            a = _square(values[t], values[i])
            b = _square(values[t], values[crowd[by[2 * k - 1]]])
            if a <= b:
                labels[t] = fresh
            else:
                labels[t] = best
        return
