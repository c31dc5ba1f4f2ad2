"""The least values of every class over all blocks: its nearest, or those whose price helps it most.

A value is f(distance) less the weight of who is found. With no weights the least values are the
nearest records; with duals as weights and limits u they are the pairs that a linkage is not yet
right about (``solver.rounds``). The classes of one block are one piece of work. They look in their
own block at first, and then in every block whose box, less its largest weight, is below what they
have.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit.attack.over_blocks.block_tree import BlockTree
from tacit.attack.over_blocks.kept_blocks import KeptBlocks
from tacit.attack.over_blocks.laid_out import LaidOut
from tacit.attack.solver.frame import Frame
from tacit.attack.solver.neighbours import KIND, search
from tacit.attack.solver.stopper import Stopper
from tacit.base.typing import Floats, Ints
from tacit.kernels.assignment.graph import pair_costs

PART = 1 << 14
"""Classes of a block that search at a time: their lists of blocks are held."""
NUMBER = 8
"""Bytes of a number."""


@dataclass(frozen=True)
class Side:
    """A file as one side of the search: where it lies, and the first class of each block."""

    file: LaidOut
    start: Ints

    def some(self, path: Path, block: int) -> Floats:
        """One number for each class of a block, from a file with those of all classes."""
        first, stop = self.start[block : block + 2].tolist()
        return np.fromfile(path, np.float64, stop - first, offset=NUMBER * first)


@dataclass(frozen=True)
class LeastValues:
    """Searches for the classes of a block: an item is the number of the block.

    Attributes
    ----------
    seekers, sought
        Who looks, and for whom.
    tree, top
        The boxes of the sought, and the largest weight below each node.
    frame, kind
        Where distances are measured, and what f(distance) is.
    k
        How many are wanted for each class.
    limits, weights
        Files with one number for each class: only values below its limit are wanted (nothing is
        where it is -inf); None: all, and no weights.
    mark
        Begins the names of the files with what was found.
    """

    seekers: Side
    sought: Side
    tree: BlockTree
    top: Floats
    frame: Frame
    kind: int
    k: int
    limits: Path | None
    weights: Path | None
    mark: str

    def __call__(self, home: int) -> Path:
        """Write who looked, the first and last value of each, and all pairs with their cost."""
        here = KeptBlocks(self.seekers.file, self.frame)[home]
        number = len(here.theirs.rows)
        limits = np.full(number, np.inf)
        if self.limits is not None:
            limits = self.seekers.some(self.limits, home)
        need = np.flatnonzero(limits > -np.inf)
        # those near each other one after the other, as far as one axis can say
        need = need[np.argsort(here.points.points[need, 0], kind="stable")]
        parts = [
            self._found(need[at : at + PART], limits[need[at : at + PART]], home)
            for at in range(0, len(need), PART)
        ]
        value, index, cost = (
            np.concatenate([part[i] for part in parts])
            if parts
            else np.zeros((0, self.k), kind)
            for i, kind in enumerate((np.float64, np.int64, np.float64))
        )
        seen = index >= 0
        seekers = need + int(self.seekers.start[home])
        path = self.seekers.file.folder / f"{self.mark}-{home}.npz"
        np.savez(
            path,
            seekers=seekers,
            least=value[:, 0],
            last=value[:, -1],
            rows=np.repeat(seekers, seen.sum(axis=1)),
            cols=index[seen],
            costs=cost[seen],
        )
        return path

    def _found(
        self, rows: Ints, limits: Floats, home: int
    ) -> tuple[Floats, Ints, Floats]:
        """(values, classes, costs) of the k least of these classes of the block, least first."""
        here = KeptBlocks(self.seekers.file, self.frame)[home]
        X, queries = here.theirs.rows[rows], here.points.points[rows]
        best = (
            np.full((len(rows), self.k), np.inf),
            np.full((len(rows), self.k), -1, np.int64),
            np.full((len(rows), self.k), np.inf),
        )
        everybody = np.arange(len(rows))
        self._look(X, queries, limits, home, everybody, best)
        within = np.minimum(limits, best[0][:, -1])
        who, where = self.tree.visits(queries, within, self.kind, home, self.top)
        order = np.argsort(where, kind="stable")
        targets, starts = np.unique(where[order], return_index=True)
        visitors = np.split(who[order], starts[1:])
        # where most want to go first: their limits fall, and they need not go farther
        for place in sorted(range(len(targets)), key=lambda p: -len(visitors[p])):
            target = int(targets[place])
            ids = visitors[place]
            within = np.minimum(limits[ids], best[0][ids, -1])
            ids = ids[self._apart(queries[ids], target) < within]
            if len(ids):
                self._look(X, queries, limits, target, ids, best)
        return best

    def _look(
        self,
        X: Floats,
        queries: Floats,
        limits: Floats,
        block: int,
        ids: Ints,
        best: tuple[Floats, Ints, Floats],
    ) -> None:
        """Search a block for some queries, and keep what is among their k least."""
        there = KeptBlocks(self.sought.file, self.frame)[block]
        Y = there.theirs.rows
        if not len(Y):
            return
        weights = None
        if self.weights is not None:
            weights = self.sought.some(self.weights, block)
        values, classes, costs = best
        value, index = search(
            queries,
            there.points,
            min(self.k, len(Y)),
            self.kind,
            Stopper(threads=1),
            rows=ids,
            limits=np.minimum(limits[ids], values[ids, -1]),
            weights=weights,
        )
        seen = index >= 0
        cost = np.full(value.shape, np.inf)
        owner = np.repeat(ids, seen.sum(axis=1))
        cost[seen] = pair_costs(X, Y, owner, index[seen], self.kind)
        value[~seen] = np.inf
        index = np.where(seen, index + int(self.sought.start[block]), -1)
        both = np.hstack([values[ids], value])
        order = np.argsort(both, axis=1, kind="stable")[:, : self.k]
        values[ids] = np.take_along_axis(both, order, 1)
        for old, new in ((classes, index), (costs, cost)):
            old[ids] = np.take_along_axis(np.hstack([old[ids], new]), order, 1)

    def _apart(self, queries: Floats, block: int) -> Floats:
        """The least value that a block can hold for each query."""
        low, high = self.sought.file.low[block], self.sought.file.high[block]
        gap = np.maximum(np.maximum(low - queries, queries - high), 0.0)
        is_straight = self.kind == KIND["manhattan"]
        apart = (gap if is_straight else gap * gap).sum(axis=1)
        if self.kind == KIND["euclidean"]:
            apart = np.sqrt(apart)
        # sums may differ in the last digit from those of the walk
        node = int(np.flatnonzero(self.tree.block == block)[0])
        return np.asarray(apart * (1 - 1e-12) - float(self.top[node]))


@dataclass(frozen=True)
class PairCosts:
    """Costs of given pairs: an item is (block, its first pair, one after its last).

    Attributes
    ----------
    left, right
        Both files.
    pairs
        A file with the row and the column of each pair, sorted by row.
    """

    left: Side
    right: Side
    frame: Frame
    kind: int
    pairs: Path

    def __call__(self, item: tuple[int, int, int]) -> Floats:
        """The cost of each pair of the block."""
        home, first, stop = item
        flat = np.fromfile(
            self.pairs, np.int64, 2 * (stop - first), offset=2 * NUMBER * first
        )
        rows, cols = flat.reshape(-1, 2).T
        X = KeptBlocks(self.left.file, self.frame)[home].theirs.rows
        costs = np.empty(len(rows))
        block = np.searchsorted(self.right.start, cols, side="right") - 1
        for target in np.unique(block).tolist():
            at = np.flatnonzero(block == target)
            Y = KeptBlocks(self.right.file, self.frame)[target].theirs.rows
            ours = rows[at] - self.left.start[home]
            theirs = cols[at] - self.right.start[target]
            costs[at] = pair_costs(X, Y, ours, theirs, self.kind)
        return costs
