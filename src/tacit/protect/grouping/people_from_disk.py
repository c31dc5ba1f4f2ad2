"""Suppression for people of a file on the disk: the twin of ``unit_anonymity``.

The search asks for classes of the file (``PeopleFile``) and how many persons are in each. Draws and
results are those of memory, bit for bit.

    file = PeopleFile.of(data, table, len(columns))
    file = suppressed(file, table.codes, places, how, rng)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Bools, Ints
from tacit.data.out_of_core.number_files import (
    NumberSource,
)
from tacit.data.out_of_core.pieces import mapped
from tacit.data.out_of_core.row_keys import RowKeys
from tacit.protect import by_address
from tacit.protect.by_rank import ties_of
from tacit.protect.grouping.anonymity import (
    random_rows,
    suppress_classes,
    worst_cells,
)
from tacit.protect.grouping.blanks_from_disk import Keys, smallest
from tacit.protect.grouping.class_blanks import ClassBlanks
from tacit.protect.grouping.key_classes import compress
from tacit.protect.grouping.people_file import AT_ONCE, Blanks, How, Pairs, PeopleFile
from tacit.protect.grouping.unit_anonymity import SEARCHES, few_classes


def suppressed(
    file: PeopleFile,
    keys: Ints,
    places: list[int],
    how: How,
    rng: np.random.Generator,
) -> PeopleFile:
    """As ``unit_anonymity.suppress_for_people``.

    Parameters
    ----------
    file : PeopleFile
        The records, and what is blank of them already.
    keys : array of int
        The keys of each combination.
    places : list of int
        The columns whose classes need k persons.
    how : How
        What is wanted.
    rng : Generator
        Draws which of several equal persons lose cells.
    """
    for _ in range(SEARCHES):
        distinct, label, _ = compress(file.shown(keys, places))
        pairs = file.pairs(label, len(distinct))
        number, before = pairs.counted()
        asked = distinct, number, how.k, how.missing, pairs.first_people
        if not few_classes(*asked, AT_ONCE).any():
            return file
        draw = _Draw.of(pairs, before, int(number.sum()), rng)
        every = list(range(len(places)))
        wanted = how.k, how.importance, how.missing, rng
        classes = ClassBlanks.of(distinct, number)
        found, cells = draw.lost(suppress_classes(classes, every, *wanted))
        blanks = Blanks.of_pairs(found, _bits(cells, places), how, len(distinct))
        more = file.with_blanks(pairs, blanks)
        # the search found nothing new, and would find the same again
        if int(more.count_cells().sum()) == int(file.count_cells().sum()):
            break
        file = more
    return _column_by_column(file, keys, places, how)


def _column_by_column(
    file: PeopleFile, keys: Ints, places: list[int], how: How
) -> PeopleFile:
    """As ``anonymity.column_by_column``: one more column of every class below k, in rounds."""
    rounds = 0
    while True:
        distinct, label, _ = compress(file.shown(keys, places))
        pairs = file.pairs(label, len(distinct))
        number, _ = pairs.counted()
        asked = distinct, number, how.k, how.missing, pairs.first_people
        few = few_classes(*asked, AT_ONCE)
        if not few.any():
            return file
        if rounds < len(places):
            parts = [
                compress(np.delete(distinct, j, axis=1))[1] for j in range(len(places))
            ]
            persons = [
                of_part[part]
                for of_part, part in zip(pairs.persons_of(parts), parts, strict=True)
            ]
            cells = worst_cells(distinct, persons, how.importance) & few[:, None]
        else:
            shown = np.asarray((distinct >= 0).any(axis=1))
            if not (few & shown).any():
                few = _smallest_class(file, pairs, shown)
            cells = few[:, None] & (distinct >= 0)
        blanks = Blanks.of_classes(pairs, _bits(cells, places), how)
        file = file.with_blanks(pairs, blanks)
        rounds += 1


def _smallest_class(file: PeopleFile, pairs: Pairs, among: Bools) -> Bools:
    """The class with the fewest records of these, the first in the file of several."""
    if not among.any():
        return np.ones(pairs.classes, dtype=np.bool_)
    size = np.bincount(pairs.label, weights=file.count, minlength=pairs.classes)
    least = size[among].min()
    tied = among & (size == least)
    found = mapped(_Earliest(pairs, file.persons.rows, tied), pairs.pieces)
    _, chosen = min(found)
    return np.asarray(np.arange(pairs.classes) == chosen)


@dataclass(frozen=True)
class _Draw:
    """Which of the pairs of a class lose cells: those whose random keys are the smallest."""

    pairs: Pairs
    before: Sequence[int]
    ties: RowKeys | None
    few: tuple[Ints, list[Ints]] | None
    """Pairs that are so few that they are drawn as one piece: their order, and all of them."""

    @classmethod
    def of(
        cls, pairs: Pairs, before: Sequence[int], total: int, rng: np.random.Generator
    ) -> _Draw:
        """Draw first of all, as ``anonymity.suppress`` does."""
        if total > by_address.BLOCK:
            return cls(pairs, before, ties_of(rng), None)
        found = mapped(_All(pairs), _items(pairs, before))
        own, *rest = (np.concatenate(some) for some in zip(*found, strict=True))
        return cls(pairs, before, None, (random_rows(own, rng), rest))

    def lost(self, state: ClassBlanks) -> tuple[list[Ints], Bools]:
        """Number, person and household of the pairs that lose cells, and the cells of each."""
        if self.few is not None:
            rows, rest = self.few
            cells = state.of_records(rows)
            lose = np.flatnonzero(cells.any(axis=1))
            return [one[lose] for one in rest], cells[lose]
        assert self.ties is not None
        order = state.in_order()
        order = order[state.cells[order].any(axis=1)]
        need = np.bincount(
            state.origin[order], weights=state.count[order], minlength=len(state.keys)
        ).astype(np.int64)
        work = _Candidates(_All(self.pairs), need, self.ties)
        found = mapped(work, _items(self.pairs, self.before))
        own, key, *rest = (np.concatenate(some) for some in zip(*found, strict=True))
        chosen = smallest(own, key, rest[0], need)
        cells = state.cells[np.repeat(order, state.count[order])]
        return [one[chosen] for one in rest], cells


def _items(pairs: Pairs, before: Sequence[int]) -> list[tuple[int, int, int]]:
    """Each piece, and how many pairs come before it."""
    return [(*piece, at) for piece, at in zip(pairs.pieces, before, strict=True)]


def _bits(cells: Bools, places: Sequence[int]) -> Ints:
    """Cells of some columns as bits among all."""
    return np.asarray(cells @ (np.int64(1) << np.array(places)), dtype=np.int64)


@dataclass(frozen=True)
class _All:
    """Item: (first, stop, pairs before it). Class, number, person and household of each pair."""

    pairs: Pairs

    def __call__(self, item: tuple[int, int, int]) -> tuple[Ints, Ints, Ints, Ints]:
        first, stop, before = item
        person, own, at, _ = self.pairs.read(first, stop)
        home = self.pairs.homes.read(first, stop)[at]
        return own, np.arange(before, before + len(own)), person, home


@dataclass(frozen=True)
class _Candidates:
    """Item: (first, stop, pairs before it). Pairs with the smallest keys, as many as needed."""

    every: _All
    need: Ints
    ties: RowKeys

    def __call__(
        self, item: tuple[int, int, int]
    ) -> tuple[Ints, Keys, Ints, Ints, Ints]:
        own, number, person, home = self.every(item)
        rows = np.flatnonzero(self.need[own] > 0)
        key = self.ties(item[2], item[2] + len(own))[rows]
        chosen = smallest(own[rows], key, rows, self.need)
        rows = rows[chosen]
        return own[rows], key[chosen], number[rows], person[rows], home[rows]


@dataclass(frozen=True)
class _Earliest:
    """Item: a piece. The first row of some classes, and its class."""

    pairs: Pairs
    rows: NumberSource
    tied: Bools

    def __call__(self, item: tuple[int, int]) -> tuple[int, int]:
        _, own, _, which = self.pairs.read(*item)
        label, rows = own[which], self.rows.read(*item)
        rows = np.where(self.tied[label], rows, np.iinfo(np.int64).max)
        first = int(np.argmin(rows))
        return int(rows[first]), int(label[first])
