"""The tree that cuts records into blocks: halves of a sample, and the boxes of all records.

Blocks set the speed and the memory, never a link, so a sample says well enough where to cut. Equal
records fall into the same block.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.kernels.trees import box_visits


@dataclass(frozen=True)
class BlockTree:
    """Node v sends records with a value below threshold[v] in axis[v] to below[v].

    The others go to below[v] + 1. A node without children is the block block[v]; ``low`` and
    ``high`` are the boxes of the nodes, where they are known.
    """

    axis: Ints
    threshold: Floats
    below: Ints
    block: Ints
    low: Floats | None = None
    high: Floats | None = None

    @classmethod
    def of(cls, sample: Floats, leaf: int) -> BlockTree:
        """Halve at the median of the widest axis until a part has at most ``leaf`` records."""
        axis, threshold, below, block = [0], [np.nan], [0], [-1]
        blocks = 0
        stack = [(0, np.arange(len(sample)))]
        while stack:
            node, rows = stack.pop()
            cut = _cut(sample[rows]) if len(rows) > leaf else None
            if cut is None:
                block[node] = blocks
                blocks += 1
                continue
            axis[node], threshold[node] = cut
            below[node] = len(axis)
            axis += [0, 0]
            threshold += [np.nan, np.nan]
            below += [0, 0]
            block += [-1, -1]
            left = sample[rows, axis[node]] < threshold[node]
            stack += [
                (below[node] + 1, rows[~left]),
                (below[node], rows[left]),
            ]
        return cls(
            np.array(axis, np.int64),
            np.array(threshold),
            np.array(below, np.int64),
            np.array(block, np.int64),
        )

    @property
    def blocks(self) -> int:
        """How many there are."""
        return int(self.block.max()) + 1

    def assign(self, points: Floats) -> Ints:
        """The block of each point: all go down one level at a time."""
        node = np.zeros(len(points), np.int64)
        inner = np.flatnonzero(self.block[node] < 0)
        while len(inner):
            at = node[inner]
            right = ~(points[inner, self.axis[at]] < self.threshold[at])
            node[inner] = self.below[at] + right
            inner = inner[self.block[node[inner]] < 0]
        return self.block[node]

    def boxed(self, low: Floats, high: Floats) -> BlockTree:
        """The tree with the boxes of its nodes, from those of its blocks."""
        nodes = (len(self.axis), low.shape[1])
        node_low, node_high = np.full(nodes, np.inf), np.full(nodes, -np.inf)
        is_block = self.block >= 0
        node_low[is_block] = low[self.block[is_block]]
        node_high[is_block] = high[self.block[is_block]]
        # children have larger numbers than their parent
        for node in np.flatnonzero(~is_block)[::-1]:
            both = slice(self.below[node], self.below[node] + 2)
            node_low[node] = node_low[both].min(axis=0)
            node_high[node] = node_high[both].max(axis=0)
        return replace(self, low=node_low, high=node_high)

    def largest(self, weights: Floats) -> Floats:
        """The largest weight below each node, from those of the blocks."""
        top = np.full(len(self.axis), -np.inf)
        is_block = self.block >= 0
        top[is_block] = weights[self.block[is_block]]
        for node in np.flatnonzero(~is_block)[::-1]:
            top[node] = top[self.below[node] : self.below[node] + 2].max()
        return top

    def visits(
        self,
        points: Floats,
        limits: Floats,
        kind: int,
        home: int,
        top: Floats | None = None,
    ) -> tuple[Ints, Ints]:
        """(point, block) of all blocks but ``home`` that may hold a value below the limit.

        Parameters
        ----------
        points, limits : arrays
            In the frame of the boxes; a value is f(distance) less the weight of who is found.
        kind : int
            What f(distance) is (see ``neighbours.KIND``).
        home : int
            The block that was searched before.
        top : array, optional
            Of ``largest``; nobody has a weight unless given.
        """
        top = np.zeros(len(self.axis)) if top is None else top
        who, where = box_visits.visits(
            points, limits, self.below, self.block, self.low, self.high, top, kind, home
        )
        return who, where


def _cut(points: Floats) -> tuple[int, float] | None:
    """Axis and threshold that halve the points; None: all are equal."""
    half = len(points) // 2
    for axis in np.argsort(-np.ptp(points, axis=0), kind="stable"):
        values = points[:, axis]
        median = float(np.partition(values, half)[half])
        if median > values.min():
            return int(axis), median
        # half of them have the least value: cut above it
        above = values[values > median]
        if len(above):
            return int(axis), float(above.min())
    return None
