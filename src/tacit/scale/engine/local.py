"""Engines of this machine: threads (kernels release the interpreter lock) and processes."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import dataclass
from typing import ClassVar

from tacit.base.errors import ParameterError
from tacit.scale.engine.base import (
    Cancel,
    Item,
    ItemsDone,
    Reach,
    Result,
    check_cancel,
)

# one item runs and one waits for each worker: nobody is idle while the caller writes a
# result, and results do not pile up in memory
ITEMS_PER_WORKER = 2


@dataclass(frozen=True)
class _Local:
    workers: int | None = None
    reach: ClassVar[Reach] = "machine"

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise ParameterError(f"workers={self.workers} must be at least 1")

    @property
    def number(self) -> int:
        """Workers: as many as were asked for, or one for each core that we may use."""
        if not hasattr(os, "sched_getaffinity"):
            # macOS and Windows cannot say which cores are ours
            return self.workers or os.cpu_count() or 1
        return self.workers or len(os.sched_getaffinity(0))

    def table(self, name: str) -> None:
        """None: this machine has no catalog of tables."""

    def _pool(self) -> Executor:
        raise NotImplementedError

    def map(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        *,
        progress: ItemsDone | None = None,
        cancel: Cancel | None = None,
        done: frozenset[int] = frozenset(),
    ) -> Iterator[tuple[int, Result]]:
        """(place, result) as items finish; an item is taken from ``items`` when its turn comes."""
        total = len(items)
        places = [place for place in range(total) if place not in done]
        finished = total - len(places)
        waiting = iter(places)
        running: dict[Future[Result], int] = {}
        most_running = ITEMS_PER_WORKER * self.number
        with self._pool() as pool:
            try:
                while True:
                    check_cancel(cancel, finished, total)
                    while len(running) < most_running:
                        place = next(waiting, None)
                        if place is None:
                            break
                        running[pool.submit(work, items[place])] = place
                    if not running:
                        return
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        place = running.pop(future)
                        finished += 1
                        if progress:
                            progress(finished, total)
                        yield place, future.result()
            finally:
                # after an error or a cancel: what has not begun does not begin
                for future in running:
                    future.cancel()


@dataclass(frozen=True)
class Threads(_Local):
    """Threads of this process (the default)."""

    name: ClassVar[str] = "threads"

    def _pool(self) -> Executor:
        return ThreadPoolExecutor(self.number)


@dataclass(frozen=True)
class Processes(_Local):
    """Processes of this machine: for work that holds the interpreter lock.

    Work and items must be picklable.
    """

    name: ClassVar[str] = "processes"

    def _pool(self) -> Executor:
        # spawn, not fork: a forked copy of a process with threads can hang on their locks
        spawn = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.number, mp_context=spawn)
