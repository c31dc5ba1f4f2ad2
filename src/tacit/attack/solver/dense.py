"""Small files: the assignment from the matrix of all costs, with the duals that prove it.

Up to some thousands of records scipy's dense solver is at once faster than a search for candidates
and needs nothing compiled. It gives links but no duals. These follow from the links by shortest
paths: with i linked to c, u_i + v_c = c_ic and u_i + v_j <= c_ij for every j mean

    v_j <= v_c + (c_ij - c_ic),

so that v is a potential of the graph on columns with these lengths, which has no negative cycle
exactly where the links are optimal. Shortest paths into each column give the largest such v below
zero, paths out of it the smallest above zero; where no place stays free, their mean is taken, which
leaves the largest margins between links and other pairs.

Kernels that other work has compiled already take over what they do faster (``solver.at_hand``),
with the same bits in the end.

Invariant. u is the least of c - v over every column, so that ``bound`` holds whatever rounding did
to v.
"""

from __future__ import annotations

import numpy as np

from tacit.attack.solver import at_hand
from tacit.attack.solver.at_hand import Lengths, all_costs
from tacit.attack.solver.csr import pointers_of, take_rows
from tacit.attack.solver.scan import FEW, PAIRS, smallest
from tacit.attack.solver.solution import Solution
from tacit.base.scipy_parts import linear_sum_assignment
from tacit.base.typing import Floats, Ints
from tacit.kernels.assignment.graph import pair_costs

ROUNDING = 4e-15
"""18 times the machine epsilon, for the sums of both duals and of the cost (as in ``rounds``)."""


CLEAR = 1e-9
"""Difference of costs, in units of the duals, above which rounding cannot have decided."""
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
    rows = np.repeat(np.arange(len(count)), count)
    slots = np.repeat(np.arange(len(capacity)), capacity)
    cost = all_costs(left, right, kind)
    match = at_hand.links(cost, left, count, right, capacity, kind)
    if match is not None:
        solution, tails, heads = _with_duals(
            cost, left, count, right, capacity, kind, match
        )
        if solution.certified and _no_circle(tails, heads):
            return solution
        # the duals were written over the costs
        cost = all_costs(left, right, kind)
    written = cost
    if len(rows) > len(count):
        written = written[rows]
    if len(slots) > len(capacity):
        written = written[:, slots]
    match = slots[_cheapest(written)]
    return _with_duals(cost, left, count, right, capacity, kind, match)[0]


def _with_duals(
    cost: Floats,
    left: Floats,
    count: Ints,
    right: Floats,
    capacity: Ints,
    kind: int,
    match: Ints,
) -> tuple[Solution, Ints, Ints]:
    """These links with the duals that fit them; the matrix is used up.

    Also the columns (linked, other) between which some row could as well choose, but for rounding.
    """
    rows = np.repeat(np.arange(len(count)), count)
    v = _prices(cost, rows, match, spare=int(capacity.sum()) > len(rows))
    v[_has_room(match, capacity)] = 0.0
    # in place: the matrix is not needed any more, and a second one takes time to get
    cost -= v
    two, places = smallest(cost, 2)
    u = two[:, 0]
    reach = CLEAR * float(np.median(np.abs(u)) + np.median(np.abs(v)))
    tails, heads = _choices(cost, two, places, reach, rows, match)
    total = float(pair_costs(left, right, rows, match, kind).sum())
    slack = ROUNDING * (np.abs(u) + float(np.median(np.abs(v))))
    bound = float((u * count).sum() + (v * capacity).sum())
    bound -= float((slack * count).sum())
    rounding = 4 * float((slack * count).sum()) + 1e-13 * abs(total)
    solution = Solution(
        match,
        total,
        max(bound, 0.0),
        total - bound <= rounding,
        (u, v),
        [{"pairs": cost.size, "cost": total, "bound": bound}],
        two[:, 1] - u,
    )
    return solution, tails, heads


def _choices(
    others: Floats,
    two: Floats,
    places: Ints,
    reach: float,
    rows: Ints,
    match: Ints,
) -> tuple[Ints, Ints]:
    """(linked column, other column) of each pair within reach of its row's dual.

    ``others`` are the reduced costs without the ``two`` smallest of each row.
    """
    undecided = np.flatnonzero(two[:, 1] - two[:, 0] <= reach)
    place, column = np.nonzero(others[undecided] <= two[undecided, :1] + reach)
    owner = np.concatenate([np.repeat(undecided, 2), undecided[place]])
    head = np.concatenate([places[undecided].ravel(), column])
    # the links of a class of originals are those of all its records
    order = np.argsort(owner, kind="stable")
    indptr = pointers_of(owner[order], len(two))
    taken, entries = take_rows(indptr, rows)
    tail = np.repeat(match, np.diff(taken))
    other = head[order][entries]
    apart = tail != other
    return tail[apart], other[apart]


def _no_circle(tails: Ints, heads: Ints) -> bool:
    """Are these the only links as good as they are, far beyond rounding?

    Others would be a circle of rows of which each takes the column of the next one at no cost.
    Then it does not matter who found them: scipy would find no others.
    """
    while len(tails):
        # a column from which nobody can go on is on no circle
        goes_on = np.isin(heads, tails)
        if goes_on.all():
            return False
        tails, heads = tails[goes_on], heads[goes_on]
    return True


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
    lengths = Lengths(cost, rows, column)
    # of a usual link: one outlier must not blur the others
    scale = float(np.median(lengths.own))
    every = np.arange(cost.shape[1])
    # columns without a link have no way out
    into = _shortest(lengths, 0, lengths.held, every, scale)
    if spare:
        return into
    # all columns are held here, so that the ends of the arcs are those held, too
    return 0.5 * (into - _shortest(lengths, 1, every, lengths.held, scale))


def _shortest(
    lengths: Lengths, axis: int, start: Ints, end: Ints, scale: float
) -> Floats:
    """The shortest way from any column into each, zero at most (Bellman and Ford).

    Along ``axis`` arcs begin, at the columns ``start``; along the other they end, at ``end``. Only
    columns whose way became shorter are looked at again.
    """
    found = lengths.ways(axis, scale)
    if found is not None:
        return found
    size = len(end)
    way = np.zeros(size)
    reached = np.full(size, np.inf)
    # the first ways are single arcs
    changed = np.arange(len(start))
    for _ in range(size + 1):
        reached[end] = lengths.onward(axis, changed, way[start])
        # less is rounding, on which the passes would go on
        shorter = reached < way - 1e-15 * (scale - way)
        if not shorter.any():
            break
        way[shorter] = reached[shorter]
        changed = np.flatnonzero(shorter[start])
    return way
