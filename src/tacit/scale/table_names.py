"""Tables by name: ``table:db.name`` of Spark's catalog, ``table:survey.duckdb:people`` of a file.

A named table is read as the frame that it is (``tacit.data.lazy``), in memory if it fits and else
from the disk.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tacit.base.errors import InputError, MissingExtra
from tacit.data.lazy import TABLE
from tacit.scale.engine.base import Engine

# endings of files that DuckDB writes
FILES = (".duckdb", ".ddb", ".db")
_KIND_OF_ERROR = re.compile(r"^\w+ Error: ")


def is_table(source: object) -> bool:
    """Does somebody name a table?

    >>> is_table("table:survey.people"), is_table("survey.parquet")
    (True, False)
    """
    return isinstance(source, str | Path) and str(source).startswith(TABLE)


def frame_of(source: str | Path, engine: Engine | None) -> Any:
    """The table as a frame whose records are read when they are asked for."""
    name = str(source).removeprefix(TABLE)
    file, _, inner = name.rpartition(":")
    if file.endswith(FILES):
        return _of_file(source, Path(file), inner)
    frame = engine.table(name) if engine is not None else None
    if frame is None:
        raise InputError(
            f"{source}: a table of a catalog is read by Spark: give --engine (local[2], "
            "spark://..., yarn); a table of a DuckDB file is table:FILE.duckdb:NAME"
        )
    return frame


def _of_file(source: str | Path, file: Path, name: str) -> Any:
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("duckdb", "duckdb", "a table of a DuckDB file") from None
    if not file.exists():
        raise InputError(f"{source}: there is no file {file}")
    try:
        return duckdb.connect(str(file), read_only=True).table(name)
    except duckdb.Error as error:
        raise InputError(f"{source}: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    """What an engine says, without its trace."""
    return _KIND_OF_ERROR.sub("", str(error).splitlines()[0]).rstrip(".!")
