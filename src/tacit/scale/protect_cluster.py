"""The stages of a file on a Spark cluster: Parquet in, Parquet out, records never on the driver.

The driver sees ranges, counts and sums (``passes``), sends the tree to the executors, and they
group records by block (``groupBy(block).applyInArrow``). A record's number is its place in its
file plus the records of the files before it, so the release is in the order of the input and
its digest can be compared with that of any other engine.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tacit.base.spark_tasks import timed_group
from tacit.scale.block_fit import Fitted
from tacit.scale.digest import digest
from tacit.scale.engine.base import Cancel
from tacit.scale.parquet_folder import put_in_place, refuse_strange
from tacit.scale.price import price_of_blocks
from tacit.scale.request import Request
from tacit.scale.run_result import Clock
from tacit.scale.source import ParquetSource
from tacit.scale.source_cluster import (
    SparkEngine,
    SparkSource,
    fields,
    quoted,
    tasks_for,
    with_block,
)
from tacit.scale.treatment import Treatment, run_block

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

GROUP = 2_000_000
"""Records per core in a group of blocks: less than a minute of work, so that a longer run has
checkpoints."""
HEAD = 10_000
"""Records from which kinds and roles of columns are guessed: they come to the driver."""


class ClusterStages:
    """The stages of a Parquet file whose records stay on the executors.

    A part is a group: block b is in group b mod groups. Groups hold about ``GROUP`` records per
    core; they lie beside the release (``out``.work), where executors can write.
    """

    part_name = "group"

    def __init__(
        self,
        source: str,
        out: str,
        engine: SparkEngine,
        limit: int,
        folder: str | Path | None,
    ) -> None:
        self.engine = engine
        self.path = source
        self.spark = engine.session()
        self.source = SparkSource(self.spark, source)
        self.on_disk = "://" not in out
        self.out = str(Path(out).resolve()) if self.on_disk else out
        if self.on_disk:
            refuse_strange(Path(self.out))
        self.beside = f"{self.out}.work"
        # marks are on the driver's disk, also where the records are not
        self.folder = Path(self.beside if self.on_disk else Path(self.beside).name)

    def head(self) -> pa.Table:
        """The first records."""
        return self.source.frame.limit(HEAD).toArrow()

    def identity(self) -> dict[str, object]:
        """The files; groups of a cluster are no bins of a machine."""
        return {"input": self.source.files, "engine": self.engine.name}

    def prepare(
        self,
        treatment: Treatment,
        fitted: Fitted,
    ) -> None:
        """Say which block every record is in; Spark computes it when it is asked for."""
        self.treatment = treatment
        self.fitted = fitted
        columns = list(treatment.columns)
        numbered = self.source.numbered()
        self.labelled = with_block(numbered, fitted, columns, self.source.schema)

    def spill(self) -> int:
        """Write the records by group; a file of one group is not written again."""
        cores = int(self.spark.sparkContext.defaultParallelism)
        # rounded up
        groups = -(-self.fitted.n // (GROUP * cores))
        if groups > 1:
            grouped = self.labelled.selectExpr("*", f"block % {groups} AS group")
            writer = grouped.write.partitionBy("group").mode("overwrite")
            writer.parquet(f"{self.beside}/spill")
        return groups

    def treat(
        self,
        part: int,
        parts: int,
        cancel: Cancel | None,
    ) -> object:
        """Treat the blocks of a group where their records are."""
        records = self.labelled
        if parts > 1:
            records = self.spark.read.parquet(f"{self.beside}/spill/group={part}")
        tasks = tasks_for(self.spark, len(self.fitted.splitter.sizes))
        types = fields(self.source.schema, self.treatment.columns)
        masked = (
            records.repartition(tasks, "block")
            .groupBy("block")
            .applyInArrow(
                timed_group(self.spark, treat_group(self.treatment)),
                f"row long, {types}, _error double, _block long",
            )
        )
        masked.write.mode("overwrite").parquet(self._group(part))
        return None

    def discard(self, part: int) -> None:
        """Spilled groups go with the folder, at the end."""

    def errors(self, kept: Sequence[object]) -> list[float]:
        """Squared errors, read from the first record of every block."""
        # one number per block comes to the driver
        first = self._masked(len(kept)).where("_error IS NOT NULL")
        by_block = first.select("_block", "_error").toArrow().sort_by("_block")
        errors: list[float] = by_block.column("_error").to_pylist()
        return errors

    def write(
        self,
        drop: Sequence[str],
        parts: int,
        clock: Clock,
    ) -> str:
        """Write one Parquet file per task, in order of record number."""
        columns = self.treatment.columns
        released = [name for name in self.source.schema.names if name not in drop]
        unmasked = [name for name in released if name not in columns]
        release = self._masked(parts).drop("_error", "_block")
        # the columns that were not masked never went through the groups
        if unmasked:
            others = self.source.numbered().select("row", *map(quoted, unmasked))
            release = release.join(others, "row")
        ranges = release.repartitionByRange(tasks_for(self.spark), "row")
        ordered = ranges.sortWithinPartitions("row").select(*map(quoted, released))
        # on a disk the release appears when it is whole; an object store has ways of its own
        target = f"{self.beside}/release" if self.on_disk else self.out
        # the ranges of the tasks follow one another, so the files do, too
        ordered.write.mode("overwrite").parquet(target)
        if self.on_disk:
            old = Path(self.beside, "old")
            # of a run that was killed while it put the release in place
            shutil.rmtree(old, ignore_errors=True)
            put_in_place(Path(target), Path(self.out), old)
        clock.lap("merge")
        if not self.on_disk:
            # the driver would have to fetch the whole release
            return ""
        chunks = ParquetSource(Path(self.out)).chunks(list(columns))
        hexdigest = digest((table for _, table in chunks), columns)
        clock.lap("digest")
        return hexdigest

    def price(
        self,
        request: Request,
        size: int,
    ) -> dict[str, float] | None:
        """The loss of a sample, which the driver reads; None: it cannot, as on an object store."""
        if "://" in self.path:
            return None
        return price_of_blocks(ParquetSource(Path(self.path)), request, size)

    def clean(self) -> None:
        """Remove the groups from wherever Spark can write: a disk, hdfs, an object store."""
        path = self.spark._jvm.org.apache.hadoop.fs.Path(self.beside)
        files = path.getFileSystem(self.spark._jsc.hadoopConfiguration())
        files.delete(path, True)

    def _group(self, part: int) -> str:
        return f"{self.beside}/group-{part}"

    def _masked(self, parts: int) -> DataFrame:
        groups = [self._group(part) for part in range(parts)]
        return self.spark.read.parquet(*groups)


def treat_group(
    treatment: Treatment,
) -> Callable[[tuple[pa.Scalar, ...], pa.Table], pa.Table]:
    """The function that executors run on a block.

    Its squared error travels with the block's first record.
    """

    def treat(
        key: tuple[pa.Scalar, ...],
        table: pa.Table,
    ) -> pa.Table:
        # Spark gives the key as an Arrow scalar or as a number, by its version
        block = int(key[0].as_py() if hasattr(key[0], "as_py") else key[0])
        masked, error = run_block(treatment, block, table.drop_columns(["block"]))
        rest = [None] * (masked.num_rows - 1)
        errors = pa.array([error, *rest], pa.float64())
        blocks = pa.array(np.full(masked.num_rows, block))
        with_error = masked.append_column("_error", errors)
        return with_error.append_column("_block", blocks)

    return treat
