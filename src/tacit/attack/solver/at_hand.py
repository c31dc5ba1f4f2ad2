"""What ``solver.dense`` does, by kernels where they are compiled: faster, and the same bits.

A small file must not wait for a compiler, so plain numpy and scipy can do it all. Whoever links
many files in one process has the kernels after a while. No answer depends on that: costs and ways
have the same bits, and links found here count only where ``dense`` proves that there are no others
as good.
"""

from __future__ import annotations

from functools import cache, cached_property

import numpy as np

from tacit.attack.solver.rounds import Rounds
from tacit.attack.solver.scan import distances
from tacit.base.typing import Floats, Ints
from tacit.kernels.assignment import all_pairs, auction, paths, refine
from tacit.kernels.trees import kdtree

FILLING = 5e-10
"""CPU seconds that scipy takes for one difference of a matrix of distances."""
LINKING = 4e-9
"""The same for each of its entries, when scipy links rows and columns."""
RELAXING = 1e-9
"""The same for numpy, to add to an entry and compare it."""
PASSES = 3
"""How often ways are looked for over all of a matrix, about."""
SCANS = 32
"""Scans of a row, for each of them, after which links are looked for in a graph of candidates."""
OF_ROUNDS = (
    auction.auction,
    auction.drop,
    kdtree.search,
    paths.augment,
    refine.refine,
)
"""Kernels that rounds need."""


def all_costs(left: Floats, right: Floats, kind: int) -> Floats:
    """f(distance) of all pairs, as ``scan.distances`` gives them."""
    pays = all_pairs.fill.pays(FILLING * len(left) * right.size)
    if not (pays and _fills_alike()):
        return distances(left, right, kind)
    cost = np.empty((len(left), len(right)))
    all_pairs.fill(left, np.ascontiguousarray(right.T), kind, cost)
    return cost


@cache
def _fills_alike() -> bool:
    """Does the kernel give scipy's bits? One of them may fuse a product and a sum."""
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(40, 7)), rng.normal(size=(60, 7))
    for kind in (kdtree.SQUARED, kdtree.EUCLIDEAN, kdtree.MANHATTAN):
        cost = np.empty((40, 60))
        all_pairs.fill(left, np.ascontiguousarray(right.T), kind, cost)
        if not np.array_equal(cost, distances(left, right, kind)):
            return False
    return True


def links(
    cost: Floats,
    left: Floats,
    count: Ints,
    right: Floats,
    capacity: Ints,
    kind: int,
) -> Ints | None:
    """The class of each original in links of least cost, class by class; None: not looked for."""
    records = int(count.sum())
    if int(capacity.sum()) > records:
        return None
    single = len(count) == len(capacity) == records
    if single and all_pairs.match.pays(LINKING * cost.size):
        found, match = all_pairs.match(cost, SCANS * records)
        if found:
            return np.asarray(match)
    if not all(kernel.is_ready for kernel in OF_ROUNDS):
        return None
    rounds = Rounds(left, count, right, capacity, kind, at_hand=True)
    rounds.go()
    if rounds.stopper.interrupted:
        raise KeyboardInterrupt
    return rounds.best_column


class Lengths:
    """The lengths of arcs between columns, c_ij - c_ic where row i holds c: a row for each c held.

    They are written down as a matrix unless kernels are there that work them out.

    Parameters
    ----------
    cost : array
        Of all rows and columns.
    rows, column : arrays of int
        Rows and the columns that they hold, which rise.
    """

    def __init__(self, cost: Floats, rows: Ints, column: Ints) -> None:
        self.cost, self.rows = cost, rows
        self.own = cost[rows, column]
        begin = np.flatnonzero(np.diff(column, prepend=-1))
        self.held = column[begin]
        self._each_once = len(begin) == len(rows) == cost.shape[1]
        self._begin = begin

    @cached_property
    def _written(self) -> Floats:
        lengths = self.cost[self.rows]
        lengths -= self.own[:, None]
        if len(self._begin) < len(self.rows):
            lengths = np.minimum.reduceat(lengths, self._begin)
        return lengths

    def ways(self, axis: int, scale: float) -> Floats | None:
        """The shortest ways between columns (``dense._shortest``) by a kernel; None without it."""
        pays = all_pairs.ways.pays(PASSES * RELAXING * self.cost.size)
        if not (self._each_once and pays):
            return None
        found: Floats = all_pairs.ways(self.cost, self.rows, self.own, axis == 1, scale)
        return found

    def onward(self, axis: int, some: Ints, way: Floats) -> Floats:
        """The least of length + way over some columns, where arcs begin along ``axis``."""
        if len(some) == self._written.shape[axis] and not way.any():
            # the first ways are single arcs: no copy of the matrix
            single: Floats = self._written.min(axis=axis)
            return single
        lengths = self._written.take(some, axis=axis)
        lengths += np.expand_dims(way[some], 1 - axis)
        least: Floats = lengths.min(axis=axis, initial=np.inf)
        return least
