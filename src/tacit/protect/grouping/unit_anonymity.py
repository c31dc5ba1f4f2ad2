"""Suppression where people have several rows, or share cells with their household.

Two things differ from ``anonymity``. A class needs k *persons*: five rows of one man are one. And
a cell that another row of the person or household shows as well is not hidden: whoever reads the
release fills it in. So a column of the household is blanked in the rows of all its members, a
column of the person in all its rows, and every gap that a reader can fill is read as filled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

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
        words = whose_cells(data, columns)
        if words is None:
            return None
        homes, people = units.households(data), units.persons(data)
        labels = {
            None: None,
            "household": None if homes is None else homes.labels,
            "person": people.labels,
        }
        return cls(people.labels, [labels[word] for word in words])

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


def whose_cells(data: Microdata, columns: Sequence[str]) -> list[str | None] | None:
    """Whose each column is: one row of the household, or of the person, tells the others' cells.

    None for a column: each row has its own. None for all: every row is a person, too.
    """
    what = f"whose cells are {list(columns)}"
    return data.once(what, lambda: _whose_cells(data, columns))


def _whose_cells(data: Microdata, columns: Sequence[str]) -> list[str | None] | None:
    homes, people = units.households(data), units.persons(data)
    units.check(data)
    some = units.valued(data)
    words: list[str | None] = [None] * len(columns)
    # the largest unit last: what is the household's is the person's, too
    for word, found in (("person", people), ("household", homes)):
        if found is None or found.single:
            continue
        for place, name in enumerate(columns):
            if name in some and found.stand(data, name, units.SLIPS):
                words[place] = word
    if not all(words):
        # an age is told by that of another year
        moves = moving(data, people)
        for place, name in enumerate(columns):
            if words[place] is None and name in moves:
                words[place] = "person"
    return None if people.single and not any(words) else words


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
    below = few_classes(distinct, number, k, missing, partial(_first_people, who))
    return np.asarray(below[label])


FirstPeople = Callable[[Sequence[Ints], int], list[Ints]]
"""From some ways to put classes together (a number for each class, -1: left out) and k to (number,
person) of each, in rising order, each pair once and at most k persons of each number."""


def few_classes(
    distinct: Ints,
    number: Ints,
    k: int,
    missing: Reading,
    first_people: FirstPeople,
    at_once: int = 1,
) -> Bools:
    """Classes that fewer than k persons are in or agree with.

    Parameters
    ----------
    distinct : array of int
        The keys of each class; -1: missing.
    number : array of int
        Persons in each.
    k, missing
        As in ``few_people``.
    first_people : callable
        The first k persons of classes that are put together.
    at_once : int
        How many questions it is asked at once.
    """
    below = np.asarray(number < k)
    # gaps that match nothing else make no larger classes
    if missing == "value":
        return below
    # classes with the same gaps are compared on the same columns: few patterns
    is_gap = (distinct < 0).astype(np.int64)
    gaps, pattern, _ = compress(is_gap)
    for mine, my_gaps in enumerate(gaps):
        classes = np.flatnonzero((pattern == mine) & below)
        if not classes.size:
            continue
        found = [np.empty((0, 2), dtype=np.int64)]
        for some in range(0, len(gaps), at_once):
            questions = [
                _agreeing(
                    distinct[:, np.flatnonzero((my_gaps == 0) & (theirs == 0))],
                    classes,
                    np.flatnonzero(pattern == place),
                )
                for place, theirs in enumerate(gaps[some : some + at_once], start=some)
            ]
            answers = first_people([at for at, _ in questions], k)
            for (_, own), persons in zip(questions, answers, strict=True):
                found.append(_paired(classes, own, persons))
        pairs = np.unique(np.concatenate(found), axis=0)
        persons = np.bincount(pairs[:, 0], minlength=len(distinct))
        below[classes] = persons[classes] < k
    return below


def _agreeing(keys: Ints, classes: Ints, others: Ints) -> tuple[Ints, Ints]:
    """The combination of keys of each class that some of these have, else -1; and of these."""
    both = np.concatenate([classes, others])
    _, shared, _ = compress(keys[both])
    mine, theirs = shared[: classes.size], shared[classes.size :]
    wanted = np.zeros(int(shared.max(initial=0)) + 1, dtype=np.bool_)
    wanted[mine] = True
    combination = np.full(len(keys), -1)
    combination[others] = np.where(wanted[theirs], theirs, -1)
    return combination, mine


def _first_people(who: Ints, combinations: Sequence[Ints], k: int) -> list[Ints]:
    """``FirstPeople`` of pairs of class and person."""
    out = []
    for combination in combinations:
        at = combination[who[:, 0]]
        pairs = np.column_stack([at, who[:, 1]])[at >= 0]
        out.append(at_most(np.unique(pairs, axis=0), k))
    return out


def at_most(pairs: Ints, k: int) -> Ints:
    """The first k pairs of each number; they rise.

    More than k persons are not needed to see whether there are k.
    """
    number = pairs[:, 0]
    turn = np.arange(len(number)) - np.searchsorted(number, number, side="left")
    return np.asarray(pairs[turn < k])


def _paired(classes: Ints, own: Ints, persons: Ints) -> Ints:
    """Pairs of a class and a person of its combination."""
    number = persons[:, 0]
    start = np.searchsorted(number, own, side="left")
    taken = np.searchsorted(number, own, side="right") - start
    # the first few persons of the combination of each class
    begin = np.cumsum(taken) - taken
    turn = np.arange(int(taken.sum())) - np.repeat(begin, taken)
    at_person = np.repeat(start, taken) + turn
    return np.column_stack([np.repeat(classes, taken), persons[at_person, 1]])
