"""The peers' assignment solvers, on a full matrix and on a graph of candidates: vectors or graph
in, cost out.

A solver on a graph knows nothing of the pairs that the graph leaves out. Its optimum is the
graph's, and it cannot say
whether it is the optimum of all pairs: none of these certifies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

WHOLE = 1e9
"""ortools wants integer costs: the largest is this many units."""


@dataclass(frozen=True)
class Graph:
    """Row i may be linked to cols[indptr[i]:indptr[i + 1]]; column j takes capacity[j] rows."""

    indptr: np.ndarray
    cols: np.ndarray
    cost: np.ndarray
    capacity: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))

    def single(self) -> Graph:
        """The same with every column once: for solvers that know no capacities."""
        first = np.concatenate([[0], np.cumsum(self.capacity)])
        times = self.capacity[self.cols]
        at = np.repeat(np.arange(len(self.cols)), times)
        within = np.arange(len(at)) - np.repeat(
            np.concatenate([[0], np.cumsum(times)])[:-1], times
        )
        indptr = np.concatenate([[0], np.cumsum(times)])[self.indptr]
        return Graph(
            indptr,
            first[self.cols[at]] + within,
            self.cost[at],
            np.ones(first[-1], np.int64),
        )


def candidates(x: np.ndarray, z: np.ndarray) -> Graph:
    """The graph that our own solver starts from: the 10 nearest both ways and one complete linkage."""
    from tacit.attack.base import distinct
    from tacit.attack.solver.assign import Rounds
    from tacit.kernels.trees.kdtree import EUCLIDEAN

    theirs = distinct(z)
    start = Rounds(x, np.ones(len(x), np.int64), theirs.rows, theirs.count, EUCLIDEAN)
    return Graph(start.indptr, start.cols, start.arc_cost, theirs.count)


def scipy_dense(x: np.ndarray, z: np.ndarray) -> float:
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    matrix = cdist(x, z)
    i, j = linear_sum_assignment(matrix)
    return float(matrix[i, j].sum())


def lapx_dense(x: np.ndarray, z: np.ndarray) -> float:
    from lap import lapjv
    from scipy.spatial.distance import cdist

    return float(lapjv(cdist(x, z))[0])


def scipy_graph(graph: Graph) -> float:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    one = graph.single()
    shift = 1.0  # a cost of zero would be no arc
    matrix = csr_array(
        (one.cost + shift, one.cols, one.indptr),
        shape=(len(one.indptr) - 1, len(one.capacity)),
    )
    i, j = min_weight_full_bipartite_matching(matrix)
    return float((matrix[i, j] - shift).sum())


def lapx_graph(graph: Graph) -> float:
    from lap import lapmod

    one = graph.single()
    columns = one.cols.astype(np.int32)
    cost, match, _ = lapmod(
        len(one.capacity), one.cost, one.indptr.astype(np.int32), columns
    )
    if (match < 0).any():
        raise ValueError("lapmod left rows without a link")
    return float(cost)


def ortools_assignment(graph: Graph) -> float:
    from ortools.graph.python.linear_sum_assignment import SimpleLinearSumAssignment

    one, unit = graph.single(), WHOLE / graph.cost.max()
    solver = SimpleLinearSumAssignment()
    solver.add_arcs_with_cost(
        one.rows, one.cols, np.rint(one.cost * unit).astype(np.int64)
    )
    status = solver.solve()
    if status != solver.OPTIMAL:
        raise ValueError(f"ortools: {status}")
    return float(solver.optimal_cost() / unit)


def ortools_flow(graph: Graph) -> float:
    from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

    n, unit = len(graph.indptr) - 1, WHOLE / graph.cost.max()
    solver = SimpleMinCostFlow()
    ones = np.ones(len(graph.cols), np.int64)
    solver.add_arcs_with_capacity_and_unit_cost(
        graph.rows, n + graph.cols, ones, np.rint(graph.cost * unit).astype(np.int64)
    )
    supplies = np.concatenate([np.ones(n, np.int64), -graph.capacity])
    solver.set_nodes_supplies(np.arange(len(supplies)), supplies)
    status = solver.solve()
    if status != solver.OPTIMAL:
        raise ValueError(f"ortools: {status}")
    return float(solver.optimal_cost() / unit)


DENSE = {"scipy linear_sum_assignment": scipy_dense, "lapx lapjv": lapx_dense}
ON_GRAPH = {
    "scipy min_weight_full_bipartite_matching": scipy_graph,
    "lapx lapmod": lapx_graph,
    "ortools SimpleLinearSumAssignment": ortools_assignment,
    "ortools SimpleMinCostFlow": ortools_flow,
}
