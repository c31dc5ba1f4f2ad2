"""Which blocks can hold a point nearer than a limit: a walk down a tree of boxes.

Idea. Blocks are the leaves of a binary tree, and every node has the tight box of the points below
it, and the largest weight of them. A query goes down from the root and leaves out a node whose box,
less that weight, is not nearer than its limit.

Invariant. The distance to a box is never above the distance to a point inside it, and no weight
inside is above the largest: a block that is left out holds no point below the limit.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit

# of ``kdtree``, which is compiled vector code and not imported for two names
EUCLIDEAN, MANHATTAN = 1, 2
STACK = 256
"""Nodes that wait: one for each level, and a tree of blocks has some dozens."""


@njit(cache=True, nogil=True)
def visits(
    queries: Floats,
    limits: Floats,
    below: Ints,
    block: Ints,
    low: Floats,
    high: Floats,
    heaviest: Floats,
    kind: int,
    home: int,
) -> tuple[Ints, Ints]:
    """(query, block) of every block but ``home`` that may hold a value below the query's limit.

    Node v has the children below[v] and below[v] + 1, or is the block block[v] (-1: it is none),
    in the box low[v] .. high[v]; no point in it weighs more than heaviest[v]. Values are
    f(distance) less the weight of the point (kinds of ``kdtree``).
    """
    n, d = queries.shape
    room = 2 * n + 16
    who = np.empty(room, np.int64)
    where = np.empty(room, np.int64)
    found = 0
    todo = np.empty(STACK, np.int64)
    for i in range(n):
        todo[0] = 0
        top = 1
        while top > 0:
            top -= 1
            node = todo[top]
            apart = 0.0
            for t in range(d):
                x = queries[i, t]
                gap = max(low[node, t] - x, x - high[node, t], 0.0)
                apart += gap if kind == MANHATTAN else gap * gap
            if kind == EUCLIDEAN:
                apart = np.sqrt(apart)
            if apart - heaviest[node] >= limits[i]:
                continue
            if block[node] < 0:
                todo[top] = below[node]
                todo[top + 1] = below[node] + 1
                top += 2
                continue
            if block[node] == home:
                continue
            if found == room:
                room = 2 * room
                longer = np.empty(room, np.int64)
                longer[:found] = who
                who = longer
                longer = np.empty(room, np.int64)
                longer[:found] = where
                where = longer
            who[found] = i
            where[found] = block[node]
            found += 1
    return who[:found], where[:found]
