"""The order of points in a kd-tree of wide nodes, and the selection that splits cells.

Idea. A range of points is split in two along the longest side of its box by quickselect,
until the parts are blocks of LANES points. Splits stay on multiples of LANES times a
power of ARMS, so that every aligned run of 16, 128, 1024 ... points is a cell.

Invariant. ``order`` stays a permutation of the points, and once a range is split at a
place, no coordinate before the place is above one after it along the axis of the split.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit
from tacit.kernels.trees.widths import ARMS, LANES

STACK = 512
"""Places for cells that wait to be split. Each split takes one off and puts two on, so
that there is one more for each level; the levels are about log2 of the blocks."""


@njit(cache=True, nogil=True)
def select(
    points: Floats,
    order: Ints,
    low: int,
    high: int,
    place: int,
    axis: int,
) -> None:
    """Hoare's quickselect: order[low:high] is split at ``place`` by coordinate ``axis``.

    The entry that ends at ``place`` is the one that sorting would put there.
    """
    high -= 1
    # an index without a sign is not looked at for counting from the end
    rows = order.view(np.uint64)
    while high > low:
        # the median of three as pivot: sorted input is no bad case
        a = points[order[low], axis]
        b = points[order[(low + high) // 2], axis]
        c = points[order[high], axis]
        pivot = max(min(a, b), min(max(a, b), c))
        i = low
        j = high
        while i <= j:
            while points[rows[i], axis] < pivot:
                i += 1
            while points[rows[j], axis] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if place <= j:
            high = j
        elif place >= i:
            low = i
        else:
            return


@njit(cache=True, nogil=True)
def cell_order(points: Floats) -> Ints:
    """Points in the order of the leaves: cells are split in two until they are blocks."""
    n, d = points.shape
    order = np.arange(n)
    # an index without a sign is not looked at for counting from the end
    rows = order.view(np.uint64)
    # cells that wait to be split, as ranges of blocks
    starts = np.empty(STACK, np.int64)
    stops = np.empty(STACK, np.int64)
    starts[0] = 0
    stops[0] = (n + LANES - 1) // LANES
    top = 1
    low = np.empty(d)
    high = np.empty(d)
    while top > 0:
        top -= 1
        start = starts[top]
        stop = stops[top]
        size = stop - start
        if size <= 1:
            continue
        # splits stay on multiples of the largest power of ARMS below the size, so that
        # cells are aligned runs; about half of the blocks go to each side
        unit = 1
        while unit * ARMS < size:
            unit *= ARMS
        half = max((size + unit) // (2 * unit) * unit, unit)
        half = min(half, (size - 1) // unit * unit)
        first = start * LANES
        last = min(stop * LANES, n)
        low[:] = np.inf
        high[:] = -np.inf
        # choices and no branches, so that they become vector instructions
        for i in range(first, last):
            row = rows[i]
            for t in range(d):
                x = points[row, t]
                low[t] = x if x < low[t] else low[t]
                high[t] = x if x > high[t] else high[t]
        axis = np.argmax(high - low) if d > 0 else 0
        middle = start + half
        select(points, order, first, last, middle * LANES, axis)
        starts[top] = start
        stops[top] = middle
        starts[top + 1] = middle
        stops[top + 1] = stop
        top += 2
    return order
