"""Engines of this machine: threads (kernels release the interpreter lock) and processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from tacit.engine.base import Cancel, Progress, check_cancel
from tacit.errors import ParameterError


@dataclass(frozen=True)
class _Local:
    workers: int | None = None

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise ParameterError(f"workers={self.workers} must be at least 1")

    @property
    def number(self) -> int:
        return self.workers or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

    def _pool(self) -> Executor:
        raise NotImplementedError

    def map(
        self,
        work: Callable[[Any], Any],
        items: Sequence[Any],
        *,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
        done: frozenset[int] = frozenset(),
    ) -> Iterator[tuple[int, Any]]:
        """At most two items a worker are in flight, so that results do not pile up while the caller writes."""
        todo = iter([place for place in range(len(items)) if place not in done])
        finished = len(items) - sum(1 for place in range(len(items)) if place not in done)
        running: dict[Future[Any], int] = {}
        with self._pool() as pool:
            try:
                while True:
                    check_cancel(cancel, finished, len(items))
                    while len(running) < 2 * self.number and (place := next(todo, None)) is not None:
                        running[pool.submit(work, items[place])] = place
                    if not running:
                        return
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        place = running.pop(future)
                        finished += 1
                        if progress:
                            progress(finished, len(items))
                        yield place, future.result()
            finally:
                for future in running:
                    future.cancel()


@dataclass(frozen=True)
class Threads(_Local):
    """Threads of this process (the default)."""

    name = "threads"

    def _pool(self) -> Executor:
        return ThreadPoolExecutor(self.number)


@dataclass(frozen=True)
class Processes(_Local):
    """Processes of this machine: for work that holds the interpreter lock. Work and items must be picklable."""

    name = "processes"

    def _pool(self) -> Executor:
        import multiprocessing

        return ProcessPoolExecutor(self.number, mp_context=multiprocessing.get_context("spawn"))
