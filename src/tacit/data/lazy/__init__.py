"""Frames that hold no records until they are asked for: Spark, polars LazyFrame, DuckDB.

One file per kind. ``of`` recognises a frame by the name of its type, so that none of the three
libraries is imported by us; ``reading.read`` takes its records into memory, or onto the disk where
they do not fit, and what is masked is given back as the same kind of frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from tacit.data.lazy.base import LazyFrame
from tacit.data.out_of_core import pieces

# (first word of the module of its type, name of the type) -> the class that reads it
KINDS = {
    ("pyspark", "DataFrame"): "spark:SparkFrame",
    ("polars", "LazyFrame"): "polars_lazy:PolarsLazy",
    ("duckdb", "DuckDBPyRelation"): "duckdb_relation:DuckDBRelation",
    ("_duckdb", "DuckDBPyRelation"): "duckdb_relation:DuckDBRelation",
}

TABLE = "table:"
"""How the name of a table begins where a file could stand (``tacit.scale.table_names``)."""


def is_file(source: object) -> bool:
    """Is it the path of a file, and neither a table nor a frame?"""
    named = isinstance(source, str | Path)
    return named and not str(source).startswith(TABLE)


def described(source: object) -> str:
    """A table by its name, a frame by its kind: what a manifest says of it.

    >>> described("table:survey.people")
    'table:survey.people'
    """
    if isinstance(source, str | Path):
        return str(source)
    unread = of(source)
    return f"frame: {type(source).__name__ if unread is None else unread.kind}"


def of(frame: object) -> LazyFrame | None:
    """The frame as one that is read when needed; None: its records are here already."""
    kind = type(frame)
    found = KINDS.get((kind.__module__.partition(".")[0], kind.__name__))
    if found is None:
        return None
    module, _, name = found.partition(":")
    made = getattr(import_module(f"{__name__}.{module}"), name)
    lazy: LazyFrame = made(frame)
    return lazy


@contextmanager
def workers_of(frame: object) -> Iterator[None]:
    """Pieces of a large file are done by the workers of this frame, if it has any."""
    unread = of(frame)
    if (
        unread is None
        or not unread.has_workers
        or pieces.mapper() is not pieces.one_by_one
    ):
        yield
        return
    with pieces.mapped_by(unread.map):
        yield
