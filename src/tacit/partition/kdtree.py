"""kd-tree blocks: halve at the median of the widest column until at most L records are in each block.

Blocks are of nearly equal size (between L/2 and L), whatever the distribution: where the 2^d-tree makes many small
leaves (many columns, heavy tails), this makes few. Widths are in units of the column's standard deviation.
Equal values stay on one side, so blocks do not depend on the order of rows. The file is held in memory while fitting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.errors import ParameterError
from tacit.partition.blocks import Ints, as_chunks
from tacit.partition.grid import Floats, Grid


@dataclass(frozen=True)
class KdTree:
    """Parameters of kd-tree blocks of at most ``leaf`` and at least ``least`` records."""

    leaf: int = 10_000
    least: int = 3

    def __post_init__(self) -> None:
        if self.leaf < 1 or self.least < 1:
            raise ParameterError(f"leaf={self.leaf} and least={self.least} must be positive numbers of records")

    def fit(self, values: Any) -> KdSplitter:
        chunks = as_chunks(values)
        grid = Grid.of(chunks)
        z = np.concatenate(list(chunks()))
        column, threshold, below, block = [0], [np.nan], [0], [-1]
        sizes: list[int] = []
        stack = [(0, np.arange(len(z)))]
        while stack:
            node, rows = stack.pop()
            cut = _cut(z[rows], grid.sd, self.least) if len(rows) > max(self.leaf, self.least) else None
            if cut is None:
                block[node] = len(sizes)
                sizes.append(len(rows))
                continue
            column[node], threshold[node] = cut
            left = z[rows, cut[0]] < cut[1]
            below[node] = len(column)
            column += [0, 0]
            threshold += [np.nan, np.nan]
            below += [0, 0]
            block += [-1, -1]
            stack += [(below[node] + 1, rows[~left]), (below[node], rows[left])]
        return KdSplitter(
            np.array(column, dtype=np.int64),
            np.array(below, dtype=np.int64),
            np.array(block, dtype=np.int64),
            np.array(threshold),
            np.array(sizes, dtype=np.int64),
        )


def _cut(z: Floats, sd: Floats, least: int) -> tuple[int, float] | None:
    """Column and threshold (records below go left) that halve the records; None if ties forbid every cut."""
    for j in np.argsort(-np.ptp(z, axis=0) / sd, kind="stable"):
        middle = float(np.partition(z[:, j], len(z) // 2)[len(z) // 2])
        for threshold in (middle, float(np.min(z[z[:, j] > middle, j], initial=np.inf))):
            left = int((z[:, j] < threshold).sum())
            if least <= left <= len(z) - least:
                return int(j), threshold
    return None


@dataclass(frozen=True)
class KdSplitter:
    """Node v sends a record with value below threshold[v] in column[v] to node below[v], others to below[v] + 1."""

    column: Ints
    below: Ints
    block: Ints
    threshold: Floats
    sizes: Ints

    def assign(self, values: Floats) -> Ints:
        node = np.zeros(len(values), np.int64)
        inner = np.flatnonzero(self.block[node] < 0)
        while len(inner):
            at = node[inner]
            above = ~(values[inner, self.column[at]] < self.threshold[at])
            node[inner] = self.below[at] + above
            inner = inner[self.block[node[inner]] < 0]
        return self.block[node]
