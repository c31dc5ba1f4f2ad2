"""One measured line, and how it is measured."""

from __future__ import annotations

import multiprocessing
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any


@dataclass
class Row:
    """Ours against one peer on the same input.

    ratio = peer_seconds / ours_seconds: above 1, ours is the faster. It is computed when not given.
    memory_mb, peer_memory_mb: peak of each side, above what the process held before. note: what
    must be known to read
    the line (exactness, what the peer does not do, why a peer is absent).
    """

    name: str
    ours_seconds: float | None
    peer: str = ""
    peer_seconds: float | None = None
    ratio: float | None = None
    memory_mb: float | None = None
    note: str = ""
    size: int | None = None
    series: str = ""
    peer_memory_mb: float | None = None

    def __post_init__(self) -> None:
        if self.ratio is None and self.ours_seconds and self.peer_seconds is not None:
            self.ratio = self.peer_seconds / self.ours_seconds

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Measured:
    """Least wall-clock seconds, processor seconds of that call, peak of memory (MB) and what the
    function returned.
    """

    seconds: float
    cpu: float
    memory_mb: float | None
    answer: Any


SHORT = 0.3
"""Seconds in which calls of milliseconds are repeated: four of them would measure the machine."""


def measure_here(
    function: Callable[[], Any], repeat: int = 3, budget: float = 4.0
) -> Measured:
    """The fastest of 1 + ``repeat`` calls; no further call once ``budget`` seconds are spent
    after the first. Calls of milliseconds are repeated for ``SHORT`` seconds.

    The fastest, because on a shared machine every disturbance only adds; so the first call
    (imports, compilation,
    caches) counts only where it is the only one: where it takes more than four times the budget.
    """
    before = _reset_peak()
    calls, first, since = 0, 0.0, 0.0
    least, cpu_of_least, answer = float("inf"), 0.0, None
    while not calls or (
        (calls <= repeat or (repeat > 0 and first + since < SHORT))
        and since < budget > first / 4
    ):
        start, cpu = time.perf_counter(), time.process_time()
        # of many answers one is kept: memory is measured, too
        answer = function()
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        if calls:
            since += seconds
        else:
            first = seconds
        calls += 1
        if seconds < least:
            least, cpu_of_least = seconds, cpu
    memory = None if before is None else _status("VmHWM") - before
    return Measured(least, cpu_of_least, memory, answer)


def _status(key: str) -> float:
    """A line of Linux's account of this process, in MB."""
    found = re.search(rf"{key}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else float("nan")


def _reset_peak() -> float | None:
    """Resident memory now, from where the peak is counted again; None where the system cannot say."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return None
    return _status("VmRSS")


def best(function: Callable[[], object], repeat: int = 3) -> float:
    """Least wall-clock seconds (see ``measure_here``)."""
    return measure_here(function, repeat).seconds


def measure(
    function: Callable[[], Any],
    repeat: int = 3,
    budget: float = 4.0,
    limit: float = 240.0,
) -> Measured:
    """``measure_here`` in a forked process of its own; stopped after ``limit`` seconds.

    The process is why one peer that crashes or hangs costs one row, and why memory can be told
    apart.
    """
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(function, repeat, budget, theirs))
    process.start()
    theirs.close()
    try:
        if not ours.poll(limit):
            raise TimeoutError(f"stopped after {limit:g} s")
        answer = ours.recv()
    except EOFError:
        process.join()
        raise RuntimeError(f"ended by signal {-(process.exitcode or 0)}") from None
    finally:
        process.kill()
        process.join()
    if not isinstance(answer, Measured):
        raise RuntimeError(answer)
    return answer


def peak_memory_mb(function: Callable[[], object]) -> float | None:
    """How much the peak of resident memory grew during one call."""
    return measure(lambda: function() is None, repeat=0).memory_mb


Say = Callable[[Any, Any], str]
"""The note of a row, from our answer and the peer's."""


def beside(
    name: str,
    mine: Measured,
    peer: str,
    theirs: Callable[[], Measured],
    say: Say,
    *,
    size: int,
    series: str = "",
) -> Row:
    """One row. A peer that fails is a row that says why."""
    row = partial(
        Row,
        name,
        mine.seconds,
        peer,
        memory_mb=mine.memory_mb,
        size=size,
        series=series,
    )
    try:
        found = theirs()
    except Exception as error:
        return row(note=f"peer not measured: {error}"[:300])
    note = say(mine.answer, found.answer)
    return row(peer_seconds=found.seconds, peer_memory_mb=found.memory_mb, note=note)


def side_by_side(
    name: str,
    ours: Callable[[], Any],
    peers: Mapping[str, Callable[[], Any]],
    say: Say,
    *,
    size: int,
    series: str = "",
    limit: float = 240.0,
) -> list[Row]:
    """One row a peer; all are measured here, each in a process of its own."""
    mine = measure(ours, limit=limit)
    return [
        beside(
            name,
            mine,
            peer,
            partial(measure, call, limit=limit),
            say,
            size=size,
            series=series,
        )
        for peer, call in peers.items()
    ]


def _child(function: Callable[[], Any], repeat: int, budget: float, pipe: Any) -> None:
    try:
        pipe.send(measure_here(function, repeat, budget))
    except Exception as error:
        pipe.send(f"{type(error).__name__}: {error}")
