"""Linkage of two files on this machine, block by block."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from tacit.base.errors import InputError
from tacit.base.seeds import FIXED
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata
from tacit.scale.block_fit import fit
from tacit.scale.digest import digest
from tacit.scale.engine.base import Cancel, Engine, ItemsDone
from tacit.scale.engine.local import Threads
from tacit.scale.link_block import (
    LinkBlock,
    LinkedBlock,
    complete_numbers,
    numeric_columns,
)
from tacit.scale.partition.base import Blocks, Splitter
from tacit.scale.partition.median_tree import KdTree
from tacit.scale.partition.orthtree import OrthTree
from tacit.scale.run_result import BlockLinkage
from tacit.scale.source import ParquetSource, TableSource

Cut = Literal["orthtree", "kdtree"]
BlockPair = tuple[Ints, Floats, Ints, Floats]
"""Record numbers and values of the originals of a block, and of its masked records."""


@dataclass(frozen=True)
class BlockPairs(Sequence[BlockPair]):
    """The blocks of both files; the records of a block are copied when its turn comes."""

    x: Floats
    y: Floats
    originals: Blocks
    maskeds: Blocks

    def __len__(self) -> int:
        return len(self.originals)

    def __getitem__(self, block: int) -> BlockPair:  # type: ignore[override]  # no slices
        rows = self.originals.rows(block)
        masked_rows = self.maskeds.rows(block)
        return rows, self.x[rows], masked_rows, self.y[masked_rows]


def link_on_machine(
    original: object,
    masked: object,
    work: LinkBlock,
    engine: Engine,
    *,
    columns: Sequence[str] | None = None,
    leaf: int | Literal["auto"] = 10_000,
    blocks: Cut = "kdtree",
    price: int = 0,
    out: str | Path | None = None,
    progress: ItemsDone | None = None,
    cancel: Cancel | None = None,
) -> BlockLinkage:
    """Link block by block with any engine; both files are held in memory."""
    start = time.perf_counter()
    source, masked_source = source_of(original), source_of(masked)
    names = numeric_columns(source.schema, masked_source.schema, columns)
    # the truth is that record i of one file is record i of the other
    if source.records != masked_source.records:
        raise InputError(
            f"the original has {source.records} records "
            f"and the masked file {masked_source.records}"
        )
    # the masked file falls into the blocks of the original: the intruder knows the original
    scale, splitter = _splitter(source, names, leaf, blocks)
    x = _numbers(source, names)
    y = _numbers(masked_source, names)
    originals = Blocks(splitter.assign(x), splitter)
    maskeds = Blocks(splitter.assign(y), splitter)
    # in place: the files are large, and the blocks are known
    x /= scale
    y /= scale
    match = np.full(len(x), -1, np.int64)
    success = np.zeros(len(x))
    apart = 0
    pairs = BlockPairs(x, y, originals, maskeds)
    attack = partial(_link_pair, work)
    linked = engine.map(attack, pairs, progress=progress, cancel=cancel)
    for block, (block_match, block_success, block_apart) in linked:
        rows = originals.rows(block)
        match[rows] = block_match
        success[rows] = block_success
        apart += block_apart
    seconds = time.perf_counter() - start
    links = pa.table({"match": match, "success": success})
    return BlockLinkage(
        attacker=work.attacker,
        knows=work.knows(leaf),
        records=len(x),
        blocks=len(originals),
        correct=float(success.sum()),
        digest=digest([links], links.column_names),
        engine=engine.name,
        seconds=seconds,
        apart=apart,
        price=_price(work, x, y, success, price, blocks) if price else None,
        match=match,
        success=success,
    )


def source_of(data: object) -> ParquetSource | TableSource:
    """A path is Parquet; anything else is a frame."""
    if isinstance(data, str | Path):
        return ParquetSource(Path(data))
    return TableSource(Microdata.of(data).table)


def _link_pair(
    work: LinkBlock,
    pair: BlockPair,
) -> LinkedBlock:
    return work(*pair)


def _splitter(
    source: ParquetSource | TableSource,
    names: list[str],
    leaf: int | Literal["auto"],
    blocks: Cut,
) -> tuple[Floats, Splitter]:
    """Standard deviations of the original, and its blocks."""
    # two records at least: among one, every link is correct
    fitted = fit(source, names, OrthTree(leaf=leaf, least=2))
    scale = np.array([fitted.scale[name] for name in names])
    if blocks == "orthtree":
        return scale, fitted.splitter
    tree = KdTree(leaf=fitted.splitter.leaf, least=2)
    return scale, tree.fit(
        lambda: (complete_numbers(table, names) for _, table in source.chunks(names))
    )


def _numbers(
    source: ParquetSource | TableSource,
    names: list[str],
) -> Floats:
    chunks = [complete_numbers(table, names) for _, table in source.chunks(names)]
    return np.concatenate(chunks)


def _price(
    work: LinkBlock,
    x: Floats,
    y: Floats,
    success: Floats,
    size: int,
    blocks: Cut,
) -> dict[str, float]:
    """Links of a sample with and without blocks.

    An attacker that treats originals one by one is run for the sampled originals against the
    whole masked file, and compared with what the blocks found for the same originals. Others
    (a matching of all at once) are run on a sample of records, whole and in blocks of a tenth
    of it.
    """
    # 11: a place of its own below the fixed seed of measures
    generator = np.random.default_rng([FIXED, 11])
    size = min(size, len(x))
    rows = np.sort(generator.choice(len(x), size=size, replace=False))
    attacker = work.make()
    if work.attacker == "nearest":
        sample = Microdata.of(x[rows])
        whole = attacker.link(sample, Microdata.of(y), truth=rows)
        with_blocks = float(success[rows].sum())
    else:
        some_x = np.ascontiguousarray(x[rows])
        some_y = np.ascontiguousarray(y[rows])
        whole = attacker.link(Microdata.of(some_x), Microdata.of(some_y))
        # 20: blocks of fewer records would say little about blocks of thousands
        leaf = max(len(rows) // 10, 20)
        in_blocks = link_on_machine(
            some_x, some_y, work, Threads(), leaf=leaf, blocks=blocks
        )
        with_blocks = in_blocks.correct
    return {
        "sample": float(len(rows)),
        "links_without_blocks": whole.correct,
        "links_with_blocks": with_blocks,
    }
