"""Cells blanked by classes: records with the same keys are one row, with their number.

The search for few cells (``anonymity``) looks at classes alone. A class is cut where only some of
its records lose cells; which of them do is drawn at the end, for they differ only in columns that
are no keys. So a file of any length takes the memory of its distinct combinations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Bools, Ints


@dataclass(frozen=True)
class ClassBlanks:
    """Records by their keys and by what is blank of them.

    Attributes
    ----------
    keys
        The distinct combinations, -1 where missing.
    origin, blank, count
        Of each row: its combination, the cells that are blanked, and how many records it has.
    """

    keys: Ints
    origin: Ints
    blank: Bools
    count: Ints

    @classmethod
    def of(cls, keys: Ints, count: Ints) -> ClassBlanks:
        """Combinations of which nothing is blank yet."""
        nothing = np.zeros(keys.shape, dtype=np.bool_)
        return cls(keys, np.arange(len(keys)), nothing, count)

    @property
    def shown(self) -> Ints:
        """The keys that a reader sees."""
        return np.asarray(np.where(self.blank, -1, self.keys[self.origin]))

    @property
    def cells(self) -> Bools:
        """What is blanked of values that are there."""
        return np.asarray(self.blank & (self.keys[self.origin] >= 0))

    def with_cells(self, more: Bools) -> ClassBlanks:
        """All records of a row lose these cells, too."""
        return ClassBlanks(self.keys, self.origin, self.blank | more, self.count)

    def taking(
        self, label: Ints, who: Ints, cells: Bools, rng: np.random.Generator
    ) -> ClassBlanks:
        """One record for each action loses cells.

        Parameters
        ----------
        label : array of int
            The class of each row, as the search saw it.
        who, cells : arrays
            Of each action: the class that it takes a record of, and the cells.
        rng : Generator
            Draws from which rows of a class records are taken, where it has several.
        """
        # the actions class after class, in their order within each
        order = np.argsort(who, kind="stable")
        who, cells = who[order], cells[order]
        row = _rows_of(label, who, self.count, rng)
        taken = np.bincount(row, minlength=len(self.count))
        # actions that follow each other and do the same are one row
        new = np.ones(len(row), dtype=np.bool_)
        new[1:] = (row[1:] != row[:-1]) | (cells[1:] != cells[:-1]).any(axis=1)
        first = np.flatnonzero(new)
        number = np.diff(np.append(first, len(row)))
        left = self.count - taken
        stay = np.flatnonzero(left > 0)
        return ClassBlanks(
            self.keys,
            np.concatenate([self.origin[stay], self.origin[row[first]]]),
            np.concatenate([self.blank[stay], self.blank[row[first]] | cells[first]]),
            np.concatenate([left[stay], number]),
        )

    def in_order(self) -> Ints:
        """The rows combination after combination, those without a blank cell last in each."""
        whole = np.asarray(~self.cells.any(axis=1))
        return np.lexsort((np.arange(len(whole)), whole, self.origin))

    def of_records(self, rows: Ints) -> Bools:
        """The cells of every record.

        ``rows`` are the records, combination after combination, in random order within each.
        """
        order = self.in_order()
        out = np.empty((len(rows), self.keys.shape[1]), dtype=np.bool_)
        out[rows] = self.cells[np.repeat(order, self.count[order])]
        return out


def _rows_of(label: Ints, who: Ints, count: Ints, rng: np.random.Generator) -> Ints:
    """The row from which each action takes its record; actions come class after class."""
    members = np.argsort(label, kind="stable")
    size = np.bincount(label)
    start = np.cumsum(size) - size
    row = members[start[who]]
    several = np.unique(who[size[who] > 1])
    for one in several:
        own = members[start[one] : start[one] + size[one]]
        first, stop = np.searchsorted(who, [one, one + 1])
        actions = np.arange(first, stop)
        drawn = rng.multivariate_hypergeometric(count[own], len(actions))
        row[rng.permutation(actions)] = np.repeat(own, drawn)
    return np.asarray(row)
