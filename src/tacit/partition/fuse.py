"""Fusing low-cardinality leaves: every block gets at least ``least`` records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

Ints = NDArray[np.int64]


def fuse(count: Ints, total: NDArray[np.int64], least: int) -> Ints:
    """The block of each leaf. ``count`` (leaves,) records, ``total`` (leaves, d) sums of codes.

    Until none is left, every leaf with fewer than ``least`` records is fused with the leaf of the nearest centroid
    (the report's section 2.2). All low leaves of a round are fused at once; a round at least halves their number, so
    there are few rounds. Centroids are exact sums divided once, in units of the columns' ranges.
    """
    parent = np.arange(len(count))
    count, total = count.copy(), total.astype(np.float64)
    while True:
        alive = np.flatnonzero(parent == np.arange(len(parent)))
        low = alive[count[alive] < least]
        if len(low) == 0 or len(alive) == 1:
            break
        centroid = total[alive] / count[alive, None]
        near = _nearest_other(centroid, np.searchsorted(alive, low))
        for leaf, other in zip(low, alive[near], strict=True):
            a, b = _root(parent, leaf), _root(parent, other)
            if a != b:
                keep, gone = min(a, b), max(a, b)
                parent[gone] = keep
                count[keep] += count[gone]
                total[keep] += total[gone]
    roots = np.array([_root(parent, leaf) for leaf in range(len(parent))], dtype=np.int64)
    return np.unique(roots, return_inverse=True)[1].astype(np.int64)


def _nearest_other(centroid: NDArray[np.float64], rows: Ints) -> Ints:
    """For each of ``rows`` the nearest other centroid; among very many leaves in many columns, where a kd-tree prunes
    nothing, one that is at most four times as far as the nearest."""
    loose = len(centroid) > 20_000 and centroid.shape[1] > 10
    found = np.asarray(cKDTree(centroid).query(centroid[rows], k=2, eps=3.0 if loose else 0.0)[1])
    first, second = found[:, 0], found[:, 1]
    return np.where(first == rows, second, first).astype(np.int64)


def _root(parent: Ints, leaf: int) -> int:
    while parent[leaf] != leaf:
        parent[leaf] = parent[parent[leaf]]
        leaf = parent[leaf]
    return int(leaf)
