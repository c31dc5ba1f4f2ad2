"""What every monitor shares: it is told what arrives and what leaves, and gives named values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Passage:
    """A block of records that left: the masked rows, their originals, and the books of the filter."""

    masked: FloatArray
    originals: FloatArray
    index: IntArray
    delay: IntArray
    size: IntArray


class Monitor(Protocol):
    """A risk or loss measure that is kept live; its memory does not grow with the stream."""

    def start(self, kinds: IntArray, first: int) -> None:
        """The kinds of the columns, and the arrival number of the first record that will be told."""

    def arrive(self, rows: FloatArray) -> None:
        """Originals that arrived, in order."""

    def leave(self, block: Passage) -> None:
        """Records that left."""

    def finish(self) -> None:
        """The stream has ended."""

    def values(self) -> dict[str, float]:
        """What is known now."""
