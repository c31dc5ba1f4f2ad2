"""The price of blocking: loss with blocks against loss without, on a sample that needs none."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tacit.base.seeds import FIXED
from tacit.scale.block_fit import fit
from tacit.scale.column_codes import number_column
from tacit.scale.partition.aggregate import aggregate_block, microaggregate
from tacit.scale.partition.base import Blocks
from tacit.scale.partition.orthtree import OrthTree
from tacit.scale.request import Request
from tacit.scale.source import ChunkedSource, TableSource

# the L of ``leaf="auto"`` depends on the size of the file; for a sample the default is taken
LEAF_OF_AUTO = 10_000


def sample_rows(
    source: ChunkedSource,
    names: list[str],
    size: int,
) -> pa.Table:
    """A sample of ``size`` records drawn by record number, in file order."""
    total = source.records
    # 7: a place of its own below the fixed seed of measures
    generator = np.random.default_rng([FIXED, 7])
    size = min(size, total)
    rows = np.sort(generator.choice(total, size=size, replace=False))
    parts = []
    for first, table in source.chunks(names):
        in_chunk = (rows >= first) & (rows < first + table.num_rows)
        if in_chunk.any():
            parts.append(table.take(pa.array(rows[in_chunk] - first)))
    return pa.concat_tables(parts)


def price_of_blocks(
    source: ChunkedSource,
    request: Request,
    size: int,
) -> dict[str, float] | None:
    """100 SSE/SST of a sample, without blocks and in blocks.

    Blocks are of the run's L, or of a tenth of the sample if that is less: a sample that fits
    in one block would show no price. Records with missing values are left out.
    """
    # other methods have no squared error that could be compared
    if not size or not request.fast:
        return None
    k = request.k
    names = list(dict.fromkeys([*request.columns, *request.split_on]))
    table = sample_rows(source, names, size)
    values = np.column_stack([number_column(table, name) for name in request.columns])
    complete = ~np.isnan(values).any(axis=1)
    values, table = values[complete], table.filter(pa.array(complete))
    run_leaf = LEAF_OF_AUTO if request.leaf == "auto" else request.leaf
    # a block holds two groups at least, or there would be nothing to choose
    leaf = max(min(run_leaf, len(values) // 10), 2 * k)
    tree = OrthTree(leaf=leaf, least=max(k, 2))
    whole = microaggregate(values, k)
    # cut on what the blocks of the file are cut on
    cut = fit(
        TableSource(table), request.split_on, tree, categorical=request.categorical
    )
    blocks = Blocks(cut.assign(table), cut.splitter)
    errors = [aggregate_block(values[rows], k, whole.scale)[2] for rows in blocks]
    return {
        "sample": float(len(values)),
        "leaf": float(leaf),
        "loss_without_blocks": whole.loss,
        "loss_with_blocks": 100.0 * float(np.sum(errors)) / whole.sst,
        "blocks_in_sample": float(len(blocks)),
    }
