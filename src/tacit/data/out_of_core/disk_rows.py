"""Numbers of some columns of a file on the disk, read a run of records or a column at a time.

``rows[first:stop]`` and ``rows[:, j]`` are what they are of an array, so that a formula that goes
through an array run by run goes through a file, with the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from tacit.base.typing import Floats
from tacit.data.frames import NativeFrame
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata

NUMBER = 8
"""Bytes of a number."""
SPAN = 1 << 17
"""Records that are read at a time while the numbers are written."""


class Rows(Protocol):
    """An array of numbers (records, columns), or what reads like one."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Records and columns."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, at: Any, /) -> Any: ...


@dataclass(frozen=True)
class DiskRows:
    """One file of plain numbers for each column."""

    files: tuple[Path, ...]
    n: int

    @property
    def shape(self) -> tuple[int, int]:
        """Records and columns."""
        return self.n, len(self.files)

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, at: Any, /) -> Floats:
        """A run of records, or one column; the array is nobody else's."""
        if isinstance(at, tuple):
            _, column = at
            return np.fromfile(self.files[column], np.float64, self.n)
        first, stop, _ = at.indices(self.n)
        out = np.empty((stop - first, len(self.files)), order="F")
        for j, path in enumerate(self.files):
            out[:, j] = np.fromfile(
                path, np.float64, stop - first, offset=NUMBER * first
            )
        return out


def disk_rows(data: OnDisk, names: Sequence[str]) -> DiskRows:
    """``Microdata.numbers`` of a file on the disk; written once for the same columns."""
    table = data.disk.select(names)
    schema = data.closed(names).select(list(names))
    readers = tuple(table.readers[name] for name in names)
    key = (tuple(id(reader) for reader in readers), schema)
    kept = table.folder.kept.get(key)
    if kept is not None:
        rows: DiskRows = kept[0]
        return rows
    paths = tuple(table.folder.next_file() for _ in names)
    files = [path.open("wb") for path in paths]
    try:
        for piece in table.in_turn(SPAN, names):
            numbers = Microdata(piece, schema, NativeFrame.of(piece)).numbers(names)
            for file, column in zip(files, numbers.T, strict=True):
                file.write(np.ascontiguousarray(column).tobytes())
    finally:
        for file in files:
            file.close()
    found = DiskRows(paths, data.n)
    # the readers are kept, so that nobody else gets their identity
    table.folder.kept[key] = (found, readers)
    return found
