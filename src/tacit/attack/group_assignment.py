"""Groups are assigned one to one, over the pairs of groups that were weighed.

Groups that nothing tells apart have the same arcs. Where that makes many, they are written down
once for the class, which has so many groups to place: 57,000 persons of 256 classes would have 151
million arcs, and their classes have 0.7 million.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.attack.solver.assign_graph import Solver
from tacit.attack.solver.csr import take_rows
from tacit.attack.solver.stopper import Stopper
from tacit.base.typing import Floats, Ints

SINGLY = 1_000_000
"""Arcs of all groups up to which each group has its own. The least cost is the same either way; of
linkages that cost the same another may be taken, so that files of few groups keep theirs."""


@dataclass(frozen=True)
class GroupLinks:
    """Classes of groups that were linked, how many of each, and what the linkage costs.

    ``left_over``: groups of the file with fewer that have no possible partner; ``dearest``: the
    cost of the dearest pair that was weighed. ``u`` and ``v``: what a group of each class of either
    file is worth, with u + v at most the cost of every pair; -inf: none of its groups looks.
    """

    ours: Ints
    theirs: Ints
    number: Ints
    cost: float
    left_over: int
    dearest: float
    u: Floats
    v: Floats


def assign_groups(
    count_a: Ints,
    count_b: Ints,
    a: Ints,
    b: Ints,
    cost: Floats,
) -> GroupLinks:
    """The file of fewer groups is linked; a group without a possible partner is left over, behind
    a wall of cost.

    Parameters
    ----------
    count_a, count_b : arrays of int
        Groups of each class of either file that look for a partner; may be none.
    a, b, cost : arrays
        A group of class ``a[p]`` may be linked with one of class ``b[p]``, at ``cost[p]``.
    """
    if _turns(count_a, count_b, a, b):
        turned = assign_groups(count_b, count_a, b, a, cost)
        return replace(
            turned, ours=turned.theirs, theirs=turned.ours, u=turned.v, v=turned.u
        )
    order = np.lexsort((b, a))
    a, b, cost = a[order], b[order], cost[order]
    start = np.searchsorted(a, np.arange(len(count_a) + 1))
    low, high = float(cost.min(initial=0.0)), float(cost.max(initial=0.0))
    # dearer than any exchange of links along a path of usual length; larger walls would eat the
    # digits
    wall = (high - low + 1.0) * 1e3
    every = np.arange(len(count_a))
    # one arc more for each row: to places of its own, where its groups are left over
    singly = arcs_of(count_a, a) <= SINGLY
    owner = np.repeat(every, count_a) if singly else every
    indptr, entry = take_rows(start + np.arange(len(start)), owner)
    # costs from 0 on: the solver's steps are in units of the median cost
    price = np.insert(cost - low, start[1:], wall)[entry]
    target = np.insert(b, start[1:], 0)[entry]
    target[indptr[1:] - 1] = len(count_b) + np.arange(len(owner))
    count = np.ones_like(owner) if singly else count_a
    solver = Solver(count, np.concatenate([count_b, count]), Stopper())
    solver.solve(indptr, target, price, np.full(len(owner), np.inf))
    unit, match = owner[solver.state.kind], solver.state.row_col
    linked = match < len(count_b)
    width = max(1, len(count_b))
    pair, number = np.unique(unit[linked] * width + match[linked], return_counts=True)
    chosen = np.searchsorted(a * width + b, pair)
    total = float((cost[chosen] * number).sum())
    u = np.full(len(count_a), -np.inf)
    looks = np.flatnonzero(count[: len(owner)])
    # costs began at 0 for the solver
    u[owner[looks]] = solver.u[looks] + low
    v = solver.v[: len(count_b)].copy()
    left_over = int((~linked).sum())
    return GroupLinks(pair // width, pair % width, number, total, left_over, high, u, v)


def arcs_of(count: Ints, a: Ints) -> int:
    """Arcs of all groups, where a class of ``count[a[p]]`` groups has the arc p."""
    return int(count[a].sum())


def _turns(count_a: Ints, count_b: Ints, a: Ints, b: Ints) -> bool:
    """Whether the second file's groups look for places among the first's: where they are fewer,
    or as many with fewer arcs to look at, if that matters."""
    ours, theirs = int(count_a.sum()), int(count_b.sum())
    if ours != theirs:
        return ours > theirs
    return arcs_of(count_a, a) > max(SINGLY, arcs_of(count_b, b))
