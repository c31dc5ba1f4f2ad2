"""Optimal microaggregation of one sorted column: a shortest path (Hansen and Mukherjee 2003)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit


@njit(cache=True, nogil=True)
def optimal_groups(values: npt.NDArray[np.float64], k: int) -> npt.NDArray[np.int64]:
    """Group number of each of the sorted `values`, of smallest SSE with every group of k .. 2k-1 members.

    best[j] = min over g in k..2k-1 of best[j-g] + SSE(values[j-g:j]), in O(n k). SSE is updated one value at
    a time (Welford), so that a large offset does not lose digits.
    """
    n = values.shape[0]
    best = np.full(n + 1, np.inf)
    size = np.zeros(n + 1, dtype=np.int64)
    best[0] = 0.0
    for j in range(k, n + 1):
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
    labels = np.empty(n, dtype=np.int64)
    count = 0
    j = n
    while j > 0:
        for i in range(j - size[j], j):
            labels[i] = count
        j -= size[j]
        count += 1
    for i in range(n):
        labels[i] = count - 1 - labels[i]
    return labels


@njit(cache=True, nogil=True)
def fixed_groups(n: int, k: int) -> npt.NDArray[np.int64]:
    """Consecutive groups of k; the last one takes the remainder (k .. 2k-1)."""
    labels = np.empty(n, dtype=np.int64)
    last = max(n // k, 1) - 1
    for i in range(n):
        labels[i] = min(i // k, last)
    return labels


@njit(cache=True, nogil=True)
def group_means(values: npt.NDArray[np.float64], labels: npt.NDArray[np.int64], groups: int) -> npt.NDArray[np.float64]:
    """Mean of each group and column; missing values (NaN) are left out of sum and of count."""
    n, d = values.shape
    total = np.zeros((groups, d))
    count = np.zeros((groups, d))
    # a running mean keeps the digits of columns with a large offset
    for i in range(n):
        g = labels[i]
        for j in range(d):
            x = values[i, j]
            if not np.isnan(x):
                count[g, j] += 1.0
                total[g, j] += (x - total[g, j]) / count[g, j]
    for g in range(groups):
        for j in range(d):
            if count[g, j] == 0.0:
                total[g, j] = np.nan
    return total
