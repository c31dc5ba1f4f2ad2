"""Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tacit.data.io.disk_table import DiskTable


def read(
    path: Path,
    *,
    encoding: str | None = None,
) -> pa.Table:
    """Read the whole file (see ``tacit.data.io.on_disk`` for files larger than memory)."""
    table = pq.read_table(path)
    # text that is not text would be noticed far from here
    table.validate(full=True)
    return table


# records of a row group: what Arrow takes, said here because bytes must not depend on its version
ROW_GROUP = 1024 * 1024
# columns of which a row group of that many records is held easily; of more it has fewer records
COLUMNS = 32

OF_SPARK = b"org.apache.spark"


def write(
    table: pa.Table | DiskTable,
    path: Path,
) -> None:
    """Write with the defaults of Arrow; a table on the disk gives the same bytes."""
    schema = _of_this_file(table.schema)
    with pq.ParquetWriter(path, schema) as writer:
        for group in _row_groups(table):
            whole = group.replace_schema_metadata(schema.metadata)
            writer.write_table(whole, row_group_size=ROW_GROUP)


def _of_this_file(schema: pa.Schema) -> pa.Schema:
    """Without what Spark noted of the file that was read: names and types of its columns, which
    Spark believes more than the columns themselves, and which may be gone."""
    notes = schema.metadata or {}
    kept = {key: note for key, note in notes.items() if not key.startswith(OF_SPARK)}
    return schema.with_metadata(kept or None)


def _row_groups(table: pa.Table | DiskTable) -> Iterator[pa.Table]:
    length = ROW_GROUP * COLUMNS // max(COLUMNS, table.num_columns)
    if isinstance(table, DiskTable):
        yield from table.in_turn(length)
        return
    # pages end where chunks do: how the file was read must not be seen in what is written
    for first in range(0, max(table.num_rows, 1), length):
        yield table.slice(first, length).combine_chunks()
