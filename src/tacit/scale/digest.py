"""A digest of the masked columns, by which the releases of two engines are compared."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

# ASCII's unit separator: no text of a column holds it by accident
_SEPARATOR = "\x1f"


class Hasher:
    """SHA-256 of columns in record order; the same for any chunking and any file layout."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.values = {name: hashlib.sha256() for name in self.names}
        self.missing = {name: hashlib.sha256() for name in self.names}
        self.with_missing: set[str] = set()

    def add(self, table: pa.Table) -> None:
        """Add the next records."""
        for name in self.names:
            column = table.column(name)
            # numbers by their bytes, everything else by its text
            if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
                # where values are missing is hashed apart: what lies below a null is not ours
                self.missing[name].update(np.asarray(column.is_null()).tobytes())
                if column.null_count:
                    self.with_missing.add(name)
                numbers = np.ascontiguousarray(column.fill_null(0).to_numpy())
                self.values[name].update(numbers.tobytes())
            else:
                cells = [f"{value}{_SEPARATOR}" for value in column.to_pylist()]
                self.values[name].update("".join(cells).encode())

    def hexdigest(self) -> str:
        """The digest of all records added so far."""
        whole = hashlib.sha256()
        # a file without missing values has the digest of its values alone
        for name in self.names:
            whole.update(name.encode() + self.values[name].digest())
            if name in self.with_missing:
                whole.update(self.missing[name].digest())
        return whole.hexdigest()


def digest(
    tables: Iterable[pa.Table],
    names: Sequence[str],
) -> str:
    """The digest of these columns of a file, given as chunks in record order."""
    hasher = Hasher(names)
    for table in tables:
        hasher.add(table)
    return hasher.hexdigest()
