"""Protect a file on a Spark cluster: Parquet in, Parquet out, records never on the driver.

The driver sees ranges, counts and sums (``passes``), sends the tree to the executors, and they group records by block
(``groupBy(block).applyInArrow``). A record's number is its place in its file plus the records of the files before it,
so the release is in the order of the input and its digest can be compared with that of any other engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.engine.base import Cancel, Engine, Progress, check_cancel
from tacit.large.checkpoint import Checkpoint
from tacit.large.cluster_source import SparkSource, fields, quoted, tasks_for, with_block
from tacit.large.fit import Fitted, fit
from tacit.large.memory import peak
from tacit.large.result import Run, digest
from tacit.large.source import ParquetSource
from tacit.large.treat import Treatment, run_block
from tacit.large.work import Work, check, guess, treatment_of

GROUP = 2_000_000
"""Records a core of a group of blocks: less than a minute of work, so that a longer run has checkpoints."""


def protect_on_cluster(
    source: str,
    out: str,
    work: Work,
    engine: Engine,
    *,
    drop: Sequence[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Run:
    """Mask ``source`` into the folder ``out`` (one Parquet file a task, in order of record number).

    Blocks are treated in groups of about ``GROUP`` records a core; a finished group is a checkpoint (``out``.work).
    """
    from tacit.large.run import Clock, report

    clock = Clock()
    spark = engine.session()  # type: ignore[attr-defined]
    held = SparkSource(spark, source)
    if not work.columns or drop is None:  # the first records say what looks like an identifier
        columns, drop = guess(held.frame.limit(10_000).toArrow(), work.columns, drop)
        work = replace(work, columns=columns)
    work = check(work, held.schema, held.name)
    to = out if "://" in out else str(Path(out).resolve())
    folder = Path(Path(out).name + ".work") if "://" in out else Path(f"{to}.work")  # marks are on the driver's disk
    identity = work.to_dict() | {"input": held.files, "drop": list(drop), "engine": "spark"}
    marks = Checkpoint.open(folder, identity, resume=resume)
    fitted = marks.load_tree()
    if fitted is None:
        fitted = fit(held, work.split_on, work.tree, also=work.also, categorical=work.categorical)
        marks.save_tree(fitted)
    clock.lap("tree")
    masked, resumed = _groups(held, work, fitted, marks, f"{to}.work", progress, cancel)
    errors = masked.where("_error IS NOT NULL").select("_block", "_error").toArrow().sort_by("_block")
    clock.lap("blocks")
    rest = [c for c in held.schema.names if c not in work.columns and c not in drop]
    release = masked.drop("_error", "_block")
    if rest:
        release = release.join(held.numbered().select("row", *map(quoted, rest)), "row")
    ordered = release.repartitionByRange(tasks_for(spark), "row").sortWithinPartitions("row")
    names = [c for c in held.schema.names if c not in drop]
    ordered.select(*map(quoted, names)).write.mode("overwrite").parquet(to)
    clock.lap("merge")
    found = ""
    if "://" not in out:
        found = digest((table for _, table in ParquetSource(Path(out)).chunks(list(work.columns))), work.columns)
        clock.lap("digest")
    run = report(work, fitted, errors.column("_error").to_pylist(), found, engine, clock)
    run.peak_memory, run.resumed_bins = peak(), resumed
    _delete(spark, f"{to}.work")
    marks.remove()
    return run


def _groups(
    held: SparkSource,
    work: Work,
    fitted: Fitted,
    marks: Checkpoint,
    beside: str,
    progress: Progress | None,
    cancel: Cancel | None,
) -> tuple[Any, int]:
    """Treat the blocks, group after group; block b is in group b mod groups. The masked records as a Spark frame, and
    how many groups an earlier run had finished."""
    spark = held.spark
    sample = held.frame.limit(0 if work.fast else 10_000).toArrow()
    treat = _treat_group(treatment_of(work, fitted, sample))
    labelled = with_block(held.numbered(), fitted, list(work.columns), held.schema)
    if not marks.marked("spill"):
        groups = -(-fitted.n // (GROUP * int(spark.sparkContext.defaultParallelism)))
        if groups > 1:
            spilled = labelled.selectExpr("*", f"block % {groups} AS group").write.partitionBy("group")
            spilled.mode("overwrite").parquet(f"{beside}/spill")
        marks.mark("spill", groups)
    groups = int(marks.content("spill"))
    done = {g for g in range(groups) if marks.marked(f"group-{g}")}
    for group in sorted(set(range(groups)) - done):
        check_cancel(cancel, group, groups)
        part = spark.read.parquet(f"{beside}/spill/group={group}") if groups > 1 else labelled
        (
            part.repartition(tasks_for(spark, len(fitted.splitter.sizes)), "block")
            .groupBy("block")
            .applyInArrow(treat, f"row long, {fields(held.schema, work.columns)}, _error double, _block long")
            .write.mode("overwrite")
            .parquet(f"{beside}/group-{group}")
        )
        marks.mark(f"group-{group}")
        if progress:
            progress(group + 1, groups)
    return spark.read.parquet(*(f"{beside}/group-{group}" for group in range(groups))), len(done)


def _treat_group(treatment: Treatment) -> Callable[[tuple[Any, ...], pa.Table], pa.Table]:
    """The function that executors run on a block; its squared error travels with the block's first record."""

    def treat(key: tuple[Any, ...], table: pa.Table) -> pa.Table:
        block = int(key[0].as_py() if hasattr(key[0], "as_py") else key[0])
        masked, error = run_block(treatment, block, table.drop_columns(["block"]))
        errors = pa.array([error, *([None] * (masked.num_rows - 1))], pa.float64())
        wide = masked.append_column("_error", errors)
        return wide.append_column("_block", pa.array(np.full(masked.num_rows, block)))

    return treat


def _delete(spark: Any, folder: str) -> None:
    """Remove a folder from wherever Spark can write: a disk, hdfs, an object store."""
    path = spark._jvm.org.apache.hadoop.fs.Path(folder)
    path.getFileSystem(spark._jsc.hadoopConfiguration()).delete(path, True)
