"""The interface of an engine, how it tells what is finished, cancelling, and seeds of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Event
from typing import Any, ClassVar, Literal, Protocol, TypeVar

from tacit.base import seeds
from tacit.base.errors import TacitError

Item = TypeVar("Item")
Result = TypeVar("Result")

ItemsDone = Callable[[int, int], None]
"""Called with (finished, all) after each item; ``base.typing.Progress`` also names the work."""

Cancel = Event
"""Set it from another thread: running items finish, no other starts, ``Cancelled`` is raised."""

Reach = Literal["machine", "cluster"]
"""Where the records of a file lie while an engine works on them."""


class Cancelled(TacitError):
    """The run was cancelled; what it had finished is kept if it had a place for it."""


class Engine(Protocol):
    """Runs a function over items.

    Attributes
    ----------
    name
        What reports call it.
    reach
        Which stages (``scale.protect_file``, ``scale.link``) treat a file that it is given.
    """

    name: ClassVar[str]
    reach: ClassVar[Reach]

    @property
    def number(self) -> int:
        """Items that run at the same time in the memory of this process."""
        ...

    def map(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        *,
        progress: ItemsDone | None = None,
        cancel: Cancel | None = None,
        done: frozenset[int] = frozenset(),
    ) -> Iterator[tuple[int, Result]]:
        """(place, result) of every item whose place is not in ``done``, as items finish."""
        ...

    def table(self, name: str) -> Any:
        """A table of the engine's catalog as an unread frame; None if it has no catalog."""
        ...


def in_order(results: Iterator[tuple[int, Result]]) -> list[Result]:
    """What ``Engine.map`` yields, in the order of the items."""
    # items finish in any order
    by_place = sorted(results, key=lambda pair: pair[0])
    return [result for _, result in by_place]


def seed_of(
    key: int,
    block: int,
) -> int:
    """The seed of a block: the same on every engine, whatever the order in which blocks run."""
    return seeds.child(key, block)


def check_cancel(
    cancel: Cancel | None,
    finished: int,
    total: int,
) -> None:
    """Raise ``Cancelled`` if somebody asked for it; called where nothing is half done."""
    if cancel is not None and cancel.is_set():
        raise Cancelled(
            f"cancelled after {finished} of {total} blocks; "
            "run again with resume to go on from there"
        )
