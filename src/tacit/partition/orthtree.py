"""The 2^d-tree: cells are halved in every column at once until at most L records are in each.

Definition. The root is the box of the file: the range of each column. A node with more than L records is cut at the
midpoint of its range in each of the d columns; a child exists only where records are. A leaf with fewer than ``least``
records is fused with the leaf of the nearest centroid, until every block has at least ``least``.

Source: Solanas et al. (2006); ESSnet-SDC deliverable "Blocking methods for microdata protection" (2008), chapter 2.
Guarantee: every block has at least ``least`` records (if the file has). A leaf has at most L, unless its records agree
in the first 32 bits of every column; fusing may add a few records to a block.
Cost: few passes over the file, counting only (no distances); memory for cells that have records, never 2^d.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.kernels.orthtree import BITS, descend, sums_by_leaf
from tacit.partition.auto import leaf_size
from tacit.partition.blocks import Ints, as_chunks
from tacit.partition.fuse import fuse
from tacit.partition.grid import Floats, Grid

MOST_COLUMNS = 40
CELLS = 20  # bits


@dataclass(frozen=True)
class OrthTree:
    """Parameters of a 2^d-tree: ``leaf`` is L, or "auto" (see ``auto``)."""

    leaf: int | Literal["auto"] = 10_000
    least: int = 3

    def __post_init__(self) -> None:
        if self.leaf != "auto" and (not isinstance(self.leaf, int) or self.leaf < 1):
            raise ParameterError(f"leaf={self.leaf!r} must be a positive number of records, or 'auto'")
        if self.least < 1:
            raise ParameterError(f"least={self.least} must be at least 1")

    def fit(self, values: Any) -> OrthSplitter:
        chunks = as_chunks(values)
        growth = Growth.start(Grid.of(chunks), self)
        while growth.frontier.size:
            growth.count(growth.counts(chunk) for chunk in chunks())
        count, total = growth.no_sums()
        for chunk in chunks():
            growth.sums(chunk, count, total)
        return growth.finish(count, total)


@dataclass
class Growth:
    """A tree that grows by some levels for each round of counts; the counts may come from anywhere, in any order.

    ``parts`` below are pairs (names, counts) or (counts, sums) of pieces of the file, all integers.
    """

    grid: Grid
    limit: int
    least: int
    first: Ints
    children: Ints
    key: Ints
    size: Ints
    frontier: Ints
    depth: int = 0

    @classmethod
    def start(cls, grid: Grid, tree: OrthTree) -> Growth:
        d = len(grid.low)
        if d > MOST_COLUMNS:
            raise ParameterError(
                f"a 2^d-tree of {d} columns has no records per cell; choose at most {MOST_COLUMNS} columns to split on"
            )
        limit = leaf_size(grid.n, d, tree.least) if tree.leaf == "auto" else tree.leaf
        limit = max(limit, tree.least)
        first, children, key = np.zeros((3, 1), np.int64)
        size = np.array([grid.n], dtype=np.int64)
        return cls(grid, limit, tree.least, first, children, key, size, np.flatnonzero([grid.n > limit]))

    def counts(self, values: Floats) -> tuple[Ints, Ints]:
        """Records by place of their node in the frontier and keys of its descendants in the next ``levels`` levels, of
        one chunk: sorted names and counts."""
        node, child = _nodes(self.grid.codes(values), self.first, self.children, self.key, self.levels)
        place = np.full(len(self.first), -1, np.int64)
        place[self.frontier] = np.arange(len(self.frontier))
        at = place[node]
        inside = at >= 0
        names, count = np.unique((at[inside] << (len(self.grid.low) * self.levels)) | child[inside], return_counts=True)
        return names, count.astype(np.int64)

    def count(self, parts: Iterable[tuple[Ints, Ints]]) -> None:
        """Add the counts of all chunks and split the frontier."""
        names, total = np.zeros(0, np.int64), np.zeros(0, np.int64)
        for more, counts in parts:
            names, at = np.unique(np.concatenate([names, more]), return_inverse=True)
            total = np.bincount(at, weights=np.concatenate([total, counts]), minlength=len(names)).astype(np.int64)
        d, levels = len(self.grid.low), self.levels
        full, full_node = np.arange(len(self.frontier)), self.frontier
        for level in range(levels):
            rest = d * (levels - 1 - level)
            inside = np.isin(names >> (rest + d), full)
            born, at = np.unique(names[inside] >> rest, return_inverse=True)
            size = np.bincount(at, weights=total[inside], minlength=len(born)).astype(np.int64)
            nodes = self._add(full_node[np.searchsorted(full, born >> d)], born & ((1 << d) - 1), size)
            full, full_node = born[size > self.limit], nodes[size > self.limit]
            self.depth += 1
            if not len(full):
                break
        self.frontier = full_node if self.depth < BITS else full_node[:0]

    @property
    def levels(self) -> int:
        """Levels counted in one reading: as many as keep the number of cells below a million."""
        room = CELLS - max(len(self.frontier) - 1, 1).bit_length()
        return max(1, min(room // len(self.grid.low), BITS - self.depth))

    def _add(self, parent: Ints, key: Ints, size: Ints) -> Ints:
        """New nodes, in order of parent and key; their numbers."""
        heads, first, children = np.unique(parent, return_index=True, return_counts=True)
        self.first[heads], self.children[heads] = first + len(self.first), children
        nodes = np.arange(len(parent)) + len(self.first)
        nothing = np.zeros(len(parent), np.int64)
        self.first = np.concatenate([self.first, nothing])
        self.children = np.concatenate([self.children, nothing])
        self.key = np.concatenate([self.key, key])
        self.size = np.concatenate([self.size, size])
        return nodes

    def sums(self, values: Floats, count: Ints, total: Ints) -> None:
        """Add a chunk to the records (nodes,) and the sums of codes (nodes, d) of the leaves."""
        code = self.grid.codes(values)
        node, _ = _nodes(code, self.first, self.children, self.key, 1)
        sums_by_leaf(code, node, count, total)

    def no_sums(self) -> tuple[Ints, Ints]:
        return np.zeros(len(self.first), np.int64), np.zeros((len(self.first), len(self.grid.low)), np.int64)

    def finish(self, count: Ints, total: Ints) -> OrthSplitter:
        """Fuse the low leaves; the tree is done."""
        leaves = np.flatnonzero(count)
        block = np.full(len(self.first), -1, np.int64)
        block[leaves] = fuse(count[leaves], total[leaves], self.least)
        sizes = np.bincount(block[leaves], weights=count[leaves]).astype(np.int64)
        return OrthSplitter(
            self.grid, self.first, self.children, self.key, block, sizes, self.limit, self.least, self.depth
        )


def _nodes(code: NDArray[np.uint32], first: Ints, children: Ints, key: Ints, levels: int) -> tuple[Ints, Ints]:
    node, child = np.empty(len(code), np.int64), np.empty(len(code), np.int64)
    descend(code, first, children, key, levels, node, child)
    return node, child


@dataclass(frozen=True)
class OrthSplitter:
    """A grown tree: nodes in order of depth, the block of every leaf."""

    grid: Grid
    first: Ints
    children: Ints
    key: Ints
    block: Ints
    sizes: Ints
    leaf: int
    least: int
    depth: int

    def assign(self, values: Floats) -> Ints:
        node, _ = _nodes(self.grid.codes(values), self.first, self.children, self.key, 1)
        return self.block[node]

    @property
    def leaves(self) -> int:
        """Leaves with records, before low ones were fused."""
        return int((self.block >= 0).sum())

    @property
    def cells(self) -> int:
        """Leaves as the report counts them: every split makes 2^d, empty ones included."""
        split = int((self.children > 0).sum())
        return int(split * (2 ** len(self.grid.low) - 1) + 1)

    def boxes(self) -> list[tuple[Floats, Floats, int]]:
        """Low corner, high corner and block of every leaf with records (for pictures)."""
        out: list[tuple[Floats, Floats, int]] = []
        stack = [(0, self.grid.low, self.grid.high)]
        while stack:
            node, low, high = stack.pop()
            if self.block[node] >= 0:
                out.append((low, high, int(self.block[node])))
            middle = (low + high) / 2
            for v in range(self.first[node], self.first[node] + self.children[node]):
                upper = (int(self.key[v]) >> np.arange(len(low))) & 1 == 1
                stack.append((v, np.where(upper, middle, low), np.where(upper, high, middle)))
        return out
