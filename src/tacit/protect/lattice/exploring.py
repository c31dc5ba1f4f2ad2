"""Nodes of a lattice to look at: what each loses, whom it suppresses, and why it fails.

A search looks at as few nodes as it can; somebody who wants to understand its answer looks at the
nodes around it. The nodes are the best one, those between it and both ends of the lattice, and its
neighbours by the number of steps, until there are enough; a lattice that is small enough is
shown whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Bools
from tacit.protect.lattice.class_cells import Cells
from tacit.protect.lattice.level_codes import Levels, shape_of
from tacit.protect.lattice.looking import Looking
from tacit.protect.lattice.problem import Found, Problem
from tacit.protect.lattice.settle import Settled, settle
from tacit.protect.lattice.view import View


@dataclass(frozen=True)
class Failure:
    """A model that classes of a node break, before anybody is suppressed."""

    model: str
    classes: int | None
    """How many classes break it; None: it is a bound on the whole release."""
    people: int
    """People (or records) in these classes; of a bound on the whole, everybody."""


@dataclass(frozen=True)
class Node:
    """A node that was looked at."""

    levels: dict[str, int]
    loss: float
    """What the utility model loses with the suppressed blank, whether the node will do or not."""
    kept: bool
    """Every model holds, and no more are suppressed than may be."""
    suppressed: int
    """People (or records) that have to be suppressed."""
    share: float
    """The same as a share of everybody."""
    failures: tuple[Failure, ...]
    """The models that classes break; a node that suppresses them may be kept all the same."""
    reason: str
    """Why it will not do, in one sentence; empty where it will."""


@dataclass(frozen=True)
class Explored:
    """Some nodes of a lattice, by what they lose."""

    nodes: tuple[Node, ...]
    best: Node | None
    """The best node; None: no node will do."""
    proven: bool
    """No other node of the lattice is better (or, without a best one, none will do)."""
    bound: float
    """What any node that will do loses at least."""
    size: int
    """How many nodes the lattice has."""
    heights: dict[str, int]
    """The highest level of each column."""
    people: int
    limit: int
    """How many may be suppressed."""
    word: str
    """What is counted: person or record."""


def explored(
    problem: Problem,
    found: Found,
    people: int,
    word: str,
    most: int,
) -> Explored:
    """The nodes around the one that a search found.

    Parameters
    ----------
    problem : Problem
        What was searched.
    found : Found
        What the search found.
    people : int
        How many people (or records) the file has.
    word : str
        What they are called.
    most : int
        Nodes that are looked at, at most.
    """
    shape = shape_of(problem.columns)
    looking = Looking(problem)
    centre = tuple(size - 1 for size in shape) if found.levels is None else found.levels
    nodes: list[Node] = []
    best: Node | None = None
    for at in _around(centre, shape, most):
        node = _looked_at(looking, at, people, word)
        nodes.append(node)
        if at == found.levels:
            best = node
    nodes.sort(key=lambda node: (node.loss, tuple(node.levels.values())))
    return Explored(
        tuple(nodes),
        best,
        found.proven,
        found.bound,
        int(np.prod([float(size) for size in shape])),
        {column.name: column.height for column in problem.columns},
        people,
        problem.limit,
        word,
    )


def _around(
    centre: Levels,
    shape: tuple[int, ...],
    most: int,
) -> Iterator[Levels]:
    """The centre, a way down and a way up, and the nearest nodes."""
    seen: dict[Levels, None] = {}
    # both ends first: they say what nothing and everything costs
    ways = [centre, tuple(0 for _ in shape), tuple(size - 1 for size in shape)]
    here = centre
    while any(here):
        highest = max(range(len(here)), key=lambda j: (here[j], -j))
        here = _moved(here, highest, -1)
        ways.append(here)
    here = centre
    while any(level + 1 < size for level, size in zip(here, shape, strict=True)):
        rooms = [size - 1 - level for level, size in zip(here, shape, strict=True)]
        here = _moved(here, int(np.argmax(rooms)), 1)
        ways.append(here)
    for node in ways:
        seen.setdefault(node)
    # then step by step away from the centre; a node is reached by as many steps as it is far
    reached = {centre}
    front = [centre]
    while front and len(seen) < most:
        further: list[Levels] = []
        for node in front:
            for j, size in enumerate(shape):
                for step in (-1, 1):
                    if 0 <= node[j] + step < size:
                        near = _moved(node, j, step)
                        if near not in reached:
                            reached.add(near)
                            further.append(near)
        for node in further:
            seen.setdefault(node)
        front = further
    yield from list(seen)[:most]


def _moved(
    node: Levels,
    j: int,
    step: int,
) -> Levels:
    return (*node[:j], node[j] + step, *node[j + 1 :])


def _looked_at(
    looking: Looking,
    at: Levels,
    people: int,
    word: str,
) -> Node:
    problem = looking.problem
    cells = looking.cells(at)
    settled = settle(cells, problem.extras, problem.constraints, problem.limit)
    names = [column.name for column in problem.columns]
    return Node(
        dict(zip(names, at, strict=True)),
        float(problem.utility.loss(settled)),
        settled.met,
        settled.suppressed,
        settled.suppressed / max(people, 1),
        tuple(_failures(problem, cells, settled, people)),
        "" if settled.met else _reason(problem, settled, people, word),
    )


def _failures(
    problem: Problem,
    cells: Cells,
    settled: Settled,
    people: int,
) -> Iterator[Failure]:
    everybody = View(cells, problem.extras, cells.rows > 0)
    released = View(cells, problem.extras, settled.alive)
    for one in problem.constraints:
        if one.per_class:
            fails = one.fails(everybody) & everybody.occupied
            if fails.any():
                inside = _people_in(everybody, fails)
                yield Failure(str(one), int(fails.sum()), inside)
        elif not one.holds(released, settled.suppressed):
            yield Failure(str(one), None, people)


def _people_in(
    view: View,
    classes: Bools,
) -> int:
    if view.extras.person is None:
        return int(view.records[classes].sum())
    # somebody with rows in two of the classes is one person
    return len(np.unique(view.people[classes[view.label]]))


def _reason(
    problem: Problem,
    settled: Settled,
    people: int,
    word: str,
) -> str:
    whole = [str(one) for one in problem.constraints if not one.per_class]
    if settled.reason in whole:
        return f"the release as a whole does not keep {settled.reason}"
    if settled.suppressed <= problem.limit:
        return settled.reason
    return (
        f"{settled.suppressed} of {people} {word}s would have to be suppressed, and "
        f"{problem.limit} may ({settled.reason})"
    )
