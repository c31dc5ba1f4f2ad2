"""A filter with monitors around it, and alarms when a bound is crossed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tacit.base.errors import ParameterError
from tacit.base.typing import Floats, Ints
from tacit.stream.base import Filter
from tacit.stream.kinds import AnyRecord
from tacit.stream.monitors.base import Monitor, Passage
from tacit.stream.monitors.flow import FlowMonitor
from tacit.stream.monitors.loss import LossMonitor
from tacit.stream.monitors.risk import RiskMonitor
from tacit.stream.released import Batch, Release

# rows that stay in the cache: the monitors read every value several times
BLOCK = 4096


@dataclass(frozen=True)
class Alarm:
    """A monitored value went above its bound."""

    name: str
    value: float
    bound: float
    arrived: int


class Watch:
    """Runs a filter and keeps monitors live, with the filter's push, flush, pull and batch forms.

    The filter's releases are not touched.

    Parameters
    ----------
    filter : Filter
        The filter that is watched.
    monitors : list of Monitor, optional
        What is measured; risk, loss and flow unless given.
    bounds : dict, optional
        The largest acceptable value of a monitored one, by its name.
    on_alarm : callable, optional
        Called once when a bound is crossed, and again after the value has been below.
    every : int
        How many records may pass before the monitors are brought up to date.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit.stream import Noise
    >>> watch = Watch(Noise(percent=50, random_state=1), bounds={"risk_past": 0.0})
    >>> _ = watch.apply(np.random.default_rng(1).normal(size=(500, 3)))
    >>> [alarm.name for alarm in watch.alarms]
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
        usual: list[Monitor] = [RiskMonitor(), LossMonitor(), FlowMonitor()]
        self.filter = filter
        self.monitors = usual if monitors is None else [*monitors]
        self.bounds = dict(bounds or {})
        self.on_alarm = on_alarm
        self.every = every
        # bounds that are crossed now give no second alarm
        self.alarms: list[Alarm] = []
        self._above: set[str] = set()
        self._forget()

    def _forget(self) -> None:
        self._ready = False
        # what the monitors have not been told yet: rows that arrived, rows that left with their
        # books
        self._rows: list[Floats] = []
        self._gone: list[tuple[Floats, Ints]] = []
        self._new = 0
        # originals from arrival number `_base` on: those of the records that are still inside
        self._base = 0
        self._originals = np.empty((0, 0))

    # -- the forms of a filter ---------------------------------------------------------

    def push(self, record: AnyRecord) -> list[Release]:
        """One record through the filter."""
        unit = self.filter
        emitted = unit._take_in(record)
        self._rows.append(unit._row[:, : self._width()].copy())
        released: list[Release] = []
        if emitted:
            # copies: the next push writes to the same place
            out = unit._out[:emitted].copy()
            meta = unit._meta[:emitted].copy()
            self._gone.append((out, meta))
            released = unit._releases(out, meta)
        self._new += 1
        if self._new >= self.every:
            self.update()
        return released

    def tick(self) -> list[Release]:
        """What time has made due, for filters with a limit in seconds."""
        out, meta = self.filter._due()
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

    def __call__(self, stream: Iterable[AnyRecord]) -> Iterator[Release]:
        for record in stream:
            yield from self.push(record)
        yield from self.flush()

    def feed(self, values: ArrayLike) -> Batch:
        """Rows of an array."""
        rows = np.ascontiguousarray(values, dtype=np.float64)
        batch = self.filter.feed(rows)
        if len(rows):
            self._rows.append(self.filter._take(rows)[:, : self._width()])
        return self._note(batch)

    def finish(self) -> Batch:
        """End of the stream for `feed`."""
        return self._note(self.filter.finish(), last=True)

    def apply(self, array: ArrayLike) -> Floats:
        """A whole array; starts afresh."""
        self.filter.reset()
        self._forget()
        rows = np.ascontiguousarray(array, dtype=np.float64)
        starts = range(0, max(len(rows), 1), BLOCK)
        parts = [self.feed(rows[start : start + BLOCK]) for start in starts]
        return np.concatenate([part.values for part in [*parts, self.finish()]])

    def _note(
        self,
        batch: Batch,
        last: bool = False,
    ) -> Batch:
        meta = np.column_stack([batch.index, batch.delay, batch.group, batch.size])
        self._gone.append((batch.values, meta))
        self.update(last=last)
        return batch

    # -- the monitors ------------------------------------------------------------------

    def _width(self) -> int:
        """Masked columns; a row of the filter may have more places."""
        return len(self.filter._records.names) if self.filter._records else 0

    def update(self, last: bool = False) -> None:
        """Tell the monitors what is new."""
        if self.filter._records is None:
            return
        if not self._ready:
            self._start(self.filter._records.kinds)
        self._new = 0
        if self._rows:
            self._tell_arrivals()
        self._tell_departures()
        oldest = self._oldest()
        # a copy, so that the memory of those that left is free
        self._originals = self._originals[oldest - self._base :].copy()
        self._base = oldest
        if last:
            for monitor in self.monitors:
                monitor.finish()
        self._check()

    def _start(self, kinds: Ints) -> None:
        self._base = self.filter._arrived - sum(map(len, self._rows))
        for monitor in self.monitors:
            monitor.start(kinds, self._base)
        self._ready = True
        self._originals = np.empty((0, self._width()))

    def _tell_arrivals(self) -> None:
        rows = self._rows[0]
        if len(self._rows) > 1:
            rows = np.concatenate(self._rows)
        self._rows = []
        if len(self._originals):
            self._originals = np.concatenate([self._originals, rows])
        else:
            self._originals = rows
        # records may leave out of order: what left just now can be older than all that are inside
        oldest = self._oldest()
        for _, meta in self._gone:
            if len(meta):
                oldest = min(oldest, int(meta[:, 0].min()))
        behind = max(self.filter._arrived - len(rows) - oldest, 0)
        for monitor in self.monitors:
            monitor.behind = behind
            monitor.arrive(rows)

    def _tell_departures(self) -> None:
        gone = [(out, meta) for out, meta in self._gone if len(meta)]
        self._gone = []
        if not gone:
            return
        masked, meta = gone[0]
        if len(gone) > 1:
            masked = np.concatenate([out for out, _ in gone])
            meta = np.concatenate([books for _, books in gone])
        # after a restart the originals of the first releases are not known
        known = meta[:, 0] >= self._base
        if not known.all():
            masked, meta = masked[known], meta[known]
        index, delay, _, size = meta.T
        originals = self._originals[index - self._base]
        block = Passage(masked, originals, index, delay, size)
        for monitor in self.monitors:
            monitor.leave(block)

    def _oldest(self) -> int:
        """Arrival number of the oldest record inside whose original is known."""
        if self.filter.pending == 0:
            return self.filter._arrived
        return max(self.filter._oldest(), self._base)

    def values(self) -> dict[str, float]:
        """Everything that the monitors know, up to date."""
        self.update()
        known = self._known() if self._ready else {}
        known["withheld"] = len(self.filter.withheld)
        budget = getattr(self.filter, "budget", None)
        # of differentially private filters
        if budget:
            known["epsilon"] = float(budget["spent"])
        return known

    def _known(self) -> dict[str, float]:
        known: dict[str, float] = {}
        for monitor in self.monitors:
            known |= monitor.values()
        return known

    def _check(self) -> None:
        """Raise an alarm for every bound that was crossed since the last look."""
        if not self.bounds or not self._ready:
            return
        known = self._known() | {"withheld": len(self.filter.withheld)}
        for name, bound in self.bounds.items():
            # a misspelt bound would never be crossed
            if name not in known:
                raise ParameterError(
                    f"there is no monitored value '{name}'; there are: {', '.join(known)}"
                )
            if known[name] <= bound or np.isnan(known[name]):
                self._above.discard(name)
            elif name not in self._above:
                self._above.add(name)
                alarm = Alarm(name, known[name], bound, self.filter._arrived)
                self.alarms.append(alarm)
                if self.on_alarm:
                    self.on_alarm(alarm)
