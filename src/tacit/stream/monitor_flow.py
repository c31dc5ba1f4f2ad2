"""What flows: numbers of records, delays, group sizes, and drift of the originals."""

from __future__ import annotations

import numpy as np

from tacit.stream.monitor import FloatArray, IntArray, Passage


class FlowMonitor:
    """Counts, delays (in records), sizes of groups when they left, and drift.

    ``drift``: the largest distance, over columns, between the mean of the last records (weights fading with
    1 - 1/recent) and the mean of the whole stream, in standard deviations of the column.
    """

    def __init__(self, recent: int = 1000) -> None:
        self.recent = recent

    def start(self, kinds: IntArray, first: int = 0) -> None:
        self._numeric = kinds != 2
        self._whole, self._late = np.zeros((4, len(kinds))), np.zeros((4, len(kinds)))
        self._in = self._out = 0
        self._delay, self._longest = 0.0, 0
        self._smallest = np.inf

    def arrive(self, rows: FloatArray) -> None:
        from tacit.kernels.stream_noise import observe

        observe(rows, self._whole, 1.0)
        observe(rows, self._late, 1.0 - 1.0 / self.recent)
        self._in += len(rows)

    def leave(self, block: Passage) -> None:
        if not len(block.index):
            return
        self._out += len(block.index)
        self._delay += float(block.delay.sum())
        self._longest = max(self._longest, int(block.delay.max()))
        self._smallest = min(self._smallest, float(block.size.min()))

    def finish(self) -> None:
        """Nothing is waiting."""

    def values(self) -> dict[str, float]:
        with np.errstate(all="ignore"):
            sd = np.sqrt(self._whole[2] / (self._whole[0] - 1.0))
            shift = (np.abs(self._late[1] - self._whole[1]) / sd)[self._numeric & (sd > 0)]
        return {
            "arrived": self._in,
            "released": self._out,
            "delay": self._delay / self._out if self._out else float("nan"),
            "delay_max": self._longest,
            "group_min": self._smallest if self._out else float("nan"),
            "drift": float(shift.max()) if shift.size else float("nan"),
        }
