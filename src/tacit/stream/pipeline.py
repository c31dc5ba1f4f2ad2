"""A filter between a source and a sink: monitors, saved state, a clean end."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Protocol, TextIO

from tacit.base.errors import ColumnError, InputError
from tacit.base.measure import jsonable
from tacit.stream.base import Filter
from tacit.stream.kinds import AnyRecord, Plain
from tacit.stream.monitors.loss import LossMonitor
from tacit.stream.private_file import sweep
from tacit.stream.refused import REFUSED, DeadLetters, Refused
from tacit.stream.released import Release
from tacit.stream.spent import SpentFile, spent_beside
from tacit.stream.state import FileState, StateStore, count_of, restored, taken_up
from tacit.stream.watch import Watch

# records between two looks at the clock
LOOK = 64
# reports that are kept for the rate
RATES = 20
# as many of the last alarms and withheld records as a report shows
SHOWN_ALARMS = 20
SHOWN_WITHHELD = 1000


class Sink(Protocol):
    """Where releases go."""

    def write(self, releases: list[Release]) -> None:
        """Write what was released, in this order."""


@dataclass
class Pipeline:
    """One pass of a stream through a filter.

    Invariant: read = written + refused + withheld by the filter + pending, always.

    Parameters
    ----------
    filter : Filter
        What masks the records.
    sink : Sink
        Where releases go.
    watch : Watch, optional
        The filter with monitors around it.
    state : path or StateStore, optional
        Where the filter goes on from and is saved to, after the releases have been written. With a
        file beside an output file, which is cut back to where the state stood, and with a
        `RedisLedger` each record leaves exactly once.
    every : int
        Records between two saves.
    interval : float
        Seconds between two reports.
    log : file, optional
        Where monitored values go as JSON lines.
    show : callable
        Called with the monitored values at each report.
    commit : callable
        Called after each save: acknowledge messages there.
    sync : callable
        Makes sure that releases are written; returns what belongs into the state beside the filter.
    stop : callable
        Asked after each record; true ends the stream.
    dead : DeadLetters
        Where records go that come as `Refused`, or that the filter refuses; never to the sink.
    hidden : callable
        The columns that are taken off what leaves.
    spent : SpentFile, optional
        Where a differentially private filter writes down what leaves, before it does; else beside
        the file of the state.
    """

    filter: Filter
    sink: Sink | None
    watch: Watch | None = None
    state: Path | StateStore | None = None
    every: int = 10_000
    interval: float = 1.0
    log: TextIO | None = None
    show: Callable[[Plain], None] = lambda values: None
    commit: Callable[[], object] = lambda: None
    sync: Callable[[], Plain] = dict
    stop: Callable[[], bool] = lambda: False
    dead: DeadLetters = field(default_factory=DeadLetters)
    hidden: Callable[[], set[str]] = set
    spent: SpentFile | None = None
    # saves in all runs; was the last one that of a stream that came to its end?
    saves: int = 0
    ending: bool = False
    # records in all runs; in this source; in this run
    consumed: int = 0
    position: int = 0
    read: int = 0
    written: int = 0
    # times of reports, and how many records there were
    _rates: list[tuple[float, int]] = field(default_factory=list)

    @property
    def _store(self) -> StateStore | None:
        """Where the state is kept."""
        return FileState(self.state) if isinstance(self.state, Path) else self.state

    @property
    def _unit(self) -> Filter | Watch:
        return self.watch or self.filter

    def resume(self, before: Callable[[Plain], None] = lambda also: None) -> Plain:
        """Go on from the saved state, if there is one.

        Returns what was saved beside it; ``before`` sees it first.
        """
        store = self._store
        if isinstance(self.state, Path):
            sweep(self.state)
            if self.filter.spent is not None and self.spent is None:
                self.spent = SpentFile(spent_beside(self.state))
        if store is None or not store.exists():
            return {}
        with taken_up(store.name):
            state, also = store.read()
            # the gate decides about the columns, which are parameters of the filter
            before(also)
            restored(self.filter, state)
            self.consumed = count_of(also, "consumed")
            self.position = count_of(also, "position", self.consumed)
            self.saves = count_of(also, "saves")
            self.ending = bool(also.get("ending", False))
            dead = count_of(also, "dead")
        if self.spent is not None and self.filter.spent is not None:
            self.filter.remember(self.spent.resume(self.saves, self.filter.spent))
        self.dead.cut(dead)
        return also

    def __call__(
        self,
        records: Iterable[AnyRecord],
        skip: bool = True,
    ) -> int:
        """Run to the end of the records; returns the number released.

        ``skip``: the source begins where it began before, and what was consumed is passed over. A
        pipe or a queue does not: everything that comes from it is new.
        """
        unit = self._unit
        stream: Iterator[AnyRecord] = iter(records)
        if skip:
            for _ in islice(stream, self.position):
                pass
        else:
            self.position = 0
        self._rates = [(time.monotonic(), self.consumed)]
        # a crash before the first records are saved must find where it began
        store = self._store
        if store is not None and not store.exists():
            if self.spent is not None and self.filter.spent is not None:
                self.spent.begin(self.filter.spent)
            self.save()
        elif self.spent is not None and self.spent.ahead:
            self._catch_up(self.spent, again=skip)
        for record in stream:
            self._take(unit, record)
            self.consumed += 1
            self.position += 1
            self.read += 1
            if self.consumed % self.every == 0:
                self.save()
            if self.consumed % LOOK == 0:
                self._report(last=False)
            if self.stop():
                break
        # a private stream that is killed while its last window leaves must end in the same way
        if self.spent is not None:
            self.ending = True
            self.save()
        self._write(unit.flush())
        self.ending = False
        self.save()
        if self.spent is not None:
            self.spent.close()
        self._report(last=True)
        return self.written

    def _catch_up(
        self,
        spent: SpentFile,
        again: bool,
    ) -> None:
        """Some windows left after the state was saved; do their records come ``again``?

        If so they leave again, the same bytes; else what left is passed over.
        """
        if not again:
            self.filter.pass_over(spent.pass_over())
        elif self.ending:
            # what left then was the end of the stream, though the source may have grown since
            self._write(self.filter.flush())
        self.ending = False

    def idle(self) -> None:
        """Nothing arrives: release what time has made due, and let readers see what there is."""
        # the beginning of the stream is awaited: where releases go is not decided
        if self.sink is None:
            return
        self._write(self._unit.tick())
        if self._rates:
            self._report(last=False)

    def _take(
        self,
        unit: Filter | Watch,
        record: AnyRecord,
    ) -> None:
        if isinstance(record, Refused):
            self.dead.write(record)
            return
        try:
            released = unit.push(record)
        except ColumnError:
            raise  # not this record: the filter fits no record of this stream
        # this record alone: it is withheld and the stream goes on
        except InputError as error:
            self.dead.write(Refused(REFUSED, str(error), record))
        else:
            self._write(released)

    def _write(self, released: list[Release]) -> None:
        if not released:
            return
        hidden = self.hidden()
        if hidden:
            released = [_without(release, hidden) for release in released]
        if self.sink is None:
            raise RuntimeError("the pipeline has no sink: releases would be lost")
        if self.spent is not None and self.filter.spent is not None:
            self.spent.note(self.filter.spent)
        self.sink.write(released)
        self.written += len(released)
        # what counts as left must not wait here for more
        if self.spent is not None:
            self._flush()

    def _flush(self) -> None:
        """Readers of a file see what there is."""
        out = getattr(self.sink, "out", None)
        if out is not None:
            out.flush()

    def save(self) -> None:
        """Write out, then save, then commit."""
        also = self.sync()
        also |= {
            "consumed": self.consumed,
            "position": self.position,
            "dead": self.dead.sync(),
            "saves": self.saves + 1,
            "ending": self.ending,
        }
        store = self._store
        if store is not None:
            store.save(self.filter, **also)
        self.saves += 1
        if self.spent is not None and self.filter.spent is not None:
            self.spent.saved(self.saves, self.filter.spent)
        self.commit()

    def _report(self, last: bool) -> None:
        now = time.monotonic()
        then, count = self._rates[-1]
        if not last and now - then < self.interval:
            return
        self._rates = [*self._rates[-RATES:], (now, self.consumed)]
        values = self._values()
        # a clock may not have moved between two reports
        values["rate"] = (self.consumed - count) / max(now - then, 1e-9)
        if last:
            values["withheld_indices"] = self.filter.withheld[-SHOWN_WITHHELD:]
        self._flush()
        if self.log is not None:
            self.log.write(json.dumps(jsonable(values)) + "\n")
            self.log.flush()
        self.show(values)

    def _values(self) -> Plain:
        """What a report shows."""
        values: Plain = {
            "time": round(time.time(), 3),
            "consumed": self.consumed,
            "released_now": self.written,
            "rate": 0.0,
            "pending": self.filter.pending,
            "refused": dict(self.dead.counts),
        }
        if self.watch is not None:
            values |= self.watch.values()
            for monitor in self.watch.monitors:
                if isinstance(monitor, LossMonitor):
                    values["pil"] = monitor.pil()
            alarms = self.watch.alarms[-SHOWN_ALARMS:]
            values["alarms"] = [vars(alarm) for alarm in alarms]
        return values


def _without(release: Release, hidden: set[str]) -> Release:
    """The release without columns that only the filter may read."""
    shown = {
        name: value for name, value in release.record.items() if name not in hidden
    }
    return release._replace(record=shown)


def file_position(out: TextIO, real: bool) -> Callable[[], Plain]:
    """What `Pipeline.sync` does for a file: all is on the disk, and here is how long it is."""

    def sync() -> Plain:
        out.flush()
        if not real:
            return {}
        # standard output has no length to go back to; a file has
        os.fsync(out.fileno())
        return {"bytes": out.buffer.tell() if hasattr(out, "buffer") else out.tell()}

    return sync
