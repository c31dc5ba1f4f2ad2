"""The forest of mu-Approx: every tree has at least k records, cut into groups of k .. 3k-3."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit


@njit(cache=True, nogil=True)
def _find(parent: npt.NDArray[np.int64], i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit(cache=True, nogil=True)
def grow(neighbours: npt.NDArray[np.int64], order: npt.NDArray[np.int64], k: int) -> npt.NDArray[np.int64]:
    """out[i]: the record that i points to, or -1 for the root of a tree; every tree has at least k records.

    `neighbours[i]` are the k-1 nearest others of i, nearest first. A tree with fewer than k records lets its
    root point to its nearest record outside the tree; one of the k-1 nearest is always outside.
    """
    n = neighbours.shape[0]
    parent = np.arange(n)
    size = np.ones(n, dtype=np.int64)
    root = np.arange(n)
    out = np.full(n, -1, dtype=np.int64)
    for start in order:
        while True:
            t = _find(parent, start)
            if size[t] >= k:
                break
            u = root[t]
            for j in range(neighbours.shape[1]):
                other = _find(parent, neighbours[u, j])
                if other != t:
                    out[u] = neighbours[u, j]
                    top = root[other]
                    if size[other] < size[t]:
                        other, t = t, other
                    parent[t] = other
                    size[other] += size[t]
                    root[other] = top
                    break
    return out


@njit(cache=True, nogil=True)
def cut(out: npt.NDArray[np.int64], k: int) -> npt.NDArray[np.int64]:
    """Cut every tree into groups of k .. 3k-3 records, from the leaves up.

    A record gathers what its children could not use; as soon as k are gathered they are a group. What is left
    at the root (fewer than k) joins the group that was closed nearest below it.
    """
    n = out.shape[0]
    children = np.zeros(n, dtype=np.int64)
    for i in range(n):
        if out[i] >= 0:
            children[out[i]] += 1
    # leaves first: a record is visited when all its children were
    queue = np.empty(n, dtype=np.int64)
    tail = 0
    for i in range(n):
        if children[i] == 0:
            queue[tail] = i
            tail += 1
    head = 0
    while head < tail:
        i = queue[head]
        head += 1
        p = out[i]
        if p >= 0:
            children[p] -= 1
            if children[p] == 0:
                queue[tail] = p
                tail += 1
    labels = np.full(n, -1, dtype=np.int64)
    # open records below each record, as linked lists
    first = np.full(n, -1, dtype=np.int64)
    last = np.full(n, -1, dtype=np.int64)
    following = np.full(n, -1, dtype=np.int64)
    held = np.zeros(n, dtype=np.int64)
    closed = np.full(n, -1, dtype=np.int64)
    groups = 0
    for q in range(tail):
        i = queue[q]
        # i joins what it holds
        following[i] = first[i]
        if first[i] < 0:
            last[i] = i
        first[i] = i
        held[i] += 1
        if held[i] >= k:
            j = i
            while j >= 0:
                labels[j] = groups
                j = following[j]
            closed[i] = groups
            groups += 1
            held[i] = 0
            first[i] = -1
        p = out[i]
        if p < 0:
            if held[i] > 0:  # a tree has at least k records, so something was closed below
                j = i
                while j >= 0:
                    labels[j] = closed[i]
                    j = following[j]
            continue
        if closed[p] < 0:
            closed[p] = closed[i]
        if held[i] > 0:
            if first[p] < 0:
                last[p] = last[i]
            else:
                following[last[i]] = first[p]
            first[p] = first[i]
            held[p] += held[i]
            if held[p] >= k:
                j = first[p]
                while j >= 0:
                    labels[j] = groups
                    j = following[j]
                closed[p] = groups
                groups += 1
                held[p] = 0
                first[p] = -1
                last[p] = -1
    return labels
