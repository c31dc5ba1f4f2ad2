"""Pairs of records that are within reach of each other in every coordinate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _scan(left: Any, right: Any, reach: Any, axis: int, order: Any, keys: Any, indptr: Any, out: Any) -> None:
    """Count (empty ``out``) or write the pairs; candidates come from the right file sorted along one axis."""
    d = left.shape[1]
    fill = len(out) > 0
    for i in range(len(left)):
        count = 0
        first = np.searchsorted(keys, left[i, axis] - reach[axis])
        last = np.searchsorted(keys, left[i, axis] + reach[axis], side="right")
        for p in range(first, last):
            j = order[p]
            near = True
            for t in range(d):
                if abs(left[i, t] - right[j, t]) > reach[t]:
                    near = False
                    break
            if near:
                if fill:
                    out[indptr[i] + count] = j
                count += 1
        if fill:
            out[indptr[i] : indptr[i] + count].sort()
        else:
            indptr[i + 1] = count


def pairs_within(left: Any, right: Any, reach: Any) -> tuple[Any, Any]:
    """(indptr, indices) of all pairs with |left[i, t] - right[j, t]| <= reach[t] for every t."""
    spread = np.array([np.ptp(right[:, t]) for t in range(right.shape[1])])
    axis = int(np.argmax(spread / np.maximum(reach, 1e-300)))
    order = np.argsort(right[:, axis], kind="stable")
    keys = right[order, axis]
    indptr = np.zeros(len(left) + 1, np.int64)
    _scan(left, right, reach, axis, order, keys, indptr, np.zeros(0, np.int64))
    indptr = np.cumsum(indptr)
    out = np.zeros(int(indptr[-1]), np.int64)
    if len(out):
        _scan(left, right, reach, axis, order, keys, indptr, out)
    return indptr, out
