"""kd-tree blocks: halve at the median of the widest column until a block has at most L records.

Blocks are of nearly equal size (between L/2 and L), whatever the distribution: where the
2^d-tree makes many small leaves (many columns, heavy tails), this makes few. Widths are in
units of the column's standard deviation. Equal values stay on one side, so blocks do not depend
on the order of rows. The file is held in memory while fitting.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tacit.base.typing import Floats, Ints
from tacit.scale.partition.base import as_chunks
from tacit.scale.partition.one_column import check_sizes
from tacit.scale.partition.ranges import Chunks, Grid


@dataclass(frozen=True)
class KdTree:
    """Parameters of kd-tree blocks of at most ``leaf`` and at least ``least`` records."""

    leaf: int = 10_000
    least: int = 3

    def __post_init__(self) -> None:
        check_sizes(self.leaf, self.least)

    def fit(self, values: ArrayLike | Chunks) -> KdSplitter:
        """Halve the file, node by node; a node's children stand side by side."""
        chunks = as_chunks(values)
        grid = Grid.of(chunks)
        records = np.concatenate(list(chunks()))
        most = max(self.leaf, self.least)
        # the root, before it is cut: node 0, no block yet
        column, threshold, below, block = [0], [np.nan], [0], [-1]
        sizes: list[int] = []
        stack = [(0, np.arange(len(records)))]
        while stack:
            node, rows = stack.pop()
            cut = None
            if len(rows) > most:
                cut = _cut(records[rows], grid.sd, self.least)
            # small enough, or nothing but ties: a block
            if cut is None:
                block[node] = len(sizes)
                sizes.append(len(rows))
                continue
            column[node], threshold[node] = cut
            left = records[rows, column[node]] < threshold[node]
            child = len(column)
            below[node] = child
            # two children that are not cut yet
            column += [0, 0]
            threshold += [np.nan, np.nan]
            below += [0, 0]
            block += [-1, -1]
            # the left child is on top: blocks are numbered from left to right
            stack += [(child + 1, rows[~left]), (child, rows[left])]
        return KdSplitter(
            column=np.array(column, dtype=np.int64),
            below=np.array(below, dtype=np.int64),
            block=np.array(block, dtype=np.int64),
            threshold=np.array(threshold),
            sizes=np.array(sizes, dtype=np.int64),
        )


def _cut(
    records: Floats,
    sd: Floats,
    least: int,
) -> tuple[int, float] | None:
    """Column and threshold (records below go left) that halve the records.

    None if ties forbid every cut.
    """
    half = len(records) // 2
    widest_first = np.argsort(-np.ptp(records, axis=0) / sd, kind="stable")
    for j in widest_first:
        values = records[:, j]
        median = float(np.partition(values, half)[half])
        # the median's ties may all be on one side: then cut above them
        above_median = float(np.min(values[values > median], initial=np.inf))
        for threshold in (median, above_median):
            left = int((values < threshold).sum())
            if least <= left <= len(records) - least:
                return int(j), threshold
    return None


@dataclass(frozen=True)
class KdSplitter:
    """A grown kd-tree.

    Node v sends a record with a value below threshold[v] in column[v] to node below[v], others
    to below[v] + 1.
    """

    column: Ints
    below: Ints
    block: Ints
    threshold: Floats
    sizes: Ints

    def assign(self, values: Floats) -> Ints:
        """The block of each record: all records go down one level at a time."""
        node = np.zeros(len(values), np.int64)
        inner = np.flatnonzero(self.block[node] < 0)
        while len(inner):
            at = node[inner]
            left = values[inner, self.column[at]] < self.threshold[at]
            node[inner] = self.below[at] + ~left
            inner = inner[self.block[node[inner]] < 0]
        return self.block[node]
