"""Levels of a lattice chosen under differential privacy: noisy scores, the largest wins.

The score of a node is a whole number,

    W (sum over classes of max(0, n_class - K + 1)),   W = round(1000 (1 - mean of level / height))

with K the size from which a class is expected to be released. The hierarchies say W and the user
K, so that of the file only the sizes n count: one record more raises one sum by at most 1 and
lowers none, and the score by at most W. For scores that never fall, the largest of score + discrete
Laplace noise of scale 1000 / epsilon costs epsilon, ties by place (Dwork and Roth 2014, claim 3.9,
whose steps hold for whole numbers).

A lattice that is too large to be scored whole is walked as in SafePub (Bild, Kuhn and Prasser
2018): from the top, each step takes the noisy best of the nodes below those taken so far, and the
noisy best of all that were taken is the result; every choice has its share of epsilon.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tacit.protect.lattice.class_cells import Cells, rolled
from tacit.protect.lattice.level_codes import KeyColumn, Levels
from tacit.protect.private.accountant import Accountant, split
from tacit.protect.private.discrete_laplace import discrete_laplace

MOST_WEIGHT = 1000
"""The weight of a node that generalises nothing: no score rises by more with one record."""
FEW = 300
"""Nodes of a lattice that is scored whole: one choice with all of epsilon."""


@dataclass
class NoisyLevels:
    """A private choice among the nodes of a lattice."""

    columns: Sequence[KeyColumn]
    bottom: Cells
    weights: Sequence[float]
    """Of the columns; they add up to 1."""
    enough: int
    """K: the size from which a class of the file counts."""
    fixed: Sequence[int | None]
    """Levels that are given, by column."""
    rng: np.random.Generator | None
    """None: the noise comes from the system."""
    _scores: dict[Levels, int] = field(default_factory=dict)

    def choose(
        self,
        epsilon: float,
        steps: int,
        accountant: Accountant,
    ) -> Levels:
        """The levels that won, at this cost."""
        sizes = [
            column.height + 1 if level is None else 1
            for column, level in zip(self.columns, self.fixed, strict=True)
        ]
        # in floats, since 10^19 nodes overflow whole numbers
        if np.prod([float(size) for size in sizes]) <= FEW:
            nodes = [self._node(at) for at in np.ndindex(*sizes)]
            return self._best(nodes, epsilon, accountant, "the choice of levels")
        share = split(epsilon, steps + 1)
        top = self._node(tuple(size - 1 for size in sizes))
        taken = [top]
        waiting: dict[Levels, None] = {}
        for number in range(steps):
            for below in self._below(taken[-1]):
                if below not in taken:
                    waiting.setdefault(below)
            if not waiting:
                break
            what = f"step {number + 1} of the choice of levels"
            best = self._best(list(waiting), share, accountant, what)
            del waiting[best]
            taken.append(best)
        return self._best(taken, share, accountant, "the levels of those taken")

    def score(
        self,
        node: Levels,
    ) -> int:
        """A whole number that one record more raises by at most ``MOST_WEIGHT``."""
        if node not in self._scores:
            # from the file itself: a score must not depend on which nodes were scored before
            cells, _ = rolled(self.bottom, self.columns, node)
            more = np.maximum(cells.rows - self.enough + 1, 0)
            self._scores[node] = self._weight(node) * int(more.sum())
        return self._scores[node]

    def _weight(
        self,
        node: Levels,
    ) -> int:
        lost = 0.0
        each = zip(self.columns, node, self.weights, strict=True)
        for column, level, weight in each:
            lost += weight * level / max(column.height, 1)
        return round(MOST_WEIGHT * max(1.0 - lost, 0.0))

    def _best(
        self,
        nodes: Sequence[Levels],
        epsilon: float,
        accountant: Accountant,
        what: str,
    ) -> Levels:
        scale = MOST_WEIGHT / epsilon
        accountant.spend(what, epsilon, sensitivity=MOST_WEIGHT, scale=scale)
        noise = discrete_laplace(scale, len(nodes), self.rng)
        scores = np.array([self.score(node) for node in nodes], dtype=np.int64)
        # of equal ones the first, in an order that the file has no part in
        return nodes[int(np.argmax(scores + noise))]

    def _node(
        self,
        at: tuple[int, ...],
    ) -> Levels:
        pairs = zip(at, self.fixed, strict=True)
        return tuple(place if level is None else level for place, level in pairs)

    def _below(
        self,
        node: Levels,
    ) -> list[Levels]:
        return [
            (*node[:j], level - 1, *node[j + 1 :])
            for j, level in enumerate(node)
            if level > 0 and self.fixed[j] is None
        ]
