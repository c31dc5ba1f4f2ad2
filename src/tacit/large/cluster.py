"""Protect a file on a Spark cluster: Parquet in, Parquet out, records never on the driver.

The driver sees ranges, counts and sums (``passes``), sends the tree to the executors, and they group records by block
(``groupBy(block).applyInArrow``). A record's number is its place in its file plus the records of the files before it,
so the release is in the order of the input and its digest can be compared with that of any other engine.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.engine.base import Engine
from tacit.large.checkpoint import Checkpoint
from tacit.large.fit import Fitted, P, fit
from tacit.large.memory import peak
from tacit.large.result import Run, digest
from tacit.large.source import ParquetSource, parquet_files
from tacit.large.treat import Treatment, run_block
from tacit.large.work import Work, check, guess, treatment_of

_TYPES = {"double": "double", "float": "float", "int64": "long", "int32": "int", "int16": "short", "int8": "byte"}

GROUP = 50_000_000


@dataclass
class SparkSource:
    """Parquet that executors can read: a file, a folder, or a URL such as hdfs://host/survey."""

    spark: Any
    path: str

    def __post_init__(self) -> None:
        self.name = str(self.path)
        if "://" not in self.name:
            parquet_files(Path(self.name))
            self.name = str(Path(self.name).resolve())
        self.frame = self.spark.read.option("recursiveFileLookup", "true").parquet(self.name)
        self.schema: pa.Schema = self.frame.limit(0).toArrow().schema

    def learn(self, state: P) -> P:
        """One distributed reading; a partial state a partition comes back, not records."""
        blank = pickle.dumps(state)

        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            part = pickle.loads(blank)
            for batch in batches:
                part.add(pa.Table.from_batches([batch]))
            yield pa.RecordBatch.from_pydict({"state": pa.array([pickle.dumps(part)], pa.binary())})

        wanted = _columns(state)
        for row in self.frame.select(*map(quoted, wanted)).mapInArrow(run, "state binary").collect():
            state.merge(pickle.loads(bytes(row["state"])))
        return state

    def numbered(self) -> Any:
        """The records with their number in the column ``row``."""
        from pyspark.sql import functions as F

        frame = self.frame.select(
            "*", F.col("_metadata.file_path").alias("_file"), F.col("_metadata.row_index").alias("_at")
        )
        counts = frame.groupBy("_file").count().collect()
        first, before = [], 0
        for entry in sorted(counts, key=lambda entry: str(entry["_file"])):
            first.append((entry["_file"], before))
            before += int(entry["count"])
        offsets = self.spark.createDataFrame(first, "_file string, _first long")
        return (
            frame.join(F.broadcast(offsets), "_file")
            .withColumn("row", F.col("_first") + F.col("_at"))
            .drop("_file", "_first", "_at")
        )


def protect_on_cluster(
    source: str, out: str, work: Work, engine: Engine, *, drop: Sequence[str] | None = None, resume: bool = False
) -> Run:
    """Mask ``source`` into the folder ``out`` (one Parquet file a task, in order of record number).

    Blocks are treated in groups of about ``GROUP`` records; a finished group is a checkpoint (``out``.work).
    """
    from pyspark.sql import functions as F

    from tacit.large.run import Clock, report

    clock = Clock()
    spark = engine.session()  # type: ignore[attr-defined]
    held = SparkSource(spark, source)
    if not work.columns or drop is None:  # the first records say what looks like an identifier
        columns, drop = guess(held.frame.limit(10_000).toArrow(), work.columns, drop)
        work = replace(work, columns=columns)
    work = check(work, held.schema, held.name)
    beside = f"{out}.work" if "://" in out else f"{Path(out).resolve()}.work"
    folder = Path(Path(out).name + ".work") if "://" in out else Path(beside)  # marks are on the driver's disk
    identity = work.to_dict() | {"input": held.name, "drop": list(drop), "engine": "spark"}
    marks = Checkpoint.open(folder, identity, resume=resume)
    fitted = marks.load_tree()
    if fitted is None:
        fitted = fit(held, work.split_on, work.tree, also=work.also, categorical=work.categorical)
        marks.save_tree(fitted)
    clock.lap("tree")
    sample = held.frame.limit(0 if work.fast else 10_000).toArrow()
    treat = _treat_group(treatment_of(work, fitted, sample))
    tasks = tasks_for(spark, len(fitted.splitter.sizes))
    labelled = with_block(held.numbered(), fitted, list(work.columns), held.schema)
    groups = -(-fitted.n // GROUP)
    done = [g for g in range(groups) if marks.marked(f"group-{g}")]
    for group in sorted(set(range(groups)) - set(done)):
        part = labelled.where(F.col("block") % groups == group) if groups > 1 else labelled
        masked = (
            part.repartition(tasks, "block")
            .groupBy("block")
            .applyInArrow(treat, f"row long, {fields(held.schema, work.columns)}, _error double, _block long")
        )
        masked.write.mode("overwrite").parquet(f"{beside}/group-{group}")
        marks.mark(f"group-{group}")
    masked = spark.read.parquet(*(f"{beside}/group-{group}" for group in range(groups)))
    errors = masked.where(F.col("_error").isNotNull()).select("_block", "_error").collect()
    clock.lap("blocks")
    rest = [c for c in held.schema.names if c not in work.columns and c not in drop]
    release = masked.drop("_error", "_block")
    if rest:
        release = release.join(held.numbered().select("row", *map(quoted, rest)), "row")
    ordered = release.repartitionByRange(tasks, "row").sortWithinPartitions("row")
    names = [c for c in held.schema.names if c not in drop]
    ordered.select(*map(quoted, names)).write.mode("overwrite").parquet(
        out if "://" in out else str(Path(out).resolve())
    )
    clock.lap("merge")
    found = ""
    if "://" not in out:
        found = digest((table for _, table in ParquetSource(Path(out)).chunks(list(work.columns))), work.columns)
        clock.lap("digest")
    by_block = [float(e["_error"]) for e in sorted(errors, key=lambda e: int(e["_block"]))]
    run = report(work, fitted, by_block, found, engine, clock)
    run.peak_memory, run.resumed_bins = peak(), len(done)
    marks.remove()
    return run


def _treat_group(treatment: Treatment) -> Callable[[tuple[Any, ...], pa.Table], pa.Table]:
    """The function that executors run on a block; its squared error travels with the block's first record."""

    def treat(key: tuple[Any, ...], table: pa.Table) -> pa.Table:
        block = int(key[0].as_py() if hasattr(key[0], "as_py") else key[0])
        masked, error = run_block(treatment, block, table.drop_columns(["block"]))
        errors = pa.array([error, *([None] * (masked.num_rows - 1))], pa.float64())
        wide = masked.append_column("_error", errors)
        return wide.append_column("_block", pa.array(np.full(masked.num_rows, block)))

    return treat


def fields(schema: pa.Schema, names: Sequence[str]) -> str:
    """Spark's words for the types of columns."""
    return ", ".join(f"{quoted(name)} {_TYPES.get(str(schema.field(name).type), 'string')}" for name in names)


def with_block(frame: Any, fitted: Fitted, keep: list[str], schema: pa.Schema) -> Any:
    """The columns ``row``, ``block`` and ``keep`` of the records of a Spark frame."""
    names = list(dict.fromkeys([*fitted.coding.names, *keep]))

    def label(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            block = pa.array(fitted.assign(batch))
            arrays = [batch.column("row"), block, *(batch.column(name) for name in keep)]
            yield pa.RecordBatch.from_arrays(arrays, names=["row", "block", *keep])

    return frame.select("row", *map(quoted, names)).mapInArrow(label, f"row long, block long, {fields(schema, keep)}")


def tasks_for(spark: Any, blocks: int) -> int:
    """Tasks of a shuffle: a few for every core, no more than blocks."""
    return max(1, min(blocks, 4 * int(spark.sparkContext.defaultParallelism)))


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _columns(state: Any) -> list[str]:
    coding = getattr(state, "coding", None)
    return list(coding.names) if coding else [*state.numeric, *state.categorical]
