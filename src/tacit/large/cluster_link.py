"""Linkage of two Parquet files on a Spark cluster, block by block; links are written by the executors."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from tacit.engine.base import Engine
from tacit.errors import ParameterError
from tacit.large.cluster_source import SparkSource, quoted, tasks_for, with_block
from tacit.large.coding import complete_column
from tacit.large.fit import fit
from tacit.large.linking import LinkBlock, numeric_columns
from tacit.large.result import BlockLinkage, digest
from tacit.large.source import ParquetSource
from tacit.partition.orthtree import OrthTree


def link_on_cluster(
    original: Any,
    masked: Any,
    work: LinkBlock,
    engine: Engine,
    columns: Sequence[str] | None,
    leaf: int | Literal["auto"],
    out: str | Path | None,
) -> BlockLinkage:
    """Blocks of a 2^d-tree of the original; both files' records of a block meet in one task."""
    from pyspark.sql import functions as F

    if out is None or not all(isinstance(f, str | Path) for f in (original, masked)):
        raise ParameterError("on a cluster both files are Parquet (paths), and the links need a folder (out)")
    start = time.perf_counter()
    spark = engine.session()  # type: ignore[attr-defined]
    one, two = SparkSource(spark, str(original)), SparkSource(spark, str(masked))
    names = numeric_columns(one.schema, two.schema, columns)
    fitted = fit(one, names, OrthTree(leaf=leaf, least=2))
    scale = np.array([fitted.scale[name] for name in names])
    blocks = len(fitted.splitter.sizes)
    tasks = tasks_for(spark, blocks)
    numbers = pa.schema([(name, pa.float64()) for name in names])
    sides = [
        with_block(
            s.numbered().select("row", *(F.col(quoted(n)).cast("double").alias(n) for n in names)),
            fitted,
            names,
            numbers,
        ).withColumn("side", F.lit(side))
        for side, s in enumerate((one, two))
    ]
    both = reduce(lambda a, b: a.unionByName(b), sides)

    def attack(key: tuple[Any, ...], table: pa.Table) -> pa.Table:
        table = table.sort_by("row")
        side = np.asarray(table.column("side"))
        row = np.asarray(table.column("row"))
        values = np.column_stack([complete_column(table, name) for name in names]) / scale
        a, b = side == 0, side == 1
        match, success, apart = work(row[a], values[a], row[b], values[b])
        lost = np.zeros(len(match), np.int64)
        lost[:1] = apart
        return pa.table({"row": row[a], "match": match, "success": success, "apart": lost})

    links = (
        both.repartition(tasks, "block")
        .groupBy("block")
        .applyInArrow(attack, "row long, match long, success double, apart long")
        .repartitionByRange(tasks, "row")
        .sortWithinPartitions("row")
    )
    links.write.mode("overwrite").parquet(str(Path(out).resolve()))
    written = ParquetSource(Path(out))
    correct, apart = 0.0, 0
    for _, table in written.chunks(["success", "apart"]):  # chunk by chunk: the driver's memory stays flat
        correct += float(np.asarray(table.column("success")).sum())
        apart += int(np.asarray(table.column("apart")).sum())
    return BlockLinkage(
        attacker=work.attacker,
        knows=f"{work.make().knows}; looks only in the block of the original (at most about {leaf} records)",
        records=fitted.n,
        blocks=blocks,
        correct=correct,
        digest=digest((t for _, t in written.chunks(["match", "success"])), ["match", "success"]),
        engine=engine.name,
        seconds=time.perf_counter() - start,
        apart=apart,
    )
