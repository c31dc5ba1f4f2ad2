"""V-MDAV: groups of variable size (Solanas and Martinez-Balleste 2006), with the searches of ``mdav_tree``."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from tacit.kernels.mdav_tree import Floats, Ints, Tree, build_nearest, delete, nearest, unit


@njit(cache=True, nogil=True)
def _square(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> float:
    s = 0.0
    for j in range(a.shape[0]):
        d = a[j] - b[j]
        s += d * d
    return s


@njit(cache=True, nogil=True)
def _nearest_other(tree: Tree, values: Floats, r: int, found: Ints, distance: Floats) -> float:
    """Squared distance of the record r, itself in the tree, to the nearest other record of the tree."""
    held = nearest(tree, values, values[r], found[:2], distance[:2], np.inf)
    for i in range(held):
        if found[i] != r:
            return float(distance[i])
    return np.inf


@njit(cache=True, nogil=True)
def _nearest_outsider(tree: Tree, values: Floats, members: Ints, found: Ints, distance: Floats) -> tuple[float, int]:
    """Squared distance and rank of the record of the tree that is nearest to any of ``members``."""
    best, who = np.inf, -1
    for m in range(members.size - 1, -1, -1):  # the last to join lies in the densest place: a good first bound
        if nearest(tree, values, values[members[m]], found[:1], distance[:1], best) and (
            distance[0] < best or found[0] < who or who < 0
        ):
            best, who = distance[0], found[0]
    return best, who


@njit(cache=True, nogil=True)
def vmdav_groups(values: npt.NDArray[np.float64], k: int, gamma: float) -> npt.NDArray[np.int64]:
    """Group number of each row; every group has k .. 2k-1 members (n >= k).

    The record farthest from the centroid of the file takes its k-1 nearest; then the nearest outsider e is
    let in while d_in < gamma * d_out, where d_in is its distance to the group and d_out its distance to the
    nearest other outsider. The fewer than k records that remain go to the nearest group that has room.
    Of equally near records the first wins.
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
    scale = unit(values, centre)
    tree = build_nearest(values, np.arange(n), centre, scale)
    built = left = n
    cursor = groups = 0
    members = np.empty(2 * k, dtype=np.int64)
    found, distance = np.empty(max(k, 2), np.int64), np.empty(max(k, 2))
    while left >= k:
        while labels[order[cursor]] >= 0:
            cursor += 1
        members[0] = order[cursor]
        size = 1
        held = nearest(tree, values, values[members[0]], found[:k], distance[:k], np.inf)
        for i in range(held):
            if found[i] != members[0] and size < k:
                members[size] = found[i]
                size += 1
        for m in range(size):
            labels[members[m]] = groups
            delete(tree, members[m])
        while size < 2 * k - 1 and left > size:
            inside, e = _nearest_outsider(tree, values, members[:size], found, distance)
            # squared distances: d_in < gamma d_out
            if not inside < gamma * gamma * _nearest_other(tree, values, e, found, distance):
                break
            labels[e] = groups
            members[size] = e
            size += 1
            delete(tree, e)
        groups += 1
        left -= size
        if left < built // 2 and left >= k:
            tree = build_nearest(values, np.flatnonzero(labels < 0), centre, scale)
            built = left
    _place_rest(values, labels, np.flatnonzero(labels < 0), groups, k)
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
