"""Units: whose rows these are. Persons with several rows, households with several persons.

What is counted is the unit: the person where a column has the role person, else the record.
Columns whose values all rows of a unit share stand at the level of that unit: a region at that of
the household, a sex at that of the person. A suppressed cell of such a column is not hidden while
another row of the unit shows it; ``tacit.data.fill_in`` reads those off.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.errors import InputError
from tacit.base.typing import Bools, Floats, Ints
from tacit.data.category_codes import floats
from tacit.data.microdata import Microdata
from tacit.data.schema import Role

# A level may have slips (a typing error, a man who moved): a column stands at a level when at
# most one unit in twenty of those that chance would split is split.
SLIPS = 0.05
# values whose shares are summed at a time
SHARES = 65_536

_UNIT_ROLES = frozenset({Role.person, Role.household})
# numbers of people and of questionnaires say nothing about a household
_NO_VALUES = _UNIT_ROLES | {Role.identifier}


@dataclass(frozen=True)
class Units:
    """A partition of the rows: ``labels[i]`` is the unit of row i, 0 to ``number`` - 1.

    >>> homes = Units("household", np.array([0, 0, 1]))
    >>> homes.number, homes.sizes.tolist(), homes.rows(0).tolist()
    (2, [2, 1], [0, 1])
    """

    word: str
    """What a unit is: person, household or record."""
    labels: Ints

    @cached_property
    def number(self) -> int:
        """How many units there are."""
        return int(self.labels.max(initial=-1)) + 1

    @cached_property
    def sizes(self) -> Ints:
        """Rows of each unit."""
        rows = np.bincount(self.labels, minlength=self.number)
        return rows.astype(np.int64)

    @cached_property
    def order(self) -> Ints:
        """The rows, unit by unit."""
        return np.argsort(self.labels, kind="stable").astype(np.int64)

    @cached_property
    def starts(self) -> Ints:
        """Where each unit begins in ``order``."""
        ends = np.cumsum(self.sizes)
        return (ends - self.sizes).astype(np.int64)

    @property
    def single(self) -> bool:
        """Every unit has one row: units are records."""
        return self.number == len(self.labels)

    @property
    def words(self) -> str:
        """More than one of them."""
        return f"{self.word}s"

    def rows(self, unit: int) -> Ints:
        """The rows of one unit, in file order."""
        start = self.starts[unit]
        end = start + self.sizes[unit]
        return np.asarray(self.order[start:end])

    @property
    def largest(self) -> int:
        """Rows of the unit that has most."""
        return int(self.sizes.max(initial=0))

    def apart(self, others: Units) -> tuple[int, int] | None:
        """The first row of the first unit that is in two of the others, and its first in another.

        None: everyone is in one.
        """
        moved = self.split(others.labels.astype(np.float64))
        if not moved.any():
            return None
        rows = self.rows(int(np.argmax(moved)))
        home_of = others.labels[rows]
        return int(rows[0]), int(rows[home_of != home_of[0]][0])

    def stand(self, data: Microdata, name: str, slips: float) -> bool:
        """Does a column of the file stand at the level of these units? See ``levels``."""
        return stands(data.column(name), self, slips)

    def whole(self, data: Microdata, name: str) -> bool:
        """Does a column of the file hold whole numbers, whatever its kind?"""
        values = data.table.column(name)
        return is_number(values.type) and not broken(floats(values)).any()

    def move(self, data: Microdata, name: str, other: str, slips: float) -> bool:
        """Does the difference of two columns of numbers stand at the level of these units?"""
        apart = floats(data.table.column(name)) - floats(data.table.column(other))
        return stands(apart, self, slips)

    def head(self, length: int) -> tuple[Ints, Units]:
        """So many rows, unit by unit, and whose they are."""
        rows = self.order[:length]
        return rows, self.take(rows)

    def any(self, rows: Bools) -> Bools:
        """Units of which any row is marked."""
        marked = np.bincount(self.labels[rows], minlength=self.number)
        return np.asarray(marked > 0)

    def having(self, rows: Bools) -> int:
        """How many units have a row that is marked."""
        return int(self.any(rows).sum())

    def share(self, rows: Bools) -> float:
        """Share of the units of which any row is marked."""
        return float(self.any(rows).mean()) if self.number else 0.0

    def total(self, values: Floats) -> float:
        """Sum over units of the largest value of their rows."""
        return float(self.highest(values).sum())

    def mean(self, values: Floats) -> float:
        """Mean over units of the largest value of their rows; 0 without units."""
        return float(self.highest(values).mean()) if self.number else 0.0

    @property
    def records(self) -> int:
        """Rows of the file."""
        return len(self.labels)

    def marked(self, rows: Bools) -> int:
        """Rows of the file that are marked."""
        return int(rows.sum())

    def row_mean(self, values: Floats) -> float:
        """Mean over the rows of the file; 0 without rows."""
        return float(values.mean()) if len(values) else 0.0

    def by_label(self, labels: Ints, number: int) -> Ints:
        """Rows of the file that have each of so many labels."""
        return np.bincount(labels, minlength=number).astype(np.int64)

    def weighed(self, each: float) -> Floats:
        """The weight of each row if every row of the file weighs so much."""
        return np.full(len(self.labels), each)

    def pairs(self, labels: Ints) -> tuple[Ints, Ints]:
        """(label, unit), each pair once that a row has."""
        pair = np.sort(labels * self.number + self.labels)
        # sorted by hand, which is quicker than np.unique's hashes
        once = pair[np.flatnonzero(np.diff(pair, prepend=-1))]
        return once // self.number, once % self.number

    def weights(self, given: Floats | None) -> Floats:
        """How many people of the population each unit stands for: the mean over its rows."""
        if given is None:
            return np.ones(self.number)
        total = np.bincount(self.labels, weights=given, minlength=self.number)
        return np.asarray(total / self.sizes, np.float64)

    def counted(
        self, labels: Ints, number: int, given: Floats | None
    ) -> tuple[Ints, Floats]:
        """Units that have each of so many labels, and the sum of their weights."""
        # each unit once in each label
        label, unit = self.pairs(labels)
        f = np.bincount(label, minlength=number).astype(np.int64)
        each = self.weights(given)[unit]
        F = np.bincount(label, weights=each, minlength=number).astype(np.float64)
        return f, F

    def people(self, given: Floats | None) -> float:
        """How many people of the population all units stand for."""
        return float(self.weights(given).sum())

    def owners(self, labels: Ints) -> Ints:
        """The unit that has all rows of each label; -1: several have some."""
        owner = Units("label", labels).shared(self.labels.astype(np.float64))
        return np.where(np.isnan(owner), -1, owner).astype(np.int64)

    def once(self, labels: Ints) -> Floats:
        """What each row counts, so that every unit counts once in each label."""
        if self.single:
            return np.ones(len(labels))
        pairs = labels * self.number + self.labels
        _, place, rows = np.unique(pairs, return_inverse=True, return_counts=True)
        return np.asarray(1.0 / rows[place])

    def lowest(self, values: Floats) -> Floats:
        """The smallest known value of each unit; NaN where none is known."""
        return self._reduced(np.fmin, values)

    def highest(self, values: Floats) -> Floats:
        """The largest known value of each unit; NaN where none is known."""
        return self._reduced(np.fmax, values)

    def shared(self, values: Floats) -> Floats:
        """The one value that all rows of a unit have, gaps aside; NaN where there is none."""
        low = self.lowest(values)
        high = self.highest(values)
        return np.where(low == high, low, np.nan)

    def split(self, values: Floats) -> Bools:
        """Units whose known values differ."""
        return np.asarray(self.lowest(values) < self.highest(values))

    def take(self, rows: Ints) -> Units:
        """The units of some rows, numbered anew."""
        kept = self.labels[rows]
        _, labels = np.unique(kept, return_inverse=True)
        return Units(self.word, labels.astype(np.int64))

    def _reduced(self, least: np.ufunc, values: Floats) -> Floats:
        if not len(values):
            return np.zeros(0)
        by_unit = values[self.order]
        # fmin and fmax pass over gaps
        return np.asarray(least.reduceat(by_unit, self.starts))


class Records(Units):
    """Every row is a unit. Labels are made when somebody asks: they are 8 bytes a record.

    >>> Records(3).single, Records(3).labels.tolist()
    (True, [0, 1, 2])
    """

    def __init__(self, n: int) -> None:
        object.__setattr__(self, "word", "record")
        object.__setattr__(self, "n", n)

    @cached_property
    def labels(self) -> Ints:  # type: ignore[override]  # read only, as there
        """The number of each row."""
        return np.arange(self.number, dtype=np.int64)

    @cached_property
    def number(self) -> int:
        """How many rows there are."""
        return int(self.n)  # type: ignore[attr-defined]  # frozen: set by hand

    @property
    def single(self) -> bool:
        """Always."""
        return True


def records(n: int) -> Units:
    """Every row is a unit."""
    return Records(n)


def persons(data: Microdata) -> Units:
    """The units that are counted: persons, or records where no column has the role person.

    >>> data = Microdata.of({"id": [7, 7, 9], "wage": [1.0, 2.0, 3.0]}, person="id")
    >>> persons(data).labels.tolist(), persons(data).words
    ([0, 0, 1], 'persons')
    """
    names = data.schema.names(role=Role.person)
    if not names:
        return records(data.n)
    if not data.in_memory:
        from tacit.data.units_on_disk import persons_on_disk

        return persons_on_disk(data, names)
    return data.once("persons", partial(_persons, data, names))


def _persons(data: Microdata, names: list[str]) -> Units:
    """Rows with the same numbers; none may be missing."""
    for name in names:
        # rows without a number would be taken for one person with many rows
        gap = data.missing(name) | _blank(data, name)
        if gap.any():
            raise InputError(nobody(name, int(np.argmax(gap))))
    return Units("person", _labels(data, names))


def nobody(name: str, row: int) -> str:
    """What is wrong where it is not said whose row this is."""
    return (
        f"column '{name}', row {row + 1}: the person is missing; fill in whose "
        "record this is, drop the record, or give the column another role"
    )


def households(data: Microdata) -> Units | None:
    """Households; None where no column has that role. Rows without a number live alone."""
    names = data.schema.names(role=Role.household)
    if not names:
        return None
    if not data.in_memory:
        from tacit.data.units_on_disk import households_on_disk

        return households_on_disk(data, names)
    return data.once("households", partial(_households, data, names))


def _households(data: Microdata, names: list[str]) -> Units:
    """Rows with the same numbers; a person without one is a household."""
    labels = _labels(data, names)
    gaps = [data.missing(name) for name in names]
    alone = np.any(gaps, axis=0)
    # a person without a household's number is one household, however many rows he has
    each = persons(data).take(np.flatnonzero(alone))
    labels[alone] = labels.max(initial=-1) + 1 + each.labels
    return Units("household", _numbered(labels))


def levels(
    data: Microdata,
    units: Units,
    *,
    slips: float = SLIPS,
) -> list[str]:
    """Names of the columns that stand at the level of these units, in file order.

    Parameters
    ----------
    data : Microdata
        The file, before protection.
    units : Units
        Its households or persons.
    slips : float
        Units that may disagree, per unit that would if rows were put together at random; 0: none.

    Notes
    -----
    **Definition.** Of the units with two or more known values, d disagree. If values were dealt
    out at random, e = sum over these units of 1 - sum over values v of p_v ** m would, m the
    unit's known values and p_v the share of v. The column stands at the level if d <= slips * e.
    A rare disease is in most households equal, and is no household's property: there e is small,
    too.

    Examples
    --------
    >>> data = Microdata.of(
    ...     {"hid": [1, 1, 2, 2], "region": ["n", "n", "s", "s"], "age": [40, 3, 50, 51]},
    ...     household="hid",
    ... )
    >>> levels(data, households(data))
    ['region']
    """
    if units.single:
        return []
    return [name for name in valued(data) if units.stand(data, name, slips)]


def household_columns(data: Microdata, *, slips: float = SLIPS) -> list[str]:
    """Columns of the household: region, dwelling, household income; [] without households."""
    homes = households(data)
    return [] if homes is None else levels(data, homes, slips=slips)


def person_columns(data: Microdata, *, slips: float = SLIPS) -> list[str]:
    """Columns of the person that do not change from row to row: sex, birth year; [] without."""
    return levels(data, persons(data), slips=slips)


def check(data: Microdata) -> None:
    """Refuse persons with gaps and persons in two households, by column and row."""
    people, homes = persons(data), households(data)
    if homes is None or people.single:
        return
    rows = people.apart(homes)
    if rows is None:
        return
    first, other = rows
    name = data.schema.names(role=Role.person)[0]
    home = data.schema.names(role=Role.household)[0]
    both = data.few(np.array(rows), [name, home]).table
    raise InputError(
        f"column '{name}', row {other + 1}: person {both[name][1]} is in "
        f"household {both[home][1]} here and in "
        f"{both[home][0]} in row {first + 1}; number persons over the "
        "whole file and households so that nobody is in two, or give one column the role other"
    )


def require_level(data: Microdata, units: Units, names: list[str]) -> None:
    """Refuse a column that was declared to be one of the household if its members disagree."""
    for name in names:
        values = data.column(name)
        split = units.split(values)
        if not split.any():
            continue
        rows = units.rows(int(np.argmax(split)))
        raise disagreeing(data.take(rows), name, rows, units.word)


def disagreeing(members: Microdata, name: str, rows: Ints, word: str) -> InputError:
    """The sentence on a unit, given its records, that has two values in a column."""
    values = members.column(name)
    known = np.flatnonzero(~np.isnan(values))
    first = int(known[0])
    other = int(known[values[known] != values[first]][0])
    column = members.table[name]
    return InputError(
        f"column '{name}', row {rows[other] + 1}: {column[other]} here and "
        f"{column[first]} in row {rows[first] + 1} of the same "
        f"{word}; make them equal, or do not declare the column one of the {word}"
    )


def stands(values: Floats, units: Units, slips: float) -> bool:
    """Whether fewer units disagree on the column than slips of those that chance would split."""
    known = ~np.isnan(values)
    unit = units.labels[known]
    members = np.bincount(unit, minlength=units.number)
    # nobody has two known values: nothing shows a level
    if not (members > 1).any():
        return False
    disagree = int(units.split(values).sum())
    if not disagree:
        return True
    _, count = np.unique(values[known], return_counts=True)
    # few sizes, many units: the chance is computed once for each size
    several = members[members > 1]
    sizes, number = np.unique(several, return_counts=True)
    runs = (count[at : at + SHARES] for at in range(0, len(count), SHARES))
    return disagree <= slips * expected(runs, int(known.sum()), sizes, number)


def expected(runs: Iterable[Ints], known: int, sizes: Ints, number: Ints) -> float:
    """Units that chance would split, of so many of each size.

    Parameters
    ----------
    runs : arrays of int
        How often each value occurs, ``SHARES`` of them at a time: sums then have the same bits
        wherever the counts are.
    known : int
        Their sum.
    sizes, number : arrays of int
        Known values of a unit, and how many units have so many.
    """
    equal = np.zeros(len(sizes))
    for count in runs:
        shares = count / known
        equal += [float((shares**size).sum()) for size in sizes]
    return float(number @ (1 - equal))


def is_number(type_: pa.DataType) -> bool:
    """Whole or broken numbers, as Arrow has them."""
    return bool(pa.types.is_integer(type_) or pa.types.is_floating(type_))


def broken(numbers: Floats) -> Bools:
    """Where a number is not whole."""
    with np.errstate(invalid="ignore"):
        fractional = numbers != np.rint(numbers)
    return np.asarray(fractional & np.isfinite(numbers))


def valued(data: Microdata) -> list[str]:
    """Columns that say something of their unit."""
    return [column.name for column in data.schema if column.role not in _NO_VALUES]


def _labels(data: Microdata, names: list[str]) -> Ints:
    """Rows with equal values in all these columns have equal labels; -1 in a column: a gap."""
    labels = np.zeros(data.n, dtype=np.int64)
    for name in names:
        values = data.column(name)
        _, codes = np.unique(values, return_inverse=True, equal_nan=True)
        # numbered anew after each column, or the product would overflow
        labels = _numbered(labels * (data.n + 1) + codes)
    return labels


def _blank(data: Microdata, name: str) -> Bools:
    """Where a text holds nothing but spaces: a gap to whoever reads it."""
    values = data.table.column(name)
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return np.zeros(data.n, dtype=bool)
    trimmed = pc.utf8_trim_whitespace(values)
    bare = pc.fill_null(pc.equal(trimmed, ""), False)
    return np.asarray(bare.to_numpy(), dtype=bool)


def _numbered(labels: Ints) -> Ints:
    """The same partition, numbered from 0 without gaps."""
    _, number = np.unique(labels, return_inverse=True)
    return number.astype(np.int64)
