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

from typing import Any

import numpy as np

from tacit.base.typing import Bools, Floats, Ints
from tacit.protect.lattice.level_codes import Levels
from tacit.protect.lattice.looking import ROUNDING, Looking
from tacit.protect.lattice.problem import Found, Problem
from tacit.protect.lattice.search_state import packed, unpacked


class Search(Looking):
    """The state of a search: which nodes are open, and the best so far."""

    def __init__(
        self,
        problem: Problem,
    ) -> None:
        super().__init__(problem)
        floor = problem.utility.floor()
        # a floor of 0 closes nothing, since no node loses less
        self._has_floor = floor is not None
        self.floor: Floats = np.zeros(self.shape) if floor is None else floor
        self.open: Bools = np.ones(self.shape, dtype=bool)
        self._close_given()
        # nodes at which lasting constraints are known to hold
        self._kept: Bools = np.zeros(self.shape, dtype=bool)

    def _close_given(self) -> None:
        """Nodes with other levels than those that are given."""
        for j, level in enumerate(self.problem.levels):
            if level is not None:
                other = np.arange(self.shape[j]) != level
                along = np.moveaxis(self.open, j, 0)
                along[other] = False

    def run(
        self,
        most_checks: int | None = None,
    ) -> Found:
        """Search until the best node is proven, or so many nodes were counted."""
        nodes = int(self.open.sum())
        self.begin()
        order = self._order()
        place = 0
        # views: what a look closes in the lattice is closed here, too
        flat = self.open.ravel()
        floors = self.floor.ravel()
        while True:
            # no node opens again, so that the place never goes back
            while place < len(order) and not flat[order[place]]:
                place += 1
            done = place == len(order) or floors[order[place]] >= self.loss - ROUNDING
            # without floors the order is one of levels, and every open node counts
            if done and (self._has_floor or place == len(order)):
                break
            # asked between paths: one that was begun is looked at to its end
            if self.ends(most_checks, self._bound, self._left):
                return self._found(nodes, proven=False)
            node = np.unravel_index(int(order[place]), self.shape)
            self._halve(tuple(int(level) for level in node))
        return self._found(nodes, proven=True)

    def held(self) -> dict[str, Any]:
        """Which nodes are open, and at which the lasting constraints hold."""
        flags = {"open": packed(self.open), "kept": packed(self._kept)}
        return {**super().held(), **flags}

    def restore(
        self,
        held: dict[str, Any],
    ) -> None:
        """Take a state over."""
        super().restore(held)
        self.open = unpacked(held["open"], self.shape)
        self._kept = unpacked(held["kept"], self.shape)

    def _bound(self) -> float:
        """Whatever is still open might lose as little as its floor."""
        left = self.floor[self.open]
        return float(left.min()) if left.size else self.loss

    def _left(self) -> str:
        return f"{int(self.open.sum()):,} of {self.open.size:,} open"

    def _order(self) -> Ints:
        """The nodes, those that may lose least first."""
        if self._has_floor:
            return np.argsort(self.floor.ravel(), kind="stable")
        height = np.zeros(self.shape)
        for j, size in enumerate(self.shape):
            along = [1] * len(self.shape)
            along[j] = size
            # shares of the height: levels of a long hierarchy are smaller steps than those of a
            # short
            share = np.arange(size) / max(size - 1, 1)
            height = height + share.reshape(along)
        return np.argsort(height.ravel(), kind="stable")

    def _found(
        self,
        nodes: int,
        *,
        proven: bool,
    ) -> Found:
        return self.found(nodes, self._bound(), proven=proven)

    def _halve(
        self,
        node: Levels,
    ) -> None:
        """Look for the place on a path to the top where the lasting constraints begin to hold."""
        # the path above holds as well, and there is no place to look for
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

    def _path(
        self,
        node: Levels,
    ) -> list[Levels]:
        """Open nodes from this one up, each the least in loss above the one before."""
        path = [node]
        while True:
            here = path[-1]
            above = [
                (*here[:j], level + 1, *here[j + 1 :])
                for j, level in enumerate(here)
                if level + 1 < self.shape[j]
            ]
            # floors grow on the way up: at or above the best loss nothing is left to find
            unknown = [up for up in above if self.open[up]]
            free = [up for up in unknown if self.floor[up] < self.loss]
            if not free:
                return path
            path.append(min(free, key=lambda up: (self.floor[up], up)))

    def _check(
        self,
        node: Levels,
    ) -> bool:
        """Look at a node, and close what that decides; whether the lasting constraints hold."""
        below = tuple(slice(0, level + 1) for level in node)
        above = tuple(slice(level, None) for level in node)
        self.open[node] = False
        kept = bool(self._kept[node])
        if not self.look(node, kept=kept):
            # what is broken here is broken at every node below
            self.open[below] = False
            return False
        # what lasts holds at every node above, and is not asked again there
        self._kept[above] = True
        # a floor that is known only now that the records are counted
        if not self._has_floor:
            least = self.problem.utility.least(self.cells(node))
            if least >= self.loss - ROUNDING:
                self.open[above] = False
        return True
