"""Nearest points among few, by measuring them all: nothing to build and nothing to compile.

Up to some thousands of points a matrix of distances (scipy's ``cdist``) takes less time than
reading the compiled kd-tree from its cache. Which of the two answers depends on the numbers of
points and queries alone, so the same files always give the same answer.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np

from tacit.base.scipy_parts import cdist
from tacit.base.typing import Floats, Ints
from tacit.kernels.trees import kdtree

FEW = 2_100
"""Most points that are scanned; a matrix of their distances to as many has 35 MB."""
PAIRS = FEW * FEW
"""Most distances that are measured in one search."""
MANY = 4
"""Times k entries of a row above which the smallest k are chosen before they are sorted."""
ONE_BY_ONE = 3
"""Most values of a row that are found one by one: a look at a row takes an eighth of choosing some
of it."""
NAMES: dict[int, Literal["sqeuclidean", "euclidean", "cityblock"]] = {
    kdtree.SQUARED: "sqeuclidean",
    kdtree.EUCLIDEAN: "euclidean",
    kdtree.MANHATTAN: "cityblock",
}
"""scipy's names of the kinds."""


class Points:
    """Points to be searched, with a tree as soon as a search needs one.

    Parameters
    ----------
    points : array
        One row for each.
    compiled : bool
        The kernels are needed in any case, for a file of many records: then the tree is searched
        however few different points there are.

    Attributes
    ----------
    order
        All rows, so that those near each other come one after the other, where that pays.
    """

    def __init__(self, points: Floats, *, compiled: bool = False) -> None:
        self.points = np.ascontiguousarray(points, dtype=np.float64)
        self.few = len(self.points) <= FEW and not compiled

    @cached_property
    def tree(self) -> kdtree.Tree:
        """The kd-tree of the points."""
        return kdtree.build(self.points)

    @cached_property
    def order(self) -> Ints:
        """Of the tree where there will be one; few points need none."""
        if self.few:
            return np.arange(len(self.points))
        return self.tree.order

    def scanned_by(self, queries: int) -> bool:
        """Are they measured one and all, for so many queries?"""
        return self.few and queries * len(self.points) <= PAIRS


def distances(queries: Floats, points: Floats, kind: int) -> Floats:
    """f(distance) of all pairs, as a matrix."""
    if not points.shape[1]:
        return np.zeros((len(queries), len(points)))
    return cdist(queries, points, NAMES[kind])


def scan(
    queries: Floats,
    points: Points,
    k: int,
    kind: int,
    limits: Floats,
    weights: Floats | None,
    ties: float,
) -> tuple[Floats, Ints]:
    """What ``neighbours.search`` gives for these queries; equal values by row."""
    values = distances(queries, points.points, kind)
    if weights is not None:
        values -= weights
    if ties >= 0 and len(queries):
        limits = np.minimum(limits, tie_limits(values.min(axis=1), kind, ties))
    if k <= ONE_BY_ONE:
        return smallest(values, k, limits)
    # mostly few are below a limit: a comparison leaves next to nothing to sort
    is_below = values < limits[:, None]
    if np.count_nonzero(is_below) > MANY * k * len(queries):
        nearest = np.argpartition(values, k - 1, axis=1)[:, :k]
        row = np.repeat(np.arange(len(queries)), k)
        column = nearest.ravel()
        below = values[row, column] < limits[row]
        row, column = row[below], column[below]
    else:
        row, column = np.nonzero(is_below)
    found = values[row, column]
    order = np.lexsort((column, found, row))
    row, column, found = row[order], column[order], found[order]
    place = np.arange(len(row)) - np.searchsorted(row, row)
    first = place < k
    value = np.full((len(queries), k), np.inf)
    index = np.full((len(queries), k), -1, np.int64)
    value[row[first], place[first]] = found[first]
    index[row[first], place[first]] = column[first]
    return value, index


def smallest(
    values: Floats, k: int, limits: Floats | float = np.inf
) -> tuple[Floats, Ints]:
    """The k smallest of each row below its limit, one after the other; ``values`` is used up."""
    every = np.arange(len(values))
    value = np.full((len(values), k), np.inf)
    index = np.full((len(values), k), -1, np.int64)
    for place in range(min(k, values.shape[1])):
        # of equal values the first, which is the smallest row
        nearest = values.argmin(axis=1)
        least = values[every, nearest]
        below = least < limits
        value[below, place] = least[below]
        index[below, place] = nearest[below]
        values[every, nearest] = np.inf
    return value, index


def tie_limits(least: Floats, kind: int, ties: float) -> Floats:
    """The values up to which distances count as equal to the least ones; see the kernel."""
    distance = np.sqrt(least) if kind == kdtree.SQUARED else least
    distance = distance + (ties + kdtree.TIE_SLACK * distance + kdtree.TINY)
    return np.asarray(distance * distance if kind == kdtree.SQUARED else distance)
