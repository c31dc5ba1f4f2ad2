"""What a column of a file on the disk looks like: the figures of ``Profile``, in passes over it.

Nothing is held but a few distinct values: their number, where it is asked for and large, is counted
in a table of bits (whole numbers that are not far apart) or by sorting on the disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.typing import Floats
from tacit.data.buffers import floats_of
from tacit.data.exact import EXACT
from tacit.data.inference.profile import (
    FIRST_LOOK,
    SAMPLE,
    Profile,
    counted,
    may_be_long,
)
from tacit.data.missing import Missing

# distinct values that are held; of texts more are told by holding the column
MOST_HELD = 1 << 16
MOST_TEXTS = 1 << 21
# whole numbers from the lowest to the highest that have a bit each: 32 MB
MOST_BITS = 1 << 28


class TooManyTexts(Exception):
    """A column of text has more different values than are held."""


class Source(Protocol):
    """A column that is read some records at a time, as often as asked for."""

    def __call__(self) -> Iterable[pa.ChunkedArray]:
        """Its records in file order."""
        ...

    def count_distinct(self) -> int:
        """How many different numbers it has, counted on the disk."""
        ...


class DiskProfile(Profile):
    """A column, measured as far as somebody asks, without holding it.

    Parameters
    ----------
    name : str
        Name of the column.
    source : Source
        Its records.
    label : str
        What the file calls it, in a phrase.
    """

    def __init__(self, name: str, source: Source, label: str = "") -> None:
        head: list[pa.ChunkedArray] = []
        for some in source():
            head.append(some)
            if sum(map(len, head)) >= FIRST_LOOK:
                break
        chunks = [chunk for some in head for chunk in _plain(some).chunks]
        first = pa.chunked_array(chunks).slice(0, FIRST_LOOK)
        super().__init__(name, first, label)
        self.source = source

    def opened(self, missing: Missing) -> Profile:
        """The column with gaps in place of codes; it is held."""
        chunks = [chunk for some in self.source() for chunk in _plain(some).chunks]
        return Profile(self.name, missing.opened(pa.chunked_array(chunks)), self.label)

    @cached_property
    def _look(self) -> _Look:
        """One pass over the column."""
        return _numbers(self) if self.is_number else _others(self)

    @cached_property
    def is_long(self) -> bool:
        """Whole numbers with more digits than arithmetic keeps."""
        if not may_be_long(self.values.type):
            return False
        return any(
            end is not None and abs(end) > EXACT
            for some in self.source()
            for end in pc.min_max(_plain(some)).as_py().values()
        )

    @cached_property
    def n(self) -> int:
        """How many values are there."""
        return self._look.n

    @cached_property
    def is_whole(self) -> bool:
        """Numbers without a broken part."""
        if not self.is_float:
            return True
        first = floats_of(self.values.drop_null().cast(pa.float64(), safe=False))
        first = first[~np.isnan(first)]
        # most columns with a broken part show one at once
        return bool((first == np.rint(first)).all()) and self._look.whole

    @cached_property
    def distinct(self) -> Floats | list[str]:
        """The values that occur, where they are few enough to be held."""
        found = self._look.distinct
        if found is None:
            if self.is_number:
                raise AssertionError("ask for 'size' or 'lowest' of so many numbers")
            raise TooManyTexts
        return found

    @cached_property
    def size(self) -> int:
        """How many different values occur."""
        if self._look.distinct is not None or not self.is_number:
            return len(self.distinct)
        span = self.high - self.low + 1
        if self.is_whole and span <= MOST_BITS:
            seen = np.zeros(int(span), dtype=np.bool_)
            for numbers in self._in_turn():
                seen[(numbers - self.low).astype(np.int64)] = True
            return int(seen.sum())
        return self.source.count_distinct()

    @cached_property
    def has_all_between(self) -> bool:
        """Every whole number from the smallest to the largest occurs."""
        # there are not enough records: no need to count
        return self.high - self.low + 1 <= self.n and super().has_all_between

    @cached_property
    def lowest(self) -> Floats:
        """Some distinct numbers, the smallest ones."""
        return self._look.lowest

    @cached_property
    def highest(self) -> Floats:
        """Some distinct numbers, the largest ones."""
        return self._look.highest

    @property
    def few(self) -> list[object]:
        """The values that occur, where they are few; some of them elsewhere."""
        return list(self.lowest if self.is_number else self.distinct[:SAMPLE])

    def counts(self, values: list[float]) -> list[int]:
        """How often each of these numbers is seen."""
        found = np.zeros(len(values), dtype=np.int64)
        for numbers in self._in_turn():
            found += counted(numbers, values)
        return [int(n) for n in found]

    @cached_property
    def low(self) -> float:
        """The smallest number."""
        return self._look.low

    @cached_property
    def high(self) -> float:
        """The largest number."""
        return self._look.high

    @cached_property
    def runs(self) -> int:
        """How many stretches of rows hold one and the same number."""
        return self._look.runs

    @cached_property
    def long_runs(self) -> int:
        """How many of these stretches have more than one row."""
        return self._look.long_runs

    @cached_property
    def mean(self) -> float:
        """The average, to about nine figures."""
        return float(f"{self._look.total / self.n:.9g}") if self.n else 0.0

    @cached_property
    def rises(self) -> bool:
        """No number is smaller than the one before it."""
        return self._look.rises

    def _in_turn(self) -> Iterator[Floats]:
        """The numbers that are there, some at a time."""
        for some in self.source():
            numbers = floats_of(_plain(some).drop_null().cast(pa.float64(), safe=False))
            yield numbers[~np.isnan(numbers)]


class _Look:
    """What one pass over a column finds."""

    n = 0
    whole = True
    rises = True
    runs = 0
    long_runs = 0
    total = 0.0
    low = np.inf
    high = -np.inf
    distinct: Floats | list[str] | None = None
    lowest: Floats = np.empty(0)
    highest: Floats = np.empty(0)


def _numbers(profile: DiskProfile) -> _Look:
    look = _Look()
    held: Floats | None = np.empty(0)
    last = -np.inf
    goes_on = False
    for numbers in profile._in_turn():
        if not len(numbers):
            continue
        look.n += len(numbers)
        whole = np.isfinite(numbers).all() and (numbers == np.rint(numbers)).all()
        look.whole = look.whole and bool(whole)
        rises = numbers[0] >= last and (numbers[1:] >= numbers[:-1]).all()
        look.rises = look.rises and bool(rises)
        same = np.diff(numbers, prepend=last) == 0
        look.runs += int((~same).sum())
        # a stretch counts at its second row
        look.long_runs += int((same & ~np.append(goes_on, same[:-1])).sum())
        goes_on = bool(same[-1])
        look.total += float(numbers.sum())
        last = numbers[-1]
        look.low = min(look.low, float(numbers.min()))
        look.high = max(look.high, float(numbers.max()))
        new = np.unique(numbers)
        look.lowest = np.unique(np.append(look.lowest, new[:SAMPLE]))[:SAMPLE]
        look.highest = np.unique(np.append(look.highest, new[-SAMPLE:]))[-SAMPLE:]
        if held is not None:
            held = np.unique(np.append(held, new))
            held = held if len(held) <= MOST_HELD else None
    look.distinct = held
    return look


def _others(profile: DiskProfile) -> _Look:
    look = _Look()
    held: pa.Array | None = None
    for some in profile.source():
        plain = _plain(some)
        look.n += len(plain) - plain.null_count
        if held is not None and len(held) > MOST_TEXTS:
            continue
        new = pc.unique(plain)
        held = new if held is None else pc.unique(pa.concat_arrays([held, new]))
    occurring = pa.array([]) if held is None else held
    if len(occurring) <= MOST_TEXTS:
        texts = occurring.to_pylist()
        look.distinct = [str(value) for value in texts if value is not None]
    return look


def _plain(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column without a dictionary."""
    if pa.types.is_dictionary(values.type):
        return values.cast(values.type.value_type)
    return values
