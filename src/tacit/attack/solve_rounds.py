"""Rounds of solving and pricing until no pair can help: the exact assignment without its matrix of costs.

Steps (design: "Optimal assignment of 150,000 records"):

1. candidate graph: the nearest records of each record, both ways, and one feasible linkage;
2. solve the sparse problem exactly, with duals (``kernels.assignment``);
3. price all other pairs: j can help i only if c_ij - v_j < u_i, so search a kd-tree whose boxes carry their largest
   v. A row is searched again only if its bound can have changed: v falls and u rises where the solver walked;
4. add what helps, solve again from the duals at hand. Each round gives an upper and a lower bound.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tacit.attack.neighbours import Floats, Frame, Ints, Stopper, search
from tacit.attack.solve_graph import PHASES, Solver
from tacit.kernels import kdtree
from tacit.kernels.assignment_graph import graph, pair_costs

Progress = Callable[[dict[str, Any]], None]
CANDIDATES = 10
"""Nearest records taken into the first graph, each way."""
ADDED = 16
"""Pairs that one pricing may add to a row."""
AHEAD = 0.03
"""Pricing looks this far beyond what is violated (in units of the mean cost), so that duals may move a little
before a row must be searched again."""
FEW = 0.02
"""Share of rows with new pairs above which duals are moved by an auction before paths are searched."""


class Rounds:
    """The loop of solving and pricing over distinct rows ``left`` (with counts) and ``right`` (with capacities)."""

    def __init__(
        self,
        left: Floats,
        count: Ints,
        right: Floats,
        capacity: Ints,
        kind: int,
        candidates: int = CANDIDATES,
        time_limit: float | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.left, self.right, self.kind = left, right, kind
        self.count = count
        self.begin = time.monotonic()
        self.stopper = Stopper(np.inf if time_limit is None else self.begin + time_limit)
        self.progress = progress
        self.log: list[dict[str, Any]] = []
        frame = Frame.of(right, left, kind)
        self.queries, self.targets = frame(left), frame(right)
        self.tree, back = kdtree.build(self.targets), kdtree.build(self.queries)
        self.order = back.order
        self.solver = Solver(count, capacity, self.stopper)
        self.turning = 4 * frame.error
        self.slack = np.zeros(len(left))
        self.bound, self.cost = 0.0, np.inf  # distances are never negative
        self.best_u, self.best_v = np.zeros(len(left)), np.zeros(len(right))
        rows, cols = self._feasible()
        if candidates >= len(right) or len(left) * len(right) <= 40_000:
            rows, cols = np.divmod(np.arange(len(left) * len(right)), len(right))
            far = np.full(len(left), np.inf)
            self.complete = True
        else:
            self.complete = False
            near, far = self._candidates(back, candidates)
            rows, cols = np.concatenate([rows, near[0]]), np.concatenate([cols, near[1]])
        self.far = far
        self.indptr, self.cols = graph(len(left), rows, cols)
        self._costs()

    def _costs(self) -> None:
        self.rows = np.repeat(np.arange(len(self.left)), np.diff(self.indptr))
        self.arc_cost = pair_costs(self.left, self.right, self.rows, self.cols, self.kind)

    def _feasible(self) -> tuple[Ints, Ints]:
        """Link both files in the order of their first principal axis: poor, but always there."""
        unit = np.repeat(np.arange(len(self.count)), self.count)
        slots = np.repeat(np.arange(len(self.targets)), np.diff(self.solver.state.start))
        rows = unit[np.argsort(self.queries[unit, 0], kind="stable")] if self.queries.shape[1] else unit
        cols = slots[np.argsort(self.targets[slots, 0], kind="stable")] if self.targets.shape[1] else slots
        cols = cols[np.arange(len(rows)) * len(cols) // len(rows)]
        self.best_column = cols[np.argsort(rows, kind="stable")]
        self.cost = float(pair_costs(self.left, self.right, unit, self.best_column, self.kind).sum())
        return rows, cols

    def _candidates(self, back: kdtree.Tree, k: int) -> tuple[tuple[Ints, Ints], Floats]:
        """The k nearest both ways, and the distance beyond which each row has not looked."""
        kind = kdtree.SQUARED if self.kind == kdtree.EUCLIDEAN else self.kind
        value, index = search(self.queries, self.tree, k, kind, self.stopper, rows=self.order)
        far = np.empty(len(self.left))
        far[self.order] = value[:, -1]
        if not self.stopper.stopped:
            nearest = np.empty(len(self.left))
            nearest[self.order] = value[:, 0]
            nearest = np.sqrt(nearest) if kind != self.kind else nearest
            self._rounding(nearest, np.zeros(len(self.right)))
            self._raise_bound(nearest, np.zeros(len(self.right)))
        rows, cols = np.repeat(self.order, k), index.ravel()
        if len(self.left) * 4 >= len(self.right):
            _, other = search(self.targets, back, min(k, len(self.left)), kind, self.stopper, rows=self.tree.order)
            rows = np.concatenate([rows, other.ravel()])
            cols = np.concatenate([cols, np.repeat(self.tree.order, other.shape[1])])
        seen = (rows >= 0) & (cols >= 0)
        return (rows[seen], cols[seen]), np.sqrt(far) if kind != self.kind else far

    @property
    def certified(self) -> bool:
        return self.cost - self.bound <= 4 * float((self.slack * self.count).sum()) + 1e-13 * abs(self.cost)

    def _rounding(self, u: Floats, v: Floats) -> None:
        """How far rounding can put u_i + v_j - c_ij off, row by row."""
        size = np.abs(u) + float(np.median(np.abs(v)))
        turning = self.turning * (np.sqrt(size) if self.kind == kdtree.SQUARED else 1.0)
        self.slack = 4e-15 * size + turning

    def go(self, gap: float = 0.0) -> None:
        """Rounds until optimal, or within ``gap``, or stopped by the clock or by Ctrl-C."""
        try:
            self._rounds(gap)
        except KeyboardInterrupt:  # it came between two kernels
            self.stopper.interrupted = True
        if self.stopper.interrupted:
            print(
                f"stopped by Ctrl-C: best cost {self.cost:.6f}, proven bound {self.bound:.6f} "
                f"(gap {100 * (self.cost - self.bound) / max(self.cost, 1e-300):.4f} %)",
                file=sys.stderr,
                flush=True,
            )

    def _rounds(self, gap: float) -> None:
        number = 0
        u_then, v_then = np.zeros(len(self.left)), np.zeros(len(self.right))
        allowance = np.full(len(self.left), -np.inf)
        new = len(self.left)
        while not self.stopper.stopped:
            number += 1
            start = time.monotonic()
            # An auction moves all duals a little, and all rows must be searched again; few new pairs need short paths.
            # Duals that are far from the optimum must move far: the auction starts at the gap.
            apart = (self.cost - self.bound) / self.cost if number > 1 and self.cost > 0 else np.inf
            phases = tuple(eps for eps in PHASES if eps <= apart) if new > FEW * len(self.left) else ()
            self.solver.solve(self.indptr, self.cols, self.arc_cost, self.far, phases)
            if self.stopper.stopped:
                break
            u, v = self.solver.duals()
            self._rounding(u, v)
            if self.solver.cost < self.cost:
                self.cost, self.best_column = self.solver.cost, self.solver.state.row_col.copy()
            # c - u - v of an unlisted pair fell by at most du + max dv since the row was last searched
            allowance -= (u - u_then) + float((v - v_then).max(initial=0.0))
            u_then, v_then = u, v
            solved = time.monotonic()
            need = self.order[(allowance < -self.slack)[self.order]]
            new = 0 if self.complete else self._price(need, u, v, allowance)
            entry = {
                "round": number,
                "arcs": len(self.cols),
                "cost": self.cost,
                "bound": self.bound,
                "gap": (self.cost - self.bound) / self.cost if self.cost > 0 else 0.0,
                "searched": len(need),
                "violated": new,
                "solve_seconds": solved - start,
                "price_seconds": time.monotonic() - solved,
            }
            if self.complete:
                self._raise_bound(u, v)
                entry |= {"bound": self.bound, "gap": max(0.0, self.cost - self.bound) / max(self.cost, 1e-300)}
            if not self.stopper.stopped:
                self.log.append(entry)
                if self.progress is not None:
                    self.progress(entry)
            if not new or self.certified or self.cost - self.bound <= gap * abs(self.cost):
                break

    def _raise_bound(self, u: Floats, v: Floats) -> None:
        value = float((u * self.count).sum() + (v * np.diff(self.solver.state.start)).sum())
        value -= float((self.slack * self.count).sum())
        if value > self.bound:
            self.bound, self.best_u, self.best_v = value, u, v

    def _price(self, need: Ints, u: Floats, v: Floats, allowance: Floats) -> int:
        """Search the rows ``need`` for pairs below their dual; add them. Returns how many rows had one."""
        limit = u[need] + AHEAD * self.cost / float(self.count.sum())
        value, index = search(
            self.queries, self.tree, ADDED, self.kind, self.stopper, rows=need, limits=limit, weights=v
        )
        if self.stopper.stopped:
            return 0
        lowered = u.copy()
        lowered[need] = np.minimum(u[need], value[:, 0])
        self._raise_bound(lowered, v)
        # all pairs below the limit are in the graph from now on, or the best of them
        allowance[need] = np.minimum(limit, value[:, -1]) - u[need]
        violated = int((value[:, 0] < (u - self.slack)[need]).sum())
        if violated:
            found = index >= 0
            before = len(self.cols)
            rows, cols = np.repeat(need, found.sum(axis=1)), index[found]
            self.indptr, self.cols = graph(
                len(self.left), np.concatenate([self.rows, rows]), np.concatenate([self.cols, cols])
            )
            self._costs()
            if len(self.cols) == before:  # nothing but rounding
                return 0
        return violated
