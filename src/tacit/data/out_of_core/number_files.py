"""One number per record in files, as plain bytes: what is read in row order, or a span of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tacit.base.typing import Ints
from tacit.data.out_of_core.pieces import spent


class NumberSource(Protocol):
    """Numbers in row order that can be read again, from any row; can be sent to a worker."""

    @property
    def n(self) -> int:
        """How many there are."""
        ...

    def read(self, first: int, stop: int) -> npt.NDArray[Any]:
        """Those from ``first`` up to ``stop``."""
        ...


@dataclass(frozen=True)
class NumberFiles:
    """Numbers in files, each of which goes on where the one before ends."""

    files: tuple[Path, ...]
    lengths: tuple[int, ...]
    dtype: str = "<f8"

    @property
    def n(self) -> int:
        """How many there are."""
        return sum(self.lengths)

    def read(self, first: int, stop: int) -> npt.NDArray[Any]:
        """Those from ``first`` up to ``stop``."""
        width = np.dtype(self.dtype).itemsize
        found, row = [], 0
        for path, length in zip(self.files, self.lengths, strict=True):
            low, high = max(first - row, 0), min(stop - row, length)
            if low < high:
                found.append(
                    np.fromfile(path, self.dtype, high - low, offset=low * width)
                )
            row += length
        if len(found) == 1:
            return found[0]
        return np.concatenate(found) if found else np.empty(0, self.dtype)

    def in_turn(self, length: int) -> Iterator[npt.NDArray[Any]]:
        """So many at a time, in row order."""
        for first in range(0, self.n, length):
            yield self.read(first, min(first + length, self.n))

    def remove(self) -> None:
        """The numbers are not needed any more."""
        spent(self.files)


def write_numbers(path: Path, numbers: npt.NDArray[Any]) -> int:
    """Write one file; how many numbers it holds."""
    numbers.tofile(path)
    return len(numbers)


@dataclass(frozen=True)
class ArrayNumbers:
    """Numbers in memory with the same face: for tests, and for what is small."""

    numbers: npt.NDArray[Any]

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self.numbers)

    def read(self, first: int, stop: int) -> npt.NDArray[Any]:
        """Those from ``first`` up to ``stop``."""
        return self.numbers[first:stop]


@dataclass(frozen=True)
class RowNumbers:
    """The number of each row, where every row is one of its own."""

    n: int

    def read(self, first: int, stop: int) -> Ints:
        """Those of a span."""
        return np.arange(first, stop)
