"""Small files: the assignment from the matrix of all costs, with the duals that prove it.

Up to some thousands of records scipy's dense solver is at once faster than a search for candidates
and needs nothing compiled. It gives links but no duals. These follow from the links by shortest
paths: with i linked to c, u_i + v_c = c_ic and u_i + v_j <= c_ij for every j mean

    v_j <= v_c + (c_ij - c_ic),

so that v is a potential of the graph on columns with these lengths, which has no negative cycle
exactly where the links are optimal. Shortest paths into each column give the largest such v below
zero, paths out of it the smallest above zero; where no place stays free, their mean is taken, which
leaves the largest margins between links and other pairs.

Invariant. u is the least of c - v over every column, so that ``bound`` holds whatever rounding did
to v.
"""

from __future__ import annotations

import numpy as np

from tacit.attack.solver.scan import FEW, PAIRS, distances, smallest
from tacit.attack.solver.solution import Solution
from tacit.base.scipy_parts import linear_sum_assignment
from tacit.base.typing import Floats, Ints
from tacit.kernels.assignment.graph import pair_costs

ROUNDING = 4e-15
"""18 times the machine epsilon, for the sums of both duals and of the cost (as in ``rounds``)."""


CONTESTED = 0.9
"""Share of the columns that are some row's nearest below which costs are reduced first."""


def is_small(count: Ints, capacity: Ints) -> bool:
    """Are all pairs of records written down? Their numbers alone decide."""
    records = int(count.sum())
    places = int(capacity.sum())
    return max(records, places) <= FEW and records * places <= PAIRS


def solve(
    left: Floats,
    count: Ints,
    right: Floats,
    capacity: Ints,
    kind: int,
) -> Solution:
    """The linkage of least cost; ``match`` has one class for each original, class by class.

    Parameters
    ----------
    left, count : arrays
        Distinct originals, and how many records each stands for.
    right, capacity : arrays
        Distinct masked records, and how many records each stands for; no fewer in all.
    kind : int
        What the cost is (see ``neighbours.KIND``).
    """
    cost = distances(left, right, kind)
    rows = np.repeat(np.arange(len(count)), count)
    slots = np.repeat(np.arange(len(capacity)), capacity)
    written = cost
    if len(rows) > len(count):
        written = written[rows]
    if len(slots) > len(capacity):
        written = written[:, slots]
    match = slots[_cheapest(written)]
    v = _prices(cost, rows, match, spare=len(slots) > len(rows))
    v[_has_room(match, capacity)] = 0.0
    # in place: the matrix is not needed any more, and a second one takes time to get
    cost -= v
    two, _ = smallest(cost, 2)
    u = two[:, 0]
    total = float(pair_costs(left, right, rows, match, kind).sum())
    slack = ROUNDING * (np.abs(u) + float(np.median(np.abs(v))))
    bound = float((u * count).sum() + (v * capacity).sum())
    bound -= float((slack * count).sum())
    rounding = 4 * float((slack * count).sum()) + 1e-13 * abs(total)
    return Solution(
        match,
        total,
        max(bound, 0.0),
        total - bound <= rounding,
        (u, v),
        [{"pairs": cost.size, "cost": total, "bound": bound}],
        two[:, 1] - u,
    )


def _cheapest(cost: Floats) -> Ints:
    """The column of each row in the cheapest one-to-one links.

    Where many rows are nearest to the same columns, what every row pays for a column is taken off
    first: the links stay the same where all columns are used, and scipy's paths are much shorter.
    """
    rows, columns = cost.shape
    if rows == columns:
        wanted = np.bincount(cost.argmin(axis=1), minlength=columns)
        if np.count_nonzero(wanted) < CONTESTED * columns:
            cost = cost - cost.min(axis=0)
    return linear_sum_assignment(cost)[1]


def _has_room(match: Ints, capacity: Ints) -> Ints:
    """Columns with a free place: optimal duals are zero there, but for rounding."""
    used = np.bincount(match, minlength=len(capacity))
    return np.flatnonzero(used < capacity)


def _prices(cost: Floats, rows: Ints, match: Ints, *, spare: bool) -> Floats:
    """The duals of the columns; see the module's text."""
    by_column = np.argsort(match, kind="stable")
    rows = rows[by_column]
    column = match[by_column]
    begin = np.flatnonzero(np.diff(column, prepend=-1))
    lengths = cost[rows]
    lengths -= cost[rows, column][:, None]
    if len(begin) < len(rows):
        lengths = np.minimum.reduceat(lengths, begin)
    # columns without a link have no way out
    held = column[begin]
    # of a usual link: one outlier must not blur the others
    scale = float(np.median(cost[rows, column]))
    size = cost.shape[1]
    into = _shortest(lengths, 0, held, np.arange(size), scale)
    if spare:
        return into
    # all columns are held here, so that the ends of the arcs are those held, too
    return 0.5 * (into - _shortest(lengths, 1, np.arange(size), held, scale))


def _shortest(
    lengths: Floats, axis: int, start: Ints, end: Ints, scale: float
) -> Floats:
    """The shortest way from any column into each, zero at most (Bellman and Ford).

    Along ``axis`` arcs begin, at the columns ``start``; along the other they end, at ``end``. Only
    columns whose way became shorter are looked at again.
    """
    size = len(end)
    way = np.zeros(size)
    # the first ways are single arcs
    reached = np.full(size, np.inf)
    reached[end] = lengths.min(axis=axis)
    for _ in range(size):
        # less is rounding, on which the passes would go on
        shorter = reached < way - 1e-15 * (scale - way)
        if not shorter.any():
            break
        way[shorter] = reached[shorter]
        changed = np.flatnonzero(shorter[start])
        onward = lengths.take(changed, axis=axis)
        onward += np.expand_dims(way[start[changed]], 1 - axis)
        reached[end] = onward.min(axis=axis, initial=np.inf)
    return way
