"""One random cut of every column in every node of a level of trees, and what falls on its left.

Idea. Entries (a record in a tree) stand node by node. In each node a threshold lies in the range
of every column, where a number in [0, 1) says, and the entries below it are counted class by
class. That is all the work of growing randomised trees: two passes over the entries of a node.

Invariant. Thresholds take one product and two differences in the same order, and counts are whole
numbers, so that the compiled way and numpy's give the same bits.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import NUMPY_STEP, njit

OPERATIONS = 4
"""Operations in numpy on an entry and column, about."""


def random_cuts(
    rows: Floats,
    label: Ints,
    entry: Ints,
    begin: Ints,
    uniform: Floats,
    classes: int,
) -> tuple[Floats, Floats]:
    """Thresholds, and counts[c, g, k]: entries of class c in node g below the one of column k.

    Node g has the entries begin[g] .. begin[g + 1] - 1, which are rows ``entry`` of ``rows``. A
    threshold is in (low, high]: the smallest value goes to the left, the largest to the right.
    """
    if _random_cuts.pays(OPERATIONS * len(entry) * rows.shape[1] * NUMPY_STEP):
        compiled: tuple[Floats, Floats] = _random_cuts(
            rows, label, entry, begin, uniform, classes
        )
        return compiled
    x = rows[entry]
    low = np.minimum.reduceat(x, begin)
    high = np.maximum.reduceat(x, begin)
    drawn = high - uniform * (high - low)
    size = np.diff(begin, append=len(entry))
    left = x < np.repeat(drawn, size, axis=0)
    counts = np.zeros((classes, *drawn.shape))
    # the first class has what the others leave
    counts[0] = np.add.reduceat(left, begin, dtype=np.int32)
    node = np.repeat(np.arange(len(begin)), size)
    of_entry = label[entry]
    for c in range(1, classes):
        # the entries of a class stand node by node, too
        some = np.flatnonzero(of_entry == c)
        here = node[some]
        first = np.flatnonzero(np.diff(here, prepend=-1))
        if len(first):
            counts[c, here[first]] = np.add.reduceat(left[some], first, dtype=np.int32)
            counts[0] -= counts[c]
    return drawn, counts


@njit(cache=True, nogil=True)
def _random_cuts(
    rows: Floats,
    label: Ints,
    entry: Ints,
    begin: Ints,
    uniform: Floats,
    classes: int,
) -> tuple[Floats, Floats]:
    """As ``random_cuts``."""
    nodes, d = uniform.shape
    drawn = np.empty((nodes, d))
    counts = np.zeros((classes, nodes, d))
    low = np.empty(d)
    high = np.empty(d)
    for g in range(nodes):
        first = begin[g]
        end = begin[g + 1] if g + 1 < nodes else len(entry)
        for k in range(d):
            low[k] = high[k] = rows[entry[first], k]
        for e in range(first + 1, end):
            row = entry[e]
            for k in range(d):
                value = rows[row, k]
                low[k] = value if value < low[k] else low[k]
                high[k] = value if value > high[k] else high[k]
        for k in range(d):
            drawn[g, k] = high[k] - uniform[g, k] * (high[k] - low[k])
        for e in range(first, end):
            row = entry[e]
            c = label[row]
            for k in range(d):
                # added whether it is 0 or 1: a branch would be guessed wrong half the time
                counts[c, g, k] += 1.0 if rows[row, k] < drawn[g, k] else 0.0
    return drawn, counts
