"""A kd-tree over live records, with deletions: its layout and how it stays tight.

Idea. The leaves are blocks of at most LEAF records stored column by column
(``block[leaf, column, slot]``), so that a scan of a leaf is one vector loop per column.
Every node has a tight box (``low``, ``high``) and a count of live records. The tree is a
perfect binary tree in heap order: the children of node i are 2i+1 and 2i+2, the leaves
are the last level.

Exactness. A search of a large file waits for memory, so blocks and boxes are in single
precision: b = (x - centre) * scale, rounded. They only tell which records can be looked
past; a record that cannot is measured in double precision from its own values, in column
order. With u = 2^-24 the single-precision gap of a column differs from the true one by
at most u (2 |pole - centre| + 2 |gap|), and d squares add at most d + 2 more roundings:
so a record within the distance D of the pole, whose distance from the centre is rho, has
a squared single-precision distance of at most

    (D (1 + e) + e rho)^2 (1 + (d + 8) e),    e = 4 u.

The bound of a box comes from the same operations in the same order as a distance, and
rounding is monotone, so it never passes that of a record inside. Hence the answer equals
that of a plain scan, ties included (the smallest rank wins).

Invariant. After every deletion the live records of a leaf are its first slots, the slots
behind them are infinite, and every box is the tight box of the live records below it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit
from tacit.kernels.trees.cells import select

Singles = NDArray[np.float32]

LEAF = 64
"""Records of a leaf: a few vector registers per column, and few enough to scan."""
E = 2.0**-22
"""The e of the error bound above: 4 u, with u = 2^-24 of single precision."""


class Tree(NamedTuple):
    """Leaves and nodes of the tree; a rank is a row of ``values``."""

    block: Singles  # (leaves, d, LEAF): records relative to the centre
    rank: Ints  # (leaves, LEAF): which record is in which slot
    live: Ints  # (nodes,): live records below
    low: Singles  # (nodes, d)
    high: Singles  # (nodes, d)
    place: Ints  # of each rank: leaf * LEAF + slot, -1 when it is not in the tree
    centre: Floats
    scale: float


@njit(cache=True, nogil=True)
def _widest_column(
    values: Floats,
    order: Ints,
    start: int,
    stop: int,
) -> int:
    """The column in which the records order[start:stop] spread most."""
    widest = 0
    width = -1.0
    for j in range(values.shape[1]):
        least = values[order[start], j]
        most = least
        for t in range(start + 1, stop):
            x = values[order[t], j]
            least = min(least, x)
            most = max(most, x)
        if most - least > width:
            widest = j
            width = most - least
    return widest


@njit(cache=True, nogil=True)
def split(
    order: Ints,
    values: Floats,
    bounds: Ints,
    first: int,
    leaves: int,
) -> None:
    """Halve order[bounds[first]:bounds[first+leaves]] by its widest column.

    Until there are ``leaves`` (a power of two) parts of equal size; fills ``bounds`` and
    sorts ``order`` part by part.
    """
    step = leaves
    while step > 1:
        half = step // 2
        for here in range(first, first + leaves, step):
            start = bounds[here]
            stop = bounds[here + step]
            middle = (start + stop) // 2
            bounds[here + half] = middle
            widest = _widest_column(values, order, start, stop)
            select(values, order, start, stop, middle, widest)
        step = half


@njit(cache=True, nogil=True)
def build(
    values: Floats,
    order: Ints,
    bounds: Ints,
    centre: Floats,
    scale: float,
) -> Tree:
    """The tree whose leaf i has the records order[bounds[i]:bounds[i+1]] (ranks)."""
    d = values.shape[1]
    leaves = bounds.size - 1
    first_leaf = leaves - 1
    nodes = 2 * leaves - 1
    low = np.empty((nodes, d), np.float32)
    high = np.empty((nodes, d), np.float32)
    block = np.full((leaves, d, LEAF), np.float32(np.inf))
    rank = np.zeros((leaves, LEAF), np.int64)
    count = np.zeros(nodes, np.int64)
    place = np.full(values.shape[0], -1, np.int64)
    for leaf in range(leaves):
        start = bounds[leaf]
        size = bounds[leaf + 1] - start
        for t in range(size):
            r = order[start + t]
            rank[leaf, t] = r
            place[r] = leaf * LEAF + t
            for j in range(d):
                away = (values[r, j] - centre[j]) * scale
                block[leaf, j, t] = np.float32(away)
        count[first_leaf + leaf] = size
        _leaf_box(block, low, high, leaf, first_leaf + leaf, size)
    for node in range(first_leaf - 1, -1, -1):
        count[node] = count[2 * node + 1] + count[2 * node + 2]
        _join_boxes(low, high, node)
    return Tree(block, rank, count, low, high, place, centre, scale)


@njit(cache=True, nogil=True)
def build_nearest(
    values: Floats,
    live: Ints,
    centre: Floats,
    scale: float,
) -> Tree:
    """The tree of the records ``live`` (ranks), halved by the widest column."""
    leaves = 1
    while (live.size + leaves - 1) // leaves > LEAF:
        leaves *= 2
    order = live.copy()
    bounds = np.empty(leaves + 1, np.int64)
    bounds[0] = 0
    bounds[leaves] = live.size
    split(order, values, bounds, 0, leaves)
    tree: Tree = build(values, order, bounds, centre, scale)
    return tree


@njit(cache=True, nogil=True)
def unit(values: Floats, centre: Floats) -> float:
    """The power of two that brings all gaps from the centre, by column, to at most 1.

    A power of two costs no digits.
    """
    most = 0.0
    for r in range(values.shape[0]):
        for j in range(values.shape[1]):
            most = max(most, abs(values[r, j] - centre[j]))
    return 2.0 ** -np.ceil(np.log2(most)) if most > 0.0 else 1.0


@njit(cache=True, nogil=True)
def _leaf_box(
    block: Singles,
    low: Singles,
    high: Singles,
    leaf: int,
    node: int,
    size: int,
) -> bool:
    """The box of a leaf from its records. True if it changed."""
    changed = False
    for j in range(block.shape[1]):
        # an empty leaf keeps these, and is then nobody's smallest or largest
        least = np.float32(np.inf)
        most = np.float32(-np.inf)
        for t in range(size):
            x = block[leaf, j, t]
            least = min(least, x)
            most = max(most, x)
        if least != low[node, j] or most != high[node, j]:
            changed = True
        low[node, j] = least
        high[node, j] = most
    return changed


@njit(cache=True, nogil=True)
def _join_boxes(low: Singles, high: Singles, node: int) -> bool:
    """The box of a node from its children. True if it changed.

    An empty child has low = inf, high = -inf.
    """
    left = 2 * node + 1
    right = left + 1
    changed = False
    for j in range(low.shape[1]):
        least = min(low[left, j], low[right, j])
        most = max(high[left, j], high[right, j])
        if least != low[node, j] or most != high[node, j]:
            changed = True
        low[node, j] = least
        high[node, j] = most
    return changed


@njit(cache=True, nogil=True)
def delete(tree: Tree, r: int) -> None:
    """Take the record of rank r out; boxes stay tight."""
    block, rank, place = tree.block, tree.rank, tree.place
    count, low, high = tree.live, tree.low, tree.high
    leaf = place[r] // LEAF
    slot = place[r] % LEAF
    node = (count.size + 1) // 2 - 1 + leaf
    last = count[node] - 1
    # the last record moves into the gap; boxes change only if r was on an edge
    edge = False
    for j in range(block.shape[1]):
        x = block[leaf, j, slot]
        if x == low[node, j] or x == high[node, j]:
            edge = True
        block[leaf, j, slot] = block[leaf, j, last]
        block[leaf, j, last] = np.inf
    moved = rank[leaf, last]
    rank[leaf, slot] = moved
    place[moved] = leaf * LEAF + slot
    place[r] = -1
    count[node] = last
    if edge:
        edge = _leaf_box(block, low, high, leaf, node, last)
    while node > 0:
        node = (node - 1) // 2
        count[node] -= 1
        # a parent can only shrink if its child did
        if edge:
            edge = _join_boxes(low, high, node)


@njit(cache=True, nogil=True)
def aim(
    tree: Tree,
    pole: Floats,
    single: Singles,
) -> float:
    """The pole in single precision (into ``single``), and its distance from the centre.

    Both in the unit of the tree.
    """
    total = 0.0
    for j in range(pole.size):
        away = (pole[j] - tree.centre[j]) * tree.scale
        single[j] = np.float32(away)
        total += away * away
    return float(np.sqrt(total))


@njit(cache=True, nogil=True)
def leaf_distances(
    block: Singles,
    leaf: int,
    single: Singles,
    out: Singles,
) -> None:
    """Squared single-precision distances of all slots of a leaf; infinite when empty."""
    for t in range(LEAF):
        out[t] = np.float32(0.0)
    # the inner loop is over records, which stand side by side: it becomes vector code
    for j in range(single.size):
        p = single[j]
        for t in range(LEAF):
            gap = block[leaf, j, t] - p
            out[t] += gap * gap


@njit(cache=True, nogil=True)
def squared(
    values: Floats,
    r: int,
    pole: Floats,
) -> float:
    """The squared distance of record r from a pole, summed in column order."""
    total = 0.0
    for j in range(pole.size):
        gap = values[r, j] - pole[j]
        total += gap * gap
    return total
