"""Numbers of some columns of a file on the disk, read a run of records or a column at a time.

``rows[first:stop]`` and ``rows[:, j]`` are what they are of an array, so that a formula that goes
through an array run by run goes through a file, with the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import SpillFolder
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.data.out_of_core.lexical_order import lexical_order
from tacit.data.out_of_core.number_files import NumberFiles
from tacit.data.out_of_core.order_counts import at_rising
from tacit.data.out_of_core.sorting import SortedNumbers, sorted_numbers

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
    folder: SpillFolder = field(compare=False, repr=False)
    """Where what is made of them is written."""

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

    def source(self, column: int) -> NumberFiles:
        """One column as numbers in row order, to be read a span at a time."""
        return NumberFiles((self.files[column],), (self.n,))

    def ordered(self, column: int) -> SortedNumbers:
        """The values of one column in rising order; sorted once for all who ask."""
        # files of numbers are never written again, so the path says what was sorted
        key = ("sorted", self.files[column])
        found: SortedNumbers | None = self.folder.kept.get(key)
        if found is None:
            found = sorted_numbers(self.source(column), self.folder)
            self.folder.kept[key] = found
        return found

    def take(self, rows: Ints) -> Floats:
        """Some records, in any order, read in the order of the file."""
        order = np.argsort(rows, kind="stable")
        out = np.empty((len(rows), len(self.files)))
        for j, _ in enumerate(self.files):
            out[order, j] = at_rising(self.source(j), rows[order])
        return out


def value_order(files: Sequence[DiskRows]) -> NumberFiles:
    """The rows in the order of all columns of these files, which stand side by side; made once."""
    folder = files[0].folder
    key = ("value order", *(one.files for one in files))
    found: NumberFiles | None = folder.kept.get(key)
    if found is None:
        columns = [one.source(j) for one in files for j, _ in enumerate(one.files)]
        found = lexical_order(columns, folder)
        folder.kept[key] = found
    return found


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
    found = DiskRows(paths, data.n, table.folder)
    # the readers are kept, so that nobody else gets their identity
    table.folder.kept[key] = (found, readers)
    return found
