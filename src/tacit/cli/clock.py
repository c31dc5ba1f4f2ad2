"""When the command began: a budget of time counts from there, not from when all was loaded."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_began: list[float] = []


@contextmanager
def from_process_start() -> Iterator[None]:
    """The command is all that this process does: its time began with the process."""
    _began[:] = [time.perf_counter() - _age()]
    try:
        yield
    finally:
        _began.clear()


def began() -> float:
    """When the command began, by ``time.perf_counter``; now, where another program calls it."""
    return _began[0] if _began else time.perf_counter()


def _age() -> float:
    """Seconds since the process began; 0 where the system does not tell.

    On a busy machine loading Python and the command line takes seconds before any of our code runs.
    """
    try:
        # after the name, which may hold spaces: field 22 is the start in ticks since the boot
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        started = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started)
    except (OSError, AttributeError, ValueError, IndexError):
        return 0.0
