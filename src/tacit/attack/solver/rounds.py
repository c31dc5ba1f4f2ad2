"""Rounds of solving and pricing until no pair can help: the exact assignment without its matrix.

1. Candidate graph: the nearest records of each record, both ways, and one feasible linkage; where
   these are too few for an auction to settle, also those to which its prices lead (``widening``).
2. Solve the sparse problem exactly, with duals (``kernels.assignment``).
3. Price all other pairs: j can help i only if c_ij - v_j < u_i, so search a kd-tree whose
   boxes carry their largest v. A row is searched again only if its bound can have changed:
   v falls and u rises where the solver walked.
4. Add what helps, solve again from the duals at hand. Each round gives an upper and a lower
   bound of the optimum.

Invariant: ``bound`` is the value of duals that no pair of the whole problem violates, up to
``slack``; ``cost`` is the value of a complete linkage.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from tacit.attack.solver.assign_graph import PHASES, Solver
from tacit.attack.solver.csr import owners
from tacit.attack.solver.first_graph import first_linkage, near_pairs
from tacit.attack.solver.frame import Frame
from tacit.attack.solver.neighbours import search
from tacit.attack.solver.scan import FEW as FEW_POINTS
from tacit.attack.solver.scan import Points
from tacit.attack.solver.solution import LogEntry, RoundReport, Solution
from tacit.attack.solver.stopper import Stopper
from tacit.attack.solver.widening import widen
from tacit.base.typing import Floats, Ints
from tacit.kernels.assignment.graph import graph, pair_costs
from tacit.kernels.trees import kdtree

# Nearest records taken into the first graph, each way
CANDIDATES = 10
# Pairs that one pricing may add to a row
ADDED = 16
# Pricing looks this far beyond what is violated (in units of the mean cost), so that
# duals may move a little before a row must be searched again.
AHEAD = 0.03
# Share of rows with new pairs above which duals are moved by an auction before paths
# are searched.
FEW = 0.02
# Up to this many pairs the graph holds them all: that is cheaper than any search
SMALL = 40_000


class Rounds:
    """The loop of solving and pricing over distinct rows with counts and capacities.

    Parameters
    ----------
    left, count : arrays
        Distinct originals, and how many records each stands for.
    right, capacity : arrays
        Distinct masked records, and how many records each stands for.
    kind : int
        What the cost is (see ``neighbours.KIND``).
    candidates : int
        Nearest records in the first graph, each way.
    time_limit : float, optional
        Seconds for everything.
    progress : function, optional
        Called with the entry of the log after each round.
    at_hand : bool
        Few records are searched in a tree where its kernel is compiled (see ``search``).
    """

    def __init__(
        self,
        left: Floats,
        count: Ints,
        right: Floats,
        capacity: Ints,
        kind: int,
        candidates: int = CANDIDATES,
        time_limit: float | None = None,
        progress: RoundReport | None = None,
        *,
        at_hand: bool = False,
    ) -> None:
        self.at_hand = at_hand
        self.left, self.right, self.kind = left, right, kind
        self.count, self.capacity = count, capacity
        begin = time.monotonic()
        self.stopper = Stopper(np.inf if time_limit is None else begin + time_limit)
        self.progress = progress
        self.log: list[LogEntry] = []
        frame = Frame.of(right, left, kind)
        self.queries = frame(left)
        self.targets = frame(right)
        compiled = int(max(count.sum(), capacity.sum())) > FEW_POINTS
        self.tree = Points(self.targets, compiled=compiled)
        back = Points(self.queries, compiled=compiled)
        self.order = back.order
        self.solver = Solver(count, capacity, self.stopper)
        # generous: four times what turning may add to a distance
        self.turning = 4 * frame.error
        self.slack = np.zeros(len(left))
        self.bound, self.cost = 0.0, np.inf  # distances are never negative
        self.best_u = np.zeros(len(left))
        self.best_v = np.zeros(len(right))
        rows, cols = self._feasible()
        pairs = len(left) * len(right)
        self.complete = candidates >= len(right) or pairs <= SMALL
        if self.complete:
            rows, cols = np.divmod(np.arange(pairs), len(right))
            self.far = np.full(len(left), np.inf)
        else:
            parts = [(rows, cols), *self._candidates(back, candidates)]
            rows = np.concatenate([part[0] for part in parts])
            cols = np.concatenate([part[1] for part in parts])
            # held no longer: there are some dozens of pairs for each record
            del parts
        self._set_graph(rows, cols)

    def _set_graph(
        self,
        rows: Ints,
        cols: Ints,
    ) -> None:
        """The graph of these pairs (each once), with their costs."""
        self.indptr, self.cols = graph(len(self.left), rows, cols)
        self.rows = owners(self.indptr)
        self.arc_cost = pair_costs(
            self.left, self.right, self.rows, self.cols, self.kind
        )

    def add(self, rows: Ints, cols: Ints) -> None:
        """These pairs come into the graph, unless they are there."""
        self._set_graph(
            np.concatenate([self.rows, rows]), np.concatenate([self.cols, cols])
        )

    def _feasible(self) -> tuple[Ints, Ints]:
        """(rows, columns) of a first linkage, which is the best so far."""
        rows, cols = first_linkage(
            self.queries, self.count, self.targets, self.capacity
        )
        unit = np.repeat(np.arange(len(self.count)), self.count)
        self.best_column = cols[np.argsort(rows, kind="stable")]
        costs = pair_costs(self.left, self.right, unit, self.best_column, self.kind)
        self.cost = float(costs.sum())
        return rows, cols

    def _candidates(
        self,
        back: Points,
        k: int,
    ) -> list[tuple[Ints, Ints]]:
        """(rows, columns) of the k nearest both ways; sets how far each row has looked."""
        near = near_pairs(
            self.queries,
            self.tree,
            self.targets,
            back,
            k,
            self.kind,
            self.stopper,
            at_hand=self.at_hand,
        )
        self.far = near.farthest
        if not self.stopper.stopped:
            # the nearest distances are duals already: u = least cost, v = 0
            no_price = np.zeros(len(self.right))
            self._rounding(near.nearest, no_price)
            self._raise_bound(near.nearest, no_price)
        return near.parts

    @property
    def certified(self) -> bool:
        """Cost and bound agree to rounding."""
        rounding = 4 * float((self.slack * self.count).sum()) + 1e-13 * abs(self.cost)
        return self.cost - self.bound <= rounding

    @property
    def gap(self) -> float:
        """Relative distance of cost and bound."""
        if self.cost > 0:
            return (self.cost - self.bound) / self.cost
        return 0.0

    def solution(self) -> Solution:
        """The best linkage so far; ``match`` has one column for each record, row by row."""
        duals = self.best_u, self.best_v
        return Solution(
            self.best_column,
            self.cost,
            self.bound,
            self.certified,
            duals,
            self.log,
        )

    def _rounding(
        self,
        u: Floats,
        v: Floats,
    ) -> None:
        """How far rounding can put u_i + v_j - c_ij off, row by row."""
        size = np.abs(u) + float(np.median(np.abs(v)))
        # an error e of a distance d is one of about 2 d e of its square
        scale = np.sqrt(size) if self.kind == kdtree.SQUARED else 1.0
        # 4e-15: 18 times the machine epsilon, for the sums of both duals and of the cost
        self.slack = 4e-15 * size + self.turning * scale

    def go(self, gap: float = 0.0) -> None:
        """Rounds until optimal, or within ``gap``, or stopped by the clock or by Ctrl-C.

        Parameters
        ----------
        gap : float
            Relative distance to the optimum at which to stop.
        """
        try:
            self._rounds(gap)
        except KeyboardInterrupt:  # it came between two kernels
            self.stopper.interrupted = True
        if self.stopper.interrupted:
            print(
                f"stopped by Ctrl-C: best cost {self.cost:.6f}, "
                f"proven bound {self.bound:.6f} (gap {100 * self.gap:.4f} %)",
                file=sys.stderr,
                flush=True,
            )

    def _rounds(self, gap: float) -> None:
        u_before = np.zeros(len(self.left))
        v_before = np.zeros(len(self.right))
        # how much the reduced cost of an unlisted pair of each row may fall unseen
        allowance = np.full(len(self.left), -np.inf)
        number = 0
        violated = len(self.left)
        if not self.complete:
            widen(self)
        while not self.stopper.stopped:
            number += 1
            start = time.monotonic()
            phases = self._phases(number, violated)
            self.solver.solve(self.indptr, self.cols, self.arc_cost, self.far, phases)
            if self.stopper.stopped:
                break
            u, v = self.solver.duals()
            self._rounding(u, v)
            if self.solver.cost < self.cost:
                self.cost = self.solver.cost
                self.best_column = self.solver.state.row_col.copy()
            # c - u - v of an unlisted pair fell by at most du + max dv since the row was
            # last searched
            allowance -= (u - u_before) + float((v - v_before).max(initial=0.0))
            u_before, v_before = u, v
            solved = time.monotonic()
            need = self.order[(allowance < -self.slack)[self.order]]
            if self.complete:
                violated = 0
                self._raise_bound(u, v)
            else:
                violated = self._price(need, u, v, allowance)
            if not self.stopper.stopped:
                entry: LogEntry = {
                    "round": number,
                    "arcs": len(self.cols),
                    "cost": self.cost,
                    "bound": self.bound,
                    "gap": max(0.0, self.gap) if self.complete else self.gap,
                    "searched": len(need),
                    "violated": violated,
                    "solve_seconds": solved - start,
                    "price_seconds": time.monotonic() - solved,
                }
                self.log.append(entry)
                if self.progress is not None:
                    self.progress(entry)
            within_gap = self.cost - self.bound <= gap * abs(self.cost)
            if not violated or self.certified or within_gap:
                break

    def _phases(
        self,
        number: int,
        violated: int,
    ) -> tuple[float, ...]:
        """The phases of the auction in this round.

        An auction moves all duals a little, and all rows must be searched again; few new
        pairs need short paths. Duals that are far from the optimum must move far: the
        auction starts at the gap.
        """
        if violated <= FEW * len(self.left):
            return ()
        is_known = number > 1 and self.cost > 0
        apart = self.gap if is_known else np.inf
        return tuple(eps for eps in PHASES if eps <= apart)

    def _raise_bound(
        self,
        u: Floats,
        v: Floats,
    ) -> None:
        """Keep these duals if their value is the best so far, less what rounding may add."""
        value = float((u * self.count).sum() + (v * self.capacity).sum())
        value -= float((self.slack * self.count).sum())
        if value > self.bound:
            self.bound, self.best_u, self.best_v = value, u, v

    def _price(
        self,
        need: Ints,
        u: Floats,
        v: Floats,
        allowance: Floats,
    ) -> int:
        """Search the rows ``need`` for pairs below their dual and add them.

        Returns how many rows had one; ``allowance`` is renewed for the rows searched.
        """
        mean_cost = self.cost / float(self.count.sum())
        limit = u[need] + AHEAD * mean_cost
        value, index = search(
            self.queries,
            self.tree,
            ADDED,
            self.kind,
            self.stopper,
            rows=need,
            limits=limit,
            weights=v,
            at_hand=self.at_hand,
        )
        if self.stopper.stopped:
            return 0
        # lowered to what was found, the duals hold for every pair: their value is a bound
        lowered = u.copy()
        lowered[need] = np.minimum(u[need], value[:, 0])
        self._raise_bound(lowered, v)
        # all pairs below the limit are in the graph from now on, or the best of them
        allowance[need] = np.minimum(limit, value[:, -1]) - u[need]
        violated = int((value[:, 0] < (u - self.slack)[need]).sum())
        if violated:
            seen = index >= 0
            before = len(self.cols)
            self.add(np.repeat(need, seen.sum(axis=1)), index[seen])
            if len(self.cols) == before:  # nothing but rounding
                return 0
        return violated
