"""A kd-tree over live records: the nearest records of a pole, with deletions.

Layout. The leaves are blocks of at most LEAF records stored column by column (``block[leaf, column,
slot]``), so that a scan of a leaf is one vector loop a column. Every node has a tight box (``low``,
``high``) and a count of live records. The tree is a perfect binary tree in heap order: the children of node
i are 2i+1 and 2i+2, the leaves are the last level.

Exactness. A search of a large file waits for memory, so blocks and boxes are in single precision: b = (x -
centre) * scale, rounded. They only tell which records can be looked past; a record that cannot is measured
in double precision from its own values, in column order. With u = 2^-24 the single-precision gap of a
column differs from the true one by at most u (2 |pole - centre| + 2 |gap|), and d squares add at most d + 2
more roundings: so a record within the distance D of the pole, whose distance from the centre is rho, has a
squared single-precision distance of at most

    (D (1 + e) + e rho)^2 (1 + (d + 8) e),    e = 4 u.

The bound of a box comes from the same operations in the same order as a distance, and rounding is monotone,
so it never passes that of a record inside. Hence the answer equals that of a plain scan, ties included (the
smallest rank wins)."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Singles = NDArray[np.float32]
Tree = tuple[Singles, Ints, Ints, Singles, Singles, Ints, Floats, float]

LEAF = 64
E = 2.0**-22
TINY = 1e-37


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
def build(values: Floats, order: Ints, bounds: Ints, centre: Floats, scale: float) -> Tree:
    """The tree whose leaf i holds the records order[bounds[i]:bounds[i+1]] (ranks) of ``values`` (n, d)."""
    d = values.shape[1]
    leaves = bounds.size - 1
    nodes = 2 * leaves - 1
    low, high = np.empty((nodes, d), np.float32), np.empty((nodes, d), np.float32)
    block = np.full((leaves, d, LEAF), np.float32(np.inf))
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
                block[leaf, j, t] = np.float32((values[r, j] - centre[j]) * scale)
        count[leaves - 1 + leaf] = size
        _leaf_box(block, low, high, leaf, leaves - 1 + leaf, size)
    for node in range(leaves - 2, -1, -1):
        count[node] = count[2 * node + 1] + count[2 * node + 2]
        _join_boxes(low, high, node)
    return block, rank, count, low, high, place, centre, scale


@njit(cache=True, nogil=True)
def build_nearest(values: Floats, live: Ints, centre: Floats, scale: float) -> Tree:
    """The tree of the records ``live`` (ranks), halved by the widest column."""
    leaves = 1
    while (live.size + leaves - 1) // leaves > LEAF:
        leaves *= 2
    order = live.copy()
    bounds = np.empty(leaves + 1, np.int64)
    bounds[0], bounds[leaves] = 0, live.size
    split(order, values, bounds, 0, leaves)
    tree: Tree = build(values, order, bounds, centre, scale)
    return tree


@njit(cache=True, nogil=True)
def unit(values: Floats, centre: Floats) -> float:
    """The power of two that brings all distances from the centre, column by column, to at most 1."""
    most = 0.0
    for r in range(values.shape[0]):
        for j in range(values.shape[1]):
            most = max(most, abs(values[r, j] - centre[j]))
    return 2.0 ** -np.ceil(np.log2(most)) if most > 0.0 else 1.0


@njit(cache=True, nogil=True)
def _leaf_box(block: Singles, low: Singles, high: Singles, leaf: int, node: int, size: int) -> bool:
    changed = False
    for j in range(block.shape[1]):
        a, b = np.float32(np.inf), np.float32(-np.inf)
        for t in range(size):
            a, b = min(a, block[leaf, j, t]), max(b, block[leaf, j, t])
        if a != low[node, j] or b != high[node, j]:
            changed = True
        low[node, j], high[node, j] = a, b
    return changed


@njit(cache=True, nogil=True)
def _join_boxes(low: Singles, high: Singles, node: int) -> bool:
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
    block, rank, count, low, high, place, _, _ = tree
    leaf, slot = place[r] // LEAF, place[r] % LEAF
    node = (count.size + 1) // 2 - 1 + leaf
    last = count[node] - 1
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
        if edge:
            edge = _join_boxes(low, high, node)


@njit(cache=True, nogil=True)
def aim(tree: Tree, pole: Floats, single: Singles) -> float:
    """The pole in single precision, and its distance from the centre in the unit of the tree."""
    _, _, _, _, _, _, centre, scale = tree
    total = 0.0
    for j in range(pole.size):
        away = (pole[j] - centre[j]) * scale
        single[j] = np.float32(away)
        total += away * away
    return float(np.sqrt(total))


@njit(cache=True, nogil=True)
def leaf_distances(block: Singles, leaf: int, single: Singles, out: Singles) -> None:
    for t in range(LEAF):
        out[t] = np.float32(0.0)
    for j in range(single.size):
        p = single[j]
        for t in range(LEAF):
            gap = block[leaf, j, t] - p
            out[t] += gap * gap


@njit(cache=True, nogil=True)
def squared(values: Floats, r: int, pole: Floats) -> float:
    total = 0.0
    for j in range(pole.size):
        gap = values[r, j] - pole[j]
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def _nearest_bound(low: Singles, high: Singles, node: int, single: Singles) -> np.float32:
    total = np.float32(0.0)
    for j in range(single.size):
        gap = max(max(low[node, j] - single[j], single[j] - high[node, j]), np.float32(0.0))
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def _limit(worst: float, rho: float, scale: float, d: int) -> np.float32:
    """The largest single-precision squared distance of a record within sqrt(worst): see above."""
    reach = np.sqrt(worst) * scale * (1.0 + E) + E * rho
    return np.float32(reach * reach * (1.0 + (d + 8) * E) + TINY)


@njit(cache=True, nogil=True)
def nearest(tree: Tree, values: Floats, pole: Floats, found: Ints, distance: Floats, within: float) -> int:
    """The found.size live records nearest to ``pole``, by (squared distance, rank), into ``found`` and
    ``distance``, none with a squared distance above ``within``; returns how many there are."""
    block, rank, count, low, high, _, _, scale = tree
    k, d = found.size, pole.size
    single, out = np.empty(d, np.float32), np.empty(LEAF, np.float32)
    stack, bound = np.empty(64, np.int64), np.empty(64, np.float32)
    rho = aim(tree, pole, single)
    first_leaf = (count.size + 1) // 2 - 1
    held = 0
    limit = _limit(within, rho, scale, d)
    stack[0], bound[0] = 0, np.float32(0.0)
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        if bound[top] > limit:
            continue
        while node < first_leaf:
            a, b = 2 * node + 1, 2 * node + 2
            da = _nearest_bound(low, high, a, single)
            db = _nearest_bound(low, high, b, single)
            if db < da:
                a, b, da, db = b, a, db, da
            if db <= limit and count[b] > 0:
                stack[top], bound[top] = b, db
                top += 1
            if da > limit or count[a] == 0:
                node = -1
                break
            node = a
        if node < 0:
            continue
        leaf = node - first_leaf
        leaf_distances(block, leaf, single, out)
        near = 0
        for t in range(LEAF):  # without a branch: most leaves hold nothing
            near += out[t] <= limit
        if near == 0:
            continue
        for t in range(count[node]):
            if out[t] > limit:
                continue
            r = rank[leaf, t]
            x = squared(values, r, pole)
            if x > within or (held == k and (x > distance[k - 1] or (x == distance[k - 1] and r > found[k - 1]))):
                continue
            i = held if held < k else k - 1
            while i > 0 and (distance[i - 1] > x or (distance[i - 1] == x and found[i - 1] > r)):
                distance[i], found[i] = distance[i - 1], found[i - 1]
                i -= 1
            distance[i], found[i] = x, r
            held = min(held + 1, k)
            if held == k:
                limit = _limit(distance[k - 1], rho, scale, d)
    return held
