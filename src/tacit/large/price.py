"""The price of blocking: loss with blocks against loss without, on a sample small enough to do without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from tacit.large.coding import number_column
from tacit.large.work import Work


def sample_rows(source: Any, names: list[str], size: int, seed: int) -> pa.Table:
    """A sample of ``size`` records drawn by record number, in file order."""
    total = source.records
    rows = np.sort(np.random.default_rng([seed, 7]).choice(total, size=min(size, total), replace=False))
    parts = []
    for first, table in source.chunks(names):
        inside = rows[(rows >= first) & (rows < first + table.num_rows)] - first
        if len(inside):
            parts.append(table.take(pa.array(inside)))
    return pa.concat_tables(parts)


def price_of_blocks(source: Any, work: Work, size: int) -> dict[str, float] | None:
    """100 SSE/SST of a sample, without blocks and in blocks of the run's L (or of a tenth of the sample, if that is
    less: a sample that fits in one block would show no price); records with missing values are left out."""
    if not size or not work.fast:
        return None
    from tacit.partition.aggregate import microaggregate
    from tacit.partition.orthtree import OrthTree

    table = sample_rows(source, list(work.columns), size, work.seed)
    values = np.column_stack([number_column(table, name) for name in work.columns])
    values = values[~np.isnan(values).any(axis=1)]
    whole = microaggregate(values, work.k)
    leaf = max(min(10_000 if work.leaf == "auto" else work.leaf, len(values) // 10), 2 * work.k)
    same_size = microaggregate(values, work.k, OrthTree(leaf=leaf, least=max(work.k, 2)))
    return {
        "sample": float(len(values)),
        "leaf": float(leaf),
        "loss_without_blocks": whole.loss,
        "loss_with_blocks": same_size.loss,
        "blocks_in_sample": float(len(same_size.blocks or ())),
    }
