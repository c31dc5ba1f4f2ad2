"""The cheapest one-to-one linkage from a matrix of costs between classes of identical records.

Record by record the matrix of 4,580 originals has 21 million cells, however few of them differ.
Between classes, each with as many places as it has records, it is the transportation problem:

    minimise sum_ij c_ij f_ij  with  sum_j f_ij = supply_i,  sum_i f_ij <= demand_j.

It is solved inside a few arcs of each class, and the duals (u, v) of that solution price all the
others: an arc can only help if c_ij < u_i + v_j. Those are added, and it is solved again, from
where it stands. When no arc helps, the solution is optimal among all.

Nothing depends on the order of rows, because classes come in the order of their values.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tacit.attack.solver.assign_graph import PHASES, Solver
from tacit.attack.solver.csr import pointers_of
from tacit.attack.solver.stopper import Stopper
from tacit.base.scipy_parts import linear_sum_assignment
from tacit.base.typing import Bools, Floats, Ints
from tacit.kernels.arrays import rising
from tacit.kernels.assignment.dense_pricing import helpful

ALL_ARCS = 50_000
"""Cells up to which every one is an arc from the start."""
PARTS = 8
"""Arcs of each class to begin with, each way, and those added to a class in a round at the most."""
MANY = 0.1
"""New arcs for each class above which the auction runs again."""
LISTED = 4_000_000
"""Pairs up to which the possible ones are the arcs, where most pairs are impossible."""
MOST = 0.25
"""Share of pairs up to which that is so."""
RECORD_PAIRS = 40_000_000
"""Pairs of records (320 MB) up to which costs of few values are solved record by record."""
FEW_VALUES = 6
"""How many values are few."""
LOOKED_AT = 20_000
"""Costs that are looked at to tell: it decides how long it takes, and never the least cost."""
ROUNDING = 1e-12
"""Reduced costs above minus this, in units of the largest dual, are rounding."""


def transport(costs: Floats, supply: Ints, demand: Ints) -> tuple[Ints, Ints, Ints]:
    """(row, column, records) of the cheapest linkage of as many records as the shorter file has.

    Parameters
    ----------
    costs : array
        Finite costs between classes of originals and of masked records.
    supply, demand : arrays of int
        Records of each class.
    """
    if (
        costs.size > ALL_ARCS
        and supply.sum() * demand.sum() <= RECORD_PAIRS
        and _has_few_values(costs)
    ):
        return _of_records(costs, supply, demand)
    if supply.sum() > demand.sum():
        return _turned(_solved(costs.T, demand, supply))
    return _solved(costs, supply, demand)


def _has_few_values(costs: Floats) -> bool:
    """Costs of one column, say: nearly all arcs are then equally good, and those that pricing adds
    are not those that help."""
    step = max(1, costs.size // LOOKED_AT)
    return len(np.unique(costs.ravel()[::step])) <= FEW_VALUES


def _of_records(costs: Floats, supply: Ints, demand: Ints) -> tuple[Ints, Ints, Ints]:
    """The same record by record, in a matrix: 0.4 CPU seconds instead of 3 to 17 for 2,659 records
    and one column."""
    rows = np.repeat(np.arange(len(supply)), supply)
    columns = np.repeat(np.arange(len(demand)), demand)
    at, to = linear_sum_assignment(costs[np.ix_(rows, columns)])
    m = len(demand)
    used, records = np.unique(rows[at] * m + columns[to], return_counts=True)
    row, column = np.divmod(used, m)
    return row, column, records


def _turned(solved: tuple[Ints, Ints, Ints]) -> tuple[Ints, Ints, Ints]:
    """Rows and columns change places; in the order of rows."""
    column, row, records = solved
    order = np.lexsort((column, row))
    return row[order], column[order], records[order]


def _solved(costs: Floats, supply: Ints, demand: Ints) -> tuple[Ints, Ints, Ints]:
    """The same where no place is missing; in the order of rows."""
    n, m = costs.shape
    complete = n * m <= ALL_ARCS
    costs = np.ascontiguousarray(costs)
    arcs = np.arange(n * m) if complete else _first_arcs(costs, supply, demand)
    # arcs that are left out are priced below: no bound on their costs is needed
    far = np.full(n, np.inf)
    stopper = Stopper()
    solver = Solver(supply, demand, stopper)
    phases: tuple[float, ...] = PHASES
    while True:
        row, column = np.divmod(arcs, m)
        solver.solve(pointers_of(row, n), column, costs[row, column], far, phases)
        if stopper.interrupted:
            raise KeyboardInterrupt
        if complete:
            break
        u, v = solver.duals()
        rounding = ROUNDING * (1.0 + float(np.abs(u).max()) + float(np.abs(v).max()))
        row, column = helpful(costs, u - rounding, v, _cuts(m))
        # an arc that looks helpful by rounding though it is known already would never end it
        found = row * m + column
        known = np.searchsorted(arcs, found)
        more = found[arcs[np.minimum(known, len(arcs) - 1)] != found]
        if not len(more):
            break
        arcs = np.sort(np.concatenate([arcs, more]), kind="stable")
        # a few new arcs need short paths and no auction, which moves all duals
        phases = PHASES if len(more) > MANY * n else ()
    state = solver.state
    used = np.sort(state.kind * m + state.row_col)
    first = np.flatnonzero(np.diff(used, prepend=-1))
    row, column = np.divmod(used[first], m)
    return row, column, np.diff(first, append=len(used))


def transport_possible(
    costs: Floats, supply: Ints, demand: Ints, possible: Bools, wall: float
) -> tuple[Ints, Ints, Ints]:
    """As ``transport`` of costs that are ``wall`` wherever a pair is impossible.

    Parameters
    ----------
    costs : array
        Costs between classes; those of impossible pairs are not looked at.
    supply, demand : arrays of int
        Records of each class.
    possible : array of bool
        Which pairs are possible.
    wall : float
        More than any set of possible pairs costs.

    Notes
    -----
    Where few pairs are possible they are all the arcs there are, and one more column, "nobody",
    takes any row for the wall. Rows that go there stand beside the places that are left over, in
    any order: none of those pairs is possible, or it would have been taken for less than the wall.
    Priced as arcs of a full matrix, walls would be offered round after round, because they are
    equally dear to everybody.
    """
    if possible.sum() > min(LISTED, MOST * possible.size):
        return transport(np.where(possible, costs, wall), supply, demand)
    return _of_listed(costs, supply, demand, possible, wall)


def _of_listed(
    costs: Floats, supply: Ints, demand: Ints, listed: Bools, wall: float
) -> tuple[Ints, Ints, Ints]:
    """The cheapest linkage where every pair that is not ``listed`` costs ``wall``."""
    if supply.sum() > demand.sum():
        return _turned(_of_listed(costs.T, demand, supply, listed.T, wall))
    row, column = np.nonzero(listed)
    n, m = costs.shape
    nobody = np.arange(n) * (m + 1) + m
    arcs = np.concatenate([row * (m + 1) + column, nobody])
    price = np.concatenate([costs[row, column], np.full(n, wall)])
    order = np.argsort(arcs)
    row, column = np.divmod(arcs[order], m + 1)
    stopper = Stopper()
    solver = Solver(supply, np.append(demand, supply.sum()), stopper)
    far = np.full(n, np.inf)
    solver.solve(pointers_of(row, n), column, price[order], far, PHASES)
    if stopper.interrupted:
        raise KeyboardInterrupt
    kind, taken = solver.state.kind, solver.state.row_col.copy()
    left = taken == m
    free = demand - np.bincount(taken[~left], minlength=m)
    taken[left] = np.repeat(np.arange(m), free)[: left.sum()]
    used, records = np.unique(kind * m + taken, return_counts=True)
    row, column = np.divmod(used, m)
    return row, column, records


def _first_arcs(costs: Floats, supply: Ints, demand: Ints) -> Ints:
    """The cheapest in each part of each class's row and column, and one linkage of all records."""
    n, m = costs.shape
    units = np.repeat(np.arange(n), supply)
    slots = np.repeat(np.arange(m), demand)[: len(units)]
    keys = [units * m + slots]
    row, column = helpful(costs, np.full(n, np.inf), np.zeros(m), _cuts(m))
    keys.append(row * m + column)
    for first, last in pairwise(_cuts(n).tolist()):
        cheapest = first + costs[first:last].argmin(axis=0)
        keys.append(cheapest * m + np.arange(m))
    return rising(np.concatenate(keys))


def _cuts(size: int) -> Ints:
    """Where PARTS parts of 0 .. size - 1 begin, and the end."""
    return np.linspace(0, size, min(PARTS, size) + 1).astype(np.int64)
