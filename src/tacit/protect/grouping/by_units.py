"""Groups in which k persons stand, and in which members of a household stay together.

From the largest unit to the smallest, each step inside the groups of the one before:

1. households are grouped by the columns of the household (k households, hence k persons);
2. persons with several rows are grouped by their columns, averaged over their rows (k persons);
3. the rows of such a group are cut so that k persons are in each piece: with T rows in at least
   k of its persons, every person's rows are put in order (along the first principal component)
   and dealt into T pieces of equal share, and whoever has T rows or more is in all of them.

A combination of values at all levels is then a group of the last step, which has k persons.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.base.errors import ParameterError
from tacit.base.typing import Floats, Ints
from tacit.data import units
from tacit.data.microdata import Kind, Microdata
from tacit.protect.file_parts import strata_of
from tacit.protect.grouping import aggregates
from tacit.protect.grouping.record_groups import first_component
from tacit.protect.grouping.value_order import ValueOrderedTable

Grouping = Callable[[ValueOrderedTable, list[str], Ints, str], Ints]
"""Groups of at least k records of a table, inside the groups given; the word says what they
are."""
Groups = list[tuple[list[str], Ints]]
"""Columns, and the group of every row in value order."""


@dataclass(frozen=True)
class RowUnits:
    """Whose each row is, in value order.

    Attributes
    ----------
    homes, people
        The household and the person of every row; None where each has one row.
    of_homes, of_people
        The columns that are the same in all rows of a household, of a person.
    strata
        The stratum of every row by what each level has of it: household, person, record.
    """

    homes: Ints | None
    people: Ints | None
    of_homes: Sequence[str]
    of_people: Sequence[str]
    strata: dict[str, Ints]

    @classmethod
    def of(
        cls,
        data: Microdata,
        by: Sequence[str],
        order: Ints,
    ) -> RowUnits | None:
        """Whose the rows of a file are, taken in this order; None: each is a unit of its own."""
        homes, people = units.households(data), units.persons(data)
        # households of one row are records
        if homes is not None and homes.single:
            homes = None
        if homes is None and people.single:
            return None
        units.check(data)
        strata = {"record": strata_of(data, by)[order]}
        for found in (homes, people):
            if found is not None:
                # a household whose members differ in a stratum column is in no stratum of it
                kept = [name for name in by if not found.split(data.column(name)).any()]
                stratum = strata_of(data, kept)
                strata[found.word] = stratum[order]
        return cls(
            homes=None if homes is None else homes.labels[order],
            people=None if people.single else people.labels[order],
            of_homes=units.household_columns(data),
            of_people=units.person_columns(data),
            strata=strata,
        )


def levels_of(names: Sequence[str], found: RowUnits) -> list[list[str]]:
    """The columns of each level, as ``groups_of_units`` takes them; no group is formed."""
    homely = [name for name in names if name in found.of_homes]
    rest = [name for name in names if name not in homely]
    levels = [homely if found.homes is not None else []]
    if found.people is None:
        levels.append(rest)
    else:
        levels.append([name for name in rest if name in found.of_people])
        levels.append([name for name in rest if name not in found.of_people])
    return [level for level in levels if level]


def counted_by(names: Sequence[str], found: RowUnits) -> tuple[Ints | None, Ints, str]:
    """Who is counted behind an average of the columns of one level, and inside which strata.

    None: every row is a unit.
    """
    homely = found.homes is not None and names[0] in found.of_homes
    if homely:
        return found.homes, found.strata["household"], "household"
    if found.people is None:
        return None, found.strata["record"], "record"
    level = "person" if names[0] in found.of_people else "record"
    return found.people, found.strata[level], "person"


def groups_of_units(
    table: ValueOrderedTable,
    names: Sequence[str],
    found: RowUnits,
    k: int,
    group: Grouping,
) -> Groups:
    """The group of every row, for the columns of each level."""
    out: Groups = []
    parent = np.zeros(len(table.order), dtype=np.int64)
    homely = [name for name in names if name in found.of_homes]
    if found.homes is not None and homely:
        parent = _both(parent, found.strata["household"])
        parent = _grouped(table, homely, found.homes, parent, group, "household")
        out.append((homely, parent))
    rest = [name for name in names if name not in homely]
    if not rest:
        return out
    if found.people is None:
        parent = _both(parent, found.strata["record"])
        labels = group(table, rest, parent, "record")
        out.append((rest, labels))
        return out
    fixed = [name for name in rest if name in found.of_people]
    # an income of several years: masked row by row, in groups of k persons
    moving = [name for name in rest if name not in fixed]
    people = found.people
    # without a column that must stay the same over the rows, a person may be one per stratum
    level = "person" if fixed else "record"
    if not fixed:
        people = _both(people, found.strata["record"])
    parent = _both(parent, found.strata[level])
    parent = _grouped(table, rest, people, parent, group, "person")
    if fixed:
        out.append((fixed, parent))
    if moving:
        parent = _both(parent, found.strata["record"])
        _refuse_thin(parent, found.people, k, fixed)
        score = first_component(table.points(moving))
        pieces = dealt(score, found.people, parent, k)
        out.append((moving, pieces))
    return out


def dealt(score: Floats, people: Ints, parent: Ints, k: int) -> Ints:
    """The rows of each parent in pieces of at least k persons.

    There are k persons in every parent.

    >>> rows = np.array([5.0, 1.0, 2.0, 7.0]), np.array([0, 0, 1, 1])
    >>> dealt(*rows, np.zeros(4, dtype=int), 2).tolist()
    [1, 0, 0, 1]
    """
    # every person in a parent, with the number of its rows
    pair = _both(parent, people)
    count = np.bincount(pair)
    of_pair = np.empty(count.size, dtype=np.int64)
    of_pair[pair] = parent
    # T of a parent: the k-th largest count; persons by parent, most rows first
    order = np.lexsort((-count, of_pair))
    sizes = np.bincount(of_pair)
    first = np.cumsum(sizes) - sizes
    k_th = order[first + k - 1]
    pieces = count[k_th]
    # the place of each row among its person's, by score
    by_score = np.lexsort((score, pair))
    place = np.empty(pair.size, dtype=np.int64)
    start = np.cumsum(count) - count
    first_row = start[pair[by_score]]
    place[by_score] = np.arange(pair.size) - first_row
    # equal shares: who has fewer rows than pieces is in some of them only
    piece = place * pieces[parent] // count[pair]
    return _both(parent, piece)


def _refuse_thin(parent: Ints, people: Ints, k: int, fixed: Sequence[str]) -> None:
    """A group of k persons may have fewer of them in one stratum."""
    in_group = np.column_stack([parent, people])
    who = np.unique(in_group, axis=0)
    persons = np.bincount(who[:, 0])
    fewest = int(persons.min())
    if fewest < k:
        raise ParameterError(
            f"k={k}: a group of persons with the same {', '.join(fixed) or 'household'} has only "
            f"{fewest} of them in one stratum; leave out of by=[...] what changes from row to "
            "row, or mask the columns that do not change in a step of their own"
        )


def _grouped(
    table: ValueOrderedTable,
    names: list[str],
    unit: Ints,
    parent: Ints,
    group: Grouping,
    word: str,
) -> Ints:
    """The group of every row, where units are grouped by their averages."""
    # a unit that lies in two parents is one in each
    unit = _both(parent, unit)
    averages, first = of_units(table, names, unit)
    labels = np.empty(averages.order.size, dtype=np.int64)
    inside = parent[first][averages.order]
    labels[averages.order] = group(averages, names, inside, word)
    return labels[unit]


def of_units(
    table: ValueOrderedTable,
    names: list[str],
    unit: Ints,
) -> tuple[ValueOrderedTable, Ints]:
    """A table of units, in value order, and a row of each.

    Its values are means, lower medians and modes over their rows.
    """
    _, first = np.unique(unit, return_index=True)
    values = np.empty((first.size, len(names)))
    for j, name in enumerate(names):
        column = table.numbers([name])
        # each scale has its own middle: names have no mean
        if table.kinds[name] is Kind.nominal:
            size = table.sizes[name]
            values[:, j] = aggregates.group_modes(column[:, 0], unit, size)
        elif table.kinds[name] is Kind.ordinal:
            medians = aggregates.group_medians(column, unit)
            values[:, j] = medians[:, 0]
        else:
            means = aggregates.group_means(column, unit)
            values[:, j] = means[:, 0]
    # lexsort sorts by its last key first
    order = np.lexsort(values.T[::-1])
    averages = ValueOrderedTable(
        values[order],
        order,
        {name: j for j, name in enumerate(names)},
        {name: table.kinds[name] for name in names},
        {name: table.sizes[name] for name in names},
        None,
    )
    return averages, first


def _both(a: Ints, b: Ints) -> Ints:
    """Labels of pairs of labels, numbered from 0."""
    width = int(b.max(initial=0)) + 1
    pair = a * width + b
    _, labels = np.unique(pair, return_inverse=True)
    return np.asarray(labels, dtype=np.int64)
