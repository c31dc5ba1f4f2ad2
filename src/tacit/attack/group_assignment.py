"""Groups are assigned one to one, over the pairs of groups that were weighed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.attack.solver.assign_graph import assign_graph
from tacit.base.typing import Floats, Ints


@dataclass(frozen=True)
class GroupLinks:
    """Classes of groups that were linked, how many of each, and what the linkage costs.

    ``left_over``: groups of the file with fewer that have no possible partner; ``dearest``: the
    cost of the dearest pair that was weighed.
    """

    ours: Ints
    theirs: Ints
    number: Ints
    cost: float
    left_over: int
    dearest: float


def assign_groups(
    count_a: Ints,
    count_b: Ints,
    a: Ints,
    b: Ints,
    cost: Floats,
) -> GroupLinks:
    """The file of fewer groups is linked; a group without a possible partner is left over, behind
    a wall of cost."""
    if count_a.sum() > count_b.sum():
        turned = assign_groups(count_b, count_a, b, a, cost)
        return replace(turned, ours=turned.theirs, theirs=turned.ours)
    order = np.lexsort((b, a))
    a, b, cost = a[order], b[order], cost[order]
    start = np.searchsorted(a, np.arange(len(count_a) + 1))
    unit = np.repeat(np.arange(len(count_a)), count_a)
    # one arc more for each unit: to a place of its own, where it is left over
    degree = np.diff(start)[unit] + 1
    indptr = np.concatenate([[0], np.cumsum(degree)]).astype(np.int64)
    owner = np.repeat(np.arange(len(unit)), degree)
    place = np.arange(indptr[-1]) - indptr[owner]
    spare = place == degree[owner] - 1
    edge = np.where(spare, 0, start[unit[owner]] + place)
    low, high = float(cost.min(initial=0.0)), float(cost.max(initial=0.0))
    # dearer than any exchange of links along a path of usual length; larger walls would eat the
    # digits
    wall = (high - low + 1.0) * 1e3
    # costs from 0 on: the solver's steps are in units of the median cost
    lowered = cost - low if len(cost) else np.zeros(1)
    target = np.where(spare, len(count_b) + owner, b[edge] if len(b) else 0)
    price = np.where(spare, wall, lowered[edge])
    capacity = np.concatenate([count_b, np.ones(len(unit), np.int64)])
    match = assign_graph(
        indptr, target, price, len(capacity), capacities=capacity
    ).match
    linked = match < len(count_b)
    width = max(1, len(count_b))
    pair, number = np.unique(unit[linked] * width + match[linked], return_counts=True)
    chosen = np.searchsorted(a * width + b, pair)
    total = float((cost[chosen] * number).sum())
    return GroupLinks(
        pair // width, pair % width, number, total, int((~linked).sum()), high
    )
