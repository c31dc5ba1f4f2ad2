"""Numbers that come in any order, put at their rows: an external permutation.

Two passes: each item sorts its numbers by the piece of rows in which they belong, and each piece
then puts those that came at their places. Memory: one item, one piece.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.base.typing import Ints
from tacit.data.io.disk_table import SpillFolder
from tacit.data.out_of_core import pieces
from tacit.data.out_of_core.grouped_files import GroupedFiles, write_grouped
from tacit.data.out_of_core.number_files import (
    NumberFiles,
    NumberSource,
    write_numbers,
)
from tacit.data.out_of_core.pieces import mapped, spans

RowsAndNumbers = tuple[Ints, npt.NDArray[Any]]


@dataclass(frozen=True)
class Numbered:
    """Rows that stand in some order, and their places in it; an item is a span of it."""

    rows: NumberSource

    def __call__(self, item: tuple[int, int]) -> RowsAndNumbers:
        """(rows, places) of a span."""
        return self.rows.read(*item), np.arange(*item)


@dataclass(frozen=True)
class Moved:
    """Numbers in row order, and the place to which each row goes; an item is a span of rows."""

    place: NumberSource
    numbers: NumberSource

    def __call__(self, item: tuple[int, int]) -> RowsAndNumbers:
        """(places, numbers) of a span."""
        return self.place.read(*item), self.numbers.read(*item)


@dataclass(frozen=True)
class _Scatter:
    """Item: (what the work takes, file). Writes its numbers by the piece of their rows."""

    work: Callable[[Any], RowsAndNumbers]
    length: int
    targets: int
    dtype: Any

    def __call__(self, item: tuple[Any, Path]) -> Ints:
        what, path = item
        rows, numbers = self.work(what)
        records = np.empty(len(rows), self.dtype)
        target = rows // self.length
        records["place"] = rows - target * self.length
        records["number"] = numbers
        return write_grouped(path, records, target, self.targets)


@dataclass(frozen=True)
class _Gather:
    """Item: (number of the piece, its length, file). Puts numbers at their rows."""

    grouped: GroupedFiles
    missing: float

    def __call__(self, item: tuple[int, int, Path]) -> int:
        target, length, path = item
        records = self.grouped.read(target)
        out = np.full(length, self.missing, self.grouped.dtype["number"])
        out[records["place"]] = records["number"]
        return write_numbers(path, out)


def placed(
    work: Callable[[Any], RowsAndNumbers],
    items: Sequence[Any],
    n: int,
    folder: SpillFolder,
    *,
    missing: float = np.nan,
    dtype: str = "<f8",
) -> NumberFiles:
    """Numbers at their rows.

    Parameters
    ----------
    work : function
        From an item to (rows, numbers); it and the items can be sent to a worker.
    items : sequence
        What the work is done on; together they name no row twice.
    n : int
        Rows of the file.
    folder : SpillFolder
        Where files are written.
    missing : float
        What stands at a row that nobody names.
    dtype : str
        Type of the numbers.
    """
    length = pieces.PIECE
    record = np.dtype([("place", "<u4"), ("number", dtype)])
    targets = spans(n, length)
    scatter = _Scatter(work, length, len(targets), record)
    files = [folder.next_file() for _ in items]
    starts = mapped(scatter, list(zip(items, files, strict=True)))
    grouped = GroupedFiles.of(files, starts, len(targets), record)
    gather = _Gather(grouped, missing)
    wanted = [
        (number, stop - first, folder.next_file())
        for number, (first, stop) in enumerate(targets)
    ]
    lengths = mapped(gather, wanted)
    grouped.remove()
    return NumberFiles(tuple(path for _, _, path in wanted), tuple(lengths), dtype)
