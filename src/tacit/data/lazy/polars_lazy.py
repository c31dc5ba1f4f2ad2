"""polars LazyFrames: order of rows is that of the query."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from tacit.data.lazy.base import LazyFrame

BYTES = ("Binary", "Object")


class PolarsLazy(LazyFrame):
    """A ``polars.LazyFrame``."""

    kind = "polars LazyFrame"

    def columns(self) -> dict[str, str]:
        """The columns, and why one cannot be read."""
        found = {}
        for name, kind in self.frame.collect_schema().items():
            why = "lists or structures" if kind.is_nested() else ""
            found[name] = "bytes" if str(kind) in BYTES else why
        return found

    def records(self) -> int:
        """How many there are."""
        import polars as pl

        return int(self.frame.select(pl.len()).collect().item())

    def held(self, names: Sequence[str]) -> Any:
        """The columns as a polars DataFrame."""
        return self.frame.select(list(names)).collect()

    def write(self, names: Sequence[str], folder: Path) -> None:
        """The columns, streamed into one file."""
        folder.mkdir()
        chosen = self.frame.select(list(names))
        chosen.sink_parquet(folder / "part-0.parquet", maintain_order=True)

    def of_held(self, released: Any) -> Any:
        """A LazyFrame of a DataFrame, or of an Arrow table."""
        import polars as pl

        frame: Any = (
            pl.from_arrow(released) if isinstance(released, pa.Table) else released
        )
        return frame.lazy()

    def of_file(self, path: Path, schema: pa.Schema) -> Any:
        """A LazyFrame that reads the file when it is asked for."""
        import polars as pl

        return pl.scan_parquet(path)
