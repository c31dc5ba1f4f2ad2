"""The 2^d-tree: cells are halved in every column at once until at most L records are in each.

Definition. The root is the box of the file: the range of each column. A node with more than L
records is cut at the midpoint of its range in each of the d columns; a child exists only where
records are. A leaf with fewer than ``least`` records is fused with the leaf of the nearest
centroid, until every block has at least ``least``.

Source: Solanas et al. (2006); ESSnet-SDC deliverable "Blocking methods for microdata
protection" (2008), chapter 2.
Guarantee: every block has at least ``least`` records (if the file has). A leaf has at most L,
unless its records agree in the first 32 bits of every column; fusing may add a few records to a
block.
Cost: few passes over the file, counting only (no distances); memory for cells that have
records, never 2^d.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.base.errors import ParameterError
from tacit.base.typing import Floats, Ints
from tacit.kernels.trees.orthtree import BITS, sums_by_leaf
from tacit.scale.partition.base import as_chunks
from tacit.scale.partition.fuse import fuse
from tacit.scale.partition.leaf_size import leaf_size
from tacit.scale.partition.orth_splitter import OrthSplitter, nodes_of
from tacit.scale.partition.ranges import Chunks, Grid

# a child is named by one bit per column in a 64-bit integer, beside its parent's place
MOST_COLUMNS = 40
# cells counted in one reading: 2^20, about a million
CELL_BITS = 20


@dataclass(frozen=True)
class OrthTree:
    """Parameters of a 2^d-tree: ``leaf`` is L, or "auto" (see ``leaf_size``)."""

    leaf: int | Literal["auto"] = 10_000
    least: int = 3

    def __post_init__(self) -> None:
        is_number = isinstance(self.leaf, int) and self.leaf >= 1
        if self.leaf != "auto" and not is_number:
            raise ParameterError(
                f"leaf={self.leaf!r} must be a positive number of records, or 'auto'"
            )
        if self.least < 1:
            raise ParameterError(f"least={self.least} must be at least 1")

    def fit(self, values: ArrayLike | Chunks) -> OrthSplitter:
        """Grow the tree on an array, or on chunks that are read several times."""
        chunks = as_chunks(values)
        growth = Growth.start(Grid.of(chunks), self)
        # each round reads the file once and splits the nodes that are too large
        while growth.frontier.size:
            growth.count(growth.counts(chunk) for chunk in chunks())
        # the leaves are known: one more reading for their centroids
        count, total = growth.no_sums()
        for chunk in chunks():
            growth.sums(chunk, count, total)
        return growth.finish(count, total)


@dataclass
class Growth:
    """A tree that grows by some levels for each round of counts.

    The counts may come from anywhere, in any order. Node v has the children first[v] ..
    first[v] + children[v] - 1, in rising order of ``key`` (bit j: the half of column j);
    ``frontier`` are the nodes that are too large and not yet split.
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
    def start(
        cls,
        grid: Grid,
        tree: OrthTree,
    ) -> Growth:
        """A tree of one node: the root with all records."""
        d = len(grid.low)
        if d > MOST_COLUMNS:
            raise ParameterError(
                f"a 2^d-tree of {d} columns has no records per cell; "
                f"choose at most {MOST_COLUMNS} columns to split on"
            )
        if tree.leaf == "auto":
            leaf = leaf_size(grid.n, d, tree.least)
        else:
            leaf = tree.leaf
        # leaves that must be fused at once are not worth cutting
        limit = max(leaf, tree.least)
        first, children, key = np.zeros((3, 1), np.int64)
        return cls(
            grid=grid,
            limit=limit,
            least=tree.least,
            first=first,
            children=children,
            key=key,
            size=np.array([grid.n], dtype=np.int64),
            frontier=np.flatnonzero([grid.n > limit]),
        )

    @property
    def columns(self) -> int:
        """d."""
        return len(self.grid.low)

    @property
    def levels(self) -> int:
        """Levels counted in one reading: as many as keep the cells below a million."""
        frontier_bits = max(len(self.frontier) - 1, 1).bit_length()
        # a level multiplies the cells by 2^d
        fitting = (CELL_BITS - frontier_bits) // self.columns
        return max(1, min(fitting, BITS - self.depth))

    def counts(self, values: Floats) -> tuple[Ints, Ints]:
        """Records of one chunk by descendant of the frontier, ``levels`` levels below it.

        A descendant's name is the place of its ancestor in the frontier, followed by the keys
        on the way down. Gives sorted names and counts.
        """
        node, descendant = self._descend(self.grid.codes(values), self.levels)
        place_of_node = np.full(len(self.first), -1, np.int64)
        place_of_node[self.frontier] = np.arange(len(self.frontier))
        place = place_of_node[node]
        # records of finished leaves are counted no more
        inside = place >= 0
        prefix = place[inside] << (self.columns * self.levels)
        names, count = np.unique(prefix | descendant[inside], return_counts=True)
        return names, count.astype(np.int64)

    def count(self, parts: Iterable[tuple[Ints, Ints]]) -> None:
        """Add the (names, counts) of all chunks and split the frontier."""
        names, total = _add_up(parts)
        d, levels = self.columns, self.levels
        # nodes to split, by name and by number; names of the frontier are its places
        full, full_node = np.arange(len(self.frontier)), self.frontier
        for level in range(levels):
            # names of this level: the keys of the levels below are cut off
            below = d * (levels - 1 - level)
            # only children of nodes that were too large one level above
            of_full = np.isin(names >> (below + d), full)
            born, place = np.unique(names[of_full] >> below, return_inverse=True)
            size = _sum_by(place, total[of_full], len(born))
            parent = full_node[np.searchsorted(full, born >> d)]
            # the last d bits of a name are the child's own key
            key = born & ((1 << d) - 1)
            nodes = self._add(parent, key, size)
            too_large = size > self.limit
            full, full_node = born[too_large], nodes[too_large]
            self.depth += 1
            if not len(full):
                break
        # below the last bit there is nothing left to halve
        self.frontier = full_node if self.depth < BITS else full_node[:0]

    def _add(
        self,
        parent: Ints,
        key: Ints,
        size: Ints,
    ) -> Ints:
        """New nodes, in order of parent and key; their numbers."""
        heads, first, children = np.unique(
            parent, return_index=True, return_counts=True
        )
        # new nodes stand behind the old ones, so that old numbers stay
        before = len(self.first)
        self.first[heads] = first + before
        self.children[heads] = children
        no_children = np.zeros(len(parent), np.int64)
        self.first = np.concatenate([self.first, no_children])
        self.children = np.concatenate([self.children, no_children])
        self.key = np.concatenate([self.key, key])
        self.size = np.concatenate([self.size, size])
        return np.arange(len(parent)) + before

    def sums(
        self,
        values: Floats,
        count: Ints,
        total: Ints,
    ) -> None:
        """Add a chunk to the records (nodes,) and the sums of codes (nodes, d) of the leaves."""
        code = self.grid.codes(values)
        node, _ = self._descend(code, 1)
        sums_by_leaf(code, node, count, total)

    def no_sums(self) -> tuple[Ints, Ints]:
        """Records (nodes,) and sums of codes (nodes, d) before any record."""
        nodes = len(self.first)
        count = np.zeros(nodes, np.int64)
        total = np.zeros((nodes, self.columns), np.int64)
        return count, total

    def finish(
        self,
        count: Ints,
        total: Ints,
    ) -> OrthSplitter:
        """Fuse the low leaves; the tree is done."""
        leaves = np.flatnonzero(count)
        # inner nodes have no block
        block = np.full(len(self.first), -1, np.int64)
        block[leaves] = fuse(count[leaves], total[leaves], self.least)
        sizes = _sum_by(block[leaves], count[leaves], 0)
        return OrthSplitter(
            grid=self.grid,
            first=self.first,
            children=self.children,
            key=self.key,
            block=block,
            sizes=sizes,
            leaf=self.limit,
            least=self.least,
            depth=self.depth,
        )

    def _descend(
        self,
        code: NDArray[np.uint32],
        levels: int,
    ) -> tuple[Ints, Ints]:
        return nodes_of(code, self.first, self.children, self.key, levels)


def _add_up(parts: Iterable[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    """Names and counts of all parts together, sorted by name."""
    names, total = np.zeros((2, 0), np.int64)
    for more_names, more_counts in parts:
        both = np.concatenate([names, more_names])
        counts = np.concatenate([total, more_counts])
        names, place = np.unique(both, return_inverse=True)
        total = _sum_by(place, counts, len(names))
    return names, total


def _sum_by(
    place: Ints,
    counts: Ints,
    number: int,
) -> Ints:
    """Sums of counts by place; counts of records are exact in float64."""
    return np.bincount(place, weights=counts, minlength=number).astype(np.int64)
