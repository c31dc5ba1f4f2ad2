"""One measured line, and the two ways to measure it."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass
class Row:
    """Ours against one peer on the same input.

    ratio = peer_seconds / ours_seconds: above 1, ours is the faster. It is computed when not given.
    memory_mb: peak of ours, above what the process held before. note: what must be known to read the line
    (exactness, what the peer does not do, why a peer is absent).
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


def best(function: Callable[[], object], repeat: int = 3, warm: bool = True) -> float:
    """Least wall-clock seconds of ``repeat`` calls; the first call (compilation, caches) is not counted.

    The minimum, because on a shared machine every disturbance only adds.
    """
    if warm:
        function()
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def _peak(function: Callable[[], object], pipe: Any) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    function()
    pipe.send((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)


def peak_memory_mb(function: Callable[[], object]) -> float:
    """How much the peak of resident memory grew during one call, in a forked process of its own."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_peak, args=(function, theirs))
    process.start()
    theirs.close()
    try:
        value = float(ours.recv())
    except EOFError:
        value = float("nan")
    process.join()
    return value
