"""The range of every column, and exact, order-free statistics of a file read in chunks.

A value is replaced by its code: its place in the column's range, cut into 2^32 cells. Sums of
codes and of their squares are integers. They do not depend on the order in which records are
added, as sums of floating-point numbers do, so a mean or standard deviation made of them is
the same number on one machine and on many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.base.errors import InputError
from tacit.base.typing import Floats, Ints
from tacit.kernels.trees.orthtree import BITS, codes, moments

Chunks = Callable[[], Iterator[Floats]]
"""A file that can be read again and again, in chunks of float64 (rows, d)."""

# rows of an array that are worked on at a time: codes of the whole file are never held
CHUNK_ROWS = 1 << 18


def chunks_of(
    values: ArrayLike,
    size: int = CHUNK_ROWS,
) -> Chunks:
    """An array as chunks (views, no copies of the whole)."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2:
        raise InputError("a partition needs a table of numbers with rows and columns")
    # an empty array is one empty chunk, so that its columns are known
    starts = range(0, max(len(array), 1), size)
    return lambda: (np.ascontiguousarray(array[i : i + size]) for i in starts)


@dataclass(frozen=True)
class Grid:
    """Records, least and largest value of every column, and its standard deviation.

    ``sd`` is that of the values cut to 2^32 cells of the range (ddof 0), from exact sums.
    """

    n: int
    low: Floats
    high: Floats
    sd: Floats

    @classmethod
    def of(cls, chunks: Chunks) -> Grid:
        """Two passes over a file."""
        n, low, high = ranges(chunks())
        total, squares = zero_moments(len(low))
        for chunk in chunks():
            moments(codes(chunk, low, high), total, squares)
        sd = sd_from_moments([n] * len(low), low, high, total, squares)
        return cls(n, low, high, sd)

    def codes(self, values: Floats) -> NDArray[np.uint32]:
        """The cell of every value, 0 .. 2^32 - 1."""
        cells: NDArray[np.uint32] = codes(values, self.low, self.high)
        return cells


def ranges(chunks: Iterable[Floats]) -> tuple[int, Floats, Floats]:
    """Records, least and largest values; refuses missing and infinite values."""
    n, low, high = 0, np.zeros(0), np.zeros(0)
    for chunk in chunks:
        if not len(chunk):
            continue
        least, largest = chunk.min(axis=0), chunk.max(axis=0)
        _refuse_not_finite(least, largest)
        low = np.minimum(low, least) if n else least
        high = np.maximum(high, largest) if n else largest
        n += len(chunk)
    if n == 0:
        raise InputError("the file has no records")
    # adding 0.0 turns -0.0 into 0.0, so that bounds have one form only
    return n, low + 0.0, high + 0.0


def _refuse_not_finite(
    least: Floats,
    largest: Floats,
) -> None:
    bad = ~(np.isfinite(least) & np.isfinite(largest))
    if bad.any():
        column = int(np.flatnonzero(bad)[0]) + 1
        raise InputError(
            f"column {column} of the columns to split on has missing or infinite values; "
            "fill them or leave those records out before work on blocks"
        )


def zero_moments(d: int) -> tuple[Ints, Ints]:
    """Sums of codes (d,), and of their squares in three parts (d, 3), before any record."""
    total = np.zeros(d, np.int64)
    squares = np.zeros((d, 3), np.int64)
    return total, squares


def mean_from_total(
    count: Sequence[int],
    low: Floats,
    high: Floats,
    total: Ints,
) -> Floats:
    """Means of the ``count`` values of each column, from sums of codes.

    A code stands for the middle of its cell: mean = low + width (sum + n/2) / (n 2^32).
    """
    means = low.astype(np.float64)
    for j, n in enumerate(count):
        if high[j] > low[j]:
            place = (int(total[j]) + 0.5 * n) / (n * 2**BITS)
            means[j] = low[j] + (high[j] - low[j]) * place
    return means


def sd_from_moments(
    count: Sequence[int],
    low: Floats,
    high: Floats,
    total: Ints,
    squares: Ints,
) -> Floats:
    """Standard deviations of the ``count`` values of each column, from sums of codes.

    They are computed in Python's unbounded integers; 1 for a column of a single value.
    """
    sd = np.ones(len(low))
    for j, n in enumerate(count):
        # a code is 2^16 a + b; its square is 2^32 aa + 2^17 ab + bb
        aa, ab, bb = (int(part) for part in squares[j])
        second = (aa << 32) + (ab << 17) + bb
        variance = (n * second - int(total[j]) ** 2) / (n * n)
        if variance > 0:
            sd[j] = np.sqrt(variance) * (high[j] - low[j]) / 2.0**BITS
    return sd
