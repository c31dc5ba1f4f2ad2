"""Live disclosure risk: how often the nearest original in a window is the record's own."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.kernels.stream.neighbours import SCALES, weights
from tacit.kernels.stream.noise import observe
from tacit.kernels.stream.risk import window_risk
from tacit.stream.monitors.base import Passage

# of the fading average: what is older than 20 times `recent` weighs less than exp(-20)
FADED = 20
# room beyond the windows, so that a narrow buffer is not moved with every record
SPARE = 64


class RiskMonitor:
    """Distance-based record linkage against a window of originals.

    For a masked record the intruder holds ``window`` originals, its own among them, and names the
    nearest one; 1 / (number tied) is counted if the own one is among the nearest. Two intruders:
    "past" holds the own record and the ones before it; "centred" holds as many after it as before.
    Against groups of k the past one sees only part of a group, and does better than 1/k: read
    "centred" for that bound. ``chance`` is what guessing gives (1 / window).

    Parameters
    ----------
    window : int
        Originals that the intruder holds.
    scale : {"std", "none"}
        Whether columns are divided by their running sd before distances are taken.
    recent : int
        About how many last records the ``recent`` values weigh, so that drift shows.
    only : {"past", "centred"}, optional
        Measure one of the two intruders.

    References
    ----------
    Martinez Rodriguez (2015), section 6.3.
    """

    behind = 0

    def __init__(
        self,
        window: int = 100,
        scale: Literal["std", "none"] = "std",
        recent: int = 1000,
        only: str | None = None,
    ) -> None:
        self.window = window
        self.scale = scale
        self.recent = recent
        half = window // 2
        # originals before and after the own one
        windows = {"past": (window - 1, 0), "centred": (half, window - 1 - half)}
        self.windows = {
            name: sides for name, sides in windows.items() if only in (None, name)
        }

    def start(
        self,
        kinds: Ints,
        first: int = 0,
    ) -> None:
        """Begin with columns of these kinds; the next record has this arrival number."""
        d = len(kinds)
        self._kinds = kinds
        # originals by column, the first of which has the arrival number `_first`
        self._buffer = np.empty((d, 4 * self.window + SPARE))
        self._length = 0
        self._first = first
        self._moments = np.zeros((4, d))
        # by intruder: records that left before all originals of their window arrived
        self._queue: dict[str, list[Passage]] = {name: [] for name in self.windows}
        self._sum = dict.fromkeys(self.windows, 0.0)
        self._square = dict.fromkeys(self.windows, 0.0)
        self._late = dict.fromkeys(self.windows, 0.0)
        self._count = dict.fromkeys(self.windows, 0)

    def arrive(self, rows: Floats) -> None:
        """Originals that arrived: keep them while an intruder may look at them."""
        observe(rows, self._moments, 1.0)
        if self._length + len(rows) > self._buffer.shape[1]:
            self._make_room(len(rows))
        end = self._length + len(rows)
        self._buffer[:, self._length : end] = rows.T
        self._length = end

    def _make_room(self, more: int) -> None:
        """Move what is still needed to the beginning of a new buffer."""
        gone = self._needed()
        tail = self._buffer[:, gone : self._length]
        kept = tail.shape[1]
        # twice what is needed, so that moving costs a constant per record
        room = max(4 * self.window + SPARE, 2 * (kept + more))
        self._buffer = np.empty((len(self._kinds), room))
        self._buffer[:, :kept] = tail
        self._length = kept
        self._first += gone

    def _needed(self) -> int:
        """Place of the oldest original that some intruder may still look at."""
        # those that are inside, and those that left and wait for their window
        oldest = self._first + self._length - self.behind
        for queue in self._queue.values():
            for block in queue:
                if len(block.index):
                    oldest = min(oldest, int(block.index.min()))
        return max(0, oldest - self._first - self.window)

    def leave(self, block: Passage) -> None:
        """Records that left: attack those whose window is complete."""
        for name in self.windows:
            self._queue[name].append(block)
            self._evaluate(name, last=False)

    def finish(self) -> None:
        """The stream has ended: attack the rest with the windows that there are."""
        for name in self.windows:
            self._evaluate(name, last=True)

    def _evaluate(
        self,
        name: str,
        last: bool,
    ) -> None:
        _, after = self.windows[name]
        seen = self._first + self._length
        waiting: list[Passage] = []
        for block in self._queue[name]:
            # the last original of the window must have arrived
            ready = block.index + after < seen
            if last:
                ready[:] = True
            if not ready.all():
                waiting.append(block.only(~ready))
            if ready.any():
                self._attack(name, block if ready.all() else block.only(ready))
        self._queue[name] = waiting

    def _attack(
        self,
        name: str,
        block: Passage,
    ) -> None:
        before, after = self.windows[name]
        d = len(self._kinds)
        weight, missing = np.empty(d), np.empty(d)
        scale = SCALES[self.scale]
        weights(
            scale,
            weight,
            self._moments,
            self._kinds,
            weight,
            missing,
        )
        place = block.index - self._first
        # the kernel checks no bounds: never read beyond the buffer
        inside = (place >= 0) & (place < self._length)
        masked = block.masked
        if not inside.all():
            place, masked = place[inside], masked[inside]
        masked = np.ascontiguousarray(masked)
        hits = np.empty(len(place))
        intruder = (before, after, weight, missing, self._kinds)
        window_risk(
            self._buffer,
            self._length,
            masked,
            place,
            *intruder,
            hits,
        )
        self._count_hits(name, hits)

    def _count_hits(
        self,
        name: str,
        hits: Floats,
    ) -> None:
        self._sum[name] += float(hits.sum())
        self._square[name] += float((hits * hits).sum())
        self._count[name] += len(hits)
        # exponential average: every record makes the earlier ones weigh 1 - 1 / recent
        fade = 1.0 - 1.0 / self.recent
        tail = hits[-FADED * self.recent :]
        powers = fade ** np.arange(len(tail) - 1, -1, -1)
        newest = float(tail @ powers) / self.recent
        self._late[name] = self._late[name] * fade ** len(hits) + newest

    def values(self) -> dict[str, float]:
        """For each intruder the risk, that of the last records, and its standard error."""
        known: dict[str, float] = {}
        for name in self.windows:
            mean = recent = error = math.nan
            n = self._count[name]
            if n:
                mean = self._sum[name] / n
                # the weights that the average has given out so far sum to this
                settled = 1.0 - (1.0 - 1.0 / self.recent) ** n
                recent = self._late[name] / settled
                variance = max(self._square[name] / n - mean * mean, 0.0)
                error = (variance / n) ** 0.5
            known[f"risk_{name}"] = mean
            known[f"risk_{name}_recent"] = recent
            known[f"risk_{name}_error"] = error
        known["chance"] = 1.0 / self.window
        return known
