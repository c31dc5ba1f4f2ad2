"""Protect a frame in memory block by block; no file is written and nothing can be resumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa

from tacit.base import seeds
from tacit.data.microdata import Microdata
from tacit.scale.block_fit import fit
from tacit.scale.digest import digest
from tacit.scale.engine.base import Cancel, Engine, ItemsDone, in_order
from tacit.scale.partition.base import Blocks
from tacit.scale.price import price_of_blocks
from tacit.scale.request import Request, check, guess, keyed, treatment_of
from tacit.scale.run_result import BlockRelease, Clock, release_of
from tacit.scale.source import TableSource
from tacit.scale.treatment import run_item


def protect_table(
    data: object,
    request: Request,
    engine: Engine,
    price: int,
    drop: Sequence[str] | None,
    progress: ItemsDone | None,
    cancel: Cancel | None,
) -> BlockRelease:
    """Mask a frame; the release is a frame of the same kind."""
    clock = Clock()
    frame = Microdata.of(data)
    columns, dropped = guess(frame.table, request.columns, drop)
    # nothing is kept between runs, so a key that is drawn now will do
    request = keyed(replace(request, columns=columns), seeds.draw())
    frame = frame.drop(dropped)
    source = TableSource(frame.table)
    request = check(request, source.schema, source.name)
    fitted = fit(
        source,
        request.split_on,
        request.tree,
        also=request.also,
        categorical=request.categorical,
    )
    treatment = treatment_of(request, fitted, frame.table)
    clock.lap("tree")
    labels = [fitted.assign(chunk) for _, chunk in source.chunks()]
    label = np.concatenate(labels)
    blocks = Blocks(label, fitted.splitter)
    # records carry their number through the blocks, so that they find their place again
    row = pa.array(np.arange(len(label)))
    selected = frame.table.select(list(request.columns))
    numbered = selected.add_column(0, "row", row)
    items = []
    for block, rows in enumerate(blocks):
        items.append((block, numbered.take(pa.array(rows))))
    work = partial(run_item, treatment)
    treated = in_order(engine.map(work, items, progress=progress, cancel=cancel))
    masked = pa.concat_tables([table for table, _ in treated]).sort_by("row")
    errors = [error for _, error in treated]
    clock.lap("blocks")
    for name in request.columns:
        frame = frame.with_column(name, masked.column(name))
    hexdigest = digest([masked], request.columns)
    out = release_of(fitted, request.columns, errors, hexdigest, engine.name, clock)
    out.price = price_of_blocks(source, request, price)
    out.release = frame if isinstance(data, Microdata) else frame.to_native()
    return out
