"""Pairs of records that are within reach of each other in every coordinate.

Idea. The right file is sorted along one axis, the one in which the reach is smallest
beside the spread. There two binary searches give the run of records within reach, and
only these are compared in the other coordinates. A first pass counts, a second writes,
so that the result is one array of its exact size.

Invariant. Both passes visit the same pairs, so the count of row i is what is written
between indptr[i] and indptr[i + 1].
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit

NO_REACH = 1e-300
"""Stands in for a reach of zero in a quotient; any positive number far below data."""


@njit(cache=True, nogil=True)
def _scan(
    left: Floats,
    right: Floats,
    reach: Floats,
    axis: int,
    order: Ints,
    keys: Floats,
    indptr: Ints,
    out: Ints,
) -> None:
    """Count the pairs of each row into ``indptr`` (empty ``out``), or write them.

    ``order`` lists the right file along ``axis``, ``keys`` are its coordinates there.
    """
    d = left.shape[1]
    fill = len(out) > 0
    for i in range(len(left)):
        count = 0
        here = left[i, axis]
        first = np.searchsorted(keys, here - reach[axis])
        last = np.searchsorted(keys, here + reach[axis], side="right")
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
            # found in the order of the axis, given in the order of rows
            out[indptr[i] : indptr[i] + count].sort()
        else:
            indptr[i + 1] = count


def pairs_within(
    left: Floats,
    right: Floats,
    reach: Floats,
) -> tuple[Ints, Ints]:
    """(indptr, indices) of the pairs with |left[i, t] - right[j, t]| <= reach[t] for all t.

    The pairs of row i are ``indices[indptr[i] : indptr[i + 1]]``, rising.
    """
    columns = right.shape[1]
    spread = np.array([np.ptp(right[:, t]) for t in range(columns)])
    # the widest axis beside its reach: the runs of candidates are short there
    axis = int(np.argmax(spread / np.maximum(reach, NO_REACH)))
    order = np.argsort(right[:, axis], kind="stable")
    keys = right[order, axis]
    indptr = np.zeros(len(left) + 1, np.int64)
    nothing = np.zeros(0, np.int64)
    _scan(left, right, reach, axis, order, keys, indptr, nothing)
    indptr = np.cumsum(indptr)
    out = np.zeros(int(indptr[-1]), np.int64)
    if len(out):
        _scan(left, right, reach, axis, order, keys, indptr, out)
    return indptr, out
