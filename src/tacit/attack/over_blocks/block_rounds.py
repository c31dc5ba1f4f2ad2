"""Certified assignment over blocks: one sparse problem with global duals, priced block by block.

1. Graph: the nearest classes of each class over all blocks, both ways, and one feasible linkage.
2. An auction on that graph (``kernels.assignment.auction``) gives a complete linkage and prices v.
3. Pricing: the classes of a block are one piece of work, given v and their limits u. It finds the
   pairs of any block with c_ij - v_j < u_i. Lowered to what was found, u and v hold for **every**
   pair of the two files: their value is a bound of the optimum (see ``solver.rounds``).
4. Add these pairs, and go on: by an auction while many are violated, then exactly
   (``solver.assign_graph``), until none is, or the gap is small enough, or the time is up.

Invariant: ``bound`` is the value of duals that no pair of the whole problem violates, up to
``slack``; ``cost`` is the value of a complete linkage. Which blocks there are, and who prices them,
changes neither but among equally good linkages.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from tacit.attack.over_blocks.candidate_pairs import CandidatePairs
from tacit.attack.over_blocks.kept_blocks import KeptBlocks
from tacit.attack.over_blocks.sparse_graph import SparseGraph
from tacit.attack.solver.assign_graph import PHASES, Solver
from tacit.attack.solver.near_optimal import PHASES as LARGE
from tacit.attack.solver.solution import LogEntry, RoundReport
from tacit.attack.solver.stopper import Stopper
from tacit.base.errors import TacitError
from tacit.base.typing import Bools, Floats
from tacit.kernels.assignment import auction as kernel
from tacit.kernels.assignment.graph import least
from tacit.kernels.trees import kdtree

ADDED = 16
"""Pairs that one pricing may add to a class."""
AHEAD = 0.03
"""How far pricing looks beyond what is violated, in units of the mean cost: duals may move so much
before a class must look again."""
FEW = 0.02
"""Share of classes with new pairs up to which the problem is solved exactly, and not by auction."""
AUCTION = (0.2, 0.02, 0.002)
"""eps of the first auction's phases, in units of the median cost. On 100,000 x 6 with noise of 10 %
the linkage is then within 0.1 % of the optimum's cost, and the bound within 0.6 %."""
BIDS = 100
"""Most bids of a phase, for each record; 3 to 30 are usual."""
AUCTIONS = 6
"""Rounds after which the exact solver takes over, whatever is violated."""


class BlockRounds:
    """The loop of solving and pricing over classes of identical records.

    Parameters
    ----------
    pairs : CandidatePairs
        Who finds pairs of classes over all blocks.
    time_limit : float, optional
        Seconds for everything.
    progress : function, optional
        Called with the entry of the log after each round.
    """

    def __init__(
        self,
        pairs: CandidatePairs,
        time_limit: float | None = None,
        progress: RoundReport | None = None,
    ) -> None:
        begin = time.monotonic()
        self.stopper = Stopper(np.inf if time_limit is None else begin + time_limit)
        self.pairs = pairs
        self.count, self.capacity = pairs.count, pairs.capacity
        self.progress = progress
        self.log: list[LogEntry] = []
        self.solver = Solver(self.count, self.capacity, self.stopper)
        self.slack = np.zeros(len(self.count))
        self.bound, self.cost = 0.0, np.inf  # distances are never negative
        self.best_u = np.zeros(len(self.count))
        self.best_v = np.zeros(len(self.capacity))
        self.best_column = np.zeros(0, np.int64)
        self.best_costs = np.zeros(0)

    def _first_graph(self, candidates: int) -> None:
        """The graph of the nearest pairs both ways, and of one complete linkage."""
        near = self.pairs.nearest(candidates, self.stopper)
        if near is None:
            return
        # blocks are read again when there are prices
        KeptBlocks.forget()
        self.graph = SparseGraph.of(near.parts, len(self.count), len(self.capacity))
        near.forget()
        self.far = near.farthest
        # the nearest distances are duals already: u = least cost, v = 0
        no_price = np.zeros(len(self.capacity))
        self._rounding(near.least, no_price)
        self._raise_bound(near.least, no_price)

    @property
    def certified(self) -> bool:
        """Cost and bound agree to rounding."""
        if not np.isfinite(self.cost):
            # no linkage is complete yet: what is infinite agrees with anything
            return False
        rounding = 4 * float((self.slack * self.count).sum()) + 1e-13 * abs(self.cost)
        return self.cost - self.bound <= rounding

    @property
    def gap(self) -> float:
        """Relative distance of cost and bound."""
        return (self.cost - self.bound) / self.cost if self.cost > 0 else 0.0

    def go(self, candidates: int, gap: float = 0.0, rounds: int | None = None) -> None:
        """Rounds until optimal, or within ``gap``, or stopped by the clock or by Ctrl-C.

        Parameters
        ----------
        candidates : int
            Nearest classes in the first graph, each way.
        gap : float
            Relative distance to the optimum at which to stop.
        rounds : int, optional
            Most rounds.

        Raises
        ------
        TacitError
            When it is stopped before there is a linkage: no figure is better than one that is too
            low.
        """
        try:
            self._first_graph(candidates)
            self._rounds(gap, rounds)
        except KeyboardInterrupt:  # it came between two kernels
            self.stopper.interrupted = True
        if not np.isfinite(self.cost):
            raise TacitError(
                "assignment over blocks was stopped before its first linkage was complete; "
                "give it more time (time_limit)"
            )
        self._forget_graph()
        if self.stopper.interrupted:
            print(
                f"stopped by Ctrl-C: best cost {self.cost:.6f}, "
                f"proven bound {self.bound:.6f} (gap {100 * self.gap:.4f} %)",
                file=sys.stderr,
                flush=True,
            )

    def _rounds(self, gap: float, most: int | None) -> None:
        u_before = np.zeros(len(self.count))
        v_before = np.zeros(len(self.capacity))
        # how much the reduced cost of an unlisted pair of each row may fall unseen
        allowance = np.full(len(self.count), -np.inf)
        number = 0
        violated = len(self.count)
        while not self.stopper.stopped and number != most:
            number += 1
            start = time.monotonic()
            by_auction = violated > FEW * len(self.count) and number <= AUCTIONS
            if by_auction:
                u, v = self._auction(number, most)
            else:
                u, v = self._exact(violated)
            if self.stopper.stopped:
                break
            self._rounding(u, v)
            # c - u - v of an unlisted pair fell by at most du + max dv since it was searched
            allowance -= (u - u_before) + float((v - v_before).max(initial=0.0))
            u_before, v_before = u, v
            solved = time.monotonic()
            arcs = len(self.graph.cols)
            if number == most:
                self._forget_graph()
            need = allowance < -self.slack
            found = self._price(need, u, v, allowance, is_last=number == most)
            if found is None:
                break
            violated = found
            entry: LogEntry = {
                "round": number,
                "by": "auction" if by_auction else "paths",
                "arcs": arcs,
                "cost": self.cost,
                "bound": self.bound,
                "gap": self.gap,
                "searched": int(need.sum()),
                "violated": violated,
                "solve_seconds": solved - start,
                "price_seconds": time.monotonic() - solved,
            }
            self.log.append(entry)
            if self.progress is not None:
                self.progress(entry)
            within_gap = self.cost - self.bound <= gap * abs(self.cost)
            if within_gap or self.certified or (not violated and not by_auction):
                break

    def _auction(self, number: int, rounds: int | None) -> tuple[Floats, Floats]:
        """Duals and links where an auction ends."""
        graph, state, v = self.graph, self.solver.state, self.solver.v
        unit = graph.typical
        phases: tuple[float, ...] = AUCTION if number == 1 else AUCTION[-1:]
        if rounds == 1:
            # no later round will link who is left over: eps begins high, so that nobody is
            phases = LARGE
        most = BIDS * len(state.kind)

        def bid() -> None:
            for phase in phases:
                eps = phase * unit
                if kernel.drop(graph.indptr, graph.cols, graph.cost, v, state, eps):
                    kernel.auction(
                        graph.indptr,
                        graph.cols,
                        graph.cost,
                        self.far,
                        v,
                        state,
                        eps,
                        most,
                        self.stopper.flag,
                    )

        self.stopper.run([bid])
        if not (state.row_col < 0).any():
            self._keep_links(float(state.row_cost.sum()))
        return least(graph.indptr, graph.cols, graph.cost, v), v.copy()

    def _exact(self, violated: int) -> tuple[Floats, Floats]:
        """Optimal duals and links of the graph."""
        graph = self.graph
        phases: tuple[float, ...] = ()
        if violated > FEW * len(self.count):
            apart = self.gap if np.isfinite(self.cost) else np.inf
            phases = tuple(eps for eps in PHASES if eps <= apart)
        self.solver.solve(graph.indptr, graph.cols, graph.cost, self.far, phases)
        if not self.stopper.stopped:
            self._keep_links(self.solver.cost)
        return self.solver.duals()

    def _forget_graph(self) -> None:
        """Who prices for the last time, or asks for the links, needs no arcs any more."""
        self.graph = SparseGraph.of([], 0, len(self.capacity))

    def _keep_links(self, cost: float) -> None:
        if cost < self.cost:
            self.cost = cost
            self.best_column = self.solver.state.row_col.copy()
            self.best_costs = self.solver.state.row_cost.copy()

    def _price(
        self,
        need: Bools,
        u: Floats,
        v: Floats,
        allowance: Floats,
        *,
        is_last: bool = False,
    ) -> int | None:
        """Search for pairs below the duals of the classes in ``need``, and add them.

        Returns how many had one; None: the time was up. ``allowance`` is renewed. In the last round
        nobody will solve a larger graph: the least value of each class is enough for the bound.
        """
        cost = self.cost if np.isfinite(self.cost) else float((u * self.count).sum())
        limits = np.full(len(u), -np.inf)
        limits[need] = u[need] + AHEAD * cost / float(self.count.sum())
        found = self.pairs.priced(1 if is_last else ADDED, limits, v, self.stopper)
        if found is None:
            return None
        # lowered to what was found, the duals hold for every pair: their value is a bound
        self._raise_bound(np.minimum(u, found.least), v)
        # all pairs below the limit are in the graph from now on, or the best of them
        allowance[need] = (np.minimum(limits, found.farthest) - u)[need]
        violated = int((found.least < u - self.slack).sum())
        if violated and not is_last:
            before = len(self.graph.cols)
            self.graph = self.graph.with_pairs(found.parts)
            found.forget()
            if len(self.graph.cols) == before:  # nothing but rounding
                return 0
        else:
            found.forget()
        return violated

    def _rounding(self, u: Floats, v: Floats) -> None:
        """How far rounding can put u_i + v_j - c_ij off, row by row (see ``solver.rounds``)."""
        size = np.abs(u) + float(np.median(np.abs(v)))
        is_squared = self.pairs.kind == kdtree.SQUARED
        scale = np.sqrt(size) if is_squared else 1.0
        # four times what turning may add to a distance, and 18 units of rounding
        self.slack = 4e-15 * size + 4 * self.pairs.error * scale

    def _raise_bound(self, u: Floats, v: Floats) -> None:
        """Keep these duals if their value is the best so far, less what rounding may add."""
        value = float((u * self.count).sum() + (v * self.capacity).sum())
        value -= float((self.slack * self.count).sum())
        if value > self.bound:
            self.bound, self.best_u, self.best_v = value, u, v
