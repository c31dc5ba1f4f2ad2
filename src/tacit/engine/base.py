"""The interface of an engine, progress, cancelling, and seeds of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Event
from typing import Any, Protocol

import numpy as np

from tacit.errors import TacitError

Progress = Callable[[int, int], None]
"""Called with (finished, all) after each item."""

Cancel = Event
"""Set it from another thread: running items finish, no other starts, and ``Cancelled`` is raised."""


class Cancelled(TacitError):
    """The run was cancelled; what it had finished is kept if it had a place for it."""


class Engine(Protocol):
    """Runs a function over items."""

    name: str

    def map(
        self,
        work: Callable[[Any], Any],
        items: Sequence[Any],
        *,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
        done: frozenset[int] = frozenset(),
    ) -> Iterator[tuple[int, Any]]:
        """(place, result) of every item whose place is not in ``done`` (resume), in the order of finishing."""
        ...


def seed_of(seed: int, block: int) -> np.random.SeedSequence:
    """The seed of a block: the same on every engine, whatever the order in which blocks run."""
    return np.random.SeedSequence([seed, block])


def check_cancel(cancel: Cancel | None, finished: int, total: int) -> None:
    if cancel is not None and cancel.is_set():
        raise Cancelled(f"cancelled after {finished} of {total} blocks; run again with resume to go on from there")
