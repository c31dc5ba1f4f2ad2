"""Which columns of a stream a filter masks, and their kinds, decided by the first record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from tacit.base.errors import ColumnError, InputError

CONTINUOUS, ORDINAL, NOMINAL = 0, 1, 2
"""The codes that the kernels use (`tacit.kernels.stream.noise`, which this must not import:
numba).
"""
WORDS = ("continuous", "ordinal", "nominal")
EVERY_KIND = frozenset({CONTINUOUS, ORDINAL, NOMINAL})

Name: TypeAlias = str | int
"""A column: the key of a dict, the place in an array or list."""
Plain: TypeAlias = dict[str, Any]
"""Arrays and plain values by name: parameters, a state, what is saved beside it."""
AnyRecord: TypeAlias = Any
"""A dict, an array, a list, or a pair of one of these and its label: whatever the source gives."""


def is_pair(record: AnyRecord) -> bool:
    """A record with its label, as river gives them; a tuple of two plain values is a record."""
    if not isinstance(record, tuple) or len(record) != 2:
        return False
    return not isinstance(record[0], int | float | str)


def form_of(x: AnyRecord) -> str:
    """``dict``, ``array`` or ``list``."""
    if isinstance(x, Mapping):
        return "dict"
    if isinstance(x, np.ndarray):
        if x.ndim != 1:
            raise InputError(
                f"a record is a row of values, and no array of shape {x.shape}"
            )
        return "array"
    if isinstance(x, list | tuple):
        return "list"
    raise InputError(
        "a record must be a dict, an array, a list or a pair with its label, "
        f"not {type(x).__name__}"
    )


def kinds_of(
    x: AnyRecord,
    present: Sequence[Name],
    nominal: Iterable[Name],
    ordinal: Mapping[Name, Sequence[object]],
) -> dict[Name, int]:
    """Text and truth values are nominal, numbers continuous, unless something else was declared."""
    unordered = set(nominal)
    kinds: dict[Name, int] = {}
    for name in present:
        if name in ordinal:
            kinds[name] = ORDINAL
        elif name in unordered or isinstance(x[name], str | bool | np.bool_ | bytes):
            kinds[name] = NOMINAL
        else:
            kinds[name] = CONTINUOUS
    return kinds


def must_exist(declared: Iterable[Name], present: Sequence[Name]) -> None:
    """A column that was named and is not there is an error."""
    for name in declared:
        if name not in present:
            columns = ", ".join(map(str, present))
            raise ColumnError(
                f"the stream has no column '{name}'; its columns are: {columns}"
            )


def masked_columns(
    kinds: Mapping[Name, int],
    columns: Sequence[Name] | None,
    handles: frozenset[int],
    who: str,
) -> list[Name]:
    """The columns that the filter ``who`` masks: those asked for, else all that it can."""
    # what a filter cannot mask is carried along, unless somebody asked for it to be masked
    if columns is None:
        names = [name for name, kind in kinds.items() if kind in handles]
    else:
        names = list(columns)
    for name in names:
        if kinds[name] not in handles:
            kind = WORDS[kinds[name]]
            raise ColumnError(
                f"{who} cannot mask the column '{name}', which is {kind}; leave it out"
            )
    if not kinds:
        raise InputError("a record without values has nothing to protect")
    if not names:
        raise ColumnError(f"no column of the stream can be masked by {who}")
    return names
