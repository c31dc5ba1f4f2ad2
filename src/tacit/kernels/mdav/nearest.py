"""The live records nearest to a pole, by depth-first search of a ``live_tree``.

Idea. Of two children the nearer box is entered first, the other waits on a stack with
its bound. A leaf is measured as a whole in single precision; records that could be among
the k nearest are measured again in double precision and put in their place in a sorted
list. ``live_tree`` proves how far the two precisions can differ.

Invariant. ``limit`` is at least the single-precision squared distance of every record
that belongs to the answer, and never rises once the list is full: a box or record beyond
it can be looked past. The list is sorted by (squared distance, rank).
"""

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit
from tacit.kernels.mdav.live_tree import (
    LEAF,
    E,
    Singles,
    Tree,
    aim,
    leaf_distances,
    squared,
)

TINY = 1e-37
"""Keeps the limit above squares so small that single precision rounds them badly."""
STACK = 64
"""One node waits on each level at most, and no tree in memory has 64 levels."""


@njit(cache=True, nogil=True)
def _bound(
    low: Singles,
    high: Singles,
    node: int,
    single: Singles,
) -> np.float32:
    """The squared distance of the pole from the box of a node."""
    total = np.float32(0.0)
    for j in range(single.size):
        below = low[node, j] - single[j]
        above = single[j] - high[node, j]
        gap = max(max(below, above), np.float32(0.0))
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def _limit(
    worst: float,
    rho: float,
    scale: float,
    d: int,
) -> np.float32:
    """The largest single-precision squared distance of a record within sqrt(worst).

    The formula of ``live_tree``, in the unit of the tree.
    """
    reach = np.sqrt(worst) * scale * (1.0 + E) + E * rho
    return np.float32(reach * reach * (1.0 + (d + 8) * E) + TINY)


@njit(cache=True, nogil=True)
def _comes_before(
    x: float,
    r: int,
    y: float,
    s: int,
) -> bool:
    """(x, r) < (y, s): by squared distance, then by rank."""
    return x < y or (x == y and r < s)


@njit(cache=True, nogil=True)
def nearest(
    tree: Tree,
    values: Floats,
    pole: Floats,
    found: Ints,
    distance: Floats,
    within: float,
) -> int:
    """The found.size live records nearest to ``pole``, by (squared distance, rank).

    Into ``found`` and ``distance``, none with a squared distance above ``within``;
    returns how many there are.
    """
    count, low, high = tree.live, tree.low, tree.high
    k = found.size
    d = pole.size
    single = np.empty(d, np.float32)
    out = np.empty(LEAF, np.float32)
    stack = np.empty(STACK, np.int64)
    bound = np.empty(STACK, np.float32)
    rho = aim(tree, pole, single)
    first_leaf = (count.size + 1) // 2 - 1
    size = 0
    limit = _limit(within, rho, tree.scale, d)
    stack[0] = 0
    bound[0] = np.float32(0.0)
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        if bound[top] > limit:
            continue
        # down to a leaf, always into the nearer child
        while node < first_leaf:
            near = 2 * node + 1
            far = near + 1
            near_bound = _bound(low, high, near, single)
            far_bound = _bound(low, high, far, single)
            if far_bound < near_bound:
                near, far = far, near
                near_bound, far_bound = far_bound, near_bound
            if far_bound <= limit and count[far] > 0:
                stack[top] = far
                bound[top] = far_bound
                top += 1
            if near_bound > limit or count[near] == 0:
                node = -1
                break
            node = near
        if node < 0:
            continue
        leaf = node - first_leaf
        leaf_distances(tree.block, leaf, single, out)
        close = 0
        for t in range(LEAF):  # without a branch: most leaves have nothing near
            close += out[t] <= limit
        if close == 0:
            continue
        for t in range(count[node]):
            if out[t] > limit:
                continue
            r = tree.rank[leaf, t]
            x = squared(values, r, pole)
            if x > within:
                continue
            if size == k and not _comes_before(x, r, distance[k - 1], found[k - 1]):
                continue
            # insert in its place; the last of a full list falls out
            i = size if size < k else k - 1
            while i > 0 and _comes_before(x, r, distance[i - 1], found[i - 1]):
                distance[i] = distance[i - 1]
                found[i] = found[i - 1]
                i -= 1
            distance[i] = x
            found[i] = r
            size = min(size + 1, k)
            if size == k:
                limit = _limit(distance[k - 1], rho, tree.scale, d)
    return size
