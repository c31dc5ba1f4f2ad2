"""Groups of at least k records from columns that are ready for distances.

Columns are standardised and hold no missing values. Every function takes (values, k) and
returns group numbers. The multivariate ones work in value order whatever the order of the rows,
so that only records with equal values can change places.
"""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.kernels.mdav.exact import mdav, value_order
from tacit.kernels.mdav.forest import cut, grow
from tacit.kernels.mdav.univariate import fixed_groups, optimal_groups
from tacit.kernels.mdav.vmdav import vmdav_groups

__all__ = ["along", "first_component", "mdav", "mu_approx", "vmdav", "zscores"]


def vmdav(
    values: Floats,
    k: int,
    gamma: float = 0.2,
) -> Ints:
    """V-MDAV (Solanas and Martinez-Balleste 2006): groups of k .. 2k-1; see the kernel. O(n^2)."""
    order = value_order(values)
    labels = np.empty(len(values), dtype=np.int64)
    in_order = np.ascontiguousarray(values[order])
    labels[order] = vmdav_groups(in_order, k, gamma)
    return labels


def mu_approx(values: Floats, k: int) -> Ints:
    """mu-Approx (Domingo-Ferrer, Sebe and Solanas 2008): a forest of nearest neighbours, cut.

    1. Forest: while a tree has fewer than k records, its root points to its nearest record
       outside the tree.
    2. Cut: each tree is cut from the leaves into groups of k .. 3k-3 records.
    3. A group of 2k or more is split by MDAV, which cannot raise the SSE.

    The paper proves its bound (a factor of the order of k^2 from the optimum) for a cut into at
    most max(2k-1, 3k-5) records; ours is the plain cut above, so the bound is not claimed here.
    """
    n = len(values)
    if k == 1:
        return np.arange(n)
    # fewer than 2k records make one group
    if n < 2 * k:
        return np.zeros(n, dtype=np.int64)
    order = value_order(values)
    ordered = np.ascontiguousarray(values[order])
    neighbours = _neighbours(ordered, k)
    forest = grow(neighbours, np.arange(n), k)
    groups = cut(forest, k)
    sizes = np.bincount(groups)
    next_group = sizes.size
    for large in np.flatnonzero(sizes >= 2 * k):
        rows = np.flatnonzero(groups == large)
        parts = mdav(ordered[rows], k)
        # part 0 keeps the number of the group, the others get new ones
        split_off = parts > 0
        groups[rows[split_off]] = next_group + parts[split_off] - 1
        next_group += int(parts.max())
    labels = np.empty(n, dtype=np.int64)
    labels[order] = groups
    return labels


def _neighbours(points: Floats, k: int) -> Ints:
    """The k - 1 nearest other records of each."""
    from scipy.spatial import cKDTree

    n = len(points)
    _, near = cKDTree(points).query(points, k=k)
    near = near.reshape(n, k)
    # drop the record itself; among many equal records it may not be listed, then drop the last
    is_self = near == np.arange(n)[:, None]
    is_self[~is_self.any(axis=1), -1] = True
    others = near[~is_self].reshape(n, k - 1)
    return np.asarray(others, dtype=np.int64)


def along(
    score: Floats,
    k: int,
    *,
    optimal: bool = True,
) -> Ints:
    """Groups of records that are neighbours in `score`.

    Equal scores are taken in the order of the rows (give value order). Optimal: smallest SSE of
    the score over all groupings (Hansen and Mukherjee 2003). Else: runs of k.
    """
    order = np.argsort(score, kind="stable")
    labels = np.empty(len(score), dtype=np.int64)
    if optimal:
        labels[order] = optimal_groups(np.ascontiguousarray(score[order]), k)
    else:
        labels[order] = fixed_groups(len(score), k)
    return labels


def zscores(values: Floats) -> Floats:
    """The sum of the standardised columns of each record."""
    return np.asarray(values.sum(axis=1))


def first_component(values: Floats) -> Floats:
    """The first principal component; its sign such that the largest loading is positive."""
    centred = values - values.mean(axis=0)
    # eigh sorts from the smallest eigenvalue up; an eigenvector's sign is arbitrary
    _, vectors = np.linalg.eigh(centred.T @ centred)
    axis = vectors[:, -1]
    if axis[np.argmax(np.abs(axis))] < 0:
        axis = -axis
    return np.asarray(centred @ axis)
