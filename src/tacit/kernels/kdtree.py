"""A kd-tree with wide nodes: leaves of 16 points and nodes of 8 boxes, each tested in one go (kdtree_lanes).

Points are ordered so that every aligned run of 16, 128, 1024 ... points is a cell; so the tree needs no
pointers: the children of node k are nodes 8k .. 8k + 7 of the level below, and a cell's box is the tight box of
its points. Each split is along the longest side of the cell's box.

A search finds the k smallest values of f(distance) - weight of the point, below a limit. With weights zero it is
the k nearest neighbours; with duals as weights it prices an assignment (design: "Optimal assignment").
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from tacit.kernels.kdtree_lanes import ARMS, LANES, boxes_0, boxes_1, boxes_2, points_0, points_1, points_2

SQUARED, EUCLIDEAN, MANHATTAN = 0, 1, 2
"""What f(distance) is: squared Euclidean, Euclidean, Manhattan."""


class Tree(NamedTuple):
    """``order``: points as the leaves hold them; ``offset``: where each level's nodes begin, lowest level first."""

    order: Any  # (n,) int64
    leaves: Any  # (blocks, d, LANES)
    boxes: Any  # (nodes, d, 2, ARMS)
    offset: Any  # (levels + 1,) int64


class Weights(NamedTuple):
    """Weights of points in leaf order and the largest weight under each box; -inf where there is no point."""

    leaves: Any  # (blocks, LANES)
    boxes: Any  # (nodes, ARMS)


def build(points: Any) -> Tree:
    """The tree of points (n, d), n at least 1, all finite."""
    points = np.ascontiguousarray(points, dtype=np.float64)
    n, d = points.shape
    count = [-(-n // LANES)]
    while len(count) == 1 or count[-1] > 1:
        count.append(-(-count[-1] // ARMS))
    offset = np.concatenate([[0], np.cumsum(count[1:])]).astype(np.int64)
    order = _order(points)
    leaves = np.full((count[0], d, LANES), np.inf)
    boxes = np.empty((int(offset[-1]), d, 2, ARMS))
    _fill(points, order, leaves, boxes, offset)
    return Tree(order, leaves, boxes, offset)


def weigh(tree: Tree, weight: Any = None) -> Weights:
    """Weights (n,) laid out for the tree; none: all zero."""
    n, blocks = len(tree.order), len(tree.leaves)
    low = np.full(blocks * LANES, -np.inf)
    low[:n] = 0.0 if weight is None else weight[tree.order]
    leaves = low.reshape(blocks, LANES)
    boxes = np.full((len(tree.boxes), ARMS), -np.inf)
    best = leaves.max(axis=1)
    for start, stop in zip(tree.offset[:-1], tree.offset[1:], strict=True):
        boxes[start:stop].reshape(-1)[: len(best)] = best
        best = boxes[start:stop].max(axis=1)
    return Weights(leaves, boxes)


@njit(cache=True, nogil=True)
def _select(points: Any, order: Any, low: int, high: int, place: int, axis: int) -> None:
    """Quickselect: order[low:high] is split at ``place`` by coordinate ``axis``."""
    high -= 1
    while high > low:
        a, b, c = points[order[low], axis], points[order[(low + high) // 2], axis], points[order[high], axis]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while points[order[i], axis] < pivot:
                i += 1
            while points[order[j], axis] > pivot:
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
def _order(points: Any) -> Any:
    n, d = points.shape
    order = np.arange(n)
    starts, stops = np.empty(512, np.int64), np.empty(512, np.int64)
    starts[0], stops[0], top = 0, (n + LANES - 1) // LANES, 1
    low, high = np.empty(d), np.empty(d)
    while top > 0:
        top -= 1
        start, stop = starts[top], stops[top]
        size = stop - start
        if size <= 1:
            continue
        unit = 1  # splits stay on multiples of the largest power of ARMS below the size
        while unit * ARMS < size:
            unit *= ARMS
        half = min(max((size + unit) // (2 * unit) * unit, unit), (size - 1) // unit * unit)
        first, last = start * LANES, min(stop * LANES, n)
        low[:], high[:] = np.inf, -np.inf
        for i in range(first, last):
            for t in range(d):
                x = points[order[i], t]
                low[t], high[t] = min(low[t], x), max(high[t], x)
        axis = np.argmax(high - low) if d > 0 else 0
        _select(points, order, first, last, (start + half) * LANES, axis)
        starts[top], stops[top] = start, start + half
        starts[top + 1], stops[top + 1] = start + half, stop
        top += 2
    return order


@njit(cache=True, nogil=True)
def _fill(points: Any, order: Any, leaves: Any, boxes: Any, offset: Any) -> None:
    n, d = points.shape
    boxes[:, :, 0, :] = np.inf
    boxes[:, :, 1, :] = -np.inf
    for i in range(n):
        block = i // LANES
        node, arm = block // ARMS, block % ARMS
        for t in range(d):
            x = points[order[i], t]
            leaves[block, t, i % LANES] = x
            boxes[node, t, 0, arm] = min(boxes[node, t, 0, arm], x)
            boxes[node, t, 1, arm] = max(boxes[node, t, 1, arm], x)
    for level in range(1, len(offset) - 1):
        for k in range(offset[level] - offset[level - 1]):
            child, node, arm = offset[level - 1] + k, offset[level] + k // ARMS, k % ARMS
            for t in range(d):
                boxes[node, t, 0, arm] = boxes[child, t, 0].min()
                boxes[node, t, 1, arm] = boxes[child, t, 1].max()


@njit(cache=True, nogil=True)
def search(
    queries: Any,
    rows: Any,
    limits: Any,
    tree: Tree,
    weights: Weights,
    kind: int,
    ties: float,
    value: Any,
    index: Any,
    stop: Any,
) -> int:
    """For r: the points j of least f(distance(queries[rows[r]], j)) - weight[j] below limits[r], best first.

    Writes ``value[r]`` and ``index[r]`` (inf and -1 where there are fewer than k). With ``ties`` >= 0 only values are
    wanted whose distance is within ``ties`` (an absolute error, plus 1e-11 of it) of the least; when all k places are
    taken there may be more. Polls ``stop[0]``. Returns the number of rows done.
    """
    order, leaves, boxes, offset = tree.order, tree.leaves, tree.boxes, tree.offset
    d, k, levels = queries.shape[1], value.shape[1], len(offset) - 1
    near, apart, query = np.empty(LANES), np.empty(ARMS), np.empty(d)
    near_at, apart_at, query_at = near.ctypes.data, apart.ctypes.data, query.ctypes.data
    leaf_at, leaf_step = leaves.ctypes.data, leaves.strides[0]
    box_at, box_step = boxes.ctypes.data, boxes.strides[0]
    weight_at, top_at = weights.leaves.ctypes.data, weights.boxes.ctypes.data
    todo, level_of, bound = (
        np.empty(ARMS * (levels + 1), np.int64),
        np.empty(ARMS * (levels + 1), np.int64),
        np.empty(ARMS * (levels + 1)),
    )
    for r in range(len(rows)):
        if stop[0] != 0:
            return r
        query[:] = queries[rows[r]]
        limit = limits[r]
        value[r] = np.inf
        index[r] = -1
        todo[0], level_of[0], bound[0], top, found = 0, levels - 1, -np.inf, 1, 0
        while top > 0:
            top -= 1
            if bound[top] >= limit:
                continue
            level, node = level_of[top], todo[top]
            lane = 0
            if level < 0:
                data, weight = leaf_at + node * leaf_step, weight_at + node * (LANES * 8)
                if kind == 0:
                    mask = points_0(data, query_at, d, weight, limit, near_at)
                elif kind == 1:
                    mask = points_1(data, query_at, d, weight, limit, near_at)
                else:
                    mask = points_2(data, query_at, d, weight, limit, near_at)
                while mask != 0:
                    if mask & 1:
                        x = (np.sqrt(near[lane]) if kind == 1 else near[lane]) - weights.leaves[node, lane]
                        if x < limit:
                            found = min(found + 1, k)
                            p = found - 1
                            while p > 0 and value[r, p - 1] > x:
                                value[r, p], index[r, p] = value[r, p - 1], index[r, p - 1]
                                p -= 1
                            value[r, p], index[r, p] = x, order[node * LANES + lane]
                            if found == k:
                                limit = min(limit, value[r, k - 1])
                            if ties >= 0.0 and p == 0:
                                x = np.sqrt(x) if kind == 0 else x
                                x += ties + 1e-11 * x + 1e-150
                                limit = min(limit, x * x if kind == 0 else x)
                    mask >>= 1
                    lane += 1
                continue
            place = offset[level] + node
            data, weight = box_at + place * box_step, top_at + place * (ARMS * 8)
            if kind == 0:
                mask = boxes_0(data, query_at, d, weight, limit, apart_at)
            elif kind == 1:
                mask = boxes_1(data, query_at, d, weight, limit, apart_at)
            else:
                mask = boxes_2(data, query_at, d, weight, limit, apart_at)
            base = top
            while mask != 0:  # nearest box last, so that it is taken first
                if mask & 1:
                    x = (np.sqrt(apart[lane]) if kind == 1 else apart[lane]) - weights.boxes[place, lane]
                    p = top
                    while p > base and bound[p - 1] < x:
                        bound[p], todo[p] = bound[p - 1], todo[p - 1]
                        p -= 1
                    bound[p], todo[p] = x, node * ARMS + lane
                    top += 1
                mask >>= 1
                lane += 1
            level_of[base:top] = level - 1
    return len(rows)
