"""A Parquet file on a cluster: passes that are added up by the executors, numbered records, and their blocks."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.large.fit import Fitted, P
from tacit.large.passes import Tally
from tacit.large.source import parquet_files

_TYPES = {"double": "double", "float": "float", "int64": "long", "int32": "int", "int16": "short", "int8": "byte"}
_ABOUT = ("file_path", "file_size", "file_modification_time")


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
        """One distributed reading; what comes back are sums, not records. A ``Tally`` is added up by the executors, of
        other passes a small state a task comes back."""
        from pyspark.sql import functions as F

        blank = pickle.dumps(state)
        wanted = self.frame.select(*map(quoted, state.reads))

        def part_of(batches: Iterator[pa.RecordBatch]) -> Any:
            part = pickle.loads(blank)
            for batch in batches:
                part.add(pa.Table.from_batches([batch]))
            return part

        if isinstance(state, Tally):
            sums = [f"s{i}" for i in range(state.rows()[1].shape[1])]

            def tally(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
                key, values = part_of(batches).rows()
                yield pa.RecordBatch.from_arrays([pa.array(a) for a in (key, *values.T)], names=["key", *sums])

            parts = wanted.mapInArrow(tally, ", ".join(f"{name} long" for name in ("key", *sums)))
            whole = (
                parts.repartition(tasks_for(self.spark), "key").groupBy("key").agg(*(F.sum(s).alias(s) for s in sums))
            )
            found = whole.toArrow()
            state.put(np.asarray(found["key"]), np.column_stack([np.asarray(found[s]) for s in sums]))
            return state

        def small(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            yield pa.RecordBatch.from_pydict({"state": pa.array([pickle.dumps(part_of(batches))], pa.binary())})

        for row in wanted.mapInArrow(small, "state binary").collect():
            state.merge(pickle.loads(bytes(row["state"])))
        return state

    @cached_property
    def files(self) -> list[tuple[str, int, int, str]]:
        """Path, records, bytes and time of change of every file, in the order that numbers the records."""
        about = self.frame.selectExpr(*(f"_metadata.{name} AS {name}" for name in _ABOUT))
        found = about.groupBy(*_ABOUT).count().collect()
        return sorted((f[0], int(f["count"]), int(f[1]), str(f[2])) for f in found)

    def numbered(self) -> Any:
        """The records with their number in the column ``row``."""
        from pyspark.sql import functions as F

        before = np.cumsum([0, *(records for _, records, _, _ in self.files)]).tolist()
        first = [(file[0], row) for file, row in zip(self.files, before[:-1], strict=True)]
        offsets = self.spark.createDataFrame(first, "_file string, _first long")
        return (
            self.frame.select("*", F.expr("_metadata.file_path AS _file"), F.expr("_metadata.row_index AS _at"))
            .join(F.broadcast(offsets), "_file")
            .withColumn("row", F.col("_first") + F.col("_at"))
            .drop("_file", "_first", "_at")
        )


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


def tasks_for(spark: Any, blocks: int | None = None) -> int:
    """Tasks of a shuffle: a few for every core, no more than blocks."""
    tasks = 4 * int(spark.sparkContext.defaultParallelism)
    return tasks if blocks is None else max(1, min(blocks, tasks))


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
