"""Exact MDAV (maximum distance to average vector) microaggregation, without the wall.

Definition. While at least 3k records remain: c = their mean; r = the record farthest
from c; r and its k-1 nearest records form a group; s = the record farthest from r of
those left; s and its k-1 nearest form a group. When 2k to 3k-1 records remain: the
record farthest from their mean and its k-1 nearest form a group, the rest another. Fewer
than 2k records form one group. Distances are Euclidean on the columns as given (scale
them first). Ties go to the record that comes first in value-lexicographic order, so the
order of the rows cannot change the groups.

Source: Domingo-Ferrer and Torra (2005), Data Mining and Knowledge Discovery 11(2).

Guarantee: every group has k to 2k-1 records.

Idea. The definition scans all records for each group, which is quadratic. Here a pair of
groups costs two nearest queries of a kd-tree (``nearest``), one farthest query over
shells (``shells``), and the farthest from the mean from a heap of stale distances: since
a distance grows by at most the drift of the mean, only the top is computed afresh.
Memory is linear. Measured in docs/large.md.

Invariant. Tree, shells and heap answer for exactly the records that have no group yet,
and each answer is that of a full scan in double precision, ties included.
"""

import numpy as np
import numpy.typing as npt

from tacit.kernels.arrays import Bools, Floats, Ints
from tacit.kernels.compiler import NUMPY_STEP, njit
from tacit.kernels.mdav import small
from tacit.kernels.mdav.live_tree import build_nearest, delete, squared, unit
from tacit.kernels.mdav.nearest import nearest
from tacit.kernels.mdav.shells import build_shells, farthest

SMALLEST_REBUILD = 256
"""Records below which a tree is not built anew: there is little left to search."""
GROUP_STEP = 1e-4
"""CPU seconds of forming one group in numpy, however few the records."""
HUGE = 1e150
"""Values up to this have finite squares, also when many columns are added."""
SLACK = 1e-10
"""Relative rounding error of a distance plus drift, with ample room."""


def value_order(values: Floats) -> Ints:
    """Rows in value-lexicographic order (first column first, NaN last).

    Identical rows keep their order.
    """
    order: Ints = np.argsort(values[:, 0], kind="stable")
    if values.shape[1] == 1:
        return order
    # one column is cheap to sort and mostly settles the order
    first = values[order, 0]
    tied = (first[1:] == first[:-1]).any()
    if tied or np.isnan(first[-1:]).any():
        order = np.lexsort(values.T[::-1])
    return order


def mdav(values: npt.ArrayLike, k: int) -> Ints:
    """Group labels 0, 1, ... of the rows of ``values`` (n, d); see the definition above."""
    x = np.ascontiguousarray(values, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] == 0:
        raise ValueError("MDAV needs a table with at least one column.")
    if k < 1:
        raise ValueError(f"MDAV needs k of at least 1, not {k}.")
    n = x.shape[0]
    if n < k:
        raise ValueError(f"MDAV needs at least k = {k} records, but there are {n}.")
    largest = float(np.abs(x).max())
    if not np.isfinite(largest):
        raise ValueError(
            "MDAV needs finite numbers: fill or drop missing and infinite values first."
        )
    if largest > HUGE:  # a power of two: exact, and keeps the squares finite
        x = x * 2.0 ** -np.ceil(np.log2(largest))
    order = value_order(x)
    ranked = x[order]
    # identical rows are one place with several copies: mark the first of each value
    first = np.empty(n, np.bool_)
    first[0] = True
    np.any(ranked[1:] != ranked[:-1], axis=1, out=first[1:])
    start = np.append(np.flatnonzero(first), n)
    distinct = np.ascontiguousarray(ranked[start[:-1]])
    labels = np.empty(n, np.int64)
    # three scans of all columns for two groups, each group in some steps of numpy at the least
    scans = 2 * n * distinct.size / k
    plain = max(scans * NUMPY_STEP, n / k * GROUP_STEP)
    compute = _groups if _groups.pays(plain) else small.groups
    labels[order] = compute(distinct, start, k)
    return labels


@njit(cache=True, nogil=True)
def _add(
    high: float,
    low: float,
    x: float,
) -> tuple[float, float]:
    """Add x to the unevaluated sum high + low (Knuth's two-sum)."""
    total = high + x
    part = total - high
    low += (high - (total - part)) + (x - part)
    return total, low


@njit(cache=True, nogil=True)
def _sift_down(
    key: Floats,
    item: Ints,
    i: int,
    size: int,
) -> None:
    """Entry i of the heap sinks while one of its children is larger."""
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
def _farthest_from_mean(
    values: Floats,
    mean: Floats,
    alive: Bools,
    key: Floats,
    item: Ints,
    fresh: Ints,
    step: int,
    size: int,
    drift: float,
    slack: float,
    stack: Ints,
) -> tuple[int, int]:
    """The live record farthest from the mean, and the new heap size.

    The heap has distance - drift at the time of its computation, so key + drift is an
    upper bound of the distance now: the top is computed afresh until one computed in
    this step stays there. Then whatever is within the rounding error of the top is
    compared exactly.
    """
    while True:
        top = item[0]
        if not alive[top]:
            size -= 1
            key[0] = key[size]
            item[0] = item[size]
        elif fresh[top] == step:
            break
        else:
            fresh[top] = step
            key[0] = np.sqrt(squared(values, top, mean)) - drift
        _sift_down(key, item, 0, size)
    # a heap: only below an entry within the slack can there be another one
    least = key[0] - slack
    best = -1.0
    who = -1
    stack[0] = 0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        i = stack[waiting]
        r = item[i]
        if alive[r]:
            here = squared(values, r, mean)
            if here > best or (here == best and r < who):
                best = here
                who = r
        for child in (2 * i + 1, 2 * i + 2):
            if child < size and key[child] >= least:
                stack[waiting] = child
                waiting += 1
    return who, size


@njit(cache=True, nogil=True)
def _groups(
    values: Floats,
    start: Ints,
    k: int,
) -> Ints:
    """Labels of n records in value order.

    ``values`` (m, d) are the distinct rows; row v has the records
    start[v] .. start[v+1]-1, which are used up in that order. Without this, files of few
    distinct rows would have nothing but ties, and every query would have to look at all
    of them.
    """
    m, d = values.shape
    n = start[m]
    label = np.full(n, -1, np.int64)
    # the sum of the records that are left, in twice the precision: it loses a record
    # at a time, and the mean must still be that of a fresh sum
    high = np.zeros(d)
    low = np.zeros(d)
    mean = np.zeros(d)
    for v in range(m):
        for j in range(d):
            for _ in range(start[v], start[v + 1]):
                high[j], low[j] = _add(high[j], low[j], values[v, j])
    for j in range(d):
        mean[j] = (high[j] + low[j]) / n
    used = start[:m].copy()
    alive = np.ones(m, np.bool_)

    # the heap of distances from the mean, largest first
    key = np.empty(m)
    item = np.arange(m)
    fresh = np.full(m, -1)
    stack = np.empty(m, np.int64)
    radius = 0.0
    for v in range(m):
        key[v] = np.sqrt(squared(values, v, mean))
        radius = max(radius, key[v])
    for i in range(m // 2, -1, -1):
        _sift_down(key, item, i, m)
    size = m
    drift = 0.0

    centre = mean.copy()
    scale = unit(values, centre)
    tree = build_nearest(values, np.arange(m), centre, scale)
    shells = build_shells(values, np.arange(m), centre, scale)
    built = n
    found = np.empty(k, np.int64)
    distance = np.empty(k)
    pole = np.empty(d)
    left = n
    group = 0
    while left >= 2 * k:
        slack = SLACK * (radius + drift)
        r, size = _farthest_from_mean(
            values, mean, alive, key, item, fresh, group, size, drift, slack, stack
        )
        for side in range(2 if left >= 3 * k else 1):
            if side == 1:
                r = farthest(shells, values, pole)
            pole[:] = values[r]
            count = nearest(tree, values, pole, found, distance, np.inf)
            wanted = k - 1
            label[used[r]] = group  # the pole itself, then the nearest, copy by copy
            used[r] += 1
            for j in range(d):
                high[j], low[j] = _add(high[j], low[j], -values[r, j])
            for i in range(count):
                v = found[i]
                while wanted > 0 and used[v] < start[v + 1]:
                    label[used[v]] = group
                    used[v] += 1
                    wanted -= 1
                    for j in range(d):
                        high[j], low[j] = _add(high[j], low[j], -values[v, j])
                if used[v] == start[v + 1] and v != r:
                    alive[v] = False
                    delete(tree, v)
                    delete(shells[0], v)
            if used[r] == start[r + 1]:
                alive[r] = False
                delete(tree, r)
                delete(shells[0], r)
            left -= k
            group += 1
        moved = 0.0
        for j in range(d):
            new = (high[j] + low[j]) / left
            moved += (new - mean[j]) ** 2
            mean[j] = new
        drift += np.sqrt(moved)
        # half of the records are gone: new trees have fewer nodes and full leaves
        if left < built // 2 and left >= SMALLEST_REBUILD:
            live = np.flatnonzero(alive)
            tree = build_nearest(values, live, centre, scale)
            shells = build_shells(values, live, centre, scale)
            built = left
    # fewer than 2k are left: the last group
    for r in range(n):
        if label[r] < 0:
            label[r] = group
    return label
