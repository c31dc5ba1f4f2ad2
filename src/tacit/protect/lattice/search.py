"""The best node of a lattice, and the proof that no other is better.

Idea. A node is one level for each column; those above it generalise more. Two facts close nodes
without counting their records. If a constraint that stays kept further up is broken at a node, it
is broken at every node below. And a node loses at least its ``floor``, and at least what a node
below it loses without suppression. So the search takes the open node with the least floor, and
halves a path from it to the top: a broken node closes what is below it, a kept one gives a loss
that closes all nodes whose floor is no less. When no node is open, the best one is proven; when
it is stopped before, the least floor of the open nodes is a bound on what might still be found.

After FLASH (Kohlmayer, Prasser, Eckert, Kemper and Kuhn 2012) and the optimum of Kohlmayer et al.
(2014); counts are rolled up from the smallest counted node below (LeFevre et al. 2005).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Bools, Floats, Ints, Progress
from tacit.protect.lattice.cells import Cells, rolled
from tacit.protect.lattice.columns import KeyColumn, Levels, shape_of
from tacit.protect.lattice.constraints.base import Constraint
from tacit.protect.lattice.settle import Settled, settle, suppressed_least
from tacit.protect.lattice.utilities.base import Utility
from tacit.protect.lattice.view import Extras

KEPT = 256
"""Counted nodes whose cells are kept to be rolled up from."""
ROUNDING = 1e-12
"""Losses that differ by less are the same."""


@dataclass(frozen=True)
class Found:
    """What a search found."""

    levels: Levels | None
    """The best node; None: no node that was looked at keeps the constraints."""
    loss: float
    bound: float
    """No node loses less; equal to ``loss`` where the node is proven to be the best."""
    proven: bool
    """Every node was looked at, or closed for a reason that holds."""
    suppressed: int
    nodes: int
    checked: int
    reason: str
    """Why the last node that was looked at fails, where none was found."""


@dataclass(frozen=True)
class Problem:
    """What is searched."""

    columns: Sequence[KeyColumn]
    bottom: Cells
    extras: Extras
    constraints: Sequence[Constraint]
    utility: Utility
    limit: int
    """The largest number of people that may be suppressed."""
    levels: Sequence[int | None] = ()
    """Levels that are given, by column; None: any."""

    @property
    def lasting(self) -> list[Constraint]:
        """The constraints that stay kept further up."""
        several = self.extras.person is not None
        return [
            one
            for one in self.constraints
            if one.monotone(suppression=self.limit > 0, several_rows=several)
        ]


class Search:
    """The state of a search: which nodes are open, and the best so far."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.shape = shape_of(problem.columns)
        self._lasting = problem.lasting
        problem.utility.start(problem.bottom)
        floor = problem.utility.floor()
        self._has_floor = floor is not None
        self.floor: Floats = np.zeros(self.shape) if floor is None else floor
        self.open: Bools = np.ones(self.shape, dtype=bool)
        self._close_given()
        # nodes at which lasting constraints are known to hold
        self._kept: Bools = np.zeros(self.shape, dtype=bool)
        self._stored: dict[Levels, Cells] = {problem.bottom.levels: problem.bottom}
        self.best: Levels | None = None
        self.loss = np.inf
        self.suppressed = 0
        self.checked = 0
        self.reason = ""

    def _close_given(self) -> None:
        """Nodes with other levels than those that are given."""
        for j, level in enumerate(self.problem.levels):
            if level is not None:
                other = np.arange(self.shape[j]) != level
                along = np.moveaxis(self.open, j, 0)
                along[other] = False

    def run(
        self,
        seconds: float | None = None,
        most_checks: int | None = None,
        progress: Progress | None = None,
    ) -> Found:
        """Search until the best node is proven, or time or checks have run out."""
        nodes = int(self.open.sum())
        order = self._order()
        start = time.monotonic()
        place = 0
        flat = self.open.ravel()
        floors = self.floor.ravel()
        while True:
            while place < len(order) and not flat[order[place]]:
                place += 1
            done = place == len(order) or floors[order[place]] >= self.loss - ROUNDING
            # without floors the order is one of levels, and every open node counts
            if done and (self._has_floor or place == len(order)):
                break
            if most_checks is not None and self.checked >= most_checks:
                return self._found(nodes, proven=False)
            if seconds is not None and time.monotonic() - start > seconds:
                return self._found(nodes, proven=False)
            node = np.unravel_index(int(order[place]), self.shape)
            self._halve(tuple(int(level) for level in node))
            if progress is not None:
                progress("looking at generalisations", nodes - int(flat.sum()), nodes)
        return self._found(nodes, proven=True)

    def _order(self) -> Ints:
        """The nodes, those that may lose least first."""
        if self._has_floor:
            return np.argsort(self.floor.ravel(), kind="stable")
        height = np.zeros(self.shape)
        for j, size in enumerate(self.shape):
            along = [1] * len(self.shape)
            along[j] = size
            share = np.arange(size) / max(size - 1, 1)
            height = height + share.reshape(along)
        return np.argsort(height.ravel(), kind="stable")

    def _found(self, nodes: int, *, proven: bool) -> Found:
        left = self.floor[self.open]
        bound = float(left.min()) if left.size and not proven else self.loss
        return Found(
            self.best,
            self.loss,
            min(bound, self.loss),
            proven,
            self.suppressed,
            nodes,
            self.checked,
            self.reason,
        )

    def _halve(self, node: Levels) -> None:
        """Look for the place on a path to the top where the lasting constraints begin to hold."""
        if self._kept[node]:
            self._check(node)
            return
        path = self._path(node)
        low, high = 0, len(path)
        while low < high:
            middle = (low + high) // 2
            if not self.open[path[middle]] or self._check(path[middle]):
                high = middle
            else:
                low = middle + 1

    def _path(self, node: Levels) -> list[Levels]:
        """Open nodes from this one up, each the least in loss above the one before."""
        path = [node]
        while True:
            here = path[-1]
            above = [
                (*here[:j], level + 1, *here[j + 1 :])
                for j, level in enumerate(here)
                if level + 1 < self.shape[j]
            ]
            free = [up for up in above if self.open[up] and self.floor[up] < self.loss]
            if not free:
                return path
            path.append(min(free, key=lambda up: (self.floor[up], up)))

    def _check(self, node: Levels) -> bool:
        """Count the records of a node; whether the lasting constraints hold."""
        problem = self.problem
        self.checked += 1
        cells = self.cells(node)
        self.open[node] = False
        below = tuple(slice(0, level + 1) for level in node)
        above = tuple(slice(level, None) for level in node)
        limit = problem.limit
        if not self._kept[node]:
            lasting = self._lasting
            if not suppressed_least(cells, problem.extras, lasting, limit):
                self.open[below] = False
                self.reason = self.reason or self._why(cells)
                return False
            self._kept[above] = True
        settled = settle(cells, problem.extras, problem.constraints, limit)
        if settled.met:
            self._keep(node, settled)
        else:
            self.reason = settled.reason
        if not self._has_floor and problem.utility.least(cells) >= self.loss - ROUNDING:
            self.open[above] = False
        return True

    def _why(self, cells: Cells) -> str:
        problem = self.problem
        settled = settle(cells, problem.extras, problem.constraints, problem.limit)
        return settled.reason

    def _keep(self, node: Levels, settled: Settled) -> None:
        """A node that keeps every constraint."""
        loss = self.problem.utility.loss(settled)
        same = abs(loss - self.loss) <= ROUNDING
        # of equal ones the one that suppresses less, then the first
        if same and self.best is not None:
            better = (settled.suppressed, node) < (self.suppressed, self.best)
        else:
            better = loss < self.loss
        if better:
            self.best, self.loss = node, loss
            self.suppressed = settled.suppressed

    def cells(self, node: Levels) -> Cells:
        """The cells of a node, rolled up from the smallest stored one below."""
        if node in self._stored:
            return self._stored[node]
        levels = np.array(list(self._stored))
        under = np.flatnonzero((levels <= np.array(node)).all(axis=1))
        stored = list(self._stored.values())
        source = min((stored[at] for at in under), key=lambda cells: cells.size)
        cells, _ = rolled(source, self.problem.columns, node)
        self._store(node, cells)
        return cells

    def _store(self, node: Levels, cells: Cells) -> None:
        """Keep the cells of a node; of those kept the first go, but the file itself stays."""
        if len(self._stored) >= KEPT:
            oldest = list(self._stored)[1]
            del self._stored[oldest]
        self._stored[node] = cells
