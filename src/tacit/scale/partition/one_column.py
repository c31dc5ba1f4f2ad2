"""Blocks by one column: equal intervals of its range, as in the ESSnet report, or equal counts.

EqualInterval: the range of the column is cut into n/L intervals of equal width (the report's
univariate blocking). EqualCount: the sorted column is cut every L records; equal values stay
together, so blocks do not depend on row order. Both fuse blocks of fewer than ``least`` records
with the nearest block. These are the baselines: records of one block agree in one column only,
and the loss shows it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tacit.base.errors import ParameterError
from tacit.base.typing import Floats, Ints
from tacit.scale.partition.base import as_chunks
from tacit.scale.partition.fuse import fuse
from tacit.scale.partition.ranges import Chunks, Grid


@dataclass(frozen=True)
class EqualInterval:
    """n/L intervals of equal width of column number ``column``."""

    leaf: int = 10_000
    least: int = 3
    column: int = 0

    def __post_init__(self) -> None:
        check_sizes(self.leaf, self.least)

    def fit(self, values: ArrayLike | Chunks) -> EdgeSplitter:
        """Cut the range of the column."""
        chunks = as_chunks(values)
        grid = Grid.of(chunks)
        low = float(grid.low[self.column])
        high = float(grid.high[self.column])
        # edges between pieces; the ends of the range need none
        pieces = max(round(grid.n / self.leaf), 1)
        edges = low + (high - low) * np.arange(1, pieces) / pieces
        return _finish(chunks, self.column, edges, self.least, grid)


@dataclass(frozen=True)
class EqualCount:
    """Blocks of about L records each along column number ``column``, sorted in memory."""

    leaf: int = 10_000
    least: int = 3
    column: int = 0

    def __post_init__(self) -> None:
        check_sizes(self.leaf, self.least)

    def fit(self, values: ArrayLike | Chunks) -> EdgeSplitter:
        """Cut the sorted column."""
        chunks = as_chunks(values)
        grid = Grid.of(chunks)
        pieces_of_column = [chunk[:, self.column] for chunk in chunks()]
        column = np.sort(np.concatenate(pieces_of_column))
        pieces = max(-(-len(column) // self.leaf), 1)
        # equal quantiles give one edge: equal values stay together
        quantiles = len(column) * np.arange(1, pieces) // pieces
        edges = np.unique(column[quantiles])
        return _finish(chunks, self.column, edges, self.least, grid)


@dataclass(frozen=True)
class EdgeSplitter:
    """A record's block from the place of one value among ``edges``.

    A value equal to an edge is above it.
    """

    column: int
    edges: Floats
    block: Ints
    sizes: Ints
    pieces: int

    def assign(self, values: Floats) -> Ints:
        """The block of each record."""
        interval = np.searchsorted(self.edges, values[:, self.column], side="right")
        return self.block[interval]


def check_sizes(
    leaf: int,
    least: int,
) -> None:
    """Refuse sizes of blocks that are no numbers of records."""
    if leaf < 1 or least < 1:
        raise ParameterError(
            f"leaf={leaf} and least={least} must be positive numbers of records"
        )


def _finish(
    chunks: Chunks,
    column: int,
    edges: Floats,
    least: int,
    grid: Grid,
) -> EdgeSplitter:
    """Count the records between edges, and fuse what is low or empty."""
    intervals = len(edges) + 1
    count = np.zeros(intervals, np.int64)
    total = np.zeros((intervals, 1), np.int64)
    for chunk in chunks():
        interval = np.searchsorted(edges, chunk[:, column], side="right")
        code = grid.codes(chunk)[:, column].astype(np.int64)
        np.add.at(count, interval, 1)
        np.add.at(total[:, 0], interval, code)
    full = np.flatnonzero(count)
    # empty intervals have no centroid and take no part
    fused = fuse(count[full], total[full], least)
    sizes = np.bincount(fused, weights=count[full]).astype(np.int64)
    # an empty interval belongs to the first full one after it (only records of another file
    # can fall there), or to the last
    next_full = np.searchsorted(full, np.arange(intervals))
    block = fused[np.minimum(next_full, len(full) - 1)]
    return EdgeSplitter(column, edges, block, sizes, len(full))
