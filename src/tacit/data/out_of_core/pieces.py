"""Pieces of a file: consecutive records, each piece done by whoever is asked to.

A piece is work that depends on its item alone (which records, and where the result is to be
written), so that it can be done anywhere and again. ``mapped_by`` says who does it; without it
the pieces are done one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeAlias

# records of one item: enough that starting a task is worth while, and 8 MB for each number of a
# record; a multiple of the 8,192 records of a block
PIECE = 1 << 20

Work: TypeAlias = Callable[[Any], Any]
Mapper: TypeAlias = Callable[[Work, Sequence[Any]], Iterator[tuple[int, Any]]]
"""(place, result) of every item, in any order; the ``map`` of an engine is one."""


def one_by_one(work: Work, items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """In this thread, in order."""
    for place, item in enumerate(items):
        yield place, work(item)


_mapper: ContextVar[Mapper] = ContextVar("mapper", default=one_by_one)

_keeping: ContextVar[bool] = ContextVar("keeping", default=False)


@contextmanager
def mapped_by(mapper: Mapper) -> Iterator[None]:
    """Pieces of files on the disk are done by this mapper inside the block."""
    token = _mapper.set(mapper)
    try:
        yield
    finally:
        _mapper.reset(token)


def mapper() -> Mapper:
    """Who does pieces now."""
    return _mapper.get()


def mapped(work: Work, items: Sequence[Any]) -> list[Any]:
    """The results in the order of the items, whoever made them and whenever."""
    results = dict(_mapper.get()(work, items))
    return [results[place] for place in range(len(items))]


@contextmanager
def keeping() -> Iterator[None]:
    """Files that passes no longer need stay: a run that goes on may need them again."""
    token = _keeping.set(True)
    try:
        yield
    finally:
        _keeping.reset(token)


def spent(paths: Iterable[Path]) -> None:
    """Files that nobody needs any more, unless the run may have to go on from them."""
    if not _keeping.get():
        for path in paths:
            path.unlink(missing_ok=True)


def whole_blocks(n: int, block: int) -> list[tuple[int, int]]:
    """As ``spans``, of pieces that begin where blocks do.

    >>> whole_blocks(5 * PIECE, PIECE - 1)[1] == (PIECE - 1, 2 * PIECE - 2)
    True
    """
    return spans(n, max(1, PIECE // block) * block)


def spans(n: int, length: int | None = None) -> list[tuple[int, int]]:
    """(first record, one after the last) of each piece of a file of n records.

    >>> spans(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    length = length or PIECE
    return [(first, min(first + length, n)) for first in range(0, n, length)]
