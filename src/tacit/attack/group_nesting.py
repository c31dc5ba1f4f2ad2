"""Groups inside groups: the rows of a person, the persons of a household.

The evidence is summed at both levels: two persons cost what their rows cost in the best pairing,
and two households what their persons cost in the best pairing. Households are linked first, then
persons inside linked households, then rows inside linked persons.
"""

from __future__ import annotations

import numpy as np

from tacit.attack.base import Matching
from tacit.attack.group_links import CELLS, GroupProblem, link_groups
from tacit.attack.informed.evidence import Evidence, Part
from tacit.base.typing import Bools, Floats, Ints


def nested(inner: Ints, outer: Ints) -> bool:
    """Every inner group lies in one outer group, and some outer group has several.

    >>> nested(np.array([0, 0, 1, 2]), np.array([5, 5, 5, 7]))
    True
    """
    pairs = np.unique(np.stack([inner, outer], axis=1), axis=0)
    return len(pairs) == len(np.unique(inner)) > len(np.unique(outer))


def link_nested(
    evidence: Evidence,
    inner: tuple[Ints, Ints],
    outer: tuple[Ints, Ints],
) -> Matching:
    """Link outer groups by the evidence of their inner groups, and inner groups inside them.

    Parameters
    ----------
    evidence : Evidence
        Cost of each pair of records, of any attacker; rows in the order of values.
    inner, outer : pairs of arrays of int
        The person and the household of each original and of each masked record.
    """
    persons = GroupProblem(evidence, *inner)
    if _cells(persons) > CELLS:
        # too many pairs of persons to write down: the persons alone
        return link_groups(evidence, *inner)
    between = _between(persons, inner)
    homes = [_outer_of(inner[side], outer[side]) for side in (0, 1)]
    problem = GroupProblem(between, homes[0], homes[1])
    links = problem.links
    possible = np.zeros((len(problem.ours.count), len(problem.theirs.count)), bool)
    possible[links.ours, links.theirs] = True
    # of each row the class of its household, which the household's first member tells
    here = [
        classes.of_row[np.unique(inner[side], return_inverse=True)[1]]
        for side, classes in ((0, problem.ours), (1, problem.theirs))
    ]
    inside = Part(
        here[0][:, None].astype(np.float64),
        here[1][:, None].astype(np.float64),
        _Inside(possible),
    )
    return link_groups(evidence + Evidence.of_part(inside), *inner)


def _cells(persons: GroupProblem) -> float:
    """Pairs of rows of all pairs of persons who are told apart."""
    return float(persons.ours.size.sum()) * float(persons.theirs.size.sum())


def _between(persons: GroupProblem, inner: tuple[Ints, Ints]) -> Evidence:
    """What it costs to link any two persons; one row of evidence for each person."""
    n, m = len(persons.ours.count), len(persons.theirs.count)
    a, b = np.repeat(np.arange(n), m), np.tile(np.arange(m), n)
    if persons.sizes_kept:
        alike = persons.ours.size[a] == persons.theirs.size[b]
        a, b = a[alike], b[alike]
    table = np.full((n, m), np.inf)
    table[a, b] = persons.costs(a, b)
    classes = [
        side.of_row[np.unique(labels, return_index=True)[1]]
        for side, labels in ((persons.ours, inner[0]), (persons.theirs, inner[1]))
    ]
    ours, theirs = (each[:, None].astype(np.float64) for each in classes)
    return Evidence.of_part(Part(ours, theirs, _LookedUp(table)))


def _outer_of(inner: Ints, outer: Ints) -> Ints:
    """The outer group of each inner group."""
    return np.asarray(outer[np.unique(inner, return_index=True)[1]])


class _LookedUp:
    """The cost of two classes, from a table."""

    def __init__(self, table: Floats) -> None:
        self.table = table

    def __call__(
        self,
        p: Floats,
        q: Floats,
    ) -> Floats:
        rows, columns = p[:, 0].astype(np.int64), q[:, 0].astype(np.int64)
        return np.asarray(self.table[np.ix_(rows, columns)])


class _Inside(_LookedUp):
    """Nothing for members of linked groups; others are impossible."""

    def __init__(self, possible: Bools) -> None:
        super().__init__(np.where(possible, 0.0, np.inf))
