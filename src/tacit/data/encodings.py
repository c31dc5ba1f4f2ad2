"""Does a column say the same as another one: a number of the row, an order, other units or codes?

A column that nobody protects gives away a protected one, or an identifier that was dropped, when
it encodes it. Names do not tell, values do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.base.typing import Ints
from tacit.data.microdata import Microdata
from tacit.data.same_values import MOSTLY, Values, line_between, share_equal, values_of

# fewer records agree in order, or differ all from each other, by chance
FEWEST = 20
# a column is tried on so many records before all are looked at: most pairs end here
FIRST_LOOK = 2_000
# natural logarithm of the chance that we accept of taking two unrelated columns for one
CHANCE = math.log(1e-9)
# of the records that would disagree by chance at most one in a hundred may: a slip of the pen
SLIPS = 0.01
# numbers of rows are whole and dense: at most one in two of their range is left out
DENSE = 2


@dataclass(frozen=True)
class Encoding:
    """What a column gives away."""

    column: str
    of: str
    """The other column; empty: the rows themselves."""
    relation: str

    def __str__(self) -> str:
        return self.relation if not self.of else f"{self.relation} '{self.of}'"


def numbers_rows(values: Values) -> bool:
    """Whole numbers that are all different and dense, in any order: they number the records.

    >>> numbers_rows(np.arange(100.0)), numbers_rows(np.arange(100.0) * 7919)
    (True, False)
    """
    if values.dtype.kind != "f" or len(values) < FEWEST:
        return False
    if np.isnan(values).any() or (values != np.rint(values)).any():
        return False
    span = float(values.max() - values.min()) + 1
    dense = span <= DENSE * len(values)
    return dense and len(np.unique(values)) == len(values)


class Encodings:
    """Finds what columns of a file encode; each column is read and coded once."""

    def __init__(self, data: Microdata) -> None:
        self.data = data
        self._values: dict[str, Values] = {}
        self._codes: dict[str, tuple[Ints, int]] = {}
        # spread over the file: the first records of a sorted file are all alike
        step = max(1, data.n // FIRST_LOOK)
        self._first = np.arange(0, data.n, step)

    def of(
        self, column: str, others: Iterable[str], numbers: Iterable[str] = ()
    ) -> Encoding | None:
        """What the column gives away: the rows, or the first of the other columns.

        ``numbers`` say who belongs together (a household). A column that differs between
        households determines their number, and is no code of it: that is not looked for.
        """
        if self._numbers_rows(column):
            return Encoding(column, "", "it numbers the records")
        for other in others:
            relation = self._relation(column, other) or self._determining(column, other)
            if relation:
                return Encoding(column, other, relation)
        # every column that differs between households determines their number
        for other in numbers:
            relation = self._relation(column, other)
            if relation:
                return Encoding(column, other, relation)
        return None

    def _numbers_rows(self, column: str) -> bool:
        return numbers_rows(self.values(column))

    def values(self, name: str) -> Values:
        """Numbers as floats, everything else as text."""
        if name not in self._values:
            self._forget(self._values)
            self._values[name] = values_of(self.data, name)
        # the one asked for stands last
        self._values[name] = self._values.pop(name)
        return self._values[name]

    def codes(self, name: str) -> tuple[Ints, int]:
        """The number of each value in sorted order, and how many there are; gaps are one value."""
        if name not in self._codes:
            values = self.values(name)
            self._forget(self._codes)
            distinct, code = np.unique(values, return_inverse=True)
            self._codes[name] = code.astype(np.int64), len(distinct)
        self._codes[name] = self._codes.pop(name)
        return self._codes[name]

    def _forget(self, kept: dict[str, Any]) -> None:
        """Of a file on the disk the two columns that are compared are held, and no others."""
        while not self.data.in_memory and len(kept) > 1:
            del kept[next(iter(kept))]

    def _relation(self, column: str, other: str) -> str:
        """How the column repeats the other one; empty: it does not."""
        if self._says_nothing(column, other):
            return ""
        z, x = self.values(column), self.values(other)
        (a, distinct), (b, others) = self.codes(column), self.codes(other)
        same_type = z.dtype.kind == x.dtype.kind
        if same_type and self._equal(x, z):
            return "it has the same values as"
        if distinct == others == len(z) and self._same_order(a, b):
            return "it has the order of"
        if same_type and z.dtype.kind == "f" and self._on_a_line(x, z):
            return "it has, in other units, the values of"
        return ""

    def _says_nothing(self, column: str, other: str) -> bool:
        """The column itself, a constant, or a file in which everything may be chance."""
        _, distinct = self.codes(column)
        _, others = self.codes(other)
        few = min(distinct, others)
        return column == other or few < 2 or self.data.n < FEWEST

    def _equal(self, x: Values, z: Values) -> bool:
        """Most values are the same; both ways, since a near constant agrees with many columns."""
        first = self._first
        some = share_equal(x[first], z[first])
        # a sample may miss what makes a column rare: only what is clearly different ends here
        if some < MOSTLY / 2 and len(first) < len(x):
            return False
        return min(share_equal(x, z), share_equal(z, x)) >= MOSTLY

    def _same_order(self, a: Ints, b: Ints) -> bool:
        """All values differ, and both columns sort the records alike, up or down."""
        last = len(a) - 1
        first = self._first
        # ranks that fall tell as much as ranks that rise
        for turned in (a, last - a):
            if (turned[first] == b[first]).all() and (turned == b).all():
                return True
        return False

    def _on_a_line(self, x: Values, z: Values) -> bool:
        first = self._first
        return (
            line_between(x[first], z[first]) is not None
            and line_between(x, z) is not None
        )

    def _determining(self, column: str, other: str) -> str:
        """Records that agree in one column agree in the other, but for slips and not by chance.

        Two unrelated records agree in the other column with probability c = sum p^2. Each
        record beyond the first of its value is one of t trials: t (1 - c) of them would
        disagree, and hardly any may; and that all t agree must not be chance.
        """
        if self._says_nothing(column, other):
            return ""
        (a, distinct), (b, others) = self.codes(column), self.codes(other)
        trials = len(a) - distinct
        share = np.bincount(b) / len(b)
        agree = float((share * share).sum())
        # so few repeated values may agree by chance
        if trials < 1 or trials * math.log(agree) > CHANCE:
            return ""
        first = self._first
        # what few records say of slips is uncertain: what is clearly no code ends here
        some = _slips(a[first], b[first], others)
        if some > 5 * SLIPS * (1 - agree) * len(first):
            return ""
        few = _slips(a, b, others) <= SLIPS * (1 - agree) * trials
        return "it determines" if few else ""


def _slips(a: Ints, b: Ints, others: int) -> int:
    """Records whose value of b is not the commonest one of those with their value of a."""
    pair = a * others + b
    pairs, count = np.unique(pair, return_counts=True)
    value = pairs // others
    starts = np.flatnonzero(np.diff(value, prepend=-1))
    commonest = np.maximum.reduceat(count, starts)
    return len(a) - int(commonest.sum())
