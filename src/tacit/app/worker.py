"""A process of its own for the heavy work: the page answers meanwhile, and cancel really stops it.

The page's process holds only small state. A worker does one job at a time; it is told the name of a
function of `tacit.app.work` and plain arguments, and sends back progress, then the result or one
clear sentence. Everything that changes jobs happens under the worker's lock.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from tacit.app.workspace import PRIVATE
from tacit.base.errors import TacitError

# Before a fiftieth is done, or within a second, what is left cannot be told from the pace so far.
TELLING_SHARE, TELLING_SECONDS = 0.02, 1
# Seconds that a process gets to end by itself before it is killed.
GRACE = 2


class Cancelled(Exception):
    """The job was stopped by the user or by the end of its process."""


@dataclass
class Job:
    """A piece of work as the page sees it.

    `news` grows with every change, so that watchers know when to look.
    """

    name: str
    arguments: dict[str, object]
    state: str = "waiting"  # waiting, running, done, failed, cancelled
    share: float = 0.0
    text: str = ""
    # What a job returns and sends is decided by its function in `work`; who asked knows its type.
    result: Any = None
    error: str = ""
    news: int = 0
    started: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    on_tick: Callable[[Any], None] | None = None
    on_end: Callable[[Job], None] | None = None
    _ended: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def over(self) -> bool:
        """Has it ended, one way or another?"""
        return self.state in ("done", "failed", "cancelled")

    @property
    def left(self) -> float | None:
        """Seconds left if the rest goes at the pace so far."""
        spent = time.monotonic() - self.started
        if self.share <= TELLING_SHARE or spent <= TELLING_SECONDS:
            return None
        return spent * (1 - self.share) / self.share

    def end(self, state: str, result: object = None, error: str = "") -> None:
        """Say how it ended, once: a job that was cancelled does not end well later."""
        if self.over:
            return
        self.result = result
        self.error = error
        self.seconds = time.monotonic() - self.started
        self.state = state
        self.news += 1
        # Who waits goes on only after the state that `on_end` makes.
        if self.on_end is not None:
            self.on_end(self)
        self._ended.set()

    def ends_within(self, seconds: float | None) -> bool:
        """Wait for the end, but not longer than this."""
        return self._ended.wait(seconds)

    def wait(self, timeout: float | None = None) -> Any:
        """The result; raises `Cancelled`, or `RuntimeError` with the sentence of the worker."""
        if not self.ends_within(timeout):
            raise TimeoutError(f"{self.name} is still running after {timeout} s")
        if self.state == "cancelled":
            raise Cancelled(self.name)
        if self.state == "failed":
            raise RuntimeError(self.error)
        return self.result


class Worker:
    """Jobs in order, one at a time, in one child process that is started when first needed."""

    def __init__(self, name: str) -> None:
        self.name = name
        # A job's `on_end` may ask for the next job: the lock lets its own thread in again.
        self._lock = threading.RLock()
        self._queue: list[Job] = []
        self._current: Job | None = None
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    @property
    def doing(self) -> str:
        """What is done now, in a few words; '' where nothing is."""
        with self._lock:
            job = self._current
            if job is None:
                return ""
            return job.text or "Starting a worker"

    def warm(self) -> None:
        """Start the process and its imports now, so that the first job does not pay for them."""
        with self._lock:
            self._start()

    def submit(self, job: Job, *, latest_only: bool = False) -> Job:
        """Do a job after those that wait.

        With `latest_only`, jobs of the same name that have not started are dropped: while someone
        types, only the newest preview matters.
        """
        with self._lock:
            if latest_only:
                for old in [one for one in self._queue if one.name == job.name]:
                    self._queue.remove(old)
                    old.end("cancelled")
            self._queue.append(job)
            self._next()
        return job

    def cancel(self, job: Job) -> None:
        """A waiting job is dropped; a running one ends with its process, which is replaced."""
        with self._lock:
            if job in self._queue:
                self._queue.remove(job)
            elif job is self._current:
                self._current = None
                self._stop()
            job.end("cancelled")
            self._next()

    def close(self) -> None:
        """Cancel everything and end the process."""
        with self._lock:
            running = [self._current] if self._current else []
            for job in [*self._queue, *running]:
                job.end("cancelled")
            self._queue.clear()
            self._current = None
            self._stop()

    def _start(self) -> None:
        if self._process is not None and self._process.is_alive():
            return
        # A fresh interpreter: a fork would copy the threads' locks of the server as they stand.
        context = multiprocessing.get_context("spawn")
        self._pipe, far_end = context.Pipe()
        self._process = context.Process(
            target=_child, args=(far_end,), name=f"tacit-{self.name}", daemon=True
        )
        self._process.start()
        # Our copy of the child's end must be closed, or its death would never be noticed.
        far_end.close()
        threading.Thread(target=self._listen, args=(self._pipe,), daemon=True).start()

    def _stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.join(GRACE)
            if self._process.is_alive():
                self._process.kill()
        self._process = None
        self._pipe = None

    def _next(self) -> None:
        """Send the next job, if the process is idle."""
        if self._current is not None or not self._queue:
            return
        self._start()
        job = self._current = self._queue.pop(0)
        job.state = "running"
        job.started = time.monotonic()
        job.news += 1
        assert self._pipe is not None
        self._pipe.send((job.name, job.arguments))

    def _listen(self, pipe: Connection) -> None:
        """Hear one process until its pipe closes; runs in a thread of its own."""
        while True:
            try:
                kind, value = pipe.recv()
            except (EOFError, OSError):
                break
            with self._lock:
                # The last words of a process that was stopped concern nobody.
                if pipe is self._pipe and self._current is not None:
                    self._hear(self._current, kind, value)
        with self._lock:
            # The pipe is still ours, so nobody stopped the process: it died.
            if pipe is self._pipe and self._current is not None:
                job = self._current
                self._current = None
                self._process = None
                self._pipe = None
                job.end(
                    "failed",
                    error="The work stopped unexpectedly, most often for lack of memory.",
                )
                self._next()

    def _hear(self, job: Job, kind: str, value: Any) -> None:
        if kind == "progress":
            job.share, job.text = value
            job.news += 1
        elif kind == "tick":
            if job.on_tick is not None:
                job.on_tick(value)
            job.news += 1
        else:
            self._current = None
            if kind == "done":
                job.share = 1.0
                job.end("done", result=value)
            else:
                job.end("failed", error=value)
            self._next()


def _end_with_the_server() -> None:
    """Wait for the end of the process that started this one; then end without a word."""
    server = multiprocessing.parent_process()
    assert server is not None
    wait([server.sentinel])
    os._exit(1)


def _child(pipe: Connection) -> None:
    """The loop of the worker process."""
    # Ctrl-C is for the server, which then ends us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A server that is killed cannot end us, and our memory holds originals.
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    # What is written here is for this user alone.
    os.umask(PRIVATE)
    # Only workers load this; the page's process stays small.
    from tacit.app import work

    def tell(kind: str, value: object) -> None:
        pipe.send((kind, value))

    while True:
        try:
            name, arguments = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            tell("done", getattr(work, name)(tell=tell, **arguments))
        except TacitError as error:
            tell("failed", str(error))
        except MemoryError:
            tell(
                "failed",
                "There is not enough memory for this. Try a sample, or fewer columns.",
            )
        except Exception as error:
            # A mistake of ours must not end the worker: the next job would wait for ever.
            tell("failed", f"{type(error).__name__}: {error}")
