"""V-MDAV: groups of variable size (Solanas and Martinez-Balleste 2006).

Idea. A group begins with k records around the one farthest from the centroid, and lets
further records in while they are nearer to the group than to what is outside. All
searches are those of ``nearest``, in a ``live_tree`` from which members are deleted and
that is built anew when half of it is gone.

Invariant. The tree has exactly the records without a group, so the nearest record of the
tree is the nearest outsider, and every closed group has k to 2k-1 members.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit
from tacit.kernels.mdav.live_tree import Tree, build_nearest, delete, squared, unit
from tacit.kernels.mdav.nearest import nearest


@njit(cache=True, nogil=True)
def _nearest_other(
    tree: Tree,
    values: Floats,
    r: int,
    found: Ints,
    distance: Floats,
) -> float:
    """Squared distance of record r, itself in the tree, to the nearest other record."""
    # two, of which one may be r itself
    count = nearest(tree, values, values[r], found[:2], distance[:2], np.inf)
    for i in range(count):
        if found[i] != r:
            return float(distance[i])
    return np.inf


@njit(cache=True, nogil=True)
def _nearest_outsider(
    tree: Tree,
    values: Floats,
    members: Ints,
    found: Ints,
    distance: Floats,
) -> tuple[float, int]:
    """Squared distance and rank of the record of the tree nearest to any of ``members``."""
    best = np.inf
    who = -1
    # the last to join lies in the densest place: a good first bound
    for m in range(members.size - 1, -1, -1):
        pole = values[members[m]]
        if not nearest(tree, values, pole, found[:1], distance[:1], best):
            continue
        if distance[0] < best or found[0] < who or who < 0:
            best = distance[0]
            who = found[0]
    return best, who


@njit(cache=True, nogil=True)
def vmdav_groups(
    values: Floats,
    k: int,
    gamma: float,
) -> Ints:
    """Group number of each row; every group has k .. 2k-1 members (n >= k).

    The record farthest from the centroid of the file takes its k-1 nearest; then the
    nearest outsider e is let in while d_in < gamma * d_out, where d_in is its distance
    to the group and d_out its distance to the nearest other outsider. The fewer than k
    records that remain go to the nearest group that has room. Of equally near records
    the first wins.
    """
    n, d = values.shape
    labels = np.full(n, -1, dtype=np.int64)
    centre = np.zeros(d)
    for j in range(d):
        centre[j] = values[:, j].mean()
    far = np.empty(n)
    for i in range(n):
        far[i] = squared(values, i, centre)
    order = np.argsort(-far, kind="mergesort")
    scale = unit(values, centre)
    tree = build_nearest(values, np.arange(n), centre, scale)
    built = n
    left = n
    cursor = 0
    groups = 0
    members = np.empty(2 * k, dtype=np.int64)
    found = np.empty(max(k, 2), np.int64)
    distance = np.empty(max(k, 2))
    while left >= k:
        while labels[order[cursor]] >= 0:
            cursor += 1
        seed = order[cursor]
        members[0] = seed
        size = 1
        # among equals the seed may not be one of the k nearest to itself
        count = nearest(tree, values, values[seed], found[:k], distance[:k], np.inf)
        for i in range(count):
            if found[i] != seed and size < k:
                members[size] = found[i]
                size += 1
        for m in range(size):
            labels[members[m]] = groups
            delete(tree, members[m])
        while size < 2 * k - 1 and left > size:
            group = members[:size]
            inside, e = _nearest_outsider(tree, values, group, found, distance)
            outside = _nearest_other(tree, values, e, found, distance)
            # squared distances: d_in < gamma d_out
            if not inside < gamma * gamma * outside:
                break
            labels[e] = groups
            members[size] = e
            size += 1
            delete(tree, e)
        groups += 1
        left -= size
        # half of the records are gone: a new tree has fewer nodes and full leaves
        if left < built // 2 and left >= k:
            tree = build_nearest(values, np.flatnonzero(labels < 0), centre, scale)
            built = left
    _place_rest(values, labels, np.flatnonzero(labels < 0), groups, k)
    return labels


@njit(cache=True, nogil=True)
def _place_rest(
    values: Floats,
    labels: Ints,
    rest: Ints,
    groups: int,
    k: int,
) -> None:
    """The records of ``rest``, fewer than k, go to the nearest groups that have room."""
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
        least = np.inf
        for g in range(groups):
            if sizes[g] < 2 * k - 1:
                away = squared(values, i, centres[g])
                if away < least:
                    least = away
                    best = g
        if best < 0:
            _split_full(values, labels, rest[r:], centres, k)
            return
        labels[i] = best
        sizes[best] += 1


@njit(cache=True, nogil=True)
def _split_full(
    values: Floats,
    labels: Ints,
    rest: Ints,
    centres: Floats,
    k: int,
) -> None:
    """Every group is full: the one nearest to the first of ``rest`` is split.

    Its 2k-1 members and this record make two groups of k, which have room for all that
    remain.
    """
    i = rest[0]
    best = -1
    least = np.inf
    for g in range(centres.shape[0]):
        away = squared(values, i, centres[g])
        if away < least:
            least = away
            best = g
    crowd = np.empty(2 * k, dtype=np.int64)
    c = 0
    for j in range(labels.shape[0]):
        if labels[j] == best:
            crowd[c] = j
            c += 1
    crowd[c] = i
    distance = np.empty(2 * k)
    for m in range(2 * k):
        distance[m] = squared(values, crowd[m], values[i])
    # the k nearest to the record, itself included, are the new group
    nearest_first = crowd[np.argsort(distance, kind="mergesort")]
    fresh = labels.max() + 1
    for m in range(k):
        labels[nearest_first[m]] = fresh
    # the others choose between this record and the member farthest from it
    last = nearest_first[2 * k - 1]
    for s in range(1, rest.shape[0]):
        t = rest[s]
        to_fresh = squared(values, t, values[i])
        to_old = squared(values, t, values[last])
        labels[t] = fresh if to_fresh <= to_old else best
