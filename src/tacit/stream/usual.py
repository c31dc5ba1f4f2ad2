"""The usual record, a dict of numbers that are all masked: read and written in single calls."""

from __future__ import annotations

import struct
from collections.abc import Callable
from operator import itemgetter
from typing import Any, NamedTuple

from tacit.stream.kinds import AnyRecord, Name

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


def maker(names: list[Name]) -> Callable[..., dict[Name, object]]:
    """A function of values that gives the dict of names and values.

    It is written as source, as ``collections.namedtuple`` writes its own: a dict whose keys are
    known takes half the time of ``dict(zip(names, values))``.
    """
    # a key of another class might not show itself as it is written in a program
    if any(type(name) not in (str, int) for name in names):
        return lambda *values: dict(zip(names, values, strict=True))
    values = [f"v{i}" for i in range(len(names))]
    pairs = ", ".join(map("{!r}: {}".format, names, values))
    source = f"lambda {', '.join(values)}: {{{pairs}}}"
    made: Callable[..., dict[Name, object]] = eval(source, {"__builtins__": {}})
    return made
