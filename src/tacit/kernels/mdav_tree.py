"""A kd-tree over live records: the nearest records of a pole, with deletions.

Layout. The leaves are blocks of at most LEAF records stored column by column (``block[leaf, column,
slot]``), so that a scan of a leaf is one vector loop a column. Every node has a tight box (``low``,
``high``) and a count of live records. The tree is a perfect binary tree in heap order: the children of node
i are 2i+1 and 2i+2, the leaves are the last level.

Exactness. A squared distance is the sum of squared differences in column order. The bound of a box is
computed in the same order from the same operations, and rounding is monotone, so a bound never passes the
distance that it bounds: pruning needs no tolerance and the answer equals that of a plain scan, ties
included (the smallest rank wins)."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Tree = tuple[Floats, Ints, Ints, Floats, Floats, Ints]

LEAF = 64


@njit(cache=True, nogil=True)
def _select(order: Ints, values: Floats, start: int, stop: int, middle: int, column: int) -> None:
    """Put the element of rank ``middle`` (by ``column``) of order[start:stop] in its place: Hoare's
    selection."""
    left, right = start, stop - 1
    while left < right:
        a, b, c = (
            values[order[left], column],
            values[order[(left + right) // 2], column],
            values[order[right], column],
        )
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = left, right
        while i <= j:
            while values[order[i], column] < pivot:
                i += 1
            while values[order[j], column] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            right = j
        elif middle >= i:
            left = i
        else:
            return


@njit(cache=True, nogil=True)
def split(order: Ints, values: Floats, bounds: Ints, first: int, leaves: int) -> None:
    """Halve order[bounds[first]:bounds[first+leaves]] by its widest column until there are ``leaves`` (a
    power of two) parts of equal size; fills ``bounds`` and sorts ``order`` part by part."""
    step = leaves
    while step > 1:
        half = step // 2
        for here in range(first, first + leaves, step):
            start, stop = bounds[here], bounds[here + step]
            middle = (start + stop) // 2
            bounds[here + half] = middle
            widest, width = 0, -1.0
            for j in range(values.shape[1]):
                a = b = values[order[start], j]
                for t in range(start + 1, stop):
                    x = values[order[t], j]
                    a, b = min(a, x), max(b, x)
                if b - a > width:
                    widest, width = j, b - a
            _select(order, values, start, stop, middle, widest)
        step = half


@njit(cache=True, nogil=True)
def build(values: Floats, live: Ints) -> Tree:
    """The tree of the records ``live`` (ranks) of ``values`` (n, d), rows in rank order."""
    n, d = live.size, values.shape[1]
    height = 0
    while (n + (1 << height) - 1) >> height > LEAF:
        height += 1
    leaves = 1 << height
    nodes = 2 * leaves - 1
    order = live.copy()
    bounds = np.empty(leaves + 1, np.int64)
    bounds[0], bounds[leaves] = 0, n
    split(order, values, bounds, 0, leaves)
    low = np.empty((nodes, d))
    high = np.empty((nodes, d))
    block = np.full((leaves, d, LEAF), np.inf)
    rank = np.zeros((leaves, LEAF), np.int64)
    count = np.zeros(nodes, np.int64)
    place = np.full(values.shape[0], -1, np.int64)
    for leaf in range(leaves):
        size = bounds[leaf + 1] - bounds[leaf]
        for t in range(size):
            r = order[bounds[leaf] + t]
            rank[leaf, t] = r
            place[r] = leaf * LEAF + t
            for j in range(d):
                block[leaf, j, t] = values[r, j]
        count[leaves - 1 + leaf] = size
        _leaf_box(block, low, high, leaf, leaves - 1 + leaf, size)
    for node in range(leaves - 2, -1, -1):
        count[node] = count[2 * node + 1] + count[2 * node + 2]
        _join_boxes(low, high, node)
    return block, rank, count, low, high, place


@njit(cache=True, nogil=True)
def _leaf_box(block: Floats, low: Floats, high: Floats, leaf: int, node: int, size: int) -> bool:
    changed = False
    for j in range(block.shape[1]):
        a, b = np.inf, -np.inf
        for t in range(size):
            a, b = min(a, block[leaf, j, t]), max(b, block[leaf, j, t])
        if a != low[node, j] or b != high[node, j]:
            changed = True
        low[node, j], high[node, j] = a, b
    return changed


@njit(cache=True, nogil=True)
def _join_boxes(low: Floats, high: Floats, node: int) -> bool:
    """The box of a node from its children; an empty child has low = inf, high = -inf. True if it changed."""
    changed = False
    for j in range(low.shape[1]):
        a = min(low[2 * node + 1, j], low[2 * node + 2, j])
        b = max(high[2 * node + 1, j], high[2 * node + 2, j])
        if a != low[node, j] or b != high[node, j]:
            changed = True
        low[node, j], high[node, j] = a, b
    return changed


@njit(cache=True, nogil=True)
def delete(tree: Tree, r: int) -> None:
    """Take the record of rank r out; boxes stay tight."""
    block, rank, count, low, high, place = tree
    leaf, slot = place[r] // LEAF, place[r] % LEAF
    node = (count.size + 1) // 2 - 1 + leaf
    last = count[node] - 1
    d = block.shape[1]
    edge = False
    for j in range(d):
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
        if edge:
            edge = _join_boxes(low, high, node)


@njit(cache=True, nogil=True)
def _nearest_bound(low: Floats, high: Floats, node: int, pole: Floats) -> float:
    total = 0.0
    for j in range(pole.size):
        gap = max(max(low[node, j] - pole[j], pole[j] - high[node, j]), 0.0)
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def leaf_distances(block: Floats, leaf: int, pole: Floats, out: Floats) -> None:
    for t in range(LEAF):
        out[t] = 0.0
    for j in range(pole.size):
        p = pole[j]
        for t in range(LEAF):
            gap = block[leaf, j, t] - p
            out[t] += gap * gap


@njit(cache=True, nogil=True)
def nearest(tree: Tree, pole: Floats, found: Ints, distance: Floats, stack: Ints, bound: Floats, out: Floats) -> int:
    """The found.size live records nearest to ``pole``, by (squared distance, rank), into ``found`` and
    ``distance``."""
    block, rank, count, low, high, _ = tree
    k = found.size
    first_leaf = (count.size + 1) // 2 - 1
    held = 0
    worst = np.inf
    stack[0], bound[0] = 0, 0.0
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        if bound[top] > worst:
            continue
        while node < first_leaf:
            a, b = 2 * node + 1, 2 * node + 2
            da = _nearest_bound(low, high, a, pole) if count[a] > 0 else np.inf
            db = _nearest_bound(low, high, b, pole) if count[b] > 0 else np.inf
            if db < da:
                a, b, da, db = b, a, db, da
            if db <= worst and count[b] > 0:
                stack[top], bound[top] = b, db
                top += 1
            if da > worst:
                node = -1
                break
            node = a
        if node < 0:
            continue
        leaf = node - first_leaf
        leaf_distances(block, leaf, pole, out)
        for t in range(count[node]):
            x = out[t]
            if x > worst:
                continue
            r = rank[leaf, t]
            if held == k and x == distance[k - 1] and r > found[k - 1]:
                continue
            i = held if held < k else k - 1
            while i > 0 and (distance[i - 1] > x or (distance[i - 1] == x and found[i - 1] > r)):
                distance[i], found[i] = distance[i - 1], found[i - 1]
                i -= 1
            distance[i], found[i] = x, r
            held = min(held + 1, k)
            if held == k:
                worst = distance[k - 1]
    return held
