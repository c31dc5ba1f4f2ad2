"""Assignment over an explicit graph of possible links, or over a matrix of costs, with duals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tacit.attack.solver.csr import pointers
from tacit.attack.solver.solution import Solution
from tacit.attack.solver.stopper import Stopper
from tacit.base.errors import InputError
from tacit.base.typing import Floats, Ints
from tacit.kernels.assignment import auction as kernel
from tacit.kernels.assignment.graph import by_column, least
from tacit.kernels.assignment.paths import augment, release
from tacit.kernels.assignment.refine import refine

# eps of the auction's phases, in units of the median cost; they set the speed only,
# never the result.
PHASES = (0.2, 0.02, 0.002, 2e-4, 2e-5, 2e-6)

# Looks at each row, on average, after which refining duals is given up for paths
LOOKS = 6

# Most arcs of a graph that is solved without a thread that Ctrl-C could end early
AT_ONCE = 30_000

# Lines of a kernel that an arc takes in one phase of the auction, about, and the part of a graph
# that a shortest path looks at: they say when a kernel is compiled, never what it finds.
LINES = 4
PART = 200


class Solver:
    """Keeps matching and duals from one graph to the next, larger one.

    An auction brings the duals near the optimum, refining them makes its links exact, and
    shortest augmenting paths match whoever is left. Invariant: u_i + v_j <= c_ij on every arc,
    with equality on the links.

    Parameters
    ----------
    count, capacity : arrays of int
        Identical rows that each row stands for, and places that each column has.
    stopper : Stopper
        Runs the kernels and ends them early.
    """

    def __init__(
        self,
        count: Ints,
        capacity: Ints,
        stopper: Stopper,
    ) -> None:
        kinds = np.repeat(np.arange(len(count)), count)
        self.members = pointers(count)
        self.state = kernel.new_state(kinds, capacity)
        self.v = np.zeros(len(capacity))
        self.u = np.zeros(len(count))
        self.stopper = stopper
        # with places to spare, columns that stay empty must have a dual of zero
        self.room = int(np.sum(capacity)) > len(kinds)
        self.cost = np.inf

    def solve(
        self,
        indptr: Ints,
        cols: Ints,
        cost: Floats,
        far: Floats,
        phases: tuple[float, ...] = PHASES,
    ) -> None:
        """Optimal matching and duals of this graph; raises if some row cannot be matched.

        Parameters
        ----------
        indptr, cols, cost : arrays
            Row i may go to ``cols[e]`` at ``cost[e]``, e in ``indptr[i] .. indptr[i + 1] - 1``.
        far : array
            A lower bound of the cost of the arcs that the graph leaves out of each row;
            inf: it leaves out none.
        phases : tuple of float
            eps of the auction's phases; empty: only paths.
        """
        if len(cols) <= AT_ONCE and not np.isfinite(self.stopper.deadline):
            # a few milliseconds: a thread to watch over them would take a tenth as long
            self._solve(indptr, cols, cost, far, phases)
            return
        self.stopper.run([lambda: self._solve(indptr, cols, cost, far, phases)])

    def _solve(
        self,
        indptr: Ints,
        cols: Ints,
        cost: Floats,
        far: Floats,
        phases: tuple[float, ...],
    ) -> None:
        stop = self.stopper.flag
        v = self.v
        state = self.state
        unit = typical(cost)
        # bids that an auction may take before paths take over: enough for any phase that
        # converges well, and a bound for one that does not
        most_bids = 40 * len(state.kind) + 1000
        # small graphs are solved in plain Python, step by step as compiled
        # (identical rows bid one by one, each over the arcs of all)
        arcs = int(np.diff(indptr)[state.kind].sum())
        drop = kernel.drop.taking(arcs)
        auction = kernel.auction.taking(LINES * arcs * len(phases))
        if unit > 0:
            for phase in phases:
                eps = phase * unit
                if drop(indptr, cols, cost, v, state, eps):
                    auction(
                        indptr,
                        cols,
                        cost,
                        far,
                        v,
                        state,
                        eps,
                        most_bids,
                        stop,
                    )
            if phases:
                refined = refine.taking(LINES * arcs)
                most = LOOKS * len(state.kind)
                refined(indptr, cols, cost, v, state, most, stop)
        # only links that are tight at these duals stay, and paths find the others
        left = drop(indptr, cols, cost, v, state, 0.0)
        stuck = -1
        if left:
            # a path from each row that is left may look at a part of the graph
            paths = augment.taking(arcs + left * arcs // PART)
            stuck = paths(indptr, cols, cost, v, state, stop)
        if stop[0]:
            return
        if stuck >= 0:
            raise InputError(
                "the possible links do not allow a complete linkage: "
                f"row {stuck} is left over"
            )
        if self.room:
            turned = by_column(len(v), indptr, cols)
            freed = release.taking(LINES * arcs)
            freed(*turned, cost, v, state, self.members, stop)
        self.u = least(indptr, cols, cost, v)
        self.cost = float(state.row_cost.sum())

    def forget(self) -> None:
        """Nobody is linked and every price is zero, as at the beginning."""
        state = self.state
        self.state = kernel.new_state(state.kind, np.diff(state.start))
        self.v[:] = 0.0

    def duals(self) -> tuple[Floats, Floats]:
        """(u, v) of the last graph; v is a copy, because the next graph moves it."""
        return self.u, self.v.copy()


def typical(cost: Floats) -> float:
    """The unit of eps: the median cost, or the mean where most costs are zero."""
    if not len(cost):
        return 0.0
    median = float(np.median(cost))
    if median > 0:
        return median
    return float(np.abs(cost).mean())


def assign_graph(
    indptr: ArrayLike,
    indices: ArrayLike,
    costs: ArrayLike,
    columns: int,
    *,
    capacities: ArrayLike | None = None,
) -> Solution:
    """Least-cost linkage of all rows inside a graph.

    Parameters
    ----------
    indptr, indices, costs : arrays
        Row i may go to ``indices[e]`` at ``costs[e]``, e in ``indptr[i] .. indptr[i + 1] - 1``.
    columns : int
        Number of columns.
    capacities : array of int, optional
        How many rows each column takes; 1 unless given.

    Returns
    -------
    Solution
        Optimal among the linkages inside the graph.

    Raises
    ------
    InputError
        When no complete linkage exists.
    """
    indptr = np.asarray(indptr, dtype=np.int64)
    indices = np.asarray(indices, dtype=np.int64)
    costs = np.ascontiguousarray(costs, dtype=np.float64)
    if capacities is None:
        capacity = np.ones(columns, np.int64)
    else:
        capacity = np.asarray(capacities, dtype=np.int64)
    # every row must find a place
    n = len(indptr) - 1
    if n > capacity.sum():
        raise InputError(
            f"{n} rows cannot all be linked to {int(capacity.sum())} places: "
            "swap the two files"
        )
    if len(costs) and not np.isfinite(costs).all():
        raise InputError(
            "costs must be finite; leave impossible links out of the graph"
        )
    solver = Solver(np.ones(n, np.int64), capacity, Stopper())
    complete = np.full(n, np.inf)  # no arc is missing beyond any distance
    solver.solve(indptr, indices, costs, complete)
    cost = solver.cost if n else 0.0
    match = solver.state.row_col.copy()
    return Solution(
        match,
        cost,
        cost,
        certified=True,
        duals=solver.duals(),
    )


def assign_dense(costs: ArrayLike, *, capacities: ArrayLike | None = None) -> Solution:
    """The same over a full matrix of costs, for distances without vectors at small n.

    Parameters
    ----------
    costs : array
        Rows x columns, at least as many columns as rows.
    capacities : array of int, optional
        How many rows each column takes; 1 unless given.

    Examples
    --------
    >>> assign_dense([[1.0, 2.0], [1.0, 5.0]]).match.tolist()
    [1, 0]
    """
    matrix = np.ascontiguousarray(costs, dtype=np.float64)
    n, m = matrix.shape
    indptr = np.arange(n + 1) * m
    indices = np.tile(np.arange(m), n)
    return assign_graph(
        indptr,
        indices,
        matrix.ravel(),
        m,
        capacities=capacities,
    )
