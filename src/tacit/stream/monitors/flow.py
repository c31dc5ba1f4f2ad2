"""What flows: numbers of records, delays, group sizes, and drift of the originals."""

from __future__ import annotations

import math

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.kernels.stream.noise import observe
from tacit.stream.kinds import NOMINAL
from tacit.stream.monitors.base import Passage


class FlowMonitor:
    """Counts, delays (in records), sizes of groups when they left, and drift.

    ``drift`` is the largest distance, over columns, between the mean of the last records and the
    mean of the whole stream, in standard deviations of the column.

    Parameters
    ----------
    recent : int
        About how many last records count: their weights fade with 1 - 1 / recent.
    """

    behind = 0

    def __init__(self, recent: int = 1000) -> None:
        self.recent = recent

    def start(
        self,
        kinds: Ints,
        first: int = 0,
    ) -> None:
        """Begin with columns of these kinds."""
        self._numeric = kinds != NOMINAL
        # rows of weight, mean, sum of squares, largest code: of all records, and of the last
        self._whole = np.zeros((4, len(kinds)))
        self._late = np.zeros((4, len(kinds)))
        self._in = self._out = 0
        self._delay = 0.0
        self._longest = 0
        self._smallest = math.inf

    def arrive(self, rows: Floats) -> None:
        """Originals that arrived."""
        observe(rows, self._whole, 1.0)
        observe(rows, self._late, 1.0 - 1.0 / self.recent)
        self._in += len(rows)

    def leave(self, block: Passage) -> None:
        """Records that left."""
        # an empty block has no largest delay
        if not len(block.index):
            return
        self._out += len(block.index)
        self._delay += float(block.delay.sum())
        self._longest = max(self._longest, int(block.delay.max()))
        self._smallest = min(self._smallest, float(block.size.min()))

    def finish(self) -> None:
        """Nothing is waiting."""

    def values(self) -> dict[str, float]:
        """Counts, delays, the smallest group and the drift."""
        released = self._out
        return {
            "arrived": self._in,
            "released": released,
            "delay": self._delay / released if released else math.nan,
            "delay_max": self._longest,
            "group_min": self._smallest if released else math.nan,
            "drift": self._drift(),
        }

    def _drift(self) -> float:
        weight, mean, squares, _ = self._whole
        # a column without a second value has no sd, and no drift
        with np.errstate(all="ignore"):
            sd = np.sqrt(squares / (weight - 1.0))
            shift = np.abs(self._late[1] - mean) / sd
        shift = shift[self._numeric & (sd > 0)]
        return float(shift.max()) if shift.size else math.nan
