"""Parquet."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def read(path: Path, *, encoding: str | None = None) -> pa.Table:
    """Read the whole file (see ``tacit.large`` for files larger than memory)."""
    return pq.read_table(path)


def write(table: pa.Table, path: Path) -> None:
    """Write with the defaults of Arrow."""
    pq.write_table(table, path)
