"""Spark DataFrames, by the session that they have.

A Spark DataFrame has no order of rows. Ours is that of its partitions, and of the rows in each, at
the moment when it was read; ``reading.read`` reads a DataFrame once, so that what is protected and
what is assessed stand in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from tacit.base.errors import InputError
from tacit.base.spark_tasks import one_sentence, spread
from tacit.data.lazy.base import LazyFrame

# what a column can hold: names of Spark's types, without their parameters
SIMPLE = (
    *("string", "varchar", "char", "boolean"),
    *("tinyint", "smallint", "int", "bigint", "float", "double", "decimal"),
    *("date", "timestamp", "timestamp_ntz"),
)
# how Spark writes moments in Parquet; by default it takes a form that only it can tell from others
MOMENTS = ("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")


class SparkFrame(LazyFrame):
    """A Spark DataFrame."""

    kind = "Spark DataFrame"
    has_workers = True

    def columns(self) -> dict[str, str]:
        """The columns, and why one cannot be read."""
        found = {}
        for field in self.frame.schema.fields:
            word = field.dataType.simpleString()
            why = "bytes" if word == "binary" else "lists or structures"
            found[field.name] = "" if word.partition("(")[0] in SIMPLE else why
        return found

    def records(self) -> int:
        """How many there are."""
        with one_sentence():
            return int(self.frame.count())

    def held(self, names: Sequence[str]) -> pa.Table:
        """The columns as an Arrow table; moments are those of Greenwich."""
        with one_sentence():
            table = self._chosen(names).toArrow()
        for place, field in enumerate(table.schema):
            if pa.types.is_timestamp(field.type) and field.type.tz is not None:
                moments = table.column(place).cast(pa.timestamp("us", "UTC"))
                table = table.set_column(place, field.name, moments)
        return table.replace_schema_metadata(None)

    def write(self, names: Sequence[str], folder: Path) -> None:
        """The columns, written by the workers, one file per partition."""
        with one_sentence(), _setting(self.frame.sparkSession, *MOMENTS):
            self._chosen(names).write.parquet(folder.as_uri())
        if not (folder / "_SUCCESS").exists():
            raise InputError(
                f"{folder}: what the workers of Spark wrote there is not seen here; set "
                "TACIT_SCRATCH to a folder that all of them and this machine share"
            )

    def of_held(self, released: Any) -> Any:
        """A DataFrame of an Arrow table."""
        from pyspark.sql.pandas.types import from_arrow_schema

        plain = [
            field.type.value_type if pa.types.is_dictionary(field.type) else field.type
            for field in released.schema
        ]
        schema = pa.schema(list(zip(released.column_names, plain, strict=True)))
        # times of a wall clock stay such times
        of_spark = from_arrow_schema(schema, prefer_timestamp_ntz=True)
        return self.frame.sparkSession.createDataFrame(released.cast(schema), of_spark)

    def of_file(self, path: Path, schema: pa.Schema) -> Any:
        """A DataFrame that reads the file when it is asked for."""
        return self.frame.sparkSession.read.parquet(path.as_uri())

    def map(
        self, work: Callable[[Any], Any], items: Sequence[Any]
    ) -> Iterator[tuple[int, Any]]:
        """By the workers of the session."""
        return spread(self.frame.sparkSession, work, items, range(len(items)))

    def _chosen(self, names: Sequence[str]) -> Any:
        # quoted: a dot in a name is no path into a structure
        return self.frame.select(*[f"`{name.replace('`', '``')}`" for name in names])


@contextmanager
def _setting(session: Any, name: str, value: str) -> Iterator[None]:
    """A setting of the session that is what it was afterwards."""
    before = session.conf.get(name, None)
    session.conf.set(name, value)
    try:
        yield
    finally:
        if before is None:
            session.conf.unset(name)
        else:
            session.conf.set(name, before)
