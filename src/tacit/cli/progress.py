"""How far the work is: a bar on a terminal, a line every few seconds elsewhere; and Ctrl-C.

Ctrl-C once stops the work, and what is known is said; twice, and tacit leaves at once.
``TACIT_PROGRESS=off`` keeps standard error quiet where it is no terminal.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from rich.console import Console

from tacit.base.stopping import Stop

if TYPE_CHECKING:
    from tacit.base.typing import Progress

FIRST = 1.0
"""Seconds before the first line: what is quicker needs none."""
EVERY = 5.0
"""Seconds between lines."""
INTERRUPTED = 130
"""The code by which shells know that Ctrl-C ended a program (128 + SIGINT)."""


class Place:
    """Where the work is."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.start = time.monotonic()
        self.state = ("", 0, 0)

    def line(self) -> str:
        """What is done now, how much is behind it, and for how long it has gone on."""
        what, done, total = self.state
        part = f"{what}, {done} of {total} done" if total else what
        seconds = time.monotonic() - self.start
        return ": ".join(filter(None, (self.title, part))) + f" ({seconds:.0f} s)"


def _say_now_and_then(place: Place, ended: threading.Event) -> None:
    """Lines on stderr until the work has ended."""
    wait = FIRST
    while not ended.wait(wait):
        print(place.line(), file=sys.stderr, flush=True)
        wait = EVERY


@contextmanager
def progress(title: str, stop: Stop | None = None) -> Iterator[Progress]:
    """Say how far the work is, and answer Ctrl-C.

    Parameters
    ----------
    title : str
        What is done.
    stop : Stop, optional
        Work that goes on to say what it knows; without it Ctrl-C ends the block.
    """
    asked = Stop() if stop is None else stop
    place = Place(title)
    with _answering(asked), _shown(place) as shown:

        def tell(what: str, done: int, total: int) -> None:
            place.state = (what, done, total)
            # a solver may have answered the interrupt by its best solution and gone on
            if stop is None and asked.asked:
                raise KeyboardInterrupt
            shown(what, done, total)

        if stop is not None:
            yield tell
            return
        try:
            with asked.working():
                yield tell
        except KeyboardInterrupt:
            raise KeyboardInterrupt(place.line()) from None


@contextmanager
def _answering(stop: Stop) -> Iterator[None]:
    """Ctrl-C once asks to stop; twice, and the process ends."""

    def interrupted(number: int, frame: FrameType | None) -> None:
        if stop.asked:
            os.write(2, b"Left.\n")
            # by force: what runs may be compiled code that asks nobody
            os._exit(INTERRUPTED)
        os.write(2, b"Stopping; Ctrl-C again leaves at once.\n")
        stop.ask()

    # only the main thread hears signals
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


@contextmanager
def _shown(place: Place) -> Iterator[Progress]:
    """A bar where people look, lines where a file or a program reads."""
    if not sys.stderr.isatty():
        ended = threading.Event()
        arguments = (place, ended)
        thread = threading.Thread(target=_say_now_and_then, args=arguments, daemon=True)
        if os.environ.get("TACIT_PROGRESS", "") != "off":
            thread.start()
        try:
            yield lambda what, done, total: None
        finally:
            ended.set()
        return
    from rich import progress as bars

    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.TimeElapsedColumn(),
        bars.TimeRemainingColumn(),
    )
    # On stderr and gone at the end: stdout may be a file or another program.
    with bars.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(place.title, total=None)
        yield lambda what, done, total: bar.update(
            task, description=f"{place.title}: {what}", completed=done, total=total
        )
