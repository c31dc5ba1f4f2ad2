"""DuckDB relations: order of rows is that of the query, as DuckDB keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tacit.data.lazy.base import LazyFrame

NESTED = ("STRUCT", "MAP", "UNION", "LIST", "INTERVAL", "VARIANT")
# records at a time
BATCH = 65_536
BYTES = ("BLOB", "BIT", "GEOMETRY")


class DuckDBRelation(LazyFrame):
    """A relation of a DuckDB connection; what comes back is one of the same connection."""

    kind = "DuckDB relation"

    def columns(self) -> dict[str, str]:
        """The columns, and why one cannot be read."""
        found = {}
        for name, kind in zip(self.frame.columns, self.frame.types, strict=True):
            word = str(kind)
            why = (
                "lists or structures" if word.startswith(NESTED) or "[" in word else ""
            )
            found[name] = "bytes" if word.startswith(BYTES) else why
        return found

    def records(self) -> int:
        """How many there are."""
        return int(self.frame.count("*").fetchall()[0][0])

    def held(self, names: Sequence[str]) -> Any:
        """The columns as an Arrow table."""
        return self._chosen(names).to_arrow_table()

    def write(self, names: Sequence[str], folder: Path) -> None:
        """The columns, streamed into one file."""
        folder.mkdir()
        chosen = self._chosen(names)
        # the older name of the same
        read = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_arrow_reader
        batches = read(BATCH)
        # by Arrow: DuckDB would write other types of columns than it gives in memory
        with pq.ParquetWriter(folder / "part-0.parquet", batches.schema) as writer:
            for batch in batches:
                writer.write_batch(batch)

    def of_held(self, released: Any) -> Any:
        """A relation that reads the Arrow table."""
        # DuckDB finds the table by the name of the parameter, and keeps it
        return self.frame.query("tacit_original", "select * from released")

    def of_file(self, path: Path, schema: pa.Schema) -> Any:
        """A relation that reads the file when it is asked for."""
        quoted = str(path).replace("'", "''")
        return self.frame.query(
            "tacit_original", f"select * from read_parquet('{quoted}')"
        )

    def _chosen(self, names: Sequence[str]) -> Any:
        quoted = ['"' + name.replace('"', '""') + '"' for name in names]
        return self.frame.project(", ".join(quoted))
