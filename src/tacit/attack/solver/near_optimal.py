"""Large files: the assignment of everybody at once, taken where the auction ends.

A proof of the optimum takes most of the solver's time, and more than its share on a large file:
prices are searched again and again for pairs that could still help. Who links a million records
needs no proof. The auction alone, on the candidates of the first graph, ends with a complete
linkage in which every record has a column within eps of its best at the final prices; its total
is then within n eps of the least one of that graph (Bertsekas 1988). With eps at 0.005 of the
median cost next to every record is linked as in the optimum.

How near. Rates of correct links were compared with those of the proven optimum on census-like
files of 13,500 and 50,000 records, masked by microaggregation (also 100,000), noise of 10, 25 and
50 % and rank swapping, with plain and with squared costs. Differences were up to 0.0024, and up to
0.005 on rank swapping, where a record's own may be beyond its ten nearest. The interval of such a
linkage is longer by ``TOLERANCE`` at both ends: an allowance that was chosen after this comparison,
not a bound that is proven.

The answer depends on values alone: records bid in the order of a tree, so that neighbours in space
are neighbours in memory, and the auction runs in one thread.
"""

from __future__ import annotations

import numpy as np

from tacit.attack.solver.assign_graph import typical
from tacit.attack.solver.csr import pointers, take_rows
from tacit.attack.solver.rounds import Rounds
from tacit.attack.solver.solution import LogEntry, Solution
from tacit.base.errors import TacitError
from tacit.base.typing import Ints
from tacit.kernels.assignment import auction as kernel
from tacit.kernels.assignment.graph import pair_costs

EXACT = 200_000
"""Records up to which attackers have the optimum proven: minutes at most on two cores."""
PHASES = (100.0, 20.0, 5.0, 1.0, 0.2, 0.05, 0.005)
"""eps of the auction's phases, in units of the median cost. They begin high: with a small eps the
last records without a place, far outside, outbid each other for millions of bids."""
BIDS = 100
"""Most bids of a phase, for each record; 3 to 20 are usual."""
LEFT_OVER = 0.001
"""Largest share of records without a place when the bids are used up. They take what is free; with
more of them the linkage would be of another kind, and its rate too low."""
TOLERANCE = 0.01
"""What the interval of a rate is lengthened by at both ends; see above for what was seen."""


def go_near(rounds: Rounds) -> Solution:
    """The linkage at the end of the auction; everybody is linked.

    Parameters
    ----------
    rounds : Rounds
        With its first graph, of which nothing was solved yet.

    Raises
    ------
    TacitError
        When the auction does not settle: no figure is better than one that is too low.
    """
    kinds = np.repeat(np.arange(len(rounds.count)), rounds.count)
    column = _auctioned(rounds)
    costs = pair_costs(rounds.left, rounds.right, kinds, column, rounds.kind)
    rounds.cost = float(costs.sum())
    # where everybody has its nearest the bound of the first graph proves it
    proven = rounds.certified
    log: list[LogEntry] = [
        {
            "near": True,
            "arcs": len(rounds.cols),
            "cost": rounds.cost,
            "bound": rounds.bound,
            "eps": PHASES[-1] * typical(rounds.arc_cost),
        }
    ]
    return Solution(
        column,
        rounds.cost,
        rounds.bound,
        proven,
        (rounds.best_u, rounds.best_v),
        log,
        tolerance=0.0 if proven else TOLERANCE,
    )


def _auctioned(rounds: Rounds) -> Ints:
    """The column of each record, row by row."""
    row_order = rounds.order
    col_order = rounds.tree.order
    col_place = np.empty(len(col_order), np.int64)
    col_place[col_order] = np.arange(len(col_order))
    indptr, entries = take_rows(rounds.indptr, row_order)
    cols = col_place[rounds.cols[entries]]
    cost = rounds.arc_cost[entries]
    far = rounds.far[row_order]
    count = rounds.count[row_order]
    state = kernel.new_state(
        np.repeat(np.arange(len(count)), count), rounds.capacity[col_order]
    )
    v = np.zeros(len(col_order))
    unit = typical(cost)
    most = BIDS * len(state.kind)
    flag = rounds.stopper.flag

    def phases() -> None:
        for phase in PHASES:
            eps = phase * unit
            if kernel.drop(indptr, cols, cost, v, state, eps):
                kernel.auction(indptr, cols, cost, far, v, state, eps, most, flag)

    rounds.stopper.run([phases])
    found = col_order[_completed(state)]
    # from the order of the tree to that of the rows, record by record
    first = pointers(rounds.count)[:-1][row_order]
    before = pointers(count)[:-1]
    place = np.arange(len(found)) - np.repeat(before, count) + np.repeat(first, count)
    column = np.empty(len(found), np.int64)
    column[place] = found
    return column


def _completed(state: kernel.State) -> Ints:
    """The column of each row; who was left when the bids were used up takes what is free."""
    column = state.row_col.copy()
    left = np.flatnonzero(column < 0)
    if len(left) > LEFT_OVER * len(column):
        raise TacitError(
            f"the auction of a large file did not settle: {len(left):,} of {len(column):,} "
            "records were left without a link"
        )
    if len(left):
        capacity = np.diff(state.start)
        free = np.repeat(np.arange(len(capacity)), capacity - state.used)
        column[left] = free[: len(left)]
    return column
