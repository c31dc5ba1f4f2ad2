"""Attack two files block by block: superlinear linkage on files for which it would take days."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tacit.engine.base import Cancel, Progress
from tacit.engine.choose import engine_of
from tacit.errors import InputError, ParameterError
from tacit.large.coding import check_columns, complete_column, is_numeric
from tacit.large.fit import fit
from tacit.large.result import BlockLinkage, Hasher
from tacit.large.source import ParquetSource, TableSource
from tacit.partition.blocks import Splitter
from tacit.partition.kdtree import KdTree
from tacit.partition.orthtree import OrthTree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class LinkBlock:
    """Any attacker on one block, on columns scaled beforehand. Rows are record numbers; own record: the
    same number."""

    attacker: str
    parameters: dict[str, Any]

    def __call__(self, row: Ints, x: Floats, masked_row: Ints, y: Floats) -> tuple[Ints, Floats, int]:
        """For each original: the record named (-1: none), the probability that it is its own; and how many
        originals have their own record in another block."""
        from tacit.microdata import Microdata

        at = np.searchsorted(masked_row, row)
        here = at < len(masked_row)
        here[here] = masked_row[at[here]] == row[here]
        truth = np.where(here, at, -1)
        if not len(masked_row) or not len(row):
            return np.full(len(row), -1, np.int64), np.zeros(len(row)), int((~here).sum())
        found = self.make().link(Microdata.of(x), Microdata.of(y), truth=truth)
        match = np.where(found.match >= 0, masked_row[np.maximum(found.match, 0)], -1)
        return match.astype(np.int64), found.success, int((~here).sum())

    def make(self) -> Any:
        from tacit.attack import registry

        return registry[self.attacker](**{"scale": "none", **self.parameters})


def link(
    original: Any,
    masked: Any,
    *,
    attacker: str = "nearest",
    parameters: dict[str, Any] | None = None,
    columns: Sequence[str] | None = None,
    leaf: int | Literal["auto"] = 10_000,
    blocks: Literal["orthtree", "kdtree"] = "kdtree",
    engine: Any = None,
    price: int = 0,
    out: str | Path | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> BlockLinkage:
    """Link each original to a masked record of its block; blocks are cut on the original, numeric columns
    only.

    ``attacker``: any registered one. ``columns``: numeric, divided by the original's standard deviations.
    ``price``: so many originals (nearest) or records (other attackers) on which the links are compared with
    those found without blocks. On a Spark engine both files are Parquet and ``out`` gets the links."""
    where = engine_of(engine)
    work = LinkBlock(attacker, dict(parameters or {}))
    work.make()
    start = time.perf_counter()
    if where.name == "spark":
        from tacit.large.cluster_link import link_on_cluster

        return link_on_cluster(original, masked, work, where, columns, leaf, out)
    one, two = source_of(original), source_of(masked)
    names = numeric_columns(one.schema, two.schema, columns)
    if one.records != two.records:
        raise InputError(f"the original has {one.records} records and the masked file {two.records}")
    scale, splitter = _splitter(one, names, leaf, blocks)
    x, y = (_numbers(s, names) for s in (one, two))
    pairs = [_rows(splitter.assign(values), len(splitter.sizes)) for values in (x, y)]
    x /= scale
    y /= scale
    match, success = np.full(len(x), -1, np.int64), np.zeros(len(x))
    apart = np.zeros(len(splitter.sizes), np.int64)

    def one_block(block: int) -> None:
        rows, others = pairs[0][block], pairs[1][block]
        match[rows], success[rows], apart[block] = work(rows, x[rows], others, y[others])

    for _ in where.map(one_block, range(len(splitter.sizes)), progress=progress, cancel=cancel):
        pass
    seconds = time.perf_counter() - start
    return BlockLinkage(
        attacker=attacker,
        knows=f"{work.make().knows}; looks only in the block of the original (at most about {leaf} records)",
        records=len(x),
        blocks=len(splitter.sizes),
        correct=float(success.sum()),
        digest=digest_of(match, success),
        engine=where.name,
        seconds=seconds,
        apart=int(apart.sum()),
        price=_price(work, x, y, success, price, blocks) if price else None,
        match=match,
        success=success,
    )


def source_of(data: Any) -> Any:
    if isinstance(data, str | Path):
        return ParquetSource(Path(data))
    from tacit.microdata import Microdata

    return TableSource(Microdata.of(data).table)


def numeric_columns(one: pa.Schema, two: pa.Schema, columns: Sequence[str] | None) -> list[str]:
    names = list(columns or [f.name for f in one if is_numeric(f.type) and f.name in two.names])
    check_columns(one, names, "the original")
    check_columns(two, names, "the masked file")
    for name in names:
        if not (is_numeric(one.field(name).type) and is_numeric(two.field(name).type)):
            raise ParameterError(f"column '{name}' is not numeric in both files; blocks of linkage compare numbers")
    return names


def digest_of(match: Ints, success: Floats) -> str:
    hasher = Hasher(["match", "success"])
    hasher.add(pa.table({"match": match, "success": success}))
    return hasher.hexdigest()


def _splitter(source: Any, names: list[str], leaf: int | Literal["auto"], blocks: str) -> tuple[Floats, Splitter]:
    fitted = fit(source, names, OrthTree(leaf=leaf, least=2))
    scale = np.array([fitted.scale[name] for name in names])
    if blocks == "orthtree":
        return scale, fitted.splitter
    tree = KdTree(leaf=fitted.splitter.leaf, least=2)
    return scale, tree.fit(lambda: (_chunk(table, names) for _, table in source.chunks(names)))


def _chunk(table: pa.Table, names: list[str]) -> Floats:
    return np.column_stack([complete_column(table, name) for name in names])


def _numbers(source: Any, names: list[str]) -> Floats:
    return np.concatenate([_chunk(table, names) for _, table in source.chunks(names)])


def _rows(label: Ints, blocks: int) -> list[Ints]:
    order = np.argsort(label, kind="stable")
    cuts = np.searchsorted(label[order], np.arange(blocks + 1))
    return [order[cuts[b] : cuts[b + 1]] for b in range(blocks)]


def _price(
    work: LinkBlock, x: Floats, y: Floats, success: Floats, size: int, blocks: Literal["orthtree", "kdtree"]
) -> dict[str, float]:
    """Links of a sample without blocks. An attacker that treats originals one by one is run for the sampled originals
    against the whole masked file, and compared with what the blocks found for the same originals. Others (a matching
    of all at once) are run on a sample of records, whole and in blocks of a tenth of it."""
    from tacit.microdata import Microdata

    rows = np.sort(np.random.default_rng([0, 11]).choice(len(x), size=min(size, len(x)), replace=False))
    if work.attacker == "nearest":
        whole = work.make().link(Microdata.of(x[rows]), Microdata.of(y), truth=rows)
        found = float(success[rows].sum())
    else:
        some = [np.ascontiguousarray(v[rows]) for v in (x, y)]
        whole = work.make().link(*(Microdata.of(v) for v in some))
        tables = [pa.table(list(v.T), names=[f"x{j}" for j in range(x.shape[1])]) for v in some]
        leaf = max(len(rows) // 10, 20)
        found = link(*tables, attacker=work.attacker, parameters=work.parameters, leaf=leaf, blocks=blocks).correct
    return {"sample": float(len(rows)), "links_without_blocks": whole.correct, "links_with_blocks": found}
