"""How many different members several groups have together.

Idea. A row belongs to one group of each of several partitions; its members are the union of
theirs. Members are stamped with the number of the row that saw them last, so that nobody is
counted twice and nothing has to be cleared between rows.
"""

import numpy as np

from tacit.kernels.arrays import Bools, Floats, Ints
from tacit.kernels.compiler import njit


@njit(cache=True, nogil=True)
def distinct_members(
    groups: Ints,
    indptr: Ints,
    member: Ints,
    everywhere: Bools,
    weight: Floats,
) -> tuple[Ints, Floats]:
    """Number of different members of each row's groups, and the sum of their weights.

    groups: (rows, partitions), the group of each row; members of group g are
    ``member[indptr[g] : indptr[g + 1]]``; everywhere: members of every row; weight: of each member.
    """
    rows, partitions = groups.shape
    number = np.empty(rows, np.int64)
    total = np.empty(rows, np.float64)
    always = 0
    always_weight = 0.0
    for u in range(len(weight)):
        if everywhere[u]:
            always += 1
            always_weight += weight[u]
    seen_by = np.full(len(weight), -1, np.int64)
    for i in range(rows):
        count = always
        sum_ = always_weight
        for p in range(partitions):
            g = groups[i, p]
            for e in range(indptr[g], indptr[g + 1]):
                u = member[e]
                if everywhere[u] or seen_by[u] == i:
                    continue
                seen_by[u] = i
                count += 1
                sum_ += weight[u]
        number[i] = count
        total[i] = sum_
    return number, total
