"""Parquet."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def read(
    path: Path,
    *,
    encoding: str | None = None,
) -> pa.Table:
    """Read the whole file (see ``tacit.scale`` for files larger than memory)."""
    table = pq.read_table(path)
    # text that is not text would be noticed far from here
    table.validate(full=True)
    return table


def write(
    table: pa.Table,
    path: Path,
) -> None:
    """Write with the defaults of Arrow."""
    pq.write_table(table, path)
