"""Attack two files block by block: superlinear linkage on files for which it would take days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from tacit.base.registry import Registry
from tacit.scale.engine.base import Cancel, ItemsDone
from tacit.scale.engine.engine_choice import engine_of
from tacit.scale.link_block import LinkBlock
from tacit.scale.run_result import BlockLinkage

#: reach of an engine -> the attack there
LINKERS = Registry(
    "tacit.scale",
    machine="link_local:link_on_machine",
    cluster="link_cluster:link_on_cluster",
)


def link(
    original: object,
    masked: object,
    *,
    attacker: str = "nearest",
    parameters: Mapping[str, object] | None = None,
    columns: Sequence[str] | None = None,
    leaf: int | Literal["auto"] = 10_000,
    blocks: Literal["orthtree", "kdtree"] = "kdtree",
    engine: object = None,
    price: int = 0,
    out: str | Path | None = None,
    progress: ItemsDone | None = None,
    cancel: Cancel | None = None,
) -> BlockLinkage:
    """Link each original to a masked record of its block.

    Blocks are cut on the original, in numeric columns only.

    Parameters
    ----------
    original, masked : path or frame
        The two files, in the same order.
    attacker : str
        Any registered attacker.
    parameters : mapping
        Its parameters.
    columns : sequence of str
        Numeric columns to compare, divided by the original's standard deviations.
    leaf : int or "auto"
        L: at most so many originals per block.
    blocks : str
        "kdtree" (blocks of equal size) or "orthtree" (2^d-tree; on a cluster always).
    engine : engine
        Threads (default), processes, or a Spark master URL: then both files are Parquet and
        ``out`` gets the links.
    price : int
        So many originals (nearest) or records (other attackers) on which the links are compared
        with those found without blocks.
    out : path
        Folder for the links, on a cluster.
    progress : function
        Called with (finished, all) after each block.
    cancel : Event
        Set it from another thread to stop.
    """
    where = engine_of(engine)
    work = LinkBlock(attacker, dict(parameters or {}))
    # a bad parameter is refused before anything is read
    work.make()
    linkage: BlockLinkage = LINKERS[where.reach](
        original,
        masked,
        work,
        where,
        columns=columns,
        leaf=leaf,
        blocks=blocks,
        price=price,
        out=out,
        progress=progress,
        cancel=cancel,
    )
    return linkage
