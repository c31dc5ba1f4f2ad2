"""The rows of a file in the order of several columns: by the first, equal ones by the second, ...

A file is sorted by its last column first. Each further sort, by the column before, breaks ties by
the place that a record had in the sort before it, so that it is as good as stable; after the first
column the order is that of ``numpy.lexsort``, missing values last, and records that agree on all
columns in the order of their rows. No two records tie, so that a value that half of the records
have is cut into pieces, too. Memory: pieces; passes: seven for each column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tacit.base.typing import Floats
from tacit.data.io.disk_table import SpillFolder
from tacit.data.out_of_core.number_files import NumberFiles, NumberSource
from tacit.data.out_of_core.sorting import sorted_numbers

Bits = npt.NDArray[np.uint64]
_SIGN = np.uint64(1 << 63)


def rising_bits(values: Floats) -> Bits:
    """Whole numbers that rise as the values do; missing values are the highest.

    >>> np.argsort(rising_bits(np.array([1.0, np.nan, -2.0, 0.5]))).tolist()
    [2, 3, 0, 1]
    """
    # adding 0 turns -0.0 into 0.0
    bits = (values + 0.0).view(np.uint64)
    rising = np.where(bits & _SIGN, ~bits, bits | _SIGN)
    return np.where(np.isnan(values), ~np.uint64(0), rising)


@dataclass(frozen=True)
class Rising:
    """A column as whole numbers that rise with it."""

    column: NumberSource

    @property
    def n(self) -> int:
        """Rows of the file."""
        return self.column.n

    def read(self, first: int, stop: int) -> Bits:
        """Those from ``first`` up to ``stop``."""
        return rising_bits(self.column.read(first, stop))


@dataclass(frozen=True)
class _Places:
    """Where each record stood in the sort before, as tie-breaker."""

    ranks: NumberFiles

    def __call__(self, first: int, stop: int) -> Bits:
        return self.ranks.read(first, stop).astype(np.uint64)


def lexical_order(columns: Sequence[NumberSource], folder: SpillFolder) -> NumberFiles:
    """The rows in the order of these columns, the first of which counts most.

    Parameters
    ----------
    columns : sequence of NumberSource
        Numbers in row order; NaN is missing.
    folder : SpillFolder
        Where files are written.
    """
    ranks: NumberFiles | None = None
    for place, column in reversed(list(enumerate(columns))):
        ties = None if ranks is None else _Places(ranks)
        ordered = sorted_numbers(Rising(column), folder, ties=ties, dtype="<u8")
        if ranks is not None:
            ranks.remove()
        if not place:
            ordered.values.remove()
            return ordered.rows
        ranks = ordered.ranks(folder, "first")
        ordered.remove()
    raise ValueError("an order needs a column")
