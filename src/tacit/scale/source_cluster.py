"""A Parquet file on a cluster: passes added up by the executors, numbered records, their blocks."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow as pa

from tacit.base.spark_tasks import timed
from tacit.scale.block_fit import Fitted, P
from tacit.scale.engine.apache_spark import TASKS_PER_CORE
from tacit.scale.engine.base import Engine
from tacit.scale.passes import Tally
from tacit.scale.source import parquet_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Arrow's words for types and Spark's; every other type travels as text
_TYPES = {
    "double": "double",
    "float": "float",
    "int64": "long",
    "int32": "int",
    "int16": "short",
    "int8": "byte",
}
# what Spark knows about the file of a record
_ABOUT = ("file_path", "file_size", "file_modification_time")


class SparkEngine(Engine, Protocol):
    """An engine with a Spark session."""

    def session(self) -> SparkSession:
        """The session."""
        ...


@dataclass
class SparkSource:
    """Parquet that executors can read: a file, a folder, or a URL such as hdfs://host/survey."""

    spark: SparkSession
    path: str

    def __post_init__(self) -> None:
        self.name = str(self.path)
        if "://" not in self.name:
            # the same sentences as on one machine for a file that is not there
            parquet_files(Path(self.name))
            self.name = str(Path(self.name).resolve())
        # folders within folders hold records too, as they do on one machine
        reader = self.spark.read.option("recursiveFileLookup", "true")
        self.frame = reader.parquet(self.name)
        # Spark's own schema in Arrow's words, without reading a record
        self.schema: pa.Schema = self.frame.limit(0).toArrow().schema

    def learn(self, state: P) -> P:
        """One distributed reading; what comes back are sums, not records.

        A ``Tally`` is added up by the executors; of other passes a small state per task comes
        back.
        """
        wanted = self.frame.select(*map(quoted, state.reads))
        if isinstance(state, Tally):
            self._add_up(wanted, state)
        else:
            self._collect(wanted, state)
        return state

    def _add_up(
        self,
        wanted: DataFrame,
        state: Tally,
    ) -> None:
        """Sums by key: the driver gets one row per key, however many tasks there were."""
        from pyspark.sql import functions as F

        blank = pickle.dumps(state)
        _, nothing = state.rows()
        sums = [f"s{i}" for i in range(nothing.shape[1])]

        def tally(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            # one row per key of this task
            key, values = _fill(pickle.loads(blank), batches).rows()
            arrays = [pa.array(column) for column in (key, *values.T)]
            yield pa.RecordBatch.from_arrays(arrays, names=["key", *sums])

        types = ", ".join(f"{name} long" for name in ("key", *sums))
        by_task = wanted.mapInArrow(timed(self.spark, tally), types)
        by_key = by_task.repartition(tasks_for(self.spark), "key").groupBy("key")
        added = [F.sum(name).alias(name) for name in sums]
        whole = by_key.agg(*added).toArrow()
        columns = [np.asarray(whole[name]) for name in sums]
        state.put(np.asarray(whole["key"]), np.column_stack(columns))

    def _collect(
        self,
        wanted: DataFrame,
        state: P,
    ) -> None:
        """States of the tasks, merged on the driver."""
        blank = pickle.dumps(state)

        def small(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            part = pickle.dumps(_fill(pickle.loads(blank), batches))
            one_row = pa.array([part], pa.binary())
            yield pa.RecordBatch.from_arrays([one_row], names=["state"])

        states = wanted.mapInArrow(timed(self.spark, small), "state binary")
        for row in states.collect():
            state.merge(pickle.loads(bytes(row["state"])))

    @cached_property
    def files(self) -> list[tuple[str, int, int, str]]:
        """Path, records, bytes and time of change of every file.

        They are in the order that numbers the records.
        """
        columns = [f"_metadata.{name} AS {name}" for name in _ABOUT]
        about = self.frame.selectExpr(*columns)
        rows = about.groupBy(*_ABOUT).count().collect()
        files = []
        for row in rows:
            path, size, changed = row[0], int(row[1]), str(row[2])
            files.append((path, int(row["count"]), size, changed))
        return sorted(files)

    def numbered(self) -> DataFrame:
        """The records with their number in the column ``row``."""
        from pyspark.sql import functions as F

        # the number of a file's first record: the records of the files before it
        records = [count for _, count, _, _ in self.files]
        before = np.cumsum([0, *records])[:-1].tolist()
        paths = [path for path, _, _, _ in self.files]
        first = list(zip(paths, before, strict=True))
        offsets = self.spark.createDataFrame(first, "_file string, _first long")
        placed = self.frame.select(
            "*",
            F.expr("_metadata.file_path AS _file"),
            F.expr("_metadata.row_index AS _at"),
        )
        # the offsets are a row per file: sent to every task, so that no record moves
        joined = placed.join(F.broadcast(offsets), "_file")
        numbered = joined.withColumn("row", F.col("_first") + F.col("_at"))
        return numbered.drop("_file", "_first", "_at")


def _fill(
    state: P,
    batches: Iterator[pa.RecordBatch],
) -> P:
    """On an executor: the fresh state of a task reads the records of the task."""
    for batch in batches:
        state.add(pa.Table.from_batches([batch]))
    return state


def fields(
    schema: pa.Schema,
    names: Sequence[str],
) -> str:
    """Spark's words for the types of columns."""
    types = {name: str(schema.field(name).type) for name in names}
    return ", ".join(
        f"{quoted(name)} {_TYPES.get(kind, 'string')}" for name, kind in types.items()
    )


def with_block(
    frame: DataFrame,
    fitted: Fitted,
    keep: list[str],
    schema: pa.Schema,
) -> DataFrame:
    """The columns ``row``, ``block`` and ``keep`` of the records of a Spark frame."""
    names = list(dict.fromkeys([*fitted.coding.names, *keep]))

    def label(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            block = pa.array(fitted.assign(batch))
            kept = [batch.column(name) for name in keep]
            arrays = [batch.column("row"), block, *kept]
            yield pa.RecordBatch.from_arrays(arrays, names=["row", "block", *keep])

    wanted = frame.select("row", *map(quoted, names))
    types = f"row long, block long, {fields(schema, keep)}"
    return wanted.mapInArrow(timed(frame.sparkSession, label), types)


def tasks_for(
    spark: SparkSession,
    blocks: int | None = None,
) -> int:
    """Tasks of a shuffle: a few for every core, no more than blocks."""
    tasks = TASKS_PER_CORE * int(spark.sparkContext.defaultParallelism)
    return tasks if blocks is None else max(1, min(blocks, tasks))


def quoted(name: str) -> str:
    """A column's name as Spark's SQL reads it."""
    return "`" + name.replace("`", "``") + "`"
