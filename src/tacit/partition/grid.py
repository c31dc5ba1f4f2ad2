"""The range of every column, and exact, order-free statistics of a file read once or twice in chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.kernels.orthtree import BITS, codes, moments

Floats = NDArray[np.float64]
Chunks = Callable[[], Iterator[Floats]]
"""A file that can be read again and again, in chunks of float64 (rows, d)."""


def chunks_of(values: Any, size: int = 1 << 18) -> Chunks:
    """An array as chunks (views, no copies of the whole)."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2:
        raise InputError("a partition needs a table of numbers with rows and columns")
    return lambda: (np.ascontiguousarray(array[i : i + size]) for i in range(0, max(len(array), 1), size))


@dataclass(frozen=True)
class Grid:
    """Records, least and largest value of every column, and the standard deviation from integer moments.

    ``sd`` is that of the values cut to 2^32 cells of the range (ddof 0). It comes from exact integer sums, so it is the
    same number however the file is cut into chunks or spread over a cluster; a float sum would not be.
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
        return cls(n, low, high, sd_from_moments([n] * len(low), low, high, total, squares))

    def codes(self, values: Floats) -> NDArray[np.uint32]:
        out: NDArray[np.uint32] = codes(values, self.low, self.high)
        return out


def ranges(chunks: Iterable[Floats]) -> tuple[int, Floats, Floats]:
    """Records, least and largest values; refuses missing and infinite values."""
    n, low, high = 0, np.zeros(0), np.zeros(0)
    for chunk in chunks:
        if not len(chunk):
            continue
        a, b = chunk.min(axis=0), chunk.max(axis=0)
        bad = ~(np.isfinite(a) & np.isfinite(b))
        if bad.any():
            raise InputError(
                f"column {int(np.flatnonzero(bad)[0]) + 1} of the columns to split on has missing or infinite values; "
                "fill them or leave those records out before work on blocks"
            )
        low, high = (np.minimum(low, a), np.maximum(high, b)) if n else (a, b)
        n += len(chunk)
    if n == 0:
        raise InputError("the file has no records")
    return n, low + 0.0, high + 0.0


def zero_moments(d: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.zeros(d, np.int64), np.zeros((d, 3), np.int64)


def mean_from_total(count: Sequence[int], low: Floats, high: Floats, total: NDArray[np.int64]) -> Floats:
    """Means of the ``count`` values of each column, from sums of codes; a code stands for the middle of its cell."""
    return np.array(
        [
            low[j] + (high[j] - low[j]) * ((int(total[j]) + 0.5 * n) / (n * 2**BITS)) if high[j] > low[j] else low[j]
            for j, n in enumerate(count)
        ]
    )


def sd_from_moments(
    count: Sequence[int], low: Floats, high: Floats, total: NDArray[np.int64], squares: NDArray[np.int64]
) -> Floats:
    """Standard deviations of the ``count`` values of each column, from sums of codes, in Python's unbounded integers;
    1 for a column of a single value."""
    out = np.ones(len(low))
    for j, n in enumerate(count):
        aa, ab, bb = (int(s) for s in squares[j])
        second = (aa << 32) + (ab << 17) + bb
        variance = (n * second - int(total[j]) ** 2) / (n * n)
        if variance > 0:
            out[j] = np.sqrt(variance) * (high[j] - low[j]) / 2.0**BITS
    return out
