"""Published stream filters with their faults; for ``tacit reproduce`` only.

Their plain twins are in tests/reproduce/test_faults.py.

Differentially private microaggregation: the group should be the k records of the window nearest
to a corner of the domain, but a min-heap stands where a max-heap should (Martinez Rodriguez 2015,
Algorithm 6.7), so that a nearer record replaces the *nearest* so far. The oldest record is lost
from its own group when it is the nearest of the first k and another is nearer still; it then
leaves as it is.
"""

import numpy as np

from tacit.base.typing import Bools, Floats
from tacit.kernels.compiler import njit


@njit(cache=True, nogil=True)
def groups_by_corner(
    records: Floats, k: int, window: int, out: Floats, raw: Bools
) -> None:
    """The oldest record of a full window calls a group together.

    The first k that are free, of which the one nearest to the corner (least value of each
    column that has entered so far) gives way to each nearer one that follows. ``out`` gets the
    centroids, ``raw`` which records belong to none. Invariant: every record before t is in a
    group or was left raw, so none of them is free.
    """
    n, d = records.shape
    free = np.ones(n, dtype=np.bool_)
    corner = np.full(d, np.inf)
    distance, place = np.empty(k), np.empty(k, dtype=np.int64)
    entered = 0
    for t in range(n):
        # what has entered the window moves the corner, whether it is free or not
        while entered < min(t + window, n):
            for j in range(d):
                corner[j] = min(corner[j], records[entered, j])
            entered += 1
        raw[t] = False
        if not free[t]:
            continue
        found = 0
        for s in range(t, entered):
            if not free[s]:
                continue
            far = 0.0
            for j in range(d):
                far += (records[s, j] - corner[j]) ** 2
            if found < k:
                distance[found], place[found] = far, s
                found += 1
            else:
                # the fault: the nearest is replaced, where the farthest should be
                least = np.argmin(distance)
                if far < distance[least]:
                    distance[least], place[least] = far, s
        # every member leaves as the centroid
        for j in range(d):
            mean = 0.0
            for i in range(found):
                mean += records[place[i], j]
            for i in range(found):
                out[place[i], j] = mean / found
        for i in range(found):
            free[place[i]] = False
        # the record that called the group was pushed out of it: it leaves as it is
        if free[t]:
            free[t] = False
            raw[t] = True
            for j in range(d):
                out[t, j] = records[t, j]
