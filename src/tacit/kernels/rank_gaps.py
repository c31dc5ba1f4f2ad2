"""What the distances of ranks tell about all pairs of two files.

Idea. A record has a range of ranks in each column (equal values share them). The distance of two
ranges is the smallest difference of a rank of one and a rank of the other, a whole number, and
its cost stands in a table: one look-up for each pair and column.

Invariant. Costs are added column by column, so that the sums have the bits of numpy's.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats
from tacit.kernels.compiler import njit


@njit(cache=True, nogil=True)
def range_costs(p: Floats, q: Floats, cost: Floats) -> Floats:
    """Sum over columns of cost[distance of ranges], for all pairs (len(p), len(q)).

    Columns 2 k and 2 k + 1 are the first and the last rank of a record in column k; below zero
    or NaN: missing, which is at distance 0 from what is missing, too, and infinitely far from all
    others. A distance beyond the table costs its last entry.
    """
    n, m = len(p), len(q)
    beyond = len(cost) - 1
    total = np.zeros((n, m))
    first = np.empty(m)
    last = np.empty(m)
    for k in range(0, p.shape[1], 2):
        for j in range(m):
            # a missing one stands so far below that only its like is near
            known = q[j, k] >= 0
            first[j] = q[j, k] if known else -1e15
            last[j] = q[j, k + 1] if known else -1e15
        for i in range(n):
            known = p[i, k] >= 0
            low = p[i, k] if known else -1e15
            high = p[i, k + 1] if known else -1e15
            for j in range(m):
                apart = max(0.0, max(low - last[j], first[j] - high))
                total[i, j] += cost[int(min(apart, beyond))]
    return total
