"""A process of its own for the heavy work, so that the page answers while it runs and cancel really stops it.

The page's process holds only small state. A worker does one job at a time; it is told the name of a function of
`tacit.app.work` and plain arguments, and sends back progress, then the result or one clear sentence.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any


class Cancelled(Exception):
    """The job was stopped by the user or by the end of its process."""


@dataclass
class Job:
    """A piece of work as the page sees it. `news` grows with every change, so watchers know when to look."""

    name: str
    arguments: dict[str, Any]
    state: str = "waiting"  # waiting, running, done, failed, cancelled
    share: float = 0.0
    text: str = ""
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
        return self.state in ("done", "failed", "cancelled")

    @property
    def left(self) -> float | None:
        """Seconds left if the rest goes at the pace so far."""
        spent = time.monotonic() - self.started
        return spent * (1 - self.share) / self.share if self.share > 0.02 and spent > 1 else None

    def end(self, state: str, result: Any = None, error: str = "") -> None:
        if self.over:
            return
        self.result, self.error = result, error
        self.seconds = time.monotonic() - self.started
        self.state = state
        self.news += 1
        if self.on_end is not None:
            self.on_end(self)
        self._ended.set()

    def wait(self, timeout: float | None = None) -> Any:
        """The result; raises `Cancelled`, or `RuntimeError` with the sentence that the worker gave."""
        if not self._ended.wait(timeout):
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
        self._lock = threading.RLock()
        self._queue: list[Job] = []
        self._current: Job | None = None
        self._process: Any = None
        self._pipe: Connection | None = None

    def warm(self) -> None:
        """Start the process and its imports now, so that the first job does not pay for them."""
        with self._lock:
            self._start()

    def submit(self, job: Job, *, latest_only: bool = False) -> Job:
        """`latest_only`: jobs of the same name that have not started are dropped, for previews while typing."""
        with self._lock:
            if latest_only:
                for old in [q for q in self._queue if q.name == job.name]:
                    self._queue.remove(old)
                    old.end("cancelled")
            self._queue.append(job)
            self._next()
        return job

    def cancel(self, job: Job) -> None:
        """A waiting job is dropped; a running one ends with its process, and a new process takes its place."""
        with self._lock:
            if job in self._queue:
                self._queue.remove(job)
            elif job is self._current:
                self._current = None
                self._stop()
            job.end("cancelled")
            self._next()

    def close(self) -> None:
        with self._lock:
            for job in [*self._queue, *([self._current] if self._current else [])]:
                job.end("cancelled")
            self._queue.clear()
            self._current = None
            self._stop()

    def _start(self) -> None:
        if self._process is not None and self._process.is_alive():
            return
        context = multiprocessing.get_context("spawn")
        self._pipe, far = context.Pipe()
        self._process = context.Process(target=_child, args=(far,), name=f"tacit-{self.name}", daemon=True)
        self._process.start()
        far.close()
        threading.Thread(target=self._listen, args=(self._pipe,), daemon=True).start()

    def _stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.join(2)
            if self._process.is_alive():
                self._process.kill()
        self._process = self._pipe = None

    def _next(self) -> None:
        if self._current is None and self._queue:
            self._start()
            job = self._current = self._queue.pop(0)
            job.state, job.started = "running", time.monotonic()
            job.news += 1
            assert self._pipe is not None
            self._pipe.send((job.name, job.arguments))

    def _listen(self, pipe: Connection) -> None:
        while True:
            try:
                kind, value = pipe.recv()
            except (EOFError, OSError):
                break
            with self._lock:
                if pipe is not self._pipe or self._current is None:
                    continue
                self._hear(self._current, kind, value)
        with self._lock:
            if pipe is self._pipe and self._current is not None:
                job, self._current = self._current, None
                self._process = self._pipe = None
                job.end("failed", error="The work stopped unexpectedly, most often for lack of memory.")
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
            job.share = 1.0 if kind == "done" else job.share
            job.end(kind, **({"result": value} if kind == "done" else {"error": value}))
            self._next()


def _child(pipe: Connection) -> None:
    """The loop of the worker process."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends us
    from tacit.app import work
    from tacit.errors import TacitError

    def tell(kind: str, value: Any) -> None:
        pipe.send((kind, value))

    while True:
        try:
            name, arguments = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            pipe.send(("done", getattr(work, name)(tell=tell, **arguments)))
        except TacitError as error:
            pipe.send(("failed", str(error)))
        except MemoryError:
            pipe.send(("failed", "There is not enough memory for this. Try a sample, or fewer columns."))
        except Exception as error:
            pipe.send(("failed", f"{type(error).__name__}: {error}"))
