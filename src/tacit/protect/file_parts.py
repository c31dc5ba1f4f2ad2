"""Parts of a file that a method masks on their own: strata, and the units of a level.

- **Strata.** With ``by=["region"]`` the records of each region are masked among themselves, as
  if they were a file.
- **Levels.** A column that all members of a household share is masked in the table of
  households, once for each, and every member gets what the household got. So are the columns of
  a person with several rows. What is left is masked row by row.

One mechanism for both: a ``Part`` is a small table (one row per unit of one level in one
stratum), the columns that are masked in it, and the rows to which the result is written back.
``Protector`` cuts the file, and no method needs to know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from tacit.base.errors import ColumnError, InputError
from tacit.base.typing import Floats, Ints
from tacit.data import units
from tacit.data.microdata import Kind, Microdata

RECORD = "record"
"""The level of columns that differ from row to row."""
FEWEST = 2
"""Records of a stratum, at least: one has nobody to change places with."""


@dataclass(frozen=True)
class Part:
    """One row per unit of a level in a stratum.

    Attributes
    ----------
    level
        What a row stands for: household, person or record.
    stratum
        The values of the ``by`` columns that all its rows share.
    where
        The same in words, for messages; empty without strata.
    columns
        What is masked in this part.
    kept
        The columns that its table has: those that are the same in all rows of a unit.
    rows
        The file's row of each unit.
    members
        All rows of these units.
    place
        For each of ``members`` the place of its unit in ``rows``.
    """

    level: str
    stratum: tuple[object, ...]
    where: str
    columns: list[str]
    kept: list[str]
    rows: Ints
    members: Ints
    place: Ints

    @property
    def key(self) -> tuple[object, ...]:
        """What names the part in another file."""
        return (self.level, *self.stratum)

    def table(self, data: Microdata) -> Microdata:
        """The table of units, with the categories of the whole file."""
        table = data.take(self.rows).select(self.kept)
        schema = table.schema
        for column in schema:
            # a part sees few categories; codes must mean the same in all of them
            if column.scale is not Kind.continuous and column.categories is None:
                every = tuple(data.categories(column.name))
                schema = schema.put(replace(column, categories=every))
        return table.with_schema(schema)


@dataclass(frozen=True)
class Level:
    """Columns of one level, and the unit of every row; None: each row is one."""

    word: str
    columns: list[str]
    labels: Ints | None


def has_units(data: Microdata) -> bool:
    """Does somebody, or some household, have several rows?"""
    homes = units.households(data)
    several = homes is not None and not homes.single
    return several or not units.persons(data).single


def refuse_units(data: Microdata, columns: Sequence[str], who: str, why: str) -> None:
    """For methods that take one row per person, and mask no column of a larger household."""
    people, homes = units.persons(data), units.households(data)
    if not people.single:
        raise InputError(
            f"{who} takes one row per person, and one person has {people.largest}: {why}; "
            "make one row of each person first"
        )
    shared = [] if homes is None else units.levels(data, homes)
    for name in columns:
        if name in shared:
            raise InputError(
                f"column '{name}' is the household's and stands in the row of each member, and "
                f"{who} treats every row on its own: {why}; leave it out (columns=[...]), or make "
                "one row of each household first"
            )


def columns_by_level(
    data: Microdata,
    columns: Sequence[str],
    known: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, list[str]]:
    """The columns by level: the household's, the person's, and those of single rows.

    Parameters
    ----------
    data : Microdata
        The file; its roles say who is a person and what a household.
    columns : list of str
        The columns to be sorted by level.
    known : mapping of str to list of str, optional
        The columns of each level, where an earlier file has shown them.
    """
    # levels nest only where nobody is in two households
    units.check(data)
    left = list(columns)
    out: dict[str, list[str]] = {}
    for found in (units.households(data), units.persons(data)):
        # a new file may have one row per person, and was fitted on one with several
        if found is None or (found.single and known is None):
            continue
        if known is None:
            shared = set(units.levels(data, found))
        else:
            shared = set(known.get(found.word, ()))
        here = [name for name in left if name in shared]
        if here:
            # a column of the household is not masked again for each person
            left = [name for name in left if name not in shared]
            out[found.word] = here
    # a method that masks no column still runs once
    if left or not out:
        out[RECORD] = left
    return out


def levels(
    data: Microdata,
    columns: Sequence[str],
    known: Mapping[str, Sequence[str]] | None = None,
) -> list[Level]:
    """The levels of ``columns_by_level``, with the unit of every row.

    A household (or person) in which a column slips, two members with different regions, counts as
    one unit for each combination of values: equal values stay equal, others need not become so.
    """
    out = []
    for word, names in columns_by_level(data, columns, known).items():
        found = units_of(data, word)
        if found is None:
            out.append(Level(RECORD, names, None))
        else:
            out.append(level(data, word, names, found.labels))
    return out


def units_of(data: Microdata, word: str) -> units.Units | None:
    """The households or persons of a file; None: its records."""
    if word == RECORD:
        return None
    return units.households(data) if word == "household" else units.persons(data)


def level(
    data: Microdata,
    word: str,
    columns: list[str],
    labels: Ints,
) -> Level:
    """A level whose units have one value in each of its columns."""
    for name in columns:
        values = np.nan_to_num(data.column(name), nan=np.inf)
        _, code = np.unique(values, return_inverse=True)
        # a slip cuts its unit in two, so that each piece has one value
        width = int(code.max(initial=0)) + 1
        both = labels * width + code
        _, place = np.unique(both, return_inverse=True)
        labels = place.astype(np.int64)
    return Level(word, columns, labels)


def split(
    data: Microdata,
    found: Sequence[Level],
    by: Sequence[str] = (),
) -> list[Part]:
    """The parts of a file, level by level and stratum by stratum, in the order of their values.

    A ``by`` column that changes within the units of a level does not cut that level: a person of
    several years is in no year.
    """
    return [part for level in found for part in _strata(data, level, by)]


def join(
    data: Microdata,
    parts: Sequence[Part],
    masked: Sequence[Microdata],
) -> Microdata:
    """The file with what was masked in each part written back to all members."""
    # parts of several strata mask the same columns: each column is joined once
    for name in dict.fromkeys(name for part in parts for name in part.columns):
        here = [
            (part, table)
            for part, table in zip(parts, masked, strict=True)
            if name in part.columns
        ]
        tables = [table.table.select([name]) for _, table in here]
        # a method may return whole numbers in one part and broken ones in another
        together = pa.concat_tables(tables, promote_options="permissive")
        # where each member's value stands in the tables one after the other
        lengths = [table.n for _, table in here]
        start = np.cumsum([0, *lengths])
        source = np.empty(data.n, dtype=np.int64)
        for (part, _), first in zip(here, start[:-1], strict=True):
            source[part.members] = first + part.place
        stacked = together.column(name).combine_chunks()
        values = stacked.take(pa.array(source))
        column = here[0][1].schema[name]
        if column.kind is data.schema[name].kind:
            # the categories of the part were the file's own
            column = replace(column, categories=data.schema[name].categories)
        data = data.with_column(name, values, kind=column.kind)
        data = data.with_schema(data.schema.put(column))
    return data


def refuse_masked_strata(
    data: Microdata, columns: Sequence[str], by: Sequence[str]
) -> None:
    """Strata must be there, and stay as they are."""
    for name in by:
        data.schema[name]  # raises if there is no such column
        if name in columns:
            raise ColumnError(
                f"'{name}' is both masked and in by=[...]: strata must stay as they are; "
                "leave it out of one"
            )


def refuse_small(part: Part, fewest: int, who: str, by: Sequence[str]) -> None:
    """A stratum needs as many units as the method, and more than one."""
    needed = max(FEWEST, fewest)
    if part.where and len(part.rows) < needed:
        raise InputError(
            f"the stratum {part.where} has {len(part.rows)} {part.level}(s), and {who} needs "
            f"{needed}; {_instead(by)}"
        )


def in_stratum(part: Part, by: Sequence[str], message: str) -> str:
    """A message of the method, with the stratum that it is about."""
    if not part.where:
        return message
    return f"the stratum {part.where}: {message}; {_instead(by)}"


def _instead(by: Sequence[str]) -> str:
    return f"merge it with another, or leave a column out of by=[{', '.join(by)}]"


def _strata(data: Microdata, level: Level, by: Sequence[str]) -> list[Part]:
    """The parts of one level."""
    refuse_masked_strata(data, level.columns, by)
    # the first row of each unit, and the unit of each row
    labels = np.arange(data.n) if level.labels is None else level.labels
    _, first, unit = np.unique(labels, return_index=True, return_inverse=True)
    kept = data.names
    if level.word != RECORD:
        kept = [name for name in kept if _constant(data.column(name), first[unit])]
        by = [name for name in by if name in kept]
    label = strata_of(data, by)
    parts = []
    for stratum in range(int(label.max(initial=-1)) + 1):
        chosen = np.flatnonzero(label[first] == stratum)
        members = np.flatnonzero(label == stratum)
        # all rows of a stratum have the same values
        example = int(members[0])
        values = tuple(data.table.column(name)[example].as_py() for name in by)
        words = [f"{name}={value}" for name, value in zip(by, values, strict=True)]
        parts.append(
            Part(
                level=level.word,
                stratum=values,
                where=", ".join(words),
                columns=level.columns,
                kept=kept,
                rows=first[chosen],
                members=members,
                place=np.searchsorted(chosen, unit[members]),
            )
        )
    return parts


def strata_of(data: Microdata, by: Sequence[str]) -> Ints:
    """The stratum of every row, numbered in the order of values; missing values are a value."""
    label = np.zeros(data.n, dtype=np.int64)
    for name in by:
        # NaN differs from NaN, infinity equals itself
        values = np.nan_to_num(data.column(name), nan=np.inf)
        _, code = np.unique(values, return_inverse=True)
        width = int(code.max(initial=0)) + 1
        label = label * width + code
        # numbered anew after each column: products of many sizes would overflow
        label = np.unique(label, return_inverse=True)[1]
    return label.astype(np.int64)


def _constant(values: Floats, first: Ints) -> bool:
    """Has every row the value of the first row of its unit (or none, as it)?"""
    values = np.nan_to_num(values, nan=np.inf)
    return bool((values == values[first]).all())
