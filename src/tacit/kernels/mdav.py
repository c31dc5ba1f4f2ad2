"""Exact MDAV (maximum distance to average vector) microaggregation, without the quadratic wall.

Definition. While at least 3k records remain: c = their mean; r = the record farthest from c; r and its k-1
nearest records form a group; s = the record farthest from r of those left; s and its k-1 nearest form a
group. When 2k to 3k-1 records remain: the record farthest from their mean and its k-1 nearest form a group,
the rest another. Fewer than 2k records form one group. Distances are Euclidean on the columns as given
(scale them first). Ties go to the record that comes first in value-lexicographic order, so the order of the
rows cannot change the groups.

Source: Domingo-Ferrer and Torra (2005), Data Mining and Knowledge Discovery 11(2).

Guarantee: every group has k to 2k-1 records.

Cost: for a pair of groups, two nearest queries of a kd-tree (``mdav_tree``), one farthest query over shells
(``mdav_shells``), and the farthest from the mean from a heap of stale distances: since a distance grows by at
most the drift of the mean, only the top is refreshed. Memory is linear. Measured in docs/large.md.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tacit.kernels.mdav_shells import build_shells, delete_from_shells, farthest
from tacit.kernels.mdav_tree import LEAF, Floats, Ints, build, delete, nearest

_SMALLEST_REBUILD = 256


def value_order(values: Floats) -> Ints:
    """Rows in value-lexicographic order (first column first); identical rows keep their order."""
    order: Ints = np.argsort(values[:, 0], kind="stable")
    first = values[order, 0]
    if values.shape[1] > 1 and bool((first[1:] == first[:-1]).any()):
        order = np.lexsort(values.T[::-1])
    return order


def mdav(values: NDArray[Any], k: int) -> Ints:
    """Group labels 0, 1, ... of the rows of ``values`` (n, d); see the definition above."""
    x = np.ascontiguousarray(values, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] == 0:
        raise ValueError("MDAV needs a table with at least one column.")
    if k < 1:
        raise ValueError(f"MDAV needs k of at least 1, not {k}.")
    if x.shape[0] < k:
        raise ValueError(f"MDAV needs at least k = {k} records, but there are {x.shape[0]}.")
    largest = float(np.abs(x).max())
    if not np.isfinite(largest):
        raise ValueError("MDAV needs finite numbers: fill or drop missing and infinite values first.")
    if largest > 1e150:  # a power of two: exact, and keeps the squares finite
        x = x * 2.0 ** -np.ceil(np.log2(largest))
    order = value_order(x)
    ranked = x[order]
    first = np.empty(len(x), np.bool_)  # of its value: identical rows are one place with several copies
    first[0] = True
    np.any(ranked[1:] != ranked[:-1], axis=1, out=first[1:])
    start = np.append(np.flatnonzero(first), len(x))
    labels = np.empty(len(x), np.int64)
    labels[order] = _groups(np.ascontiguousarray(ranked[start[:-1]]), start, k)
    return labels


@njit(cache=True, nogil=True)
def _add(high: float, low: float, x: float) -> tuple[float, float]:
    """Add x to the unevaluated sum high + low (Knuth's two-sum)."""
    total = high + x
    part = total - high
    low += (high - (total - part)) + (x - part)
    return total, low


@njit(cache=True, nogil=True)
def _sift_up(key: Floats, item: Ints, i: int) -> None:
    while i > 0:
        parent = (i - 1) // 2
        if key[parent] >= key[i]:
            return
        key[parent], key[i] = key[i], key[parent]
        item[parent], item[i] = item[i], item[parent]
        i = parent


@njit(cache=True, nogil=True)
def _sift_down(key: Floats, item: Ints, i: int, size: int) -> None:
    while True:
        child = 2 * i + 1
        if child >= size:
            return
        if child + 1 < size and key[child + 1] > key[child]:
            child += 1
        if key[i] >= key[child]:
            return
        key[child], key[i] = key[i], key[child]
        item[child], item[i] = item[i], item[child]
        i = child


@njit(cache=True, nogil=True)
def _squared(values: Floats, r: int, pole: Floats) -> float:
    total = 0.0
    for j in range(pole.size):
        gap = values[r, j] - pole[j]
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def _farthest_from_mean(
    values: Floats,
    mean: Floats,
    used: Ints,
    start: Ints,
    key: Floats,
    item: Ints,
    size: int,
    drift: float,
    slack: float,
    seen: Ints,
) -> tuple[int, int]:
    """The live record farthest from the mean. The heap holds distance - drift at the time of its
    computation, so key + drift is an upper bound of the distance now. Returns the record and the new heap
    size."""
    best, who, refreshed = -1.0, -1, 0
    while size > 0:
        top = item[0]
        if used[top] < start[top + 1]:
            if best >= 0.0 and key[0] + drift + slack < np.sqrt(best):
                break
            here = _squared(values, top, mean)
            if here > best or (here == best and top < who):
                best, who = here, top
            seen[refreshed] = top
            refreshed += 1
        size -= 1
        key[0], item[0] = key[size], item[size]
        _sift_down(key, item, 0, size)
    for t in range(refreshed):
        key[size], item[size] = np.sqrt(_squared(values, seen[t], mean)) - drift, seen[t]
        _sift_up(key, item, size)
        size += 1
    return who, size


@njit(cache=True, nogil=True)
def _groups(values: Floats, start: Ints, k: int) -> Ints:
    """Labels of n records in value order. ``values`` (m, d) are the distinct rows; row v has the records
    start[v] .. start[v+1]-1, which are used up in that order. Without this, files of few distinct rows would
    have nothing but ties, and every query would have to look at all of them."""
    m, d = values.shape
    n = start[m]
    label = np.full(n, -1, np.int64)
    high, low, mean = np.zeros(d), np.zeros(d), np.zeros(d)
    for v in range(m):
        for j in range(d):
            for _ in range(start[v], start[v + 1]):
                high[j], low[j] = _add(high[j], low[j], values[v, j])
    for j in range(d):
        mean[j] = (high[j] + low[j]) / n
    used = start[:m].copy()
    key, item, seen = np.empty(m), np.arange(m), np.empty(m, np.int64)
    radius = 0.0
    for v in range(m):
        key[v] = np.sqrt(_squared(values, v, mean))
        radius = max(radius, key[v])
    for i in range(m // 2, -1, -1):
        _sift_down(key, item, i, m)
    size = m
    drift = 0.0

    tree = build(values, np.arange(m))
    shells = build_shells(values, np.arange(m), mean)
    built = n
    stack, bound, out = np.empty(128, np.int64), np.empty(128), np.empty(LEAF)
    found, distance, pole = np.empty(k, np.int64), np.empty(k), np.empty(d)
    left = n
    group = 0
    while left >= 2 * k:
        slack = 1e-10 * (radius + drift)
        r, size = _farthest_from_mean(values, mean, used, start, key, item, size, drift, slack, seen)
        for side in range(2 if left >= 3 * k else 1):
            if side == 1:
                r = farthest(shells, pole, out)
            pole[:] = values[r]
            held = nearest(tree, pole, found, distance, stack, bound, out)
            wanted = k - 1
            label[used[r]] = group  # the pole itself, then the nearest, copy by copy
            used[r] += 1
            for j in range(d):
                high[j], low[j] = _add(high[j], low[j], -values[r, j])
            for i in range(held):
                v = found[i]
                while wanted > 0 and used[v] < start[v + 1]:
                    label[used[v]] = group
                    used[v] += 1
                    wanted -= 1
                    for j in range(d):
                        high[j], low[j] = _add(high[j], low[j], -values[v, j])
                if used[v] == start[v + 1] and v != r:
                    delete(tree, v)
                    delete_from_shells(shells, v)
            if used[r] == start[r + 1]:
                delete(tree, r)
                delete_from_shells(shells, r)
            left -= k
            group += 1
        moved = 0.0
        for j in range(d):
            new = (high[j] + low[j]) / left
            moved += (new - mean[j]) ** 2
            mean[j] = new
        drift += np.sqrt(moved)
        if left < built // 2 and left >= _SMALLEST_REBUILD:
            live = np.flatnonzero(used < start[1:])
            tree = build(values, live)
            shells = build_shells(values, live, mean)
            built = left
    for r in range(n):
        if label[r] < 0:
            label[r] = group
    return label
