"""Distances in a window of mixed columns, the nearest records, and the centroid of a group.

Distance: sum over columns of weight_j (x_j - y_j)^2, or weight_j when a category differs; a value
missing on one side costs `missing_j`, on both sides nothing. Ties go to the earlier arrival, so
that the result does not depend on how the search is done.
"""

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit
from tacit.kernels.stream.noise import NOMINAL, ORDINAL, variance

SCALES = {"none": 0, "std": 1, "range": 2}
"""Columns as they are, over the running sd, over given ranges."""
_STD, _GIVEN = 1, 2
# marks of a slot: nothing in it; a record that has no group yet
EMPTY, NO_GROUP = -2, -1


@njit(cache=True, nogil=True, error_model="numpy")
def weights(
    scale: int,
    given: Floats,
    moments: Floats,
    kinds: Ints,
    weight: Floats,
    missing: Floats,
) -> None:
    """Fill weight and missing: of values as they are, over the running variance, or given."""
    for j in range(kinds.shape[0]):
        v = variance(moments, j)
        if scale == _GIVEN:
            weight[j] = given[j]
            missing[j] = 1.0
        elif kinds[j] == NOMINAL:
            weight[j] = 2.0 if scale == _STD else 1.0
            missing[j] = weight[j]
        elif scale == _STD:
            # two standardised values differ by 2 in expected square: what a missing value costs
            weight[j] = 1.0 / v if v > 0.0 else 0.0
            missing[j] = 2.0
        else:
            weight[j] = 1.0
            missing[j] = 2.0 * v


@njit(cache=True, nogil=True, error_model="numpy")
def distances(
    window: Floats,
    low: int,
    high: int,
    target: Floats,
    weight: Floats,
    missing: Floats,
    kinds: Ints,
    out: Floats,
) -> None:
    """Squared distance of slots low..high of the window (d, slots) to the target.

    Slots are the fast axis and each loop has one kind of column, so the loops are vectorised.
    """
    slots = high - low
    out[:slots] = 0.0
    for j in range(window.shape[0]):
        t = target[j]
        w = weight[j]
        gap = missing[j]
        column = window[j][low:high]
        # a missing target costs the same with every value that is there
        if t != t:
            for s in range(slots):
                out[s] += gap if column[s] == column[s] else 0.0
        elif kinds[j] == NOMINAL:
            for s in range(slots):
                x = column[s]
                differs = 0.0 if x == t else w
                out[s] += differs if x == x else gap
        else:
            for s in range(slots):
                diff = column[s] - t
                cost = w * diff * diff
                # a cost that is NaN comes from a missing value
                out[s] += cost if cost == cost else gap


@njit(cache=True, nogil=True, error_model="numpy")
def nearest(
    distance: Floats,
    group: Ints,
    head: int,
    count: int,
    room: int,
    heap_d: Floats,
    heap_s: Ints,
) -> int:
    """The `room` nearest slots without a group among those after the head; returns how many.

    heap_d, heap_s hold a max-heap by (distance, arrival) of the nearest so far: a newcomer replaces
    the top only if it is strictly nearer, so of equals the earliest stay. While searching, heap_s
    holds steps after the head, which grow with arrival; at the end they become slots.
    """
    slots = distance.shape[0]
    found = 0
    for step in range(1, count):
        s = head + step
        if s >= slots:
            s -= slots
        if group[s] != NO_GROUP:
            continue
        d = distance[s]
        if found < room:
            _sift_up(found, d, step, heap_d, heap_s)
            found += 1
        elif room > 0 and d < heap_d[0]:
            _sift_down(room, d, step, heap_d, heap_s)
    # from steps after the head to slots of the ring
    for c in range(found):
        s = head + heap_s[c]
        heap_s[c] = s - slots if s >= slots else s
    return found


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _sift_up(
    c: int,
    d: float,
    step: int,
    heap_d: Floats,
    heap_s: Ints,
) -> None:
    """Add a record at place c of the heap; the newcomer is the latest: it goes above its equals."""
    while c > 0:
        up = (c - 1) // 2
        if heap_d[up] > d:
            break
        heap_d[c] = heap_d[up]
        heap_s[c] = heap_s[up]
        c = up
    heap_d[c] = d
    heap_s[c] = step


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _sift_down(
    room: int,
    d: float,
    step: int,
    heap_d: Floats,
    heap_s: Ints,
) -> None:
    """Replace the top of a heap of `room` records."""
    c = 0
    while True:
        kid = 2 * c + 1
        if kid >= room:
            break
        other = kid + 1
        if other < room:
            farther = heap_d[other] > heap_d[kid]
            later = heap_d[other] == heap_d[kid] and heap_s[other] > heap_s[kid]
            if farther or later:
                kid = other
        # the newcomer is the latest arrival: of equal distances it belongs on top
        if heap_d[kid] <= d:
            break
        heap_d[c] = heap_d[kid]
        heap_s[c] = heap_s[kid]
        c = kid
    heap_d[c] = d
    heap_s[c] = step


@njit(cache=True, nogil=True, error_model="numpy")
def centroid(
    window: Floats,
    members: Ints,
    size: int,
    kinds: Ints,
    least: int,
    out: Floats,
) -> None:
    """Mean, lower median or mode (smallest code) of the values present in each column.

    A column of which fewer than `least` members have a value becomes missing: the mean of fewer
    would tell more about them than a group of `least` promises.
    """
    values = np.empty(size)
    for j in range(kinds.shape[0]):
        n = 0
        total = 0.0
        for i in range(size):
            x = window[j, members[i]]
            if x == x:
                values[n] = x
                total += x
                n += 1
        if n < least:
            out[j] = np.nan
        elif kinds[j] == NOMINAL:
            values[:n].sort()
            out[j] = _mode(values, n)
        elif kinds[j] == ORDINAL:
            values[:n].sort()
            out[j] = values[(n - 1) // 2]
        else:
            out[j] = total / n


@njit(cache=True, nogil=True, error_model="numpy")
def _mode(values: Floats, n: int) -> float:
    """The value of the longest run in sorted order; of equal runs the first."""
    best = 0
    run = 0
    mode: float = values[0]
    for i in range(n):
        same = i > 0 and values[i] == values[i - 1]
        run = run + 1 if same else 1
        if run > best:
            best = run
            mode = values[i]
    return mode
