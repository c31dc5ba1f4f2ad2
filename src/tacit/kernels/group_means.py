"""Means of groups, summed in an order that the caller fixes, so that rows in another order give the same bytes."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
def group_means(values: Floats, label: Ints, groups: int) -> Floats:
    """Column means of each group (groups, d); rows are added in the order in which they come."""
    n, d = values.shape
    total = np.zeros((groups, d))
    count = np.zeros(groups)
    for i in range(n):
        count[label[i]] += 1
        for j in range(d):
            total[label[i], j] += values[i, j]
    for g in range(groups):
        for j in range(d):
            total[g, j] /= count[g]
    return total


@njit(cache=True, nogil=True)
def squared_error(values: Floats, means: Floats, label: Ints, scale: Floats) -> float:
    """Sum over records and columns of ((x - group mean) / scale)^2."""
    out = 0.0
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            out += ((values[i, j] - means[label[i], j]) / scale[j]) ** 2
    return out
