"""Records of any form to rows of numbers and back: dicts, arrays, lists, and (x, label) pairs."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ColumnError, InputError

CONTINUOUS, ORDINAL, NOMINAL = 0, 1, 2
MOST_CATEGORIES = 100_000  # memory is bounded: a column with more distinct values is not a category


class Records:
    """Learns the form of the first record; every later record must have the same columns.

    Text and truth values are nominal, numbers continuous, unless `nominal` or `ordinal` say otherwise.
    What is not protected (a label, other columns) is carried along untouched.
    """

    def __init__(
        self,
        first: Any,
        columns: Sequence[Any] | None = None,
        nominal: Sequence[Any] | None = None,
        ordinal: Mapping[Any, Sequence[Any]] | None = None,
        kinds: frozenset[int] = frozenset({CONTINUOUS, ORDINAL, NOMINAL}),
        who: str = "the filter",
    ) -> None:
        self.pair = isinstance(first, tuple) and len(first) == 2 and not isinstance(first[0], int | float | str)
        x = first[0] if self.pair else first
        self.form = "dict" if isinstance(x, Mapping) else "array" if isinstance(x, np.ndarray) else "list"
        if self.form == "list" and not isinstance(x, list | tuple):
            raise InputError(
                f"a record must be a dict, an array, a list or a pair with its label, not {type(x).__name__}"
            )
        present = list(x) if self.form == "dict" else list(range(len(x)))
        self.width = len(present)
        unordered, ordered = set(nominal or ()), dict(ordinal or {})
        for name in [*(columns or ()), *unordered, *ordered]:
            if name not in present:
                raise ColumnError(f"the stream has no column '{name}'; its columns are: {', '.join(map(str, present))}")
        kind_of = {}
        for name in present:
            text = isinstance(x[name], str | bool | np.bool_ | bytes)
            kind_of[name] = ORDINAL if name in ordered else NOMINAL if name in unordered or text else CONTINUOUS
        if columns is None:
            self.names = [name for name in present if kind_of[name] in kinds]
        else:
            self.names = list(columns)
            for name in self.names:
                if kind_of[name] not in kinds:
                    raise ColumnError(
                        f"{who} cannot mask the column '{name}', which is {_word(kind_of[name])}; leave it out"
                    )
        if not self.names:
            raise ColumnError(f"no column of the stream can be masked by {who}")
        self.kinds = np.array([kind_of[name] for name in self.names], dtype=np.int64)
        self.categories: list[list[Any] | None] = [
            list(ordered[n]) if kind_of[n] == ORDINAL else [] if kind_of[n] == NOMINAL else None for n in self.names
        ]
        self._prepare()

    def _prepare(self) -> None:
        d = len(self.names)
        self._codes = [None if c is None else {v: i for i, v in enumerate(c)} for c in self.categories]
        self._plain = all(c is None for c in self.categories)
        self._all = d == self.width
        self._pack = struct.Struct(f"{d}d")
        self.pack_into: Any = self._pack.pack_into
        self.unpack_from: Any = self._pack.unpack_from
        single = itemgetter(self.names[0])
        self._get = itemgetter(*self.names) if d > 1 else lambda x: (single(x),)
        self._bare = False
        self._whole = self.form == "array" and self._all and self.names == list(range(d))

    def alone(self) -> Records:
        """Carry nothing along: only the protected columns are released (a label becomes None)."""
        whole = self._whole
        self._all, self._whole = True, whole
        self._bare = True
        return self

    # -- to numbers ------------------------------------------------------------------------------------

    def encode(self, record: Any, row: NDArray[np.float64]) -> Any:
        """Fill `row` (1, d); returns what must be carried to the release (None: nothing)."""
        x = record[0] if self.pair else record
        if self._whole:
            row[0] = x
            if np.isinf(row).any():
                raise InputError("a value of the record is infinite; replace it or drop the record")
        else:
            try:
                values = self._get(x)
            except (KeyError, IndexError) as error:
                raise InputError(f"a record lacks the column {error}; every record needs the same columns") from None
            try:
                self.pack_into(row, 0, *values)
                total = sum(values)
                plain = self._plain and total - total == 0.0  # neither missing nor infinite
            except (struct.error, TypeError):
                plain = False
            if not plain:
                self.pack_into(row, 0, *map(self._number, range(len(values)), values))
        if self._all:
            return record[1] if self.pair and not self._bare else None
        kept = dict(x) if self.form == "dict" else x.copy() if self.form == "array" else list(x)
        return (kept, record[1]) if self.pair else kept

    def _number(self, j: int, value: Any) -> float:
        codes, categories = self._codes[j], self.categories[j]
        if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
            return math.nan
        if codes is None or categories is None:
            try:
                number = float(value)
            except (TypeError, ValueError):
                raise InputError(
                    f"column '{self.names[j]}': '{value}' is not a number; declare the column nominal"
                ) from None
            if math.isinf(number):
                raise InputError(f"column '{self.names[j]}': the value is infinite; replace it or drop the record")
            return number
        code = codes.get(value)
        if code is None:
            if self.kinds[j] == ORDINAL:
                raise InputError(f"column '{self.names[j]}': '{value}' is not among the declared ordered categories")
            if len(categories) >= MOST_CATEGORIES:
                raise InputError(f"column '{self.names[j]}' has more than {MOST_CATEGORIES} categories; leave it out")
            code = codes[value] = len(categories)
            categories.append(value)
        return float(code)

    # -- and back --------------------------------------------------------------------------------------

    def decode(self, values: Sequence[float], carried: Any) -> Any:
        """The record with its masked values, in the form in which it came."""
        out: Any
        if self.form == "array":
            if self._all:
                out = np.array(values)
                return (out, carried) if self.pair else out
            out, label = carried if self.pair else (carried, None)
            out[self.names] = values
            return (out, label) if self.pair else out
        shown: Sequence[Any] = values
        if not self._plain or (total := sum(values)) != total:
            shown = [self._value(j, v) for j, v in enumerate(values)]
        if self._all:
            out = dict(zip(self.names, shown)) if self.form == "dict" else list(shown)  # noqa: B905 (speed)
            return (out, carried) if self.pair else out
        out, label = carried if self.pair else (carried, None)
        for name, value in zip(self.names, shown, strict=True):
            out[name] = value
        return (out, label) if self.pair else out

    def _value(self, j: int, number: float) -> Any:
        categories = self.categories[j]
        if math.isnan(number):
            return None
        if not categories:
            return number
        return categories[min(max(round(number), 0), len(categories) - 1)]

    # -- to be saved -----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        return {
            "pair": self.pair,
            "form": self.form,
            "width": self.width,
            "names": self.names,
            "kinds": self.kinds.tolist(),
            "categories": self.categories,
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Records:
        self = cls.__new__(cls)
        self.pair, self.form, self.width = saved["pair"], saved["form"], saved["width"]
        self.names, self.categories = (
            list(saved["names"]),
            [None if c is None else list(c) for c in saved["categories"]],
        )
        self.kinds = np.array(saved["kinds"], dtype=np.int64)
        self._prepare()
        return self


def _word(kind: int) -> str:
    return ("continuous", "ordinal", "nominal")[kind]
