"""Groups of a large file that found no partner look again, and then everybody looks along prices.

In a large file each group weighs its nearest kinds only. Where many groups are near the same few
kinds, some find all of them taken.

1. Those who are left over look among each other, nearest kinds again, until nobody is left over or
   nothing is possible. So there is a complete linkage among the pairs that were weighed.
2. All groups are assigned once more, over the pairs of both looks. The duals (u, v) of that linkage
   say what each group is worth to the others, and every group looks for kinds that are better for
   it at these prices: nearest by squared distance of means less twice the price. Pairs that help
   (cost < u + v) join, and it is solved again, until nobody finds any.

The squared distance of (weighted) means is at most twice the cost of two groups of one size where
evidence is vectors alone; if nobody finds a pair there, no linkage of all pairs costs less, up to
``PRICED`` kinds that a group looks at in a round. Elsewhere means only propose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.attack.group_assignment import GroupLinks, assign_groups
from tacit.attack.solver.neighbours import Prepared, search
from tacit.attack.solver.stopper import Stopper
from tacit.base.typing import Floats, Ints
from tacit.kernels.trees import kdtree

if TYPE_CHECKING:
    from tacit.attack.group_links import GroupProblem

LOOKS = 12
"""How often groups that are left over look among each other, at most; each time most find one."""
ROUNDS = 8
"""How often everybody looks along prices, at most."""
PRICED = 12
"""Kinds that a group finds in one such look, at most."""
CLEAR = 1e-9
"""What a pair must save, in units of the dearest cost: less is rounding."""

Pairs = tuple[Ints, Ints, Floats]
"""Classes of both files, and what it costs to link a group of each."""


def look_again(problem: GroupProblem) -> GroupLinks:
    """The linkage of all groups, of a problem whose first one left some of them over.

    Parameters
    ----------
    problem : GroupProblem
        With its first links.
    """
    count_a, count_b = problem.ours.count, problem.theirs.count
    pairs = problem.first_pairs
    found = _among_left(problem)
    links = problem.first_links
    for _ in range(ROUNDS):
        before = len(pairs[0])
        pairs = _joined(pairs, found, len(count_b))
        if len(pairs[0]) == before:
            break
        links = assign_groups(count_a, count_b, *pairs)
        found = _priced(problem, links)
    return links


def _among_left(problem: GroupProblem) -> Pairs:
    """Pairs of classes that have groups left over: those that are near, look after look."""
    links = problem.first_links
    left = problem.ours.count - _taken(links.ours, links.number, problem.ours.count)
    free = problem.theirs.count - _taken(
        links.theirs, links.number, problem.theirs.count
    )
    found = _none()
    for _ in range(LOOKS):
        blocks = [
            (rows[left[rows] > 0], columns[free[columns] > 0])
            for rows, columns in problem.blocks()
        ]
        blocks = [(rows, cols) for rows, cols in blocks if len(rows) and len(cols)]
        if not blocks:
            break
        here = problem.possible_pairs(*problem.pairs(blocks))
        found = _joined(found, here, len(free))
        more = assign_groups(left, free, *here)
        if not len(more.number):
            break
        left = left - _taken(more.ours, more.number, left)
        free = free - _taken(more.theirs, more.number, free)
    return found


def _priced(problem: GroupProblem, links: GroupLinks) -> Pairs:
    """Pairs that cost less than their classes are worth in this linkage, as far as means tell."""
    every_a, every_b = problem.every_feature
    found = _none()
    for rows, columns in problem.blocks():
        rows = rows[np.isfinite(links.u[rows])]
        if not len(rows) or not len(columns):
            continue
        files = Prepared.of(every_a[rows], every_b[columns], "squared")
        _, index = search(
            files.queries,
            files.tree,
            min(PRICED, len(columns)),
            kdtree.SQUARED,
            Stopper(),
            rows=files.order,
            limits=2 * links.u[rows][files.order],
            weights=2 * links.v[columns],
        )
        seen = index >= 0
        a = rows[np.repeat(files.order, seen.sum(axis=1))]
        here = problem.possible_pairs(a, columns[index[seen]])
        found = _joined(found, here, len(every_b))
    a, b, cost = found
    saved = links.u[a] + links.v[b] - cost
    helps = saved > CLEAR * max(1.0, abs(links.dearest))
    return a[helps], b[helps], cost[helps]


def _none() -> Pairs:
    return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)


def _joined(one: Pairs, other: Pairs, width: int) -> Pairs:
    """The pairs of both, each once."""
    a, b, cost = (np.concatenate(both) for both in zip(one, other, strict=True))
    _, once = np.unique(a * width + b, return_index=True)
    return a[once], b[once], cost[once]


def _taken(classes: Ints, number: Ints, like: Ints) -> Ints:
    """Groups of each class that are linked."""
    linked = np.bincount(classes, weights=number, minlength=len(like))
    return linked.astype(np.int64)
