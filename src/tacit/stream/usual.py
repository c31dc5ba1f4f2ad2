"""The usual record, a dict of numbers that are all masked: read and written in single calls."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.stream.kinds import AnyRecord, Name
from tacit.stream.released import BOOKS, Release

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
    record: Callable[..., dict[Name, object]]
    """A record of values."""

    @classmethod
    def of(cls, names: list[Name]) -> Usual:
        """For records of these columns, two at least."""
        packer = struct.Struct(f"{len(names)}d")
        return cls(
            len(names),
            itemgetter(*names),
            packer.pack_into,
            packer.unpack_from,
            maker(names),
        )


class Desk(NamedTuple):
    """A row that goes in, the row that leaves and its books, one after the other in one array."""

    width: int
    """Columns of a record."""
    put: Callable[[Floats, AnyRecord], None]
    """Writes a record to its row."""
    unpack_from: Callable[..., tuple[Any, ...]]
    """Reads the row that leaves and its books."""
    out: int
    """Bytes before that row."""
    release: Callable[..., Release]
    """What leaves, made of them."""

    @classmethod
    def of(cls, names: list[Name]) -> Desk:
        """For records of these columns, two at least."""
        d = len(names)
        return cls(
            d,
            reader(names),
            struct.Struct(f"{d}d{len(BOOKS)}q").unpack_from,
            8 * d,
            releaser(names),
        )

    def new(self) -> Floats:
        """An empty one."""
        return np.zeros(2 * self.width + len(BOOKS))


def left_on(desk: Floats, width: int) -> tuple[Floats, Ints]:
    """The row that left and its books, as arrays of one row."""
    return desk[None, width : 2 * width], desk[2 * width :].view(np.int64)[None]


def _are_plain(names: list[Name]) -> bool:
    """Do they show themselves as they are written in a program? Another class might not."""
    return all(type(name) in (str, int) for name in names)


def maker(names: list[Name]) -> Callable[..., dict[Name, object]]:
    """A function of values that gives the dict of names and values.

    It is written as source, as ``collections.namedtuple`` writes its own: a dict whose keys are
    known takes half the time of ``dict(zip(names, values))``.
    """
    if not _are_plain(names):
        return lambda *values: dict(zip(names, values, strict=True))
    values, pairs = _written(names)
    made: Callable[..., dict[Name, object]] = eval(
        f"lambda {values}: {{{pairs}}}", {"__builtins__": {}}
    )
    return made


def releaser(names: list[Name]) -> Callable[..., Release]:
    """A function of values and books that gives the release: ``maker`` and one call less."""
    new = partial(tuple.__new__, Release)
    if not _are_plain(names):
        d, record = len(names), maker(names)
        return lambda *parts: new((record(*parts[:d]), *parts[d:]))
    values, pairs = _written(names)
    books = ", ".join(f"b{i}" for i in range(len(BOOKS)))
    made: Callable[..., Release] = eval(
        f"lambda {values}, {books}: new(({{{pairs}}}, {books}))",
        {"__builtins__": {}, "new": new},
    )
    return made


def reader(names: list[Name]) -> Callable[[Floats, AnyRecord], None]:
    """A function of an array and a record that writes the record's values to its beginning."""
    pack_into: Callable[..., None] = struct.Struct(f"{len(names)}d").pack_into
    if not _are_plain(names):
        get = itemgetter(*names)
        return lambda row, record: pack_into(row, 0, *get(record))
    values = ", ".join(f"record[{name!r}]" for name in names)
    made: Callable[[Floats, AnyRecord], None] = eval(
        f"lambda row, record: pack_into(row, 0, {values})",
        {"__builtins__": {}, "pack_into": pack_into},
    )
    return made


def _written(names: list[Name]) -> tuple[str, str]:
    """Names of the values, and a dict of them, as source."""
    values = [f"v{i}" for i in range(len(names))]
    return ", ".join(values), ", ".join(map("{!r}: {}".format, names, values))
