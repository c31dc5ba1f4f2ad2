"""How far the work is (`tacit.cli.telling`), and Ctrl-C while it runs.

Ctrl-C once stops the work, and what is known is said; twice, and tacit leaves at once.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from tacit.base.stopping import Stop
from tacit.cli import telling

if TYPE_CHECKING:
    from tacit.base.typing import Progress

INTERRUPTED = 130
"""The code by which shells know that Ctrl-C ended a program (128 + SIGINT)."""


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
    place = telling.Where(title)
    with _answering(asked), telling.progress(title) as shown:

        def tell(what: str, done: int, total: int) -> None:
            place(what, done, total)
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
