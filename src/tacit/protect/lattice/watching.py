"""Who watches a search: sees how far it is, may end it early, and keeps its state.

The order in which nodes are looked at depends on the file and the settings alone. So a search that
was ended after so many nodes is repeated by ``most_checks``, and one that goes on from its state
ends where it would have ended without a break. The state holds levels, losses and a fingerprint
of the file; no value and no count of it.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

EVERY = 2.0
"""Seconds between two lines of progress, and before the first: short searches say nothing."""
KEEP_EVERY = 10.0
"""Seconds after which the state is written again."""


@dataclass
class Watch:
    """A watcher of the searches of one command."""

    say: Callable[[str], None] = lambda line: None
    seconds: float | None = None
    """After so many the search ends; None: when the best node is proven."""
    state: Path | None = None
    """Where the state is kept."""
    ended: list[int | None] = field(default_factory=list)
    """For each search the nodes after which it was ended; None: it came to its end."""
    _asked: bool = False
    _told: float = field(default_factory=time.monotonic)
    _begun: float = field(default_factory=time.monotonic)
    _kept: float = field(default_factory=time.monotonic)

    def tell(
        self,
        line: Callable[[], str],
    ) -> None:
        """Say how far it is, every now and then."""
        now = time.monotonic()
        if now - self._told >= EVERY:
            self._told = now
            self.say(line())

    def over(self) -> bool:
        """Whether the search should end now."""
        late = (
            self.seconds is not None and time.monotonic() - self._begun >= self.seconds
        )
        return self._asked or late

    def due(self) -> bool:
        """Whether the state should be written again."""
        if self.state is None or time.monotonic() - self._kept < KEEP_EVERY:
            return False
        self._kept = time.monotonic()
        return True

    def interrupted(
        self,
        number: int,
        frame: FrameType | None,
    ) -> None:
        """The first Ctrl-C ends the search where it may end; the second ends the command."""
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True


_CURRENT: ContextVar[Watch | None] = ContextVar("watch", default=None)


def current() -> Watch | None:
    """Who watches; None: nobody."""
    return _CURRENT.get()


@contextmanager
def watched(watch: Watch) -> Iterator[Watch]:
    """Searches inside are watched; with a limit of time or a state, Ctrl-C ends them in order."""
    token = _CURRENT.set(watch)
    in_order = watch.seconds is not None or watch.state is not None
    # signals can only be caught in the main thread
    catches = in_order and threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, watch.interrupted) if catches else None
    try:
        yield watch
    finally:
        if catches:
            signal.signal(signal.SIGINT, before)
        _CURRENT.reset(token)
