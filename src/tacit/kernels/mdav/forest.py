"""The forest of mu-Approx: every tree has at least k records, cut into groups of k .. 3k-3.

Idea. Records point to near records until every tree has k members; then each tree is cut
from its leaves up as soon as k records are together, so that groups stay near.

Invariants. While the forest grows, each tree has one root, the only record that points
nowhere, and ``parent``/``size`` are a union-find over the trees. While it is cut, a
record that is visited has fewer than k open records below it, as a linked list.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Ints
from tacit.kernels.compiler import njit


@njit(cache=True, nogil=True)
def _find(parent: Ints, i: int) -> int:
    """The representative of the tree of i; the path is halved on the way."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit(cache=True, nogil=True)
def grow(
    neighbours: Ints,
    order: Ints,
    k: int,
) -> Ints:
    """out[i]: the record that i points to, or -1 for the root of a tree.

    Every tree has at least k records. `neighbours[i]` are the k-1 nearest others of i,
    nearest first. A tree with fewer than k records lets its root point to its nearest
    record outside the tree; one of the k-1 nearest is always outside.
    """
    n = neighbours.shape[0]
    parent = np.arange(n)
    size = np.ones(n, dtype=np.int64)
    root = np.arange(n)
    out = np.full(n, -1, dtype=np.int64)
    for start in order:
        while True:
            tree = _find(parent, start)
            if size[tree] >= k:
                break
            top = root[tree]
            for j in range(neighbours.shape[1]):
                other = _find(parent, neighbours[top, j])
                if other != tree:
                    out[top] = neighbours[top, j]
                    joint_root = root[other]
                    # the smaller goes under the larger: paths stay short
                    if size[other] < size[tree]:
                        other, tree = tree, other
                    parent[tree] = other
                    size[other] += size[tree]
                    root[other] = joint_root
                    break
    return out


@njit(cache=True, nogil=True)
def _leaves_first(out: Ints) -> Ints:
    """All records, each after its children."""
    n = out.shape[0]
    children = np.zeros(n, dtype=np.int64)
    for i in range(n):
        if out[i] >= 0:
            children[out[i]] += 1
    queue = np.empty(n, dtype=np.int64)
    tail = 0
    for i in range(n):
        if children[i] == 0:
            queue[tail] = i
            tail += 1
    head = 0
    while head < tail:
        above = out[queue[head]]
        head += 1
        if above >= 0:
            children[above] -= 1
            if children[above] == 0:
                queue[tail] = above
                tail += 1
    return queue[:tail]


@njit(cache=True, nogil=True)
def _label(
    labels: Ints,
    following: Ints,
    first: int,
    group: int,
) -> None:
    """All records of a list get this group."""
    i = first
    while i >= 0:
        labels[i] = group
        i = following[i]


@njit(cache=True, nogil=True)
def cut(out: Ints, k: int) -> Ints:
    """Cut every tree into groups of k .. 3k-3 records, from the leaves up.

    A record gathers what its children could not use; as soon as k are gathered they are
    a group. What is left at the root (fewer than k) joins the group that was closed
    nearest below it.
    """
    n = out.shape[0]
    labels = np.full(n, -1, dtype=np.int64)
    # open records below each record, as linked lists
    first = np.full(n, -1, dtype=np.int64)
    last = np.full(n, -1, dtype=np.int64)
    following = np.full(n, -1, dtype=np.int64)
    waiting = np.zeros(n, dtype=np.int64)  # how many they are
    closed = np.full(n, -1, dtype=np.int64)  # a group that was closed below
    groups = 0
    for i in _leaves_first(out):
        # i joins those that wait below it
        following[i] = first[i]
        if first[i] < 0:
            last[i] = i
        first[i] = i
        waiting[i] += 1
        if waiting[i] >= k:
            _label(labels, following, i, groups)
            closed[i] = groups
            groups += 1
            waiting[i] = 0
            first[i] = -1
        above = out[i]
        if above < 0:
            # a tree has at least k records, so something was closed below
            if waiting[i] > 0:
                _label(labels, following, i, closed[i])
            continue
        if closed[above] < 0:
            closed[above] = closed[i]
        if waiting[i] > 0:
            # the list of i goes in front of the list of the record above
            if first[above] < 0:
                last[above] = last[i]
            else:
                following[last[i]] = first[above]
            first[above] = first[i]
            waiting[above] += waiting[i]
            if waiting[above] >= k:
                _label(labels, following, first[above], groups)
                closed[above] = groups
                groups += 1
                waiting[above] = 0
                first[above] = -1
                last[above] = -1
    return labels
