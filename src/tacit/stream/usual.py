"""The usual record, a dict of numbers that are all masked: read and written in single calls."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.stream.kinds import AnyRecord, Name
from tacit.stream.released import BOOKS

FAULTS = (KeyError, struct.error, TypeError, OverflowError)
"""What reading a record that is not usual raises."""


class Usual(NamedTuple):
    """How records of these columns are read and written."""

    width: int
    """Columns of a record."""
    get: Callable[[AnyRecord], tuple[Any, ...]]
    """The values of a record, in order."""
    pack_into: Callable[..., None]
    """Writes values to a row."""
    unpack_from: Callable[..., tuple[float, ...]]
    """Reads them."""
    named: Callable[[Iterable[Any]], Iterable[tuple[Name, Any]]]
    """Pairs of a column and its value, for `dict`."""

    @classmethod
    def of(cls, names: list[Name]) -> Usual:
        """For records of these columns, two at least."""
        packer = struct.Struct(f"{len(names)}d")
        return cls(
            len(names),
            itemgetter(*names),
            packer.pack_into,
            packer.unpack_from,
            partial(zip, names),
        )


class Desk(NamedTuple):
    """A row that goes in, the row that leaves and its books, one after the other in one array."""

    width: int
    """Columns of a record."""
    get: Callable[[AnyRecord], tuple[Any, ...]]
    """The values of a record, in order."""
    pack_into: Callable[..., None]
    """Writes them to the row that goes in."""
    unpack_from: Callable[..., tuple[Any, ...]]
    """Reads the row that leaves and its books."""
    out: int
    """Bytes before that row."""
    named: Callable[[Iterable[Any]], Iterable[tuple[Name, Any]]]
    """Pairs of a column and its value, for `dict`; the books that follow have no column."""

    @classmethod
    def of(cls, names: list[Name]) -> Desk:
        """For records of these columns, two at least."""
        d = len(names)
        return cls(
            d,
            itemgetter(*names),
            struct.Struct(f"{d}d").pack_into,
            struct.Struct(f"{d}d{len(BOOKS)}q").unpack_from,
            8 * d,
            partial(zip, names),
        )

    def new(self) -> Floats:
        """An empty one."""
        return np.zeros(2 * self.width + len(BOOKS))


def left_on(desk: Floats, width: int) -> tuple[Floats, Ints]:
    """The row that left and its books, as arrays of one row."""
    return desk[None, width : 2 * width], desk[2 * width :].view(np.int64)[None]
