"""Groups of at least k records from an array of distances-ready columns (standardised, no missing values).

Every function takes (values, k) and returns group numbers. The multivariate ones work in value order whatever the
order of the rows, so that only records with equal values can change places.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from tacit.kernels.forest import cut, grow
from tacit.kernels.mdav import mdav, value_order
from tacit.kernels.univariate import fixed_groups, optimal_groups
from tacit.kernels.vmdav import vmdav_groups

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

__all__ = ["along", "first_component", "mdav", "mu_approx", "vmdav", "zscores"]


def vmdav(values: Floats, k: int, gamma: float = 0.2) -> Labels:
    """V-MDAV (Solanas and Martinez-Balleste 2006): groups of k .. 2k-1; see the kernel. O(n^2)."""
    order = value_order(values)
    labels = np.empty(len(values), dtype=np.int64)
    labels[order] = vmdav_groups(np.ascontiguousarray(values[order]), k, gamma)
    return labels


def mu_approx(values: Floats, k: int) -> Labels:
    """mu-Approx (Domingo-Ferrer, Sebe and Solanas 2008): a forest of nearest neighbours, cut into groups.

    1. Forest: while a tree has fewer than k records, its root points to its nearest record outside the tree.
    2. Cut: each tree is cut from the leaves into groups of k .. 3k-3 records.
    3. A group of 2k or more is split by MDAV, which cannot raise the SSE.

    The paper proves its bound (a factor of the order of k^2 from the optimum) for a cut into at most
    max(2k-1, 3k-5) records; ours is the plain cut above, so the bound is not claimed here.
    """
    n = len(values)
    if n < 2 * k or k == 1:
        return np.zeros(n, dtype=np.int64) if k > 1 else np.arange(n)
    order = value_order(values)
    ordered = np.ascontiguousarray(values[order])
    _, near = cKDTree(ordered).query(ordered, k=k)
    near = near.reshape(n, k)
    # drop the record itself; among many equal records it may not be listed, then drop the last
    is_self = near == np.arange(n)[:, None]
    is_self[~is_self.any(axis=1), -1] = True
    neighbours = near[~is_self].reshape(n, k - 1).astype(np.int64)
    groups = cut(grow(neighbours, np.arange(n), k), k)
    sizes = np.bincount(groups)
    fresh = sizes.size
    for g in np.flatnonzero(sizes >= 2 * k):
        rows = np.flatnonzero(groups == g)
        parts = mdav(ordered[rows], k)
        groups[rows[parts > 0]] = fresh + parts[parts > 0] - 1
        fresh += int(parts.max())
    labels = np.empty(n, dtype=np.int64)
    labels[order] = groups
    return labels


def along(score: Floats, k: int, *, optimal: bool = True) -> Labels:
    """Groups of records that are neighbours in `score`; equal scores in the order of the rows (give value order).

    Optimal: smallest SSE of the score over all groupings (Hansen and Mukherjee 2003). Else: runs of k.
    """
    order = np.argsort(score, kind="stable")
    labels = np.empty(len(score), dtype=np.int64)
    ordered = np.ascontiguousarray(score[order])
    labels[order] = optimal_groups(ordered, k) if optimal else fixed_groups(len(score), k)
    return labels


def zscores(values: Floats) -> Floats:
    """The sum of the standardised columns of each record."""
    return np.asarray(values.sum(axis=1))


def first_component(values: Floats) -> Floats:
    """The first principal component; its sign such that the largest loading is positive."""
    centred = values - values.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    axis = vectors[:, -1]
    if axis[np.argmax(np.abs(axis))] < 0:
        axis = -axis
    return np.asarray(centred @ axis)
