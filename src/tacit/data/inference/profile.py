"""What a column looks like: its name as words, and its values in a few figures."""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.typing import Floats, Ints
from tacit.data.buffers import floats_of, whole_of
from tacit.data.exact import EXACT
from tacit.data.missing import Missing

FEW_VALUES = 10
"""A column with at most this many distinct values, each seen ten times on average, holds
categories unless its name or label says otherwise."""
SEEN_EACH = 10
# records that a first look counts: enough to rule most columns out
FIRST_LOOK = 5000
GLANCE = 100
# distinct texts that patterns are tried on: enough to tell 90 from 95 per cent
SAMPLE = 500
# fewer values may all differ, or all rise, by chance
LEAST_VALUES = 20

# numbers in a range as long as there are values are ticked off in a table, not sorted
SHORT = 4096

# capitals in a row (HH, ID), a word that may begin with one, letters without case
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[^\W\d_]+")


class Profile:
    """A column, measured as far as somebody asks.

    Parameters
    ----------
    name : str
        Name of the column.
    values : Arrow column
        Its values; dictionaries are decoded.
    label : str
        What the file calls it, in a phrase.
    """

    def __init__(self, name: str, values: pa.ChunkedArray, label: str = "") -> None:
        self.name = name
        self.label = label.strip().lower()
        if pa.types.is_dictionary(values.type):
            values = values.cast(values.type.value_type)
        self.values = values
        self.no_codes = False
        """Somebody said that no value is a missing code."""

    def opened(self, missing: Missing) -> Profile:
        """The column with gaps in place of codes."""
        return Profile(self.name, missing.opened(self.values), self.label)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the name in small letters: 'birthPlace_2' is birth, place."""
        return tuple(word.lower() for word in _WORDS.findall(self.name))

    @cached_property
    def squashed(self) -> str:
        """The name in small letters without signs and figures at its end."""
        return re.sub(r"[\W_]|\d+$", "", self.name.lower())

    @cached_property
    def numbers(self) -> Floats:
        """The values that are there, as float64."""
        values = self.values.drop_null()
        cast = values.cast(pa.float64(), safe=False)
        numbers = floats_of(cast)
        there: Floats = numbers[~np.isnan(numbers)]
        return there

    @cached_property
    def n(self) -> int:
        """How many values are there."""
        if self.is_float:
            return len(self.numbers)
        return len(self.values) - int(self.values.null_count)

    @cached_property
    def is_float(self) -> bool:
        """Stored as broken numbers."""
        type_ = self.values.type
        return bool(pa.types.is_floating(type_) or pa.types.is_decimal(type_))

    @cached_property
    def is_long(self) -> bool:
        """Whole numbers with more digits than arithmetic keeps: names in figures, no amounts."""
        if not may_be_long(self.values.type):
            return False
        ends = pc.min_max(self.values).as_py().values()
        return any(end is not None and abs(end) > EXACT for end in ends)

    @cached_property
    def is_number(self) -> bool:
        """Stored as numbers, and to be computed with."""
        stored = self.is_float or pa.types.is_integer(self.values.type)
        return bool(stored) and not self.is_long

    @cached_property
    def is_text(self) -> bool:
        """Stored as text, or as good as that."""
        if self.is_long:
            return True
        type_ = self.values.type
        return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_))

    @cached_property
    def is_whole(self) -> bool:
        """Numbers without a broken part, however they are stored: 2 and 2.0."""
        if not self.is_float:
            return True
        first = self.numbers[:FIRST_LOOK]
        # most columns with a broken part show one at once
        if (first != np.rint(first)).any():
            return False
        finite = bool(np.isfinite(self.numbers).all())
        whole = self.numbers == np.rint(self.numbers)
        return finite and bool(whole.all())

    @cached_property
    def has_few(self) -> bool:
        """Few distinct values, each seen often."""
        if self.n == 0:
            return False
        # whoever has counted them all need not look at the first
        looks = () if "distinct" in vars(self) else (GLANCE, FIRST_LOOK)
        for records in looks:
            first = self.values.slice(0, records)
            # a gap counts as a value here, and a float's NaN as another
            if pc.count_distinct(first).as_py() > FEW_VALUES + 1:
                return False
        return self.size <= FEW_VALUES and self._seen_often

    @property
    def _seen_often(self) -> bool:
        return self.n >= SEEN_EACH * self.size

    @cached_property
    def repeats(self) -> bool:
        """Each value is seen ten times on average, however many there are."""
        return self.n > 0 and self._seen_often

    @cached_property
    def all_differ(self) -> bool:
        """No value is seen twice."""
        if self.n == 0:
            return False
        # most columns repeat themselves within the first few
        for records in (GLANCE, FIRST_LOOK):
            first = self.values.slice(0, records).drop_null()
            if pc.count_distinct(first).as_py() < len(first):
                return False
        return self.size == self.n

    @cached_property
    def distinct(self) -> Floats | list[str]:
        """The values that occur: numbers in rising order, or texts."""
        if self.is_number:
            found = None if self.is_float else _in_short_range(self.values)
            return np.unique(self.numbers) if found is None else found
        occurring = pc.unique(self.values).to_pylist()
        return [str(value) for value in occurring if value is not None]

    @cached_property
    def size(self) -> int:
        """How many different values occur."""
        return len(self.distinct)

    @cached_property
    def lowest(self) -> Floats:
        """Some distinct numbers, the smallest ones."""
        assert self.is_number
        return np.asarray(self.distinct[:SAMPLE])

    @cached_property
    def highest(self) -> Floats:
        """Some distinct numbers, the largest ones."""
        assert self.is_number
        return np.asarray(self.distinct[-SAMPLE:])

    @property
    def few(self) -> list[object]:
        """The values that occur, where they are few; some of them elsewhere."""
        return list(self.distinct[:SAMPLE])

    def counts(self, values: list[float]) -> list[int]:
        """How often each of these numbers is seen."""
        return [int(n) for n in counted(self.numbers, values)]

    @cached_property
    def runs(self) -> int:
        """How many stretches of rows hold one and the same number."""
        return int((np.diff(self.numbers) != 0).sum()) + 1 if self.n else 0

    @cached_property
    def long_runs(self) -> int:
        """How many of these stretches have more than one row."""
        same = np.diff(self.numbers) == 0
        return int(same[:1].sum() + (same[1:] & ~same[:-1]).sum())

    @cached_property
    def mean(self) -> float:
        """The average, to about nine figures."""
        return float(f"{self.numbers.mean():.9g}") if self.n else 0.0

    @cached_property
    def rises(self) -> bool:
        """No number is smaller than the one before it."""
        steps = np.diff(self.numbers)
        return bool((steps >= 0).all())

    @cached_property
    def sample(self) -> list[str]:
        """Some distinct texts, from all over the file, without spaces at their ends."""
        texts = self.distinct
        # spread over the file: its first records may all come from one place
        step = max(1, len(texts) // SAMPLE)
        spread = [str(text).strip() for text in texts[::step]]
        return spread[:SAMPLE]

    @cached_property
    def low(self) -> float:
        """The smallest number."""
        return float(self.distinct[0])

    @cached_property
    def high(self) -> float:
        """The largest number."""
        return float(self.distinct[-1])

    @cached_property
    def has_all_between(self) -> bool:
        """Every whole number from the smallest to the largest occurs."""
        return self.high - self.low + 1 == self.size

    def share(self, pattern: re.Pattern[str]) -> float:
        """Share of the sampled texts that a pattern holds for."""
        texts = self.sample
        hits = sum(1 for text in texts if pattern.fullmatch(text))
        return hits / len(texts) if texts else 0.0

    def says(self, words: frozenset[str]) -> bool:
        """One of the words is a word of the name."""
        return any(word in words for word in self.words) or self.squashed in words

    def holds(self, stems: re.Pattern[str]) -> bool:
        """The squashed name holds one of the stems ('motheduc' holds 'educ')."""
        return stems.search(self.squashed) is not None

    def labelled(self, phrases: re.Pattern[str]) -> bool:
        """The label holds one of the phrases."""
        return bool(self.label) and phrases.search(self.label) is not None


def counted(numbers: Floats, values: list[float]) -> Ints:
    """How often each value is among the numbers."""
    wanted, place = np.unique(values, return_inverse=True)
    at = np.minimum(np.searchsorted(wanted, numbers), len(wanted) - 1)
    found = np.bincount(at[wanted[at] == numbers], minlength=len(wanted))
    return np.asarray(found[place], dtype=np.int64)


def may_be_long(type_: pa.DataType) -> bool:
    """A type of whole numbers that holds some which no double does."""
    if pa.types.is_decimal(type_):
        return bool(type_.scale <= 0)
    return bool(pa.types.is_integer(type_)) and type_.bit_width == 64


def _in_short_range(values: pa.ChunkedArray) -> Floats | None:
    """The whole numbers that occur, in rising order, where they lie close; None elsewhere."""
    numbers = whole_of(values.drop_null())
    if not len(numbers):
        return np.empty(0)
    low = int(numbers.min())
    high = int(numbers.max())
    if high - low > max(len(numbers), SHORT) or max(-low, high) > EXACT:
        return None
    occurs = np.zeros(high - low + 1, np.bool_)
    occurs[numbers.astype(np.int64) - low] = True
    return (np.flatnonzero(occurs) + low).astype(np.float64)
