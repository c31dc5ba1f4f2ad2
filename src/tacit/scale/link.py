"""Attack two files block by block: superlinear linkage on files for which it would take days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from tacit.attack import registry
from tacit.attack.assignment import Assignment
from tacit.attack.nearest import Nearest
from tacit.base import parameters as parameters_of
from tacit.base.errors import ParameterError
from tacit.base.registry import Registry
from tacit.scale.engine.base import Cancel, ItemsDone
from tacit.scale.engine.engine_choice import engine_of
from tacit.scale.link_block import LinkBlock
from tacit.scale.link_over_blocks import link_over_blocks
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
    sample: int = 0,
    out: str | Path | None = None,
    progress: ItemsDone | None = None,
    cancel: Cancel | None = None,
) -> BlockLinkage:
    """Link each original to a masked record.

    ``nearest`` looks in every block that can hold the nearest record, and ``assignment`` solves one
    problem of all records, priced block by block: their links are those of the whole file. Every
    other attacker (and these two with Mahalanobis distances) looks in the block of the original
    alone, which understates; its blocks are cut on the original, in numeric columns only.

    Parameters
    ----------
    original, masked : path or frame
        The two files, in the same order.
    attacker : str
        Any registered attacker.
    parameters : mapping
        Its parameters.
    columns : sequence of str
        Columns to compare, all numbers of both files unless given; of attackers within blocks
        numeric ones, divided by the original's standard deviations.
    leaf : int or "auto"
        L: at most so many originals per block; of ``nearest`` and ``assignment``, about so many
        masked records.
    blocks : str
        "kdtree" (blocks of equal size) or "orthtree" (2^d-tree; on a cluster always); without
        effect on ``nearest`` and ``assignment``.
    engine : engine
        Threads (default), processes, or a Spark master URL: then both files are Parquet and
        ``out`` gets the links.
    price : int
        So many originals (nearest) or records (other attackers) on which the links are compared
        with those found without blocks.
    sample : int
        Of ``nearest``: so many originals, drawn by a fixed seed, against all masked records; the
        interval of the rate is the answer. 0: all.
    out : path
        Folder for the links, on a cluster.
    progress : function
        Called with (finished, all) after each block.
    cancel : Event
        Set it from another thread to stop.
    """
    where = engine_of(engine)
    if attacker in ("nearest", "assignment"):
        given = registry[attacker](**dict(parameters or {}))
        assert isinstance(given, Nearest | Assignment)
        parameters_of.check(type(given), given.get_params(deep=False))
        if given.works_over_blocks:
            return link_over_blocks(
                original,
                masked,
                given,
                where,
                columns=columns,
                leaf=leaf,
                price=price,
                sample=sample,
                out=out,
                progress=progress,
                cancel=cancel,
            )
    if sample:
        raise ParameterError(
            "a sample of originals is for nearest record: other attackers look at all at once"
        )
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
