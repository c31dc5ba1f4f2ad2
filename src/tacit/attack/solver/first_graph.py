"""The pairs that the solver begins with: near ones, and one complete linkage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.attack.solver.neighbours import search
from tacit.attack.solver.scan import Points
from tacit.attack.solver.stopper import Stopper
from tacit.base.typing import Floats, Ints
from tacit.kernels.trees import kdtree

CLEAR = 1e-9
"""A value that is less by this share is less whatever rounding did."""


@dataclass(frozen=True)
class NearPairs:
    """Pairs of near rows and columns.

    Attributes
    ----------
    parts
        Rows and columns of the pairs: those that rows found, and what else columns found.
    nearest, farthest
        f(distance) of each row to the nearest and to the last of its candidates.
    """

    parts: list[tuple[Ints, Ints]]
    nearest: Floats
    farthest: Floats


def near_pairs(
    queries: Floats,
    tree: Points,
    targets: Floats,
    back: Points,
    k: int,
    kind: int,
    stopper: Stopper,
    *,
    at_hand: bool = False,
) -> NearPairs:
    """The k nearest both ways.

    Parameters
    ----------
    queries, targets : arrays
        Rows and columns as points.
    tree, back : Points
        Of the targets and of the queries.
    k : int
        Candidates of each row, and of each column.
    kind : int
        What f(distance) is (see ``neighbours.KIND``).
    stopper : Stopper
        Runs the threads and ends them early.
    at_hand : bool
        Few points are searched in a tree where its kernel is compiled (see ``search``).
    """
    is_root = kind == kdtree.EUCLIDEAN
    # squares have the same order, without roots
    ranked = kdtree.SQUARED if is_root else kind
    value, index = search(
        queries,
        tree,
        k,
        ranked,
        stopper,
        rows=back.order,
        at_hand=at_hand,
    )
    nearest = np.empty(len(queries))
    farthest = np.empty(len(queries))
    nearest[back.order] = value[:, 0]
    farthest[back.order] = value[:, -1]
    del value
    parts = [_seen(back.order, index)]
    del index
    # few rows among many columns: most columns stay free and need no candidates
    if len(queries) * 4 >= len(targets):
        value, index = search(
            targets,
            back,
            min(k, len(queries)),
            ranked,
            stopper,
            rows=tree.order,
            at_hand=at_hand,
        )
        # what a row has found itself is clearly nearer than the last that it found
        with np.errstate(invalid="ignore"):
            known = value < farthest[index] * (1 - CLEAR)
        index[known] = -1
        del value, known
        cols, rows = _seen(tree.order, index)
        parts.append((rows, cols))
        del index
    if is_root:
        # rows that a deadline left out hold no values
        with np.errstate(invalid="ignore"):
            nearest = np.sqrt(nearest)
            farthest = np.sqrt(farthest)
    return NearPairs(parts, nearest, farthest)


def _seen(seekers: Ints, index: Ints) -> tuple[Ints, Ints]:
    """(seeker, who was found) of what was found."""
    seen = index >= 0
    return np.repeat(seekers, seen.sum(axis=1)), index[seen]


def first_linkage(
    queries: Floats,
    count: Ints,
    targets: Floats,
    capacity: Ints,
) -> tuple[Ints, Ints]:
    """(rows, columns): both files linked in the order of their first axis.

    Parameters
    ----------
    queries, targets : arrays
        Distinct records of both files, the widest axis first.
    count, capacity : arrays of int
        How many records each of them stands for; no more in all of ``count``.
    """
    rows = _along_first_axis(queries, count)
    slots = _along_first_axis(targets, capacity)
    # spread the shorter file evenly over the longer one
    return rows, slots[np.arange(len(rows)) * len(slots) // len(rows)]


def _along_first_axis(points: Floats, copies: Ints) -> Ints:
    """Rows of points, each as often as it has copies, in the order of the first axis."""
    units = np.repeat(np.arange(len(points)), copies)
    if not points.shape[1]:
        return units
    return units[np.argsort(points[units, 0], kind="stable")]
