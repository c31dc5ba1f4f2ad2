"""Live disclosure risk: how often the nearest original in a window is the record's own."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tacit.stream.monitor import FloatArray, IntArray, Passage

_SCALES = {"none": 0, "std": 1}


class RiskMonitor:
    """Distance-based record linkage against a window of originals.

    For a masked record the intruder holds ``window`` originals, its own among them, and names the nearest one;
    1 / (number tied) is counted if the own one is among the nearest. Two intruders: "past" holds the own record and
    the ones before it (004, section 6.3); "centred" holds as many after it as before. Against groups of k the past
    one sees only part of a group, and does better than 1/k: read "centred" for that bound. ``chance`` is what
    guessing gives (1 / window). ``recent`` values weigh the last records, so that drift shows.
    """

    def __init__(
        self, window: int = 100, scale: Literal["std", "none"] = "std", recent: int = 1000, only: str | None = None
    ) -> None:
        self.window = window
        self.scale = scale
        self.recent = recent
        half = window // 2
        windows = {"past": (window - 1, 0), "centred": (half, window - 1 - half)}
        self.windows = {name: w for name, w in windows.items() if only in (None, name)}

    def start(self, kinds: IntArray, first: int = 0) -> None:
        d = len(kinds)
        self._kinds = kinds
        self._buffer = np.empty((d, 4 * self.window + 64))
        self._length = 0
        self._first = first  # arrival number of the first record in the buffer
        self._moments = np.zeros((4, d))
        self._queue: dict[str, list[Passage]] = {name: [] for name in self.windows}
        self._sum = dict.fromkeys(self.windows, 0.0)
        self._square = dict.fromkeys(self.windows, 0.0)
        self._late = dict.fromkeys(self.windows, 0.0)
        self._count = dict.fromkeys(self.windows, 0)
        self._chance = 0.0

    def arrive(self, rows: FloatArray) -> None:
        from tacit.kernels.stream_noise import observe

        observe(rows, self._moments, 1.0)
        need = self._length + len(rows)
        if need > self._buffer.shape[1]:
            keep = self._needed()
            tail = self._buffer[:, keep : self._length]
            room = max(4 * self.window + 64, 2 * (tail.shape[1] + len(rows)))
            fresh = np.empty((len(self._kinds), room))
            fresh[:, : tail.shape[1]] = tail
            self._buffer, self._length, self._first = fresh, tail.shape[1], self._first + keep
        self._buffer[:, self._length : self._length + len(rows)] = rows.T
        self._length += len(rows)

    def _needed(self) -> int:
        """Place of the oldest original that some intruder may still look at."""
        waiting = [int(b.index.min()) for queue in self._queue.values() for b in queue if len(b.index)]
        oldest = min([self._first + self._length, *waiting]) - self._behind
        return max(0, oldest - self._first - self.window)

    _behind = 0
    """Records that are inside the filter; set by Watch."""

    def leave(self, block: Passage) -> None:
        for name in self.windows:
            self._queue[name].append(block)
            self._evaluate(name, last=False)

    def finish(self) -> None:
        for name in self.windows:
            self._evaluate(name, last=True)

    def _evaluate(self, name: str, last: bool) -> None:
        from tacit.kernels.stream_neighbours import weights
        from tacit.kernels.stream_risk import window_risk

        before, after = self.windows[name]
        seen = self._first + self._length
        d = len(self._kinds)
        weight, missing = np.empty(d), np.empty(d)
        weights(_SCALES[self.scale], weight, self._moments, self._kinds, weight, missing)
        waiting = []
        for block in self._queue[name]:
            ready = block.index + after < seen if not last else np.ones(len(block.index), dtype=np.bool_)
            if not ready.all():
                rest = ~ready
                waiting.append(Passage(*(getattr(block, f)[rest] for f in Passage.__dataclass_fields__)))
            if not ready.any():
                continue
            masked = np.ascontiguousarray(block.masked if ready.all() else block.masked[ready])
            place = block.index[ready] - self._first
            out = np.empty(len(place))
            window_risk(self._buffer, self._length, masked, place, before, after, weight, missing, self._kinds, out)
            self._sum[name] += float(out.sum())
            self._square[name] += float((out * out).sum())
            self._count[name] += len(out)
            fade = (1.0 - 1.0 / self.recent) ** len(out)
            tail = out[-20 * self.recent :]
            powers = (1.0 - 1.0 / self.recent) ** np.arange(len(tail) - 1, -1, -1)
            self._late[name] = self._late[name] * fade + float(tail @ powers) / self.recent
        self._queue[name] = waiting

    def values(self) -> dict[str, float]:
        out: dict[str, float] = {}
        for name in self.windows:
            n = self._count[name]
            mean = self._sum[name] / n if n else float("nan")
            out[f"risk_{name}"] = mean
            settled = 1.0 - (1.0 - 1.0 / self.recent) ** n
            out[f"risk_{name}_recent"] = self._late[name] / settled if n else float("nan")
            spread = max(self._square[name] / n - mean * mean, 0.0) if n else float("nan")
            out[f"risk_{name}_error"] = (spread / n) ** 0.5 if n else float("nan")
        out["chance"] = 1.0 / self.window
        return out
