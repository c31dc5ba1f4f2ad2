"""How far a command is: a bar on a terminal, a line now and then where stderr is a file or a pipe.

``TACIT_PROGRESS=off`` keeps standard error quiet where it is no terminal.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

from tacit.cli.screen import Screen

if TYPE_CHECKING:
    from tacit.base.typing import Progress

FIRST = 1.0
"""Seconds before the first line: what ends sooner stays quiet."""
PAUSE = 5.0
"""Seconds between two lines: whoever looks at a log sees within them that something is done."""


@contextmanager
def progress(title: str) -> Iterator[Progress]:
    """How far it is, on stderr: stdout may be a file or another program."""
    if not sys.stderr.isatty():
        if os.environ.get("TACIT_PROGRESS", "") == "off":
            yield Where(title)
            return
        with lines(title, sys.stderr, PAUSE, FIRST) as tell:
            yield tell
        return
    from rich import progress as bars

    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.TimeElapsedColumn(),
        bars.TimeRemainingColumn(),
    )
    # gone at the end
    with bars.Progress(*columns, console=Screen(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda what, done, total: bar.update(
            task, description=f"{title}: {what}", completed=done, total=total
        )


@dataclass
class Where:
    """What is done now, and how much of how much is behind it."""

    title: str
    began: float = field(default_factory=time.monotonic)
    what: str = ""
    done: int = 0
    total: int = 0

    def __call__(self, what: str, done: int, total: int) -> None:
        self.what, self.done, self.total = what, done, total

    def line(self) -> str:
        """One line of a log, such as 'comparing: 3 of 12 done, noise(percent=5) (40 s)'."""
        parts = []
        if self.total:
            parts.append(f"{self.done:,} of {self.total:,} done")
        if self.what:
            parts.append(self.what)
        said = ": " + ", ".join(parts) if parts else ""
        return f"{self.title}{said} ({time.monotonic() - self.began:.0f} s)"


@contextmanager
def lines(
    title: str, out: TextIO, pause: float, first: float | None = None
) -> Iterator[Progress]:
    """A line every ``pause`` seconds, also while one step lasts longer; the first after ``first``.

    A thread writes them: an attack on a large file may take minutes and tells nothing before its
    end.
    """
    where = Where(title)
    over = threading.Event()

    def write() -> None:
        wait = pause if first is None else first
        while not over.wait(wait):
            wait = pause
            try:
                print(where.line(), file=out, flush=True)
            except (OSError, ValueError):
                # nobody reads it any more: the work goes on
                return

    writer = threading.Thread(target=write, name="tacit-progress", daemon=True)
    writer.start()
    try:
        yield where
    finally:
        over.set()
        writer.join(timeout=pause)
