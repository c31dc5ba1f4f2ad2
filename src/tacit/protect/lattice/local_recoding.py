"""Local recoding: records go back to finer levels where every class still keeps the models.

Idea. Begin with the classes of the best node, or with one class of everybody. In each round every
class looks at its columns: one level down it falls into children. Children that keep the models
may go down; those that do not stay behind as one class, which must keep the models, too (the
smallest child that could go stays with them if they need it). Each class takes the column that
gains most, and rounds go on until no class gains: Mondrian (LeFevre, DeWitt and Ramakrishnan 2006)
on hierarchies, all classes at once.

Invariant. Every class keeps the models after every round, so that it may end at any time.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacit.base.errors import ParameterError
from tacit.base.typing import Bools, Floats, Ints
from tacit.protect.lattice.class_cells import labelled, part_of
from tacit.protect.lattice.constraints.base import Constraint
from tacit.protect.lattice.level_codes import KeyColumn, Levels
from tacit.protect.lattice.setting_up import Material
from tacit.protect.lattice.view import View

COMPANY = 2
"""Children that stay behind at most, after the first, so that those who must stay keep the
models."""
LEAST = 1e-12
"""Gains below this are rounding."""


def refined(
    given: Material,
    member: Bools,
    node: Levels,
    weights: Floats,
    *,
    strict: bool = False,
) -> tuple[Ints, Floats] | None:
    """Levels of each bottom cell after local recoding, and what each cell loses then.

    None where the classes of the node do not keep the models.

    Parameters
    ----------
    given : Material
        The file.
    member : array
        Bottom cells that are released; the others are suppressed.
    node : tuple of int
        The levels to begin with.
    weights : array
        Of the columns; they add up to 1.
    strict : bool
        All children go down, or none: classes do not overlap.
    """
    # a bound on the release may break although every class keeps its models, and the invariant
    # would be lost
    whole = [str(one) for one in given.constraints if not one.per_class]
    if whole:
        raise ParameterError(
            f"local recoding keeps models of classes, and {whole[0]} is one of the whole "
            'release; take recoding="full"'
        )
    at = np.flatnonzero(member)
    work = _Work(given, at, weights, strict=strict)
    same = np.array(node, dtype=np.int64)
    levels = np.tile(same, (len(member), 1))
    label = work.classes_at(node)
    if label is None:
        return None
    levels[at] = work.run(label, levels[at])
    # a suppressed cell loses all
    lost = np.ones(len(member))
    lost[at] = work.lost(levels[at])
    return levels, lost


class _Work:
    """The released bottom cells while they are recoded."""

    def __init__(
        self,
        given: Material,
        at: Ints,
        weights: Floats,
        *,
        strict: bool,
    ) -> None:
        bottom = given.bottom
        # the class of everybody: whoever asks puts the classes of the moment in (see _fails)
        self._cells = replace(
            part_of(bottom, at),
            label=np.zeros(len(at), dtype=np.int64),
            number=1,
        )
        self._given = given
        self._weights = weights
        self._strict = strict
        self._every = np.arange(len(at))
        # for each column, the class of every cell at each level, and what it loses there
        self._classes: list[Ints] = []
        self._lost: list[Floats] = []
        for column, codes in zip(given.columns, self._cells.codes, strict=True):
            heights = range(column.height + 1)
            classes = [column.between(0, h)[codes] for h in heights]
            lost = [_granularity(column, h)[classes[h]] for h in heights]
            self._classes.append(np.stack(classes))
            self._lost.append(np.stack(lost))

    def lost(
        self,
        levels: Ints,
    ) -> Floats:
        """What each cell loses, on average over its columns."""
        total = np.zeros(len(self._every))
        for j, weight in enumerate(self._weights):
            own = self._lost[j][levels[:, j], self._every]
            total += weight * own
        return total

    def classes_at(
        self,
        node: Levels,
    ) -> Ints | None:
        """The class of each cell at a node; None where a class breaks a model."""
        parts = []
        for j, level in enumerate(node):
            size = self._given.columns[j].sizes[level]
            parts.append((self._classes[j][level], size))
        label, first = labelled(parts, len(self._every))
        broken = self._fails(label, len(first))
        return None if broken.any() else label

    def run(
        self,
        label: Ints,
        levels: Ints,
    ) -> Ints:
        """Rounds until no class gains."""
        while True:
            number = int(label.max(initial=-1)) + 1
            # going down for nothing but rounding would only make classes smaller
            best = np.full(number, LEAST)
            column = np.full(number, -1, dtype=np.int64)
            goes = np.zeros(len(label), dtype=bool)
            for j in range(levels.shape[1]):
                down, gain = self._down(label, number, levels[:, j], j)
                # strictly more: of columns that gain the same the first one is taken
                better = gain > best
                best = np.where(better, gain, best)
                column = np.where(better, j, column)
                mine = better[label]
                goes = np.where(mine, down, goes)
            if (column < 0).all():
                return levels
            label, levels = self._gone(label, levels, column, goes)

    def _down(
        self,
        label: Ints,
        number: int,
        level: Ints,
        j: int,
    ) -> tuple[Bools, Floats]:
        """The cells that may go down in a column, and the gain of each class."""
        # who is at level 0 is held against themselves here, and does not go (below)
        finer = np.maximum(level - 1, 0)
        child_code = self._classes[j][finer, self._every]
        size = int(child_code.max(initial=0)) + 1
        parts = [(label, number), (child_code, size)]
        child, first = labelled(parts, len(label))
        # a class has one level in each column, so that the first cell of a child speaks for it
        can_go = level[first] > 0
        keeps = ~self._fails(child, len(first)) & can_go
        goes = keeps[child]
        parent = label[first]
        if self._strict:
            # one child that cannot go holds back the others, or they would lie inside its class
            all_go = np.ones(number, dtype=bool)
            all_go[parent[~keeps]] = False
            goes &= all_go[label]
        else:
            goes = self._with_company(label, number, child, parent, keeps, goes)
        # the loss is a mean over records, and so is the gain
        now = self._lost[j][level, self._every]
        then = self._lost[j][finer, self._every]
        gained = np.where(goes, (now - then) * self._cells.rows, 0.0)
        gain = np.bincount(label, weights=gained, minlength=number)
        return goes, gain * self._weights[j]

    def _with_company(
        self,
        label: Ints,
        number: int,
        child: Ints,
        parent: Ints,
        keeps: Bools,
        goes: Bools,
    ) -> Bools:
        """Who may go when those who must stay keep the models, with some company."""
        size = np.bincount(child, weights=self._cells.rows, minlength=len(parent))
        for _ in range(COMPANY + 1):
            broken = self._rest_fails(label, number, goes)
            if not broken.any():
                return goes
            # the smallest child that could go stays
            could = keeps & broken[parent]
            size_of = np.where(could, size, np.inf)
            # of children of one size the first by label: cells are in the order of their keys
            order = np.lexsort((np.arange(len(parent)), size_of, parent))
            _, first = np.unique(parent[order], return_index=True)
            smallest = order[first]
            # classes that are not broken, or where nobody could go, have no smallest
            smallest = smallest[np.isfinite(size_of[smallest])]
            keeps = keeps.copy()
            keeps[smallest] = False
            goes = goes & keeps[child]
        broken = self._rest_fails(label, number, goes)
        # the company was not enough: the class does not go down in this column
        return np.asarray(goes & ~broken[label])

    def _rest_fails(
        self,
        label: Ints,
        number: int,
        goes: Bools,
    ) -> Bools:
        """Classes of which those who stay, if any, break a model while others go."""
        stay = ~goes
        # where nobody goes the class is as it was, and where nobody stays there is no rest
        some = np.bincount(label[goes], minlength=number) > 0
        rest = np.bincount(label[stay], minlength=number) > 0
        fails = self._fails(label, number, stay)
        return np.asarray(fails & some & rest)

    def _fails(
        self,
        label: Ints,
        number: int,
        among: Bools | None = None,
    ) -> Bools:
        """The classes that break a model; classes without records do."""
        cells = replace(self._cells, label=label, number=number)
        # a view counts the population of every cell: that of the children who go would make the
        # rest look larger than it is
        if among is not None and cells.population is not None:
            staying = np.where(among, cells.population, 0)
            cells = replace(cells, population=staying)
        # cells of the population only have no record to release
        alive = cells.rows > 0
        if among is not None:
            alive = alive & among
        view = View(cells, self._given.extras, alive)
        fails = ~view.occupied
        for one in self._given.constraints:
            fails |= _broken(one, view)
        return fails

    def _gone(
        self,
        label: Ints,
        levels: Ints,
        column: Ints,
        goes: Bools,
    ) -> tuple[Ints, Ints]:
        """Labels and levels after one round."""
        mine = column[label]
        moved = goes & (mine >= 0)
        levels = levels.copy()
        rows = np.flatnonzero(moved)
        levels[rows, mine[rows]] -= 1
        code = np.zeros(len(label), dtype=np.int64)
        for j in range(levels.shape[1]):
            here = moved & (mine == j)
            # 0 are those who stay
            own = self._classes[j][levels[here, j], self._every[here]]
            code[here] = 1 + own
        size = int(code.max(initial=0)) + 1
        number = int(label.max(initial=0)) + 1
        parts = [(label, number), (code, size)]
        new, _ = labelled(parts, len(label))
        return new, levels


def _broken(
    one: Constraint,
    view: View,
) -> Bools:
    return one.fails(view) & view.occupied


def _granularity(
    column: KeyColumn,
    level: int,
) -> Floats:
    """(values in the class - 1) / (values of the column - 1), by class."""
    values = max(int(column.leaves[0].sum()), 2)
    inside = np.maximum(column.leaves[level], 1)
    return np.asarray((inside - 1) / (values - 1))
