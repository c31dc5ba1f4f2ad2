"""Optimal microaggregation of one sorted column, and means of groups.

Idea. In one dimension the best groups are runs of the sorted values, of k to 2k-1 each
(a longer run can be cut without loss). So the best partition is a shortest path over the
places where runs may end (Hansen and Mukherjee 2003).

Invariant. When position j is reached, best[i] is the least squared error of the first i
values for every i < j, and infinite where no partition exists.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Bools, Floats, Ints
from tacit.kernels.compiler import NUMPY_STEP, njit
from tacit.kernels.mdav import small


@njit(cache=True, nogil=True)
def optimal_steps(values: Floats, best: Floats, known: int, k: int) -> Ints:
    """Size of the last group of the best partition of the first j values, for j above ``known``.

    ``best`` is known up to there, and is filled in. Of a longer line, ``values`` begin anywhere
    2k-1 or more values before the first that is not known: no group reaches further back.
    """
    n = values.shape[0]
    size = np.zeros(n + 1, dtype=np.int64)
    for j in range(known + 1, n + 1):
        mean = 0.0
        sse = 0.0
        for g in range(1, min(2 * k - 1, j) + 1):
            x = values[j - g]
            delta = x - mean
            mean += delta / g
            sse += delta * (x - mean)
            if g >= k and best[j - g] + sse < best[j]:
                best[j] = best[j - g] + sse
                size[j] = g
    return size


@njit(cache=True, nogil=True)
def first_of_groups(size: Ints, end: int) -> tuple[Bools, int]:
    """Which values begin a group, from the end back, and where the walk left the stretch.

    ``size[j]`` is that of the group which ends before value j of the stretch. The walk begins at
    ``end`` and goes on, below 0, in the stretch before.
    """
    begins = np.zeros(size.shape[0] - 1, dtype=np.bool_)
    j = end
    while j > 0:
        j -= size[j]
        if j >= 0:
            begins[j] = True
    return begins, j


def optimal_groups(values: Floats, k: int) -> Ints:
    """Group number of each of the sorted `values`, of smallest SSE.

    Every group has k .. 2k-1 members.
    best[j] = min over g in k..2k-1 of best[j-g] + SSE(values[j-g:j]), in O(n k). SSE is
    updated one value at a time (Welford), so that a large offset does not lose digits.
    """
    n = len(values)
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    # two runs of k are tried at each record
    size = optimal_steps.taking(n * 2 * k)(values, best, 0, k)
    begins, _ = first_of_groups.taking(n * 2 * k)(size, n)
    return np.cumsum(begins, dtype=np.int64) - 1


def fixed_groups(n: int, k: int) -> Ints:
    """Consecutive groups of k; the last one takes the remainder (k .. 2k-1)."""
    last = max(n // k, 1) - 1
    return np.minimum(np.arange(n, dtype=np.int64) // k, last)


def group_means(
    values: Floats,
    labels: Ints,
    groups: int,
) -> Floats:
    """Mean of each group and column; missing values (NaN) are left out."""
    compiled = _group_means.pays(values.size * 10 * NUMPY_STEP)
    compute = _group_means if compiled else small.group_means
    means: Floats = compute(values, labels, groups)
    return means


@njit(cache=True, nogil=True)
def _group_means(
    values: Floats,
    labels: Ints,
    groups: int,
) -> Floats:
    """The means, record by record."""
    n, d = values.shape
    mean = np.zeros((groups, d))
    count = np.zeros((groups, d))
    # a running mean keeps the digits of columns with a large offset
    for i in range(n):
        g = labels[i]
        for j in range(d):
            x = values[i, j]
            if not np.isnan(x):
                count[g, j] += 1.0
                mean[g, j] += (x - mean[g, j]) / count[g, j]
    # nothing but missing values has no mean
    for g in range(groups):
        for j in range(d):
            if count[g, j] == 0.0:
                mean[g, j] = np.nan
    return mean
