"""Which arcs of a matrix of costs would help a solution, by the duals that it has.

Idea. Arc (i, j) helps only if its cost less the price v_j is below u_i. One pass over the matrix
finds the best arc of each row in each of some parts of the columns: where many costs are equal,
these are spread over the columns, while the best of all would be the same few for every row.

Invariant. A row has an arc below u_i exactly where the answer has one of it, and the first of
equally good ones is taken.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit


@njit(cache=True, nogil=True)
def helpful(costs: Floats, limit: Floats, v: Floats, cuts: Ints) -> tuple[Ints, Ints]:
    """(row, column) of arcs with cost - v below the row's limit, the best of each part.

    Part p has the columns cuts[p] .. cuts[p + 1] - 1.
    """
    n = costs.shape[0]
    parts = len(cuts) - 1
    rows = np.empty(n * parts, np.int64)
    columns = np.empty(n * parts, np.int64)
    found = 0
    for i in range(n):
        for p in range(parts):
            least = limit[i]
            best = -1
            for j in range(cuts[p], cuts[p + 1]):
                value = costs[i, j] - v[j]
                if value < least:
                    least = value
                    best = j
            if best >= 0:
                rows[found] = i
                columns[found] = best
                found += 1
    return rows[:found], columns[:found]
