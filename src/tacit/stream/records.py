"""Records of any form to rows of numbers and back: dicts, arrays, lists, and (x, label) pairs."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from tacit.base.errors import InputError
from tacit.base.typing import Floats
from tacit.stream import kinds as decide
from tacit.stream.kinds import (
    CONTINUOUS,
    EVERY_KIND,
    NOMINAL,
    ORDINAL,
    AnyRecord,
    Name,
    Plain,
)
from tacit.stream.usual import Usual

# memory is bounded: a column with more distinct values is not a category
MOST_CATEGORIES = 100_000


# what a record is, or (of a private stream) a row of a frame
FORMS = ("dict", "array", "list", "frame")


class Records:
    """Learns the form of the first record; every later record must have the same columns.

    A record with other columns is refused. Text and truth values are nominal, numbers continuous,
    unless `nominal` or `ordinal` say otherwise. What is not protected (a label, other columns) is
    carried along untouched.
    """

    # the categories are those declared, and no other may come
    _closed = False

    def __init__(
        self,
        first: AnyRecord,
        columns: Sequence[Name] | None = None,
        nominal: Sequence[Name] | None = None,
        ordinal: Mapping[Name, Sequence[object]] | None = None,
        handles: frozenset[int] = EVERY_KIND,
        who: str = "the filter",
    ) -> None:
        self.pair = decide.is_pair(first)
        x = first[0] if self.pair else first
        self.form = decide.form_of(x)
        self.present = list(x) if self.form == "dict" else list(range(len(x)))
        self.width = len(self.present)
        unordered, ordered = list(nominal or ()), dict(ordinal or {})
        decide.must_exist([*(columns or ()), *unordered, *ordered], self.present)
        kind_of = decide.kinds_of(x, self.present, unordered, ordered)
        self.names = decide.masked_columns(kind_of, columns, handles, who)
        self.kinds = np.array([kind_of[name] for name in self.names], dtype=np.int64)
        # None: numbers; of nominal columns the list grows with what is seen
        self.categories: list[list[object] | None] = []
        for name in self.names:
            known: list[object] | None = None
            if kind_of[name] == ORDINAL:
                known = list(ordered[name])
            elif kind_of[name] == NOMINAL:
                known = []
            self.categories.append(known)
        self.prepare()

    def prepare(self) -> None:
        """Make ready what every record needs, after columns or categories were set."""
        d = len(self.names)
        self._codes = [
            None if known is None else {value: i for i, value in enumerate(known)}
            for known in self.categories
        ]
        self._plain = all(known is None for known in self.categories)
        self._all = d == self.width
        self._known = frozenset(self.present)
        # one struct call fills a row, instead of one assignment for each value
        packer = struct.Struct(f"{d}d")
        self.pack_into: Callable[..., None] = packer.pack_into
        self.unpack_from: Callable[..., tuple[float, ...]] = packer.unpack_from
        single = itemgetter(self.names[0])
        self._get: Callable[[AnyRecord], AnyRecord] = (
            itemgetter(*self.names) if d > 1 else lambda x: (single(x),)
        )
        self._bare = False
        in_place = self.names == list(range(d))
        self._whole = self.form == "array" and self._all and in_place
        usual = self.form == "dict" and not self.pair
        self._usual = usual and self._all and self._plain and d > 1

    def usual(self) -> Usual | None:
        """How records are read and written if they are dicts of numbers that are all masked."""
        return Usual.of(self.names) if self._usual else None

    def closed(self) -> Records:
        """The categories are those declared: any other value is refused."""
        self._closed = True
        self.prepare()
        return self

    def alone(self) -> Records:
        """Carry nothing along: only the protected columns are released (a label becomes None)."""
        self._all = True
        self._bare = True
        return self

    def beside_others(self) -> None:
        """Rows have more places than masked columns: an array may not be copied as a whole."""
        self._whole = False

    def leave_out(self, name: Name) -> None:
        """Do not mask this column; it is carried along."""
        at = self.names.index(name)
        self.names.pop(at)
        self.categories.pop(at)
        self.kinds = np.delete(self.kinds, at)
        if self.names:
            self.prepare()

    # -- to numbers --------------------------------------------------------------------

    def encode(self, record: AnyRecord, row: Floats) -> object:
        """Fill `row` (1, d); returns what must be carried to the release (None: nothing)."""
        if self._usual and len(record) == self.width:
            # a dict of numbers that are all masked: one path without a call to another
            try:
                values = self._get(record)
                self.pack_into(row, 0, *values)
                whole = sum(values)
                if whole - whole == 0.0:
                    return None
            except (KeyError, struct.error, TypeError, OverflowError):
                pass  # the long way says what is wrong, or knows what is meant
        x = record[0] if self.pair else record
        self._check_columns(x)
        if self._whole:
            try:
                row[0] = x
            except (TypeError, ValueError) as error:
                raise InputError(
                    f"a value of the record is no number ({error})"
                ) from None
            total = sum(self.unpack_from(row))
            # a sum minus itself is 0 unless some value is missing or infinite
            if total - total != 0.0 and np.isinf(row).any():
                raise InputError(
                    "a value of the record is infinite; replace it or drop the record"
                )
        else:
            self._pack(x, row)
        if self._all:
            return record[1] if self.pair and not self._bare else None
        carried: AnyRecord = list(x)
        if self.form == "dict":
            carried = dict(x)
        elif self.form == "array":
            carried = x.copy()
        return (carried, record[1]) if self.pair else carried

    def _check_columns(self, x: AnyRecord) -> None:
        """What the first record did not have would leave as it came: refused."""
        if self.form != "dict":
            if len(x) != self.width:
                raise InputError(
                    f"a record has {len(x)} values where the first one had {self.width}"
                )
            return
        # where all columns are masked, one of another name is noticed when a value is missed
        other = len(x) != self.width or (not self._all and x.keys() != self._known)
        if other and not self._bare:
            raise InputError(self._other_columns(x))

    def _pack(self, x: AnyRecord, row: Floats) -> None:
        try:
            values = self._get(x)
        except (KeyError, IndexError):
            raise InputError(self._other_columns(x)) from None
        try:
            self.pack_into(row, 0, *values)
            total = sum(values)
            # a sum minus itself is 0 unless some value is missing or infinite
            plain = self._plain and total - total == 0.0
        except (struct.error, TypeError, OverflowError):
            plain = False
        if not plain:
            self._pack_each(values, row)

    def _other_columns(self, x: AnyRecord) -> str:
        new = [name for name in x if name not in self._known]
        gone = [name for name in [*self.names, *self.present] if name not in x]
        faults = [f"has the unknown column '{name}'" for name in new[:1]]
        faults += [f"lacks the column '{name}'" for name in gone[:1]]
        return f"a record {' and '.join(faults)}; every record needs the same columns"

    def _pack_each(self, values: Sequence[object], row: Floats) -> None:
        """Value by value; a record that is refused leaves no category behind."""
        before = [None if known is None else len(known) for known in self.categories]
        try:
            self.pack_into(row, 0, *map(self._number, range(len(values)), values))
        except InputError:
            columns = zip(self._codes, self.categories, before, strict=True)
            for codes, known, count in columns:
                if codes is not None and known is not None:
                    for new in known[count:]:
                        del codes[new]
                    del known[count:]
            raise

    def _number(self, j: int, value: object) -> float:
        """A value of column j as a number: itself, or the code of its category; NaN: missing."""
        codes, categories = self._codes[j], self.categories[j]
        not_a_number = isinstance(value, float) and math.isnan(value)
        if value is None or value == "" or not_a_number:
            return math.nan
        if codes is None or categories is None:
            return _finite(value, self.names[j])
        column = f"column '{self.names[j]}'"
        try:
            code = codes.get(value)
        except TypeError:
            raise InputError(
                f"{column}: a list or an object is not a category"
            ) from None
        if code is not None:
            return float(code)
        if self._closed:
            raise InputError(
                f"{column}: '{value}' is not among the declared categories"
            )
        if self.kinds[j] == ORDINAL:
            raise InputError(
                f"{column}: '{value}' is not among the declared ordered categories"
            )
        if len(categories) >= MOST_CATEGORIES:
            raise InputError(
                f"{column} has more than {MOST_CATEGORIES} categories; leave it out"
            )
        codes[value] = len(categories)
        categories.append(value)
        return float(codes[value])

    # -- and back ----------------------------------------------------------------------

    def decode_first(self, out: Floats, carried: AnyRecord) -> AnyRecord:
        """``decode`` of the first row; a whole array or a dict of numbers takes the short way."""
        if self._whole and not self.pair:
            return out[0].copy()
        values = self.unpack_from(out)
        if self._usual:
            total = sum(values)
            if total == total:
                return dict(zip(self.names, values, strict=True))
        return self.decode(values, carried)

    def decode(self, values: Sequence[float], carried: AnyRecord) -> AnyRecord:
        """The record with its masked values, in the form in which it came."""
        label = carried
        if not self._all:
            carried, label = carried if self.pair else (carried, None)
        if self.form == "array":
            if self._all:
                carried = np.array(values)
            else:
                carried[self.names] = values
            return (carried, label) if self.pair else carried
        shown: Sequence[object] = values
        # NaN differs from itself: only then, or with categories, is a look at each value needed
        if not self._plain or (total := sum(values)) != total:
            shown = [self._value(j, value) for j, value in enumerate(values)]
        if not self._all:
            for name, value in zip(self.names, shown, strict=True):
                carried[name] = value
        elif self.form == "dict":
            carried = dict(zip(self.names, shown, strict=True))
        else:
            carried = list(shown)
        return (carried, label) if self.pair else carried

    def _value(self, j: int, number: float) -> object:
        """The number or category that is released; a code beyond the ends becomes the nearest."""
        categories = self.categories[j]
        if math.isnan(number):
            return None
        if not categories:
            return number
        return categories[min(max(round(number), 0), len(categories) - 1)]

    # -- to be saved -------------------------------------------------------------------

    def to_dict(self) -> dict[str, object]:
        """What was learned, as plain values."""
        return {
            "pair": self.pair,
            "form": self.form,
            "width": self.width,
            "present": self.present,
            "names": self.names,
            "kinds": self.kinds.tolist(),
            "categories": self.categories,
        }

    @classmethod
    def from_dict(cls, saved: Plain) -> Records:
        """The records that `to_dict` described."""
        self = cls.__new__(cls)
        self.pair = saved["pair"]
        self.form = saved["form"]
        self.width = saved["width"]
        present: list[Name] = saved.get("present") or saved["names"]
        self.present = list(present)
        self.names = list(saved["names"])
        self.categories = [
            None if known is None else list(known) for known in saved["categories"]
        ]
        self.kinds = np.array(saved["kinds"], dtype=np.int64)
        self._refuse_odd()
        self.prepare()
        return self

    def _refuse_odd(self) -> None:
        """A saved description that no records have: kernels would take it at its word."""
        if not len(self.names) == len(self.categories) == len(self.kinds):
            raise ValueError("columns, kinds and categories are of another number")
        if self.form not in FORMS or not isinstance(self.pair, bool):
            raise ValueError("there are no such records")
        if not set(self.kinds.tolist()) <= EVERY_KIND:
            raise ValueError("there is no such kind of column")
        if len(set(self.names)) != len(self.names) or not set(self.names) <= set(
            self.present
        ):
            raise ValueError("columns stand there twice, or are not in the records")
        if type(self.width) is not int or self.width != len(self.present):
            raise ValueError("records are of another width")
        for kind, known in zip(self.kinds, self.categories, strict=True):
            if (known is None) != (kind == CONTINUOUS):
                raise ValueError("categories belong to columns of categories")


def _finite(value: Any, name: Name) -> float:
    """The number that a value of a continuous column is."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    except (TypeError, ValueError):
        raise InputError(
            f"column '{name}': '{value}' is not a number; declare the column nominal"
        ) from None
    if math.isinf(number):
        raise InputError(
            f"column '{name}': the value is infinite; replace it or drop the record"
        )
    return number
