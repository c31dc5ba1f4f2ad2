"""Linkage of two Parquet files on a Spark cluster; links are written by the executors."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa

from tacit.base.errors import ParameterError
from tacit.base.spark_tasks import timed_group
from tacit.scale.block_fit import Fitted, fit
from tacit.scale.digest import digest
from tacit.scale.engine.base import Cancel, ItemsDone
from tacit.scale.link_block import LinkBlock, complete_numbers, numeric_columns
from tacit.scale.partition.orthtree import OrthTree
from tacit.scale.run_result import BlockLinkage
from tacit.scale.source import ParquetSource
from tacit.scale.source_cluster import (
    SparkEngine,
    SparkSource,
    quoted,
    tasks_for,
    with_block,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# which file a record of a block comes from
_ORIGINAL, _MASKED = 0, 1


def link_on_cluster(
    original: object,
    masked: object,
    work: LinkBlock,
    engine: SparkEngine,
    *,
    columns: Sequence[str] | None,
    leaf: int | Literal["auto"],
    out: str | Path | None,
    blocks: Literal["orthtree", "kdtree"],
    price: int,
    progress: ItemsDone | None,
    cancel: Cancel | None,
) -> BlockLinkage:
    """Blocks of a 2^d-tree of the original; both files' records of a block meet in one task.

    A kd-tree would need the file in memory, a price a sample on the driver, and one Spark job
    does all blocks: ``blocks``, ``price``, ``progress`` and ``cancel`` have no effect.
    """
    are_paths = all(isinstance(file, str | Path) for file in (original, masked))
    if out is None or not are_paths:
        raise ParameterError(
            "on a cluster both files are Parquet (paths), "
            "and the links need a folder (out)"
        )
    start = time.perf_counter()
    spark = engine.session()
    source = SparkSource(spark, str(original))
    masked_source = SparkSource(spark, str(masked))
    names = numeric_columns(source.schema, masked_source.schema, columns)
    # two records at least: among one, every link is correct
    fitted = fit(source, names, OrthTree(leaf=leaf, least=2))
    number_of_blocks = len(fitted.splitter.sizes)
    _write_links(source, masked_source, work, fitted, names, str(Path(out).resolve()))
    # what the executors wrote is summed up here, because no task sees all blocks
    written = ParquetSource(Path(out))
    correct, apart = 0.0, 0
    # chunk by chunk: the driver's memory stays flat
    for _, table in written.chunks(["success", "apart"]):
        correct += float(np.asarray(table.column("success")).sum())
        apart += int(np.asarray(table.column("apart")).sum())
    links = ["match", "success"]
    return BlockLinkage(
        attacker=work.attacker,
        knows=work.knows(leaf),
        records=fitted.n,
        blocks=number_of_blocks,
        correct=correct,
        digest=digest((table for _, table in written.chunks(links)), links),
        engine=engine.name,
        seconds=time.perf_counter() - start,
        apart=apart,
    )


def _write_links(
    source: SparkSource,
    masked_source: SparkSource,
    work: LinkBlock,
    fitted: Fitted,
    names: list[str],
    out: str,
) -> None:
    """Bring the records of a block together, attack it, and write the links in record order."""
    from pyspark.sql import functions as F

    scale = np.array([fitted.scale[name] for name in names])
    numbers = pa.schema([(name, pa.float64()) for name in names])
    # both files in one type, so that their records can be in one table
    as_double = [F.col(quoted(name)).cast("double").alias(name) for name in names]

    def side(
        file: SparkSource,
        number: int,
    ) -> DataFrame:
        records = file.numbered().select("row", *as_double)
        labelled = with_block(records, fitted, names, numbers)
        return labelled.withColumn("side", F.lit(number))

    def attack(
        key: tuple[object, ...],
        table: pa.Table,
    ) -> pa.Table:
        # Spark brings the records of a block in any order
        table = table.sort_by("row")
        row = np.asarray(table.column("row"))
        values = complete_numbers(table, names) / scale
        from_original = np.asarray(table.column("side")) == _ORIGINAL
        from_masked = ~from_original
        match, success, apart = work(
            row[from_original],
            values[from_original],
            row[from_masked],
            values[from_masked],
        )
        # the number of the block travels with its first original
        apart_once = np.zeros(len(match), np.int64)
        apart_once[:1] = apart
        links = {"row": row[from_original], "match": match, "success": success}
        return pa.table({**links, "apart": apart_once})

    both = side(source, _ORIGINAL).unionByName(side(masked_source, _MASKED))
    tasks = tasks_for(source.spark, len(fitted.splitter.sizes))
    links = (
        both.repartition(tasks, "block")
        .groupBy("block")
        .applyInArrow(
            timed_group(source.spark, attack),
            "row long, match long, success double, apart long",
        )
        .repartitionByRange(tasks, "row")
        .sortWithinPartitions("row")
    )
    links.write.mode("overwrite").parquet(out)
