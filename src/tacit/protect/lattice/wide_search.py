"""The best node of a lattice that is too large to be held: 10^9 nodes and more.

Idea. Nodes wait in a heap by their floor. Where a node is below one that failed (x <= f), every
node above x that may hold has some column j above f's level: x with column j raised to f_j + 1, for
each j, stand for all of them, and the nodes between are never made. Where nothing is known of
a node, a path from it to the top is halved, as in ``search``. The floor of the first node in the
heap bounds what is left; when it is no less than the best loss, the best node is proven.

Invariant. Every node that may still be better is at or above a node of the heap.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from tacit.protect.lattice.level_codes import Levels
from tacit.protect.lattice.looking import ROUNDING, Looking
from tacit.protect.lattice.problem import Found, Problem


class WideSearch(Looking):
    """The nodes that wait, those that failed, and the best so far."""

    def __init__(
        self,
        problem: Problem,
    ) -> None:
        super().__init__(problem)
        given = problem.levels or [None] * len(self.shape)
        pairs = list(zip(self.shape, given, strict=True))
        self._lowest = tuple(0 if level is None else level for _, level in pairs)
        self._highest = tuple(
            size - 1 if level is None else level for size, level in pairs
        )
        self._heap: list[tuple[float, Levels]] = []
        # a node is reached from several below it, and waits once
        self._seen: set[Levels] = set()
        self._failed: list[Levels] = []
        self._looked: dict[Levels, bool] = {}
        # nodes above which all lose too much
        self._ends: list[Levels] = []

    def run(
        self,
        most_checks: int | None = None,
    ) -> Found:
        """Search until the best node is proven, or so many nodes were counted."""
        sides = zip(self._highest, self._lowest, strict=True)
        sizes = [float(high - low + 1) for high, low in sides]
        nodes = int(np.prod(sizes))
        self._push(self._lowest)
        self.begin()
        while self._heap:
            floor, node = self._heap[0]
            # without floors the figure in the heap is an order, and proves nothing
            if self._floor(node) is not None and floor >= self.loss - ROUNDING:
                return self.found(nodes, floor, proven=True)
            if self.ends(most_checks, self._bound, self._left):
                return self.found(nodes, self._bound(), proven=False)
            heapq.heappop(self._heap)
            self._step(node)
        # nothing waits: each node was looked at, or closed for a reason that holds
        return self.found(nodes, self.loss, proven=True)

    def _bound(self) -> float:
        """The floor of the first node that waits: the others wait above it."""
        floor = self._floor(self._heap[0][1])
        return 0.0 if floor is None else floor

    def _left(self) -> str:
        return f"{len(self._heap):,} waiting"

    def held(self) -> dict[str, Any]:
        """The nodes that wait, those that failed, and those that were looked at."""
        return {
            **super().held(),
            "heap": self._heap,
            "seen": list(self._seen),
            "failed": self._failed,
            "looked": [[node, kept] for node, kept in self._looked.items()],
            "ends": self._ends,
        }

    def restore(
        self,
        held: dict[str, Any],
    ) -> None:
        """Take a state over."""
        super().restore(held)
        self._heap = [(floor, tuple(node)) for floor, node in held["heap"]]
        self._seen = {tuple(node) for node in held["seen"]}
        self._failed = [tuple(node) for node in held["failed"]]
        self._looked = {tuple(node): kept for node, kept in held["looked"]}
        self._ends = [tuple(node) for node in held["ends"]]

    def _step(
        self,
        node: Levels,
    ) -> None:
        """Look at a node, and let those wait that stand for what is above it."""
        if _above_any(node, self._ends):
            return
        over = self._over(node)
        if over is None and node not in self._looked:
            self._halve(node)
            over = self._over(node)
        if over is not None:
            # who may hold is above the failed node in some column
            for j, level in enumerate(over):
                if level < self._highest[j]:
                    self._push((*node[:j], level + 1, *node[j + 1 :]))
            return
        # a floor that is known only now that the records are counted
        if self._floor(node) is None:
            least = self.problem.utility.least(self.cells(node))
            if least >= self.loss - ROUNDING:
                self._ends.append(node)
                return
        for up in self._parents(node):
            self._push(up)

    def _push(
        self,
        node: Levels,
    ) -> None:
        if node in self._seen:
            return
        self._seen.add(node)
        floor = self._floor(node)
        # without floors the lower nodes first
        order = sum(node) / sum(self.shape) if floor is None else floor
        if floor is None or floor < self.loss - ROUNDING:
            heapq.heappush(self._heap, (order, node))

    def _floor(
        self,
        node: Levels,
    ) -> float | None:
        return self.problem.utility.floor_at(node)

    def _over(
        self,
        node: Levels,
    ) -> Levels | None:
        """A failed node at or above this one."""
        if not self._failed:
            return None
        failed = np.array(self._failed)
        higher = failed >= np.array(node)
        over = np.asarray(higher.all(axis=1))
        # the highest closes most
        heights = np.where(over, failed.sum(axis=1), -1)
        at = int(np.argmax(heights))
        return self._failed[at] if over[at] else None

    def _parents(
        self,
        node: Levels,
    ) -> list[Levels]:
        return [
            (*node[:j], level + 1, *node[j + 1 :])
            for j, level in enumerate(node)
            if level < self._highest[j]
        ]

    def _halve(
        self,
        node: Levels,
    ) -> None:
        """Look for the place on a path to the top where the lasting constraints begin to hold."""
        path = [node]
        while True:
            above = self._parents(path[-1])
            if not above:
                break
            path.append(min(above, key=lambda up: (self._floor(up) or 0.0, up)))
        low, high = 0, len(path)
        while low < high:
            middle = (low + high) // 2
            if self._holds(path[middle]):
                high = middle
            else:
                low = middle + 1
        if low == 0 and node not in self._looked:
            self._holds(node)

    def _holds(
        self,
        node: Levels,
    ) -> bool:
        """Whether the lasting constraints hold at a node."""
        if node not in self._looked:
            # below a failed node nothing holds, and no record need be counted
            if self._over(node) is not None:
                return False
            self._looked[node] = self.look(node)
            if not self._looked[node]:
                self._failed.append(node)
        return self._looked[node]


def _above_any(
    node: Levels,
    ends: list[Levels],
) -> bool:
    """Whether a node is at or above one of these."""
    if not ends:
        return False
    below = np.array(ends) <= np.array(node)
    return bool(below.all(axis=1).any())
