"""Linkage of files of any size over all their blocks: the links of the whole file.

Nearest records and certified assignment work so; other attackers look inside blocks
(``link_local``).
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tacit.attack.assignment import Assignment
from tacit.attack.base import Attacker, Matching, scored
from tacit.attack.common_classes import in_common_classes
from tacit.attack.distances import Distance, vectors
from tacit.attack.nearest import Nearest
from tacit.attack.truth import true_rows
from tacit.attack.unit_counts import counted_units
from tacit.base.errors import ParameterError
from tacit.base.seeds import FIXED
from tacit.base.typing import Floats, Ints
from tacit.data.inference import number
from tacit.data.io.on_disk import OnDisk
from tacit.data.io.parquet_parts import ParquetParts
from tacit.data.microdata import Microdata, Schema
from tacit.data.out_of_core.pieces import mapped_by
from tacit.scale.column_codes import is_numeric
from tacit.scale.digest import digest
from tacit.scale.engine.base import Cancel, Engine, ItemsDone
from tacit.scale.link_block import numeric_columns
from tacit.scale.run_result import BlockLinkage


def link_over_blocks(
    original: object,
    masked: object,
    attacker: Nearest | Assignment,
    engine: Engine,
    *,
    columns: Sequence[str] | None = None,
    leaf: int | Literal["auto"] = "auto",
    price: int = 0,
    sample: int = 0,
    out: str | Path | None = None,
    progress: ItemsDone | None = None,
    cancel: Cancel | None = None,
) -> BlockLinkage:
    """Each original's nearest records over all blocks with their ties, or the best linkage of all.

    What blocks there are changes the time and the memory, and no link (of an assignment: not its
    cost). Records are read by the workers, block by block. This process holds the links, some 60
    bytes per record, and of an assignment also its graph, some 600 (``over_blocks.block_rounds``).

    Parameters
    ----------
    original, masked : path or frame
        The two files, in the same order.
    attacker : Nearest or Assignment
        How distances are measured.
    engine : Engine
        Who links the blocks; on a cluster both files are paths and ``out`` is needed.
    columns, leaf, price, sample, out, progress, cancel
        As of ``link``.
    """
    if sample and not isinstance(attacker, Nearest):
        raise ParameterError(
            "a sample of originals is for nearest record: an assignment links all at once"
        )
    paths = [isinstance(file, str | Path) for file in (original, masked)]
    if engine.reach == "cluster" and (out is None or not all(paths)):
        raise ParameterError(
            "on a cluster both files are Parquet (paths), "
            "and the links need a folder (out)"
        )
    start = time.perf_counter()
    beside = None if out is None else Path(out).resolve().parent
    if beside is not None:
        beside.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".tacit-link-", dir=beside) as folder:
        before, after = _arrow_schema(original), _arrow_schema(masked)
        names = _columns(before, after, columns)
        numbers = [
            name
            for name in names
            if is_numeric(before.field(name).type)
            and is_numeric(after.field(name).type)
        ]
        ours = _opened(original, names, numbers, Path(folder) / "original")
        theirs = _opened(masked, names, numbers, Path(folder) / "masked")
        truth = true_rows(ours.n, theirs.n, None)
        some = None
        if sample and sample < ours.n:
            some = sampled(ours.n, sample)
            truth = truth[some]
        with mapped_by(partial(engine.map, progress=progress, cancel=cancel)):
            block = None if leaf == "auto" else leaf
            linkage = _linked(attacker, ours, theirs, names, truth, block, some)
        linkage.engine = engine.name
        linkage.seconds = time.perf_counter() - start
        assert linkage.match is not None
        assert linkage.success is not None
        if out is not None:
            Path(out).mkdir(parents=True, exist_ok=True)
            rows = np.arange(ours.n) if some is None else some
            links = {"row": rows, "match": linkage.match, "success": linkage.success}
            pq.write_table(pa.table(links), Path(out) / "part-00000.parquet")
        linkage.price = _price(
            attacker, ours, theirs, names, linkage.success, some, price
        )
        return linkage


def link_sample(
    attacker: Attacker, original: Microdata, masked: Microdata, truth: Ints, size: int
) -> BlockLinkage:
    """So many originals, drawn by a fixed seed, against all masked records.

    Each is linked as among all (columns are standardised by all records), so that the rate of the
    sample, with its interval, is the answer for the file.

    Parameters
    ----------
    attacker : Nearest
        How distances are measured.
    original, masked : Microdata
        Both files.
    truth : array of int
        The masked row of each original (-1: not released).
    size : int
        How many are drawn.
    """
    if not isinstance(attacker, Nearest) or not attacker.works_over_blocks:
        raise ParameterError(
            "--sample is for nearest record: other attackers look at all records at once"
        )
    if not counted_units(original).single:
        raise ParameterError(
            "--sample draws records, and this file has persons or households of several; "
            "leave it out"
        )
    names = attacker._columns(original, masked)
    ours, theirs = in_common_classes(original, masked, names)
    some = sampled(original.n, min(size, original.n))
    return _linked(attacker, ours, theirs, names, truth[some], None, some)


def _linked(
    attacker: Nearest | Assignment,
    ours: Microdata,
    theirs: Microdata,
    names: list[str],
    truth: Ints,
    block: int | None,
    some: Ints | None,
) -> BlockLinkage:
    """The links of two files, or of some originals, with their count; ``truth`` is of those."""
    start = time.perf_counter()
    found = _found(attacker, ours, theirs, names, block, some)
    matching = found.matching
    success, _ = scored(matching, truth)
    links = pa.table({"match": matching.match, "success": success})
    is_nearest = isinstance(attacker, Nearest)
    where = "looks in every block that can hold the nearest"
    return BlockLinkage(
        attacker="nearest" if is_nearest else "assignment",
        knows=f"{attacker.knows}; {where if is_nearest else 'over all blocks'}",
        records=len(truth),
        blocks=found.blocks,
        correct=float(success.sum()),
        digest=digest([links], links.column_names),
        engine="threads",
        seconds=time.perf_counter() - start,
        apart=found.apart,
        exact=True,
        match=matching.match,
        success=success,
        masked_records=theirs.n,
        sampled_of=None if some is None else ours.n,
        cost=matching.cost,
        bound=matching.bound,
        certified=matching.certified,
        tolerance=matching.tolerance,
        log=matching.log,
    )


def sampled(n: int, size: int) -> Ints:
    """So many of n records, drawn with a fixed seed."""
    # 12: a place of its own below the fixed seed of measures
    generator = np.random.default_rng([FIXED, 12])
    return np.sort(generator.choice(n, size=size, replace=False))


@dataclass(frozen=True)
class _Found:
    """Links, and the blocks over which they were found."""

    matching: Matching
    blocks: int
    apart: int


def _found(
    attacker: Nearest | Assignment,
    ours: Microdata,
    theirs: Microdata,
    names: list[str],
    block: int | None,
    some: Ints | None,
) -> _Found:
    if isinstance(attacker, Nearest):
        matching, near = attacker.linked_over_blocks(
            ours, theirs, names, block=block, some=some
        )
        return _Found(matching, near.blocks, near.apart)
    linked = attacker.linked_over_blocks(ours, theirs, names, block=block)
    return _Found(linked.matching, linked.blocks, linked.apart)


def _arrow_schema(data: object) -> pa.Schema:
    if isinstance(data, str | Path):
        return ParquetParts.of(data).schema
    return Microdata.of(data).table.schema


def _columns(
    original: pa.Schema, masked: pa.Schema, columns: Sequence[str] | None
) -> list[str]:
    """Those named, of any kind; or every number that both files have."""
    if columns is None:
        return numeric_columns(original, masked, None)
    numeric_columns(original, masked, [*columns], any_kind=True)
    return [*columns]


def _opened(
    data: object, names: list[str], numbers: list[str], folder: Path
) -> Microdata:
    """A file; numbers are compared as numbers, and of other columns the kind is guessed."""
    if not isinstance(data, str | Path):
        return Microdata.of(data, quasi=names, continuous=numbers)
    folder.mkdir()
    # numbers need no guess, which would read the file once more
    schema = Schema(tuple(number(name) for name in numbers))
    return OnDisk.some(data, folder, names, schema, {"quasi": names})


def _price(
    attacker: Nearest | Assignment,
    original: Microdata,
    masked: Microdata,
    names: list[str],
    success: Floats,
    linked: Ints | None,
    size: int,
) -> dict[str, float] | None:
    """Links of some originals here, and by the attacker who holds both files in memory.

    All who are linked at once need all records: an assignment is compared on a sample of records
    of both files, over blocks of a tenth of it.
    """
    if not size:
        return None
    everybody = np.arange(original.n) if linked is None else linked
    place = np.linspace(0, len(everybody) - 1, min(size, len(everybody)))
    at = place.astype(np.int64)
    some = everybody[at]
    assert isinstance(attacker.distance, str)
    X, Y, metric = vectors(
        original.held(names),
        masked.held(names),
        names,
        attacker.distance,
        attacker.scale,
        attacker.weights,
    )
    distance: Distance = "manhattan" if metric == "manhattan" else "euclidean"
    if isinstance(attacker, Nearest):
        plain = Nearest(distance=distance, scale="none")
        whole = plain.link(Microdata.of(X[some]), Microdata.of(Y), truth=some)
        with_blocks = float(success[at].sum())
    else:
        together = Assignment(distance=distance, scale="none", cost=attacker.cost)
        ours, theirs = Microdata.of(X[some]), Microdata.of(Y[some])
        whole = together.link(ours, theirs)
        # 20: fewer records would be no blocks
        block = max(len(some) // 10, 20)
        found = together.linked_over_blocks(ours, theirs, list(ours.quasi), block=block)
        own, _ = scored(found.matching, np.arange(len(some)))
        with_blocks = float(own.sum())
    return {
        "sample": float(len(some)),
        "links_without_blocks": whole.correct,
        "links_with_blocks": with_blocks,
    }
