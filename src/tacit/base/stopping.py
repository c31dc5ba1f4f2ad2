"""Ctrl-C once: what runs is stopped, the rest is left, and what is known is said.

A library that is called from Python is interrupted as always. Who wants to hear what is known so
far (the command line) hands a `Stop` to the work and asks it at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

STOPPED = "stopped by Ctrl-C"


class Stop:
    """Whether somebody asked to stop, and whether work is under way that may be interrupted."""

    def __init__(self) -> None:
        self.asked = False
        self.is_working = False

    def ask(self) -> None:
        """Stop: interrupts the part that runs, if one does that can be interrupted.

        Called by a signal handler, so the interrupt is raised where the work is.
        """
        self.asked = True
        if self.is_working:
            raise KeyboardInterrupt

    @contextmanager
    def working(self) -> Iterator[None]:
        """A part of the work: an interrupt comes out of this block and never beside it."""
        try:
            self.is_working = True
            # asked between the last part and this one
            if self.asked:
                raise KeyboardInterrupt
            yield
        finally:
            self.is_working = False
