"""Microaggregation on blocks: MDAV in each block of a partition, on columns scaled once for the whole file."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tacit.engine.base import Cancel, Engine, Progress
from tacit.errors import ParameterError
from tacit.kernels.mdav import mdav, value_order
from tacit.kernels.squared_error import squared_error
from tacit.kernels.univariate import group_means
from tacit.partition.blocks import Blocks, Ints, Partition, split
from tacit.partition.grid import Floats, Grid, chunks_of


@dataclass(frozen=True)
class Aggregation:
    """What microaggregation on blocks gives. ``sse`` and ``sst`` are on columns divided by ``scale``."""

    label: Ints
    masked: Floats
    sse: float
    sst: float
    scale: Floats
    blocks: Blocks | None
    seconds: float

    @property
    def loss(self) -> float:
        """100 * SSE / SST."""
        return 100.0 * self.sse / self.sst if self.sst else 0.0


def aggregate_block(values: Floats, k: int, scale: Floats, fill: Floats | None = None) -> tuple[Ints, Floats, float]:
    """MDAV on one block: group labels, masked values, SSE. Rows are ordered by value first, so that neither the groups
    nor the rounding of the means depend on the order in which the records arrive. A missing value (NaN) sits at its
    column's ``fill`` while groups are formed and becomes the mean of the values present in its group."""
    order = value_order(values)
    ranked = np.ascontiguousarray(values[order])
    found = mdav((ranked if fill is None else np.where(np.isnan(ranked), fill, ranked)) / scale, k)
    means = group_means(ranked, found, int(found.max()) + 1)
    label, masked = np.empty(len(values), np.int64), np.empty_like(values)
    label[order], masked[order] = found, means[found]
    return label, masked, float(squared_error(ranked, means, found, scale))


def microaggregate(
    values: Any,
    k: int,
    partition: Partition | None = None,
    *,
    scale: Literal["std", "none"] = "std",
    engine: Engine | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Aggregation:
    """Microaggregate an array, block by block (None: the whole file is one block).

    >>> import numpy as np
    >>> from tacit.partition import OrthTree
    >>> x = np.random.default_rng(0).normal(size=(1000, 2))
    >>> done = microaggregate(x, 3, OrthTree(leaf=200))
    >>> int(np.bincount(done.label).min())
    3
    """
    from tacit.engine.local import Threads

    start = time.perf_counter()
    x = np.ascontiguousarray(values, dtype=np.float64)
    if k < 1 or len(x) < k:
        raise ParameterError(f"k={k} must be at least 1 and at most the number of records ({len(x)})")
    grid = Grid.of(chunks_of(x))
    factor = grid.sd if scale == "std" else np.ones(x.shape[1])
    sst = float((((x - x.mean(axis=0)) / factor) ** 2).sum())
    if partition is None:
        label, masked, sse = aggregate_block(x, k, factor)
        return Aggregation(label, masked, sse, sst, factor, None, time.perf_counter() - start)
    if getattr(partition, "least", k) < k:
        raise ParameterError(f"blocks of at least {getattr(partition, 'least', k)} records cannot hold groups of k={k}")
    blocks = split(x, partition)
    label, masked = np.empty(len(x), np.int64), np.empty_like(x)
    groups, errors = np.zeros(len(blocks), np.int64), np.zeros(len(blocks))

    def work(block: int) -> None:
        rows = blocks.rows(block)
        label[rows], masked[rows], errors[block] = aggregate_block(x[rows], k, factor)
        groups[block] = label[rows].max() + 1

    blocks.order, blocks.start  # noqa: B018  (computed once, before threads ask for it)
    for _ in (engine or Threads()).map(work, range(len(blocks)), progress=progress, cancel=cancel):
        pass
    offset = np.concatenate([[0], np.cumsum(groups)[:-1]])
    label += offset[blocks.label]
    return Aggregation(label, masked, float(errors.sum()), sst, factor, blocks, time.perf_counter() - start)
