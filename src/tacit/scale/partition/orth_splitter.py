"""A grown 2^d-tree: which block a record belongs to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.base.typing import Floats, Ints
from tacit.kernels.trees.orthtree import descend
from tacit.scale.partition.ranges import Grid


def nodes_of(
    code: NDArray[np.uint32],
    first: Ints,
    children: Ints,
    key: Ints,
    levels: int,
) -> tuple[Ints, Ints]:
    """The deepest node of each record, and the keys of its next ``levels`` levels."""
    node, descendant = np.empty((2, len(code)), np.int64)
    descend(code, first, children, key, levels, node, descendant)
    return node, descendant


@dataclass(frozen=True)
class OrthSplitter:
    """A grown tree: nodes in order of depth, the block of every leaf (-1: no leaf)."""

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
        """The block of each record."""
        # values outside the range of the fitted file get the outermost cells
        code = self.grid.codes(values)
        node, _ = nodes_of(code, self.first, self.children, self.key, 1)
        return self.block[node]

    @property
    def leaves(self) -> int:
        """Leaves with records, before low ones were fused."""
        return int((self.block >= 0).sum())

    @property
    def cells(self) -> int:
        """Leaves as the report counts them: every split makes 2^d, empty ones included."""
        # each split replaces one leaf by 2^d
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
            first = self.first[node]
            for child in range(first, first + self.children[node]):
                # bit j of the key says in which half of column j the child is
                bits = int(self.key[child]) >> np.arange(len(low))
                upper = bits & 1 == 1
                child_low = np.where(upper, middle, low)
                child_high = np.where(upper, high, middle)
                stack.append((child, child_low, child_high))
        return out
