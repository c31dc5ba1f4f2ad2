"""Suppression where people have several rows, or share cells with their household.

Two things differ from ``anonymity``. A class needs k *persons*: five rows of one man are one. And
a cell that another row of the person or household shows as well is not hidden: whoever reads the
release fills it in. So a column of the household is blanked in the rows of all its members, a
column of the person in all its rows, and every gap that a reader can fill is read as filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Bools, Floats, Ints
from tacit.data import units
from tacit.data.microdata import Microdata
from tacit.data.moving import moving
from tacit.protect.grouping.anonymity import column_by_column, suppress
from tacit.protect.grouping.key_classes import Reading, compress

SEARCHES = 3
"""Times that the search for few cells is tried; what it leaves is blanked column by column."""


@dataclass(frozen=True)
class Sharing:
    """Whose each row is, and which rows show the same cell of a column.

    Attributes
    ----------
    people
        The person of every row.
    shared
        For each column the unit of every row, if one row of it tells the others' cells; None: each
        row its own.
    """

    people: Ints
    shared: list[Ints | None]

    @classmethod
    def of(cls, data: Microdata, columns: Sequence[str]) -> Sharing | None:
        """None where every row is a person and no cell stands in two rows."""
        homes, people = units.households(data), units.persons(data)
        units.check(data)
        of_homes = set(units.household_columns(data))
        # an age is told by that of another year
        of_people = {*units.person_columns(data), *moving(data, people)}
        shared: list[Ints | None] = []
        for name in columns:
            if homes is not None and name in of_homes:
                shared.append(homes.labels)
            else:
                shared.append(people.labels if name in of_people else None)
        if people.single and all(labels is None for labels in shared):
            return None
        return cls(people.labels, shared)

    def of_columns(self, places: Sequence[int]) -> Sharing:
        """The same for some of the columns."""
        return Sharing(self.people, [self.shared[j] for j in places])

    def people_each(self) -> Floats:
        """How many persons on average lose a cell of each column when one does."""
        persons = int(self.people.max()) + 1
        return np.array(
            [
                1.0 if labels is None else max(1.0, persons / (labels.max() + 1))
                for labels in self.shared
            ]
        )

    def everywhere(self, cells: Bools) -> Bools:
        """Cells blanked in every row that shows them."""
        out = cells.copy()
        for j, labels in enumerate(self.shared):
            if labels is not None:
                blanked = np.bincount(labels, weights=cells[:, j]) > 0
                out[:, j] = blanked[labels]
        return out


def suppress_for_people(
    codes: Ints,
    k: int,
    importance: Floats,
    missing: Reading,
    rng: np.random.Generator,
    sharing: Sharing,
) -> Bools:
    """True where a cell is to be suppressed, so that every class has k persons.

    ``codes`` are those that a reader sees, gaps filled in; there are k persons. The search for
    few cells first, on the distinct rows of each person, where a class of k rows has nearly k
    persons. What is left below k is blanked column by column.
    """
    cells = np.zeros(codes.shape, dtype=np.bool_)
    # a cell of the household costs one of every member
    importance = importance * sharing.people_each()
    for _ in range(SEARCHES):
        left = np.where(cells, -1, codes)
        few = few_people(left, sharing.people, k, missing)
        if not few.any():
            return cells
        of_person = np.column_stack([sharing.people, left])
        _, row, _ = compress(of_person)
        _, first = np.unique(row, return_index=True)
        found = suppress(left[first], k, importance, missing, rng)
        more = sharing.everywhere(cells | found[row])
        # the search found nothing new, and would find the same again
        if (more == cells).all():
            break
        cells = more
    return column_by_column(
        codes,
        cells,
        importance,
        below=lambda left: few_people(left, sharing.people, k, missing),
        people=sharing.people,
        everywhere=sharing.everywhere,
    )


def few_people(
    codes: Ints,
    people: Ints,
    k: int,
    missing: Reading = "any",
) -> Bools:
    """Rows that share their keys with fewer than k persons, themselves counted; -1: missing.

    >>> keys = np.array([[1, 1], [1, 1], [1, -1], [2, 1]])
    >>> few_people(keys, np.array([0, 0, 1, 2]), 2).tolist()
    [False, False, False, True]
    """
    distinct, label, _ = compress(codes)
    # who is in which class, each once
    in_class = np.column_stack([label, people])
    who = np.unique(in_class, axis=0)
    number = np.bincount(who[:, 0], minlength=len(distinct))
    below = number < k
    # gaps that match nothing else make no larger classes
    if missing == "value":
        return np.asarray(below[label])
    # classes with the same gaps are compared on the same columns: few patterns
    is_gap = (distinct < 0).astype(np.int64)
    gaps, pattern, _ = compress(is_gap)
    for mine, my_gaps in enumerate(gaps):
        classes = np.flatnonzero((pattern == mine) & below)
        if not classes.size:
            continue
        found = [np.empty((0, 2), dtype=np.int64)]
        for theirs, their_gaps in enumerate(gaps):
            seen = np.flatnonzero((my_gaps == 0) & (their_gaps == 0))
            others = np.flatnonzero(pattern == theirs)
            keys = distinct[:, seen]
            found.append(_agreeing(keys, classes, others, who, k))
        pairs = np.unique(np.concatenate(found), axis=0)
        persons = np.bincount(pairs[:, 0], minlength=len(distinct))
        below[classes] = persons[classes] < k
    return np.asarray(below[label])


def _agreeing(
    keys: Ints,
    classes: Ints,
    others: Ints,
    who: Ints,
    k: int,
) -> Ints:
    """Pairs of a class and a person of the others that agrees with it, at most k of each class.

    More than k are not needed to see whether there are k.
    """
    both = np.concatenate([classes, others])
    _, shared, _ = compress(keys[both])
    size = int(shared.max(initial=0)) + 1
    mine, theirs = shared[: classes.size], shared[classes.size :]
    wanted = np.zeros(size, dtype=np.bool_)
    wanted[mine] = True
    # the persons of each combination, each once
    combination = np.full(len(keys), -1)
    combination[others] = np.where(wanted[theirs], theirs, -1)
    at = combination[who[:, 0]]
    pairs = np.column_stack([at, who[:, 1]])
    persons = np.unique(pairs[at >= 0], axis=0)
    count = np.bincount(persons[:, 0], minlength=size)
    start = np.cumsum(count) - count
    taken = np.minimum(count, k)[mine]
    # the first few persons of the combination of each class
    begin = np.cumsum(taken) - taken
    number = int(taken.sum())
    turn = np.arange(number) - np.repeat(begin, taken)
    at_person = np.repeat(start[mine], taken) + turn
    person = persons[at_person, 1]
    return np.column_stack([np.repeat(classes, taken), person])
