"""Run a filter between a source and a sink: monitors, saved state, a clean end."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from tacit.measure import jsonable
from tacit.stream.base import Filter
from tacit.stream.monitor_loss import LossMonitor
from tacit.stream.release import Release
from tacit.stream.state import load, read, save
from tacit.stream.watch import Watch


@dataclass
class Run:
    """One pass of a stream through a filter.

    ``state``: a file from which the filter goes on and to which it is saved every ``every`` records, after the
    releases have been written: at least once, with the same arrival index for the same record. ``commit`` is called
    after each save (acknowledge messages there). ``show(values)`` is called every ``interval`` seconds, with the
    monitored values, which also go to ``log`` as JSON lines.
    """

    filter: Filter
    sink: Any
    watch: Watch | None = None
    state: Path | None = None
    every: int = 10_000
    interval: float = 1.0
    log: TextIO | None = None
    show: Callable[[dict[str, Any]], None] = lambda values: None
    commit: Callable[[], Any] = lambda: None
    sync: Callable[[], dict[str, Any]] = dict
    stop: Callable[[], bool] = lambda: False
    consumed: int = 0
    written: int = 0
    _rates: list[tuple[float, int]] = field(default_factory=list)

    def resume(self) -> dict[str, Any]:
        """Go on from the saved state, if there is one; what was saved beside it."""
        if self.state is None or not self.state.exists():
            return {}
        also = read(self.state)[1]
        load(self.filter, self.state)
        self.consumed = int(also["consumed"])
        return also

    def __call__(self, records: Iterable[Any], skip: bool = True) -> int:
        """Run to the end of the records (those already consumed are skipped); returns the number released."""
        unit: Any = self.watch or self.filter
        stream: Iterator[Any] = iter(records)
        if skip and self.consumed:
            for _ in islice(stream, self.consumed):
                pass
        self._rates = [(time.monotonic(), self.consumed)]
        for record in stream:
            self._write(unit.push(record))
            self.consumed += 1
            if self.consumed % self.every == 0:
                self.save()
            if self.consumed % 64 == 0:
                self._report(last=False)
            if self.stop():
                break
        self._write(unit.flush())
        self.save()
        self._report(last=True)
        return self.written

    def idle(self) -> None:
        """Nothing arrives: release what time has made due, and let readers of the output see what there is."""
        unit: Any = self.watch or self.filter
        if hasattr(unit, "tick"):
            self._write(unit.tick())
        if self._rates:
            self._report(last=False)

    def _write(self, released: list[Release]) -> None:
        if released:
            self.sink.write(released)
            self.written += len(released)

    def save(self) -> None:
        """Write out, then save, then commit: a crash in between repeats releases and loses none."""
        position = self.sync()
        if self.state is not None:
            save(self.filter, self.state, consumed=self.consumed, **position)
        self.commit()

    def _report(self, last: bool) -> None:
        now = time.monotonic()
        then, count = self._rates[-1]
        if not last and now - then < self.interval:
            return
        self._rates = [*self._rates[-20:], (now, self.consumed)]
        values: dict[str, Any] = {
            "time": round(time.time(), 3),
            "consumed": self.consumed,
            "released_now": self.written,
        }
        values["rate"] = (self.consumed - count) / max(now - then, 1e-9)
        values["pending"] = self.filter.pending
        if self.watch is not None:
            values |= self.watch.values()
            for monitor in self.watch.monitors:
                if isinstance(monitor, LossMonitor):
                    values["pil"] = monitor.pil()
            values["alarms"] = [vars(a) for a in self.watch.alarms[-20:]]
        if last:
            values["withheld_indices"] = self.filter.withheld[-1000:]
        out = getattr(self.sink, "out", None)
        if out is not None:
            out.flush()
        if self.log is not None:
            self.log.write(json.dumps(jsonable(values)) + "\n")
            self.log.flush()
        self.show(values)


def file_position(out: TextIO, real: bool) -> Callable[[], dict[str, Any]]:
    """What `Run.sync` does for a file: everything is on the disk, and here is how long it is."""

    def sync() -> dict[str, Any]:
        out.flush()
        if not real:
            return {}
        os.fsync(out.fileno())
        return {"bytes": out.buffer.tell() if hasattr(out, "buffer") else out.tell()}

    return sync
