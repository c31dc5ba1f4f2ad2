"""Microaggregation on blocks: MDAV in each block, on columns scaled once for the whole file."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tacit.base.errors import ParameterError
from tacit.base.typing import Floats, Ints
from tacit.kernels.mdav.exact import mdav, value_order
from tacit.kernels.mdav.squared_error import squared_error
from tacit.kernels.mdav.univariate import group_means
from tacit.protect.grouping.gap_classes import BLANK, gap_classes
from tacit.protect.grouping.thin_averages import thick_groups
from tacit.scale.engine.base import Cancel, Engine, ItemsDone
from tacit.scale.engine.local import Threads
from tacit.scale.partition.base import Blocks, Partition, split
from tacit.scale.partition.ranges import Grid, chunks_of


@dataclass(frozen=True)
class Aggregation:
    """What microaggregation on blocks gives.

    ``sse`` and ``sst`` are on columns divided by ``scale``.
    """

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


@dataclass(frozen=True)
class BlockValues(Sequence[Floats]):
    """The records of each block, copied when its turn comes."""

    values: Floats
    blocks: Blocks

    def __len__(self) -> int:
        return len(self.blocks)

    def __getitem__(self, block: int) -> Floats:  # type: ignore[override]  # no slices
        return self.values[self.blocks.rows(block)]


def aggregate_block(
    values: Floats,
    k: int,
    scale: Floats,
    fill: Floats | None = None,
    keeps: Sequence[str] = (),
) -> tuple[Ints, Floats, float]:
    """MDAV on one block: group labels, masked values, SSE.

    Rows are ordered by value first, so that neither the groups nor the rounding of the means
    depend on the order in which the records arrive. A missing value (NaN) sits at its column's
    ``fill`` while groups are formed and becomes the mean of the values present in its group. With
    the names of the columns (``keeps``) it stays missing, as in ``protect.Microaggregation``:
    groups are formed among records with the same gaps, and no mean is that of fewer than k.
    """
    order = value_order(values)
    ranked = np.ascontiguousarray(values[order])
    complete = ranked
    if fill is not None:
        complete = np.where(np.isnan(ranked), fill, ranked)
    # the kernel knows no missing values; means are taken over the values that are present
    keeps = keeps if np.isnan(ranked).any() else ()
    group = (
        _inside_classes(ranked, complete / scale, k, keeps)
        if keeps
        else mdav(complete / scale, k)
    )
    means = group_means(ranked, group, int(group.max()) + 1)
    # back in the order of the records
    label = np.empty(len(values), np.int64)
    masked = np.empty_like(values)
    label[order] = group
    error = float(squared_error(ranked, means, group, scale))
    out = means[group]
    for j, name in enumerate(keeps):
        thick = thick_groups(name, ranked[:, j], group, means[:, j], k)
        averages = group_means(ranked[:, [j]], thick, len(means))[:, 0]
        out[:, j] = np.where(np.isnan(ranked[:, j]), np.nan, averages[thick])
    masked[order] = out
    return label, masked, error


def _inside_classes(
    values: Floats, points: Floats, k: int, names: Sequence[str]
) -> Ints:
    """Groups of the points among records with the same gaps; those without a value come last."""
    parent = gap_classes(values, k, names)
    label = np.empty(len(values), np.int64)
    groups = 0
    for number in range(int(parent.max(initial=BLANK)) + 1):
        rows = np.flatnonzero(parent == number)
        label[rows] = mdav(np.ascontiguousarray(points[rows]), k) + groups
        groups = int(label[rows].max()) + 1
    label[parent == BLANK] = groups
    return label


def microaggregate(
    values: ArrayLike,
    k: int,
    partition: Partition | None = None,
    *,
    scale: Literal["std", "none"] = "std",
    engine: Engine | None = None,
    progress: ItemsDone | None = None,
    cancel: Cancel | None = None,
) -> Aggregation:
    """Microaggregate an array, block by block.

    Parameters
    ----------
    values : array
        Records by columns.
    k : int
        Least number of records in a group.
    partition : Partition
        How the file is cut into blocks; None: the whole file is one block.
    scale : str
        "std": columns are divided by their standard deviations; "none": they are not.
    engine : Engine
        Where blocks run; threads unless given.
    progress : function
        Called with (finished, all) after each block.
    cancel : Event
        Set it from another thread to stop.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit.scale.partition import OrthTree
    >>> x = np.random.default_rng(0).normal(size=(1000, 2))
    >>> done = microaggregate(x, 3, OrthTree(leaf=200))
    >>> int(np.bincount(done.label).min())
    3
    """
    start = time.perf_counter()
    x = np.ascontiguousarray(values, dtype=np.float64)
    if k < 1 or len(x) < k:
        raise ParameterError(
            f"k={k} must be at least 1 and at most the number of records ({len(x)})"
        )
    # the standard deviation of exact sums, so that every engine divides by the same number
    grid = Grid.of(chunks_of(x))
    factor = grid.sd if scale == "std" else np.ones(x.shape[1])
    deviation = (x - x.mean(axis=0)) / factor
    sst = float((deviation**2).sum())
    blocks = None
    if partition is None:
        label, masked, sse = aggregate_block(x, k, factor)
    else:
        if partition.least < k:
            raise ParameterError(
                f"blocks of at least {partition.least} records "
                f"cannot hold groups of k={k}"
            )
        blocks = split(x, partition)
        label = np.empty(len(x), np.int64)
        masked = np.empty_like(x)
        groups = np.zeros(len(blocks), np.int64)
        errors = np.zeros(len(blocks))
        work = partial(aggregate_block, k=k, scale=factor)
        items = BlockValues(x, blocks)
        treated = (engine or Threads()).map(
            work, items, progress=progress, cancel=cancel
        )
        for block, (block_label, block_masked, block_error) in treated:
            rows = blocks.rows(block)
            label[rows] = block_label
            masked[rows] = block_masked
            groups[block] = block_label.max() + 1
            errors[block] = block_error
        # groups are numbered on from block to block
        offset = np.cumsum(groups) - groups
        label += offset[blocks.label]
        sse = float(errors.sum())
    seconds = time.perf_counter() - start
    return Aggregation(label, masked, sse, sst, factor, blocks, seconds)
