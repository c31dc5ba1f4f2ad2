"""A kd-tree with wide nodes: leaves of 16 points, nodes of 8 boxes, tested in one go.

Idea. Points are ordered so that every aligned run of 16, 128, 1024 ... points is a cell;
so the tree needs no pointers: the children of node k are nodes 8k .. 8k + 7 of the level
below, and a cell's box is the tight box of its points. Each split is along the longest
side of the cell's box. ``kdtree_lanes`` measures a whole leaf or node at a time.

A search finds the k smallest values of f(distance) - weight of the point, below a limit.
With weights zero it is the k nearest neighbours; with duals as weights it prices an
assignment (design: "Optimal assignment").

Invariant. The bound of a box, f(distance to the box) - largest weight inside, is never
above the value of a point inside it, and the limit of a search never rises: what is
skipped because its bound reaches the limit cannot be among the answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.kernels.arrays import Floats, Ints, StopFlag
from tacit.kernels.compiler import njit
from tacit.kernels.trees.cells import cell_order
from tacit.kernels.trees.widths import ARMS, LANES

if TYPE_CHECKING:
    from tacit.kernels.trees.kdtree_lanes import (
        boxes_0,
        boxes_1,
        boxes_2,
        first,
        least,
        points_0,
        points_1,
        points_2,
    )

SQUARED, EUCLIDEAN, MANHATTAN = 0, 1, 2
"""What f(distance) is: squared Euclidean, Euclidean, Manhattan."""

DOUBLE = 8
"""Bytes of a number, for addresses."""
TIE_SLACK = 1e-11
"""Relative width of a tie: far above the rounding of a sum, far below real gaps."""
TINY = 1e-150
"""Keeps the limit above a least distance of zero; its square is still a number."""


LANES_OF = "tacit.kernels.trees.kdtree_lanes"
"""Where the vector code is; it imports numba, so it is loaded when the search is compiled."""


class Tree(NamedTuple):
    """Points in the order of the leaves, and the boxes of all levels, lowest level first.

    ``offset`` says where each level's nodes begin.
    """

    order: Ints  # (n,)
    leaves: Floats  # (blocks, d, LANES)
    boxes: Floats  # (nodes, d, 2, ARMS): lower ends, then upper ends
    offset: Ints  # (levels + 1,)


class Weights(NamedTuple):
    """Weights of points in leaf order and the largest weight under each box.

    They are -inf where there is no point, so that an empty lane is never near.
    """

    leaves: Floats  # (blocks, LANES)
    boxes: Floats  # (nodes, ARMS)


def build(points: Floats) -> Tree:
    """The tree of points (n, d), n at least 1, all finite."""
    points = np.ascontiguousarray(points, dtype=np.float64)
    n, d = points.shape
    # blocks of points, then nodes of each level up to a single root
    count = [-(-n // LANES)]
    while len(count) == 1 or count[-1] > 1:
        count.append(-(-count[-1] // ARMS))
    offset = np.concatenate([[0], np.cumsum(count[1:])]).astype(np.int64)
    order = cell_order(points)
    leaves = np.full((count[0], d, LANES), np.inf)
    boxes = np.empty((int(offset[-1]), d, 2, ARMS))
    _fill(points, order, leaves, boxes, offset)
    return Tree(order, leaves, boxes, offset)


def weigh(tree: Tree, weight: Floats | None = None) -> Weights:
    """Weights (n,) laid out for the tree; none: all zero."""
    n = len(tree.order)
    blocks = len(tree.leaves)
    in_leaf_order = np.full(blocks * LANES, -np.inf)
    in_leaf_order[:n] = 0.0 if weight is None else weight[tree.order]
    leaves = in_leaf_order.reshape(blocks, LANES)
    boxes = np.full((len(tree.boxes), ARMS), -np.inf)
    # level by level: the largest weight of each child is an entry of its parent
    largest = leaves.max(axis=1)
    for start, stop in zip(tree.offset[:-1], tree.offset[1:], strict=True):
        level = boxes[start:stop]
        level.reshape(-1)[: len(largest)] = largest
        largest = level.max(axis=1)
    return Weights(leaves, boxes)


@njit(cache=True, nogil=True)
def _fill(
    points: Floats,
    order: Ints,
    leaves: Floats,
    boxes: Floats,
    offset: Ints,
) -> None:
    """Write the points into their leaves and the tight boxes of all levels."""
    n, d = points.shape
    # a box without points is inside out: nothing is near it
    boxes[:, :, 0, :] = np.inf
    boxes[:, :, 1, :] = -np.inf
    for i in range(n):
        block = i // LANES
        node = block // ARMS
        arm = block % ARMS
        for t in range(d):
            x = points[order[i], t]
            leaves[block, t, i % LANES] = x
            boxes[node, t, 0, arm] = min(boxes[node, t, 0, arm], x)
            boxes[node, t, 1, arm] = max(boxes[node, t, 1, arm], x)
    for level in range(1, len(offset) - 1):
        for k in range(offset[level] - offset[level - 1]):
            child = offset[level - 1] + k
            node = offset[level] + k // ARMS
            arm = k % ARMS
            for t in range(d):
                boxes[node, t, 0, arm] = boxes[child, t, 0].min()
                boxes[node, t, 1, arm] = boxes[child, t, 1].max()


@njit(module=LANES_OF, cache=True, nogil=True)
def _near_points(
    kind: int,
    data: int,
    query: int,
    d: int,
    weight: int,
    limit: float,
    out: int,
) -> int:
    """The lanes of a leaf below the limit, as bits; arguments are addresses."""
    if kind == SQUARED:
        return points_0(data, query, d, weight, limit, out)
    if kind == EUCLIDEAN:
        return points_1(data, query, d, weight, limit, out)
    return points_2(data, query, d, weight, limit, out)


@njit(module=LANES_OF, cache=True, nogil=True)
def _near_boxes(
    kind: int,
    data: int,
    query: int,
    d: int,
    weight: int,
    limit: float,
    out: int,
) -> int:
    """The boxes of a node below the limit, as bits; arguments are addresses."""
    if kind == SQUARED:
        return boxes_0(data, query, d, weight, limit, out)
    if kind == EUCLIDEAN:
        return boxes_1(data, query, d, weight, limit, out)
    return boxes_2(data, query, d, weight, limit, out)


@njit(module=LANES_OF, cache=True, nogil=True)
def _least(bounds: int, limit: float) -> int:
    """The child to be visited next, of equal ones the last; -1: none is below the limit."""
    lane: int = least(bounds, limit)
    return lane


@njit(module=LANES_OF, cache=True, nogil=True)
def _first(mask: int) -> int:
    """The first lane of a mask."""
    lane: int = first(mask)
    return lane


@njit(cache=True, nogil=True)
def _tie_limit(
    least: float,
    kind: int,
    ties: float,
) -> float:
    """The value up to which a distance counts as equal to the least one."""
    distance = np.sqrt(least) if kind == SQUARED else least
    distance += ties + TIE_SLACK * distance + TINY
    return distance * distance if kind == SQUARED else distance


@njit(cache=True, nogil=True)
def search(
    queries: Floats,
    rows: Ints,
    limits: Floats,
    tree: Tree,
    weights: Weights,
    kind: int,
    ties: float,
    value: Floats,
    index: Ints,
    stop: StopFlag,
) -> int:
    """The points j of least f(distance(queries[rows[r]], j)) - weight[j], for every r.

    Writes those below limits[r] to ``value[r]`` and ``index[r]``, best first (inf and -1
    where there are fewer than k). With ``ties`` >= 0 only values are wanted whose
    distance is within ``ties`` (an absolute error, plus 1e-11 of it) of the least; when
    all k places are taken there may be more. Polls ``stop[0]``. Returns the number of
    rows done.
    """
    order, leaves, boxes, offset = tree.order, tree.leaves, tree.boxes, tree.offset
    d = queries.shape[1]
    k = value.shape[1]
    levels = len(offset) - 1
    near = np.empty(LANES)
    query = np.empty(d)
    # the lanes take addresses: numba has no vectors
    near_at = near.ctypes.data
    query_at = query.ctypes.data
    leaf_at, leaf_step = leaves.ctypes.data, leaves.strides[0]
    box_at, box_step = boxes.ctypes.data, boxes.strides[0]
    weight_at = weights.leaves.ctypes.data
    top_at = weights.boxes.ctypes.data
    # the way down: the node of each level, and the bounds of its children that wait
    node_of = np.empty(levels, np.int64)
    bounds = np.empty((levels, ARMS))
    bounds_at, bounds_step = bounds.ctypes.data, bounds.strides[0]
    for r in range(len(rows)):
        if stop[0] != 0:
            return r
        query[:] = queries[rows[r]]
        limit = limits[r]
        value[r] = np.inf
        index[r] = -1
        found = 0
        level = levels - 1
        node_of[level] = 0
        fresh = True
        while level < levels:
            waiting = bounds_at + level * bounds_step
            if fresh:
                place = offset[level] + node_of[level]
                data = box_at + place * box_step
                weight = top_at + place * (ARMS * DOUBLE)
                _near_boxes(kind, data, query_at, d, weight, limit, waiting)
            lane = _least(waiting, limit)
            fresh = False
            if lane < 0:
                # what waits is too far away, all of it
                level += 1
                continue
            bounds[level, lane] = np.inf
            node = node_of[level] * ARMS + lane
            if level > 0:
                level -= 1
                node_of[level] = node
                fresh = True
                continue
            data = leaf_at + node * leaf_step
            weight = weight_at + node * (LANES * DOUBLE)
            mask = _near_points(kind, data, query_at, d, weight, limit, near_at)
            while mask != 0:
                lane = _first(mask)
                mask &= mask - 1
                x = np.sqrt(near[lane]) if kind == EUCLIDEAN else near[lane]
                x -= weights.leaves[node, lane]
                # the limit may have fallen since the leaf was measured
                if x < limit:
                    found = min(found + 1, k)
                    p = found - 1
                    while p > 0 and value[r, p - 1] > x:
                        value[r, p] = value[r, p - 1]
                        index[r, p] = index[r, p - 1]
                        p -= 1
                    value[r, p] = x
                    index[r, p] = order[node * LANES + lane]
                    if found == k:
                        limit = min(limit, value[r, k - 1])
                    if ties >= 0.0 and p == 0:
                        limit = min(limit, _tie_limit(x, kind, ties))
    return len(rows)
