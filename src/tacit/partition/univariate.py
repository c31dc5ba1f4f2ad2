"""Blocks by one column: equal intervals of its range, as in the report, or equal counts.

EqualInterval: the range of the column is cut into n/L intervals of equal width (the report's univariate blocking).
EqualCount: the sorted column is cut every L records; equal values stay together, so blocks do not depend on row order.
Both fuse blocks of fewer than ``least`` records with the nearest block. These are the baselines: records of one block
agree in one column only, and the loss shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.errors import ParameterError
from tacit.partition.blocks import Ints, as_chunks
from tacit.partition.fuse import fuse
from tacit.partition.grid import Chunks, Floats, Grid


@dataclass(frozen=True)
class EqualInterval:
    """n/L intervals of equal width of column number ``column``."""

    leaf: int = 10_000
    least: int = 3
    column: int = 0

    def __post_init__(self) -> None:
        _check(self.leaf, self.least)

    def fit(self, values: Any) -> EdgeSplitter:
        chunks = as_chunks(values)
        grid = Grid.of(chunks)
        low, high = float(grid.low[self.column]), float(grid.high[self.column])
        pieces = max(round(grid.n / self.leaf), 1)
        edges = low + (high - low) * np.arange(1, pieces) / pieces
        return _finish(chunks, self.column, edges, self.least, grid)


@dataclass(frozen=True)
class EqualCount:
    """Blocks of about L records each along column number ``column``; the column is sorted in memory."""

    leaf: int = 10_000
    least: int = 3
    column: int = 0

    def __post_init__(self) -> None:
        _check(self.leaf, self.least)

    def fit(self, values: Any) -> EdgeSplitter:
        chunks = as_chunks(values)
        grid = Grid.of(chunks)
        column = np.sort(np.concatenate([chunk[:, self.column] for chunk in chunks()]))
        pieces = max(-(-len(column) // self.leaf), 1)
        edges = np.unique(column[len(column) * np.arange(1, pieces) // pieces])
        return _finish(chunks, self.column, edges, self.least, grid)


@dataclass(frozen=True)
class EdgeSplitter:
    """A record's block from the place of one value among ``edges`` (a value equal to an edge is above it)."""

    column: int
    edges: Floats
    block: Ints
    sizes: Ints
    pieces: int

    def assign(self, values: Floats) -> Ints:
        return self.block[np.searchsorted(self.edges, values[:, self.column], side="right")]


def _check(leaf: int, least: int) -> None:
    if leaf < 1 or least < 1:
        raise ParameterError(f"leaf={leaf} and least={least} must be positive numbers of records")


def _finish(chunks: Chunks, column: int, edges: Floats, least: int, grid: Grid) -> EdgeSplitter:
    """Count the records between edges, and fuse what is low or empty."""
    count, total = np.zeros(len(edges) + 1, np.int64), np.zeros((len(edges) + 1, 1), np.int64)
    for chunk in chunks():
        at = np.searchsorted(edges, chunk[:, column], side="right")
        np.add.at(count, at, 1)
        np.add.at(total[:, 0], at, grid.codes(chunk)[:, column].astype(np.int64))
    full = np.flatnonzero(count)
    block = np.zeros(len(count), np.int64)
    block[full] = fuse(count[full], total[full], least)
    # an empty interval belongs to the first full one after it (only records of another file can fall there)
    block = block[full[np.minimum(np.searchsorted(full, np.arange(len(count))), len(full) - 1)]]
    return EdgeSplitter(column, edges, block, np.bincount(block[full], weights=count[full]).astype(np.int64), len(full))
