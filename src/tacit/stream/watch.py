"""A filter with monitors around it, and alarms when a bound is crossed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.errors import ParameterError
from tacit.stream.base import Filter, FloatArray, IntArray
from tacit.stream.monitor import Monitor, Passage
from tacit.stream.monitor_flow import FlowMonitor
from tacit.stream.monitor_loss import LossMonitor
from tacit.stream.monitor_risk import RiskMonitor
from tacit.stream.release import Batch, Release

BLOCK = 4096


@dataclass(frozen=True)
class Alarm:
    """A monitored value went above its bound."""

    name: str
    value: float
    bound: float
    arrived: int


class Watch:
    """Runs a filter and keeps monitors live; the same push, flush, pull and batch forms as the filter.

    Monitors are brought up to date every ``every`` records and whenever `values()` is asked. ``bounds`` maps a
    value's name to the largest that is acceptable; crossing one appends to `alarms` and calls ``on_alarm`` once,
    again after it has been below. The filter's releases are not touched.

    >>> import numpy as np
    >>> from tacit.stream import Noise
    >>> watch = Watch(Noise(amount=0.5, random_state=1), bounds={"risk_past": 0.0})
    >>> _ = watch.apply(np.random.default_rng(1).normal(size=(500, 3)))
    >>> [a.name for a in watch.alarms]
    ['risk_past']
    """

    def __init__(
        self,
        filter: Filter,
        monitors: Sequence[Monitor] | None = None,
        bounds: Mapping[str, float] | None = None,
        on_alarm: Callable[[Alarm], None] | None = None,
        every: int = 256,
    ) -> None:
        self.filter = filter
        self.monitors: list[Any] = [RiskMonitor(), LossMonitor(), FlowMonitor()] if monitors is None else [*monitors]
        self.bounds = dict(bounds or {})
        self.on_alarm = on_alarm
        self.every = every
        self.alarms: list[Alarm] = []
        self._above: set[str] = set()
        self._forget()

    def _forget(self) -> None:
        self._ready = False
        self._rows: list[FloatArray] = []  # arrived, not yet told
        self._gone: list[tuple[FloatArray, IntArray]] = []
        self._base = self._new = 0
        self._originals = np.empty((0, 0))

    # -- the forms of a filter -------------------------------------------------------------------------

    def push(self, record: Any) -> list[Release]:
        """One record through the filter."""
        f = self.filter
        emitted = f._take_in(record)
        self._rows.append(f._row[0, : self._width()].copy())
        if emitted:
            out, meta = f._out[:emitted].copy(), f._meta[:emitted].copy()
            self._gone.append((out, meta))
            released = f._releases(out, meta)
        else:
            released = []
        self._new += 1
        if self._new >= self.every:
            self.update()
        return released

    def tick(self) -> list[Release]:
        """What time has made due, for filters with a limit in seconds."""
        due = getattr(self.filter, "_due", None)
        if due is None:
            return []
        out, meta = due()
        self._gone.append((out, meta))
        return self.filter._releases(out, meta)

    def flush(self) -> list[Release]:
        """End of the stream."""
        out, meta, withheld = self.filter._end()
        self._gone.append((out, meta))
        released = self.filter._releases(out, meta)
        self.filter._account(meta, withheld)
        self.update(last=True)
        return released

    def __call__(self, stream: Iterable[Any]) -> Iterator[Release]:
        for record in stream:
            yield from self.push(record)
        yield from self.flush()

    def feed(self, values: Any) -> Batch:
        """Rows of an array."""
        rows = np.ascontiguousarray(values, dtype=np.float64)
        batch = self.filter.feed(rows)
        self._rows.extend([self.filter._take(rows)[:, : self._width()]] if len(rows) else [])
        return self._note(batch)

    def finish(self) -> Batch:
        """End of the stream for `feed`."""
        return self._note(self.filter.finish(), last=True)

    def apply(self, array: Any) -> FloatArray:
        """A whole array; starts afresh."""
        self.filter.reset()
        self._forget()
        rows = np.ascontiguousarray(array, dtype=np.float64)
        # blocks that stay in the cache: the monitors read every value several times
        parts = [self.feed(rows[i : i + BLOCK]) for i in range(0, max(len(rows), 1), BLOCK)]
        return np.concatenate([p.values for p in [*parts, self.finish()]])

    def _note(self, batch: Batch, last: bool = False) -> Batch:
        self._gone.append((batch.values, np.column_stack([batch.index, batch.delay, batch.group, batch.size])))
        self.update(last=last)
        return batch

    # -- the monitors ----------------------------------------------------------------------------------

    def _width(self) -> int:
        return len(self.filter._records.names) if self.filter._records else 0

    def update(self, last: bool = False) -> None:
        """Tell the monitors what is new."""
        if self.filter._records is None:
            return
        if not self._ready:
            self._base = self.filter._arrived - sum(1 if r.ndim == 1 else len(r) for r in self._rows)
            for monitor in self.monitors:
                monitor.start(self.filter._records.kinds, self._base)
            self._ready = True
            self._originals = np.empty((0, self._width()))
        self._new = 0
        if self._rows:
            rows = self._rows[0] if len(self._rows) == 1 and self._rows[0].ndim == 2 else np.vstack(self._rows)
            self._rows = []
            self._originals = np.concatenate([self._originals, rows]) if len(self._originals) else rows
            for monitor in self.monitors:
                monitor._behind = self.filter.pending
                monitor.arrive(rows)
        gone, self._gone = [g for g in self._gone if len(g[1])], []
        if gone:
            masked = gone[0][0] if len(gone) == 1 else np.concatenate([g[0] for g in gone])
            meta = gone[0][1] if len(gone) == 1 else np.concatenate([g[1] for g in gone])
            known = meta[:, 0] >= self._base  # after a restart the originals of the first releases are not known
            if not known.all():
                masked, meta = masked[known], meta[known]
            index = meta[:, 0]
            block = Passage(masked, self._originals[index - self._base], index, meta[:, 1], meta[:, 3])
            for monitor in self.monitors:
                monitor.leave(block)
        keep = self._oldest()
        self._originals, self._base = self._originals[keep - self._base :].copy(), keep
        if last:
            for monitor in self.monitors:
                monitor.finish()
        self._check()

    def _oldest(self) -> int:
        """Arrival number of the oldest record that is still inside."""
        f = self.filter
        if f.pending == 0:
            return f._arrived
        index = getattr(f, "_index", None)
        return int(index[0]) if index is not None else max(f._arrived - f.pending, self._base)

    def values(self) -> dict[str, float]:
        """Everything that the monitors know, up to date."""
        self.update()
        found: dict[str, float] = {}
        if self._ready:
            for monitor in self.monitors:
                found |= monitor.values()
        found["withheld"] = len(self.filter.withheld)
        budget = getattr(self.filter, "budget", None)
        if budget:
            found["epsilon"] = float(budget["spent"])
        return found

    def _check(self) -> None:
        if not self.bounds or not self._ready:
            return
        known: dict[str, float] = {}
        for monitor in self.monitors:
            known |= monitor.values()
        known["withheld"] = len(self.filter.withheld)
        for name, bound in self.bounds.items():
            if name not in known:
                raise ParameterError(f"there is no monitored value '{name}'; there are: {', '.join(known)}")
            if known[name] > bound:
                if name not in self._above:
                    self._above.add(name)
                    alarm = Alarm(name, known[name], bound, self.filter._arrived)
                    self.alarms.append(alarm)
                    if self.on_alarm:
                        self.on_alarm(alarm)
            else:
                self._above.discard(name)
