"""Fusing low-cardinality leaves: every block gets at least ``least`` records.

Until none is left, every leaf with fewer than ``least`` records is fused with the leaf of the
nearest centroid (ESSnet-SDC 2008, section 2.2). All low leaves of a round are fused at once; a
round at least halves their number, so there are few rounds. Centroids are exact sums divided
once, in units of the columns' ranges: they do not depend on the order of records.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from tacit.base.typing import Floats, Ints

# above so many leaves in so many columns a kd-tree prunes nothing, and a search that may miss
# the nearest by a factor of 1 + eps is taken
MANY_LEAVES, MANY_COLUMNS = 20_000, 10
LOOSE = 3.0


def fuse(
    count: Ints,
    total: Ints,
    least: int,
) -> Ints:
    """The block of each leaf. ``count`` (leaves,) records, ``total`` (leaves, d) sums of codes."""
    # a forest of fused leaves; a block is a tree in it, named by its lowest leaf
    parent = np.arange(len(count))
    records = count.copy()
    sums = total.astype(np.float64)
    while True:
        alive = np.flatnonzero(parent == np.arange(len(parent)))
        low = alive[records[alive] < least]
        if len(low) == 0 or len(alive) == 1:
            break
        centroid = sums[alive] / records[alive, None]
        near = _nearest_other(centroid, np.searchsorted(alive, low))
        for leaf, other in zip(low, alive[near], strict=True):
            one, two = _root(parent, leaf), _root(parent, other)
            if one != two:
                kept, gone = min(one, two), max(one, two)
                parent[gone] = kept
                records[kept] += records[gone]
                sums[kept] += sums[gone]
    roots = [_root(parent, leaf) for leaf in range(len(parent))]
    # blocks are numbered without gaps, in the order of their lowest leaves
    _, block = np.unique(roots, return_inverse=True)
    return block.astype(np.int64)


def _nearest_other(
    centroid: Floats,
    rows: Ints,
) -> Ints:
    """For each of ``rows`` the nearest other centroid.

    Among very many leaves in many columns, one that is at most four times as far.
    """
    many = len(centroid) > MANY_LEAVES and centroid.shape[1] > MANY_COLUMNS
    tree = cKDTree(centroid)
    eps = LOOSE if many else 0.0
    _, nearest = tree.query(centroid[rows], k=2, eps=eps)
    # of the two nearest, one is the centroid itself
    first, second = np.asarray(nearest, dtype=np.int64).T
    other: Ints = np.where(first == rows, second, first)
    return other


def _root(
    parent: Ints,
    leaf: int,
) -> int:
    """The leaf that names the block; the way there is halved for the next who asks."""
    while parent[leaf] != leaf:
        parent[leaf] = parent[parent[leaf]]
        leaf = parent[leaf]
    return int(leaf)
