"""Assignment over an explicit graph of possible links, or over a matrix of costs, with duals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.attack.neighbours import Floats, Ints, Stopper
from tacit.errors import InputError
from tacit.kernels import assignment as kernel
from tacit.kernels.assignment_graph import by_column, least
from tacit.kernels.assignment_paths import augment, release

PHASES = (0.2, 0.04, 0.008, 0.0016, 0.00032)
"""eps of the auction's phases, in units of the median cost; they set the speed only, never the result."""


class Solver:
    """Keeps matching and duals from one graph to the next, larger one."""

    def __init__(self, count: Ints, capacity: Ints, stopper: Stopper) -> None:
        kinds = np.repeat(np.arange(len(count)), count)
        self.members = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
        self.state = kernel.new_state(kinds, capacity)
        self.v = np.zeros(len(capacity))
        self.u = np.zeros(len(count))
        self.stopper = stopper
        self.room = int(np.sum(capacity)) > len(kinds)
        self.cost = np.inf

    def solve(self, indptr: Ints, cols: Ints, cost: Floats, far: Floats, phases: tuple[float, ...] = PHASES) -> None:
        """Optimal matching and duals of this graph; raises if some row cannot be matched."""
        self.stopper.run([lambda: self._solve(indptr, cols, cost, far, phases)])

    def _solve(self, indptr: Ints, cols: Ints, cost: Floats, far: Floats, phases: tuple[float, ...]) -> None:
        stop, v, state = self.stopper.flag, self.v, self.state
        unit = float(np.median(cost)) if len(cost) else 0.0
        unit = unit if unit > 0 else float(np.abs(cost).mean()) if len(cost) else 0.0
        n = len(state.kind)
        if unit > 0:
            for eps in phases:
                if kernel.drop(indptr, cols, cost, v, state, eps * unit):
                    kernel.auction(indptr, cols, cost, far, v, state, eps * unit, 40 * n + 1000, stop)
        kernel.drop(indptr, cols, cost, v, state, 0.0)
        stuck = augment(indptr, cols, cost, v, state, stop)
        if stop[0]:
            return
        if stuck >= 0:
            raise InputError(f"the possible links do not allow a complete linkage: row {stuck} is left over")
        if self.room:
            release(*by_column(len(v), indptr, cols), cost, v, state, self.members, stop)
        self.u = least(indptr, cols, cost, v)
        self.cost = float(state.row_cost.sum())

    def duals(self) -> tuple[Floats, Floats]:
        return self.u, self.v.copy()


@dataclass
class GraphAssigned:
    """``match[i]``: the column of row i; u_i + v_j <= c_ij on every arc, with equality on the links."""

    match: Ints
    cost: float
    u: Floats
    v: Floats


def assign_graph(indptr: Any, indices: Any, costs: Any, columns: int, *, capacities: Any = None) -> GraphAssigned:
    """Least-cost linkage of all rows inside a graph: row i may go to indices[indptr[i]:indptr[i + 1]] at costs[...].

    Column j takes at most ``capacities[j]`` rows (1 unless given). Raises InputError when no complete linkage exists.
    """
    indptr, indices = np.asarray(indptr, dtype=np.int64), np.asarray(indices, dtype=np.int64)
    costs = np.ascontiguousarray(costs, dtype=np.float64)
    capacity = np.ones(columns, np.int64) if capacities is None else np.asarray(capacities, dtype=np.int64)
    n = len(indptr) - 1
    if n > capacity.sum():
        raise InputError(f"{n} rows cannot all be linked to {int(capacity.sum())} places: swap the two files")
    if len(costs) and not np.isfinite(costs).all():
        raise InputError("costs must be finite; leave impossible links out of the graph")
    solver = Solver(np.ones(n, np.int64), capacity, Stopper())
    solver.solve(indptr, indices, costs, np.full(n, np.inf))
    return GraphAssigned(solver.state.row_col.copy(), solver.cost if n else 0.0, *solver.duals())


def assign_dense(costs: Any, *, capacities: Any = None) -> GraphAssigned:
    """The same over a full matrix of costs (rows x columns); for distances without vectors, at small n."""
    costs = np.ascontiguousarray(costs, dtype=np.float64)
    n, m = costs.shape
    return assign_graph(np.arange(n + 1) * m, np.tile(np.arange(m), n), costs.ravel(), m, capacities=capacities)
