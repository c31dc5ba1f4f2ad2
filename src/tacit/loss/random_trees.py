"""Extremely randomised trees that tell classes apart, grown level by level.

Idea (Geurts, Ernst and Wehenkel 2006). Each node draws one threshold for every column and keeps
the column whose cut makes both sides purest (Gini). All trees grow at once, one level at a time,
so that a forest on some thousands of records takes a tenth of a second and no other package.

Values are replaced by their ranks first: thresholds are drawn evenly over ranks, so that a skewed
column is cut as well as any other, and the result does not change under monotone transformations.

Invariant. Entries (a record in a tree) stand node by node, so that sums over nodes are sums over
runs of an array.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.kernels.tree_cuts import random_cuts
from tacit.kernels.tree_descent import descend

DEEPEST = 60
"""Levels after which nodes stay as they are: halving 2^60 records; only equal rows get there."""


@dataclass(frozen=True)
class Split:
    """What each node of a level does: leaves have the column -1."""

    column: Ints
    threshold: Floats
    share: Floats  # of records of each class but the first, in training


def ranks(values: Floats) -> Floats:
    """The rank of each value among the distinct ones of its column; missing values lie far below.

    Half of a column's range separates them, so that the first thresholds find them.

    Examples
    --------
    >>> ranks(np.array([[5.0], [np.nan], [7.0], [5.0]])).ravel().tolist()
    [0.0, -2.0, 1.0, 0.0]
    """
    out = np.empty(values.shape)
    for j in range(values.shape[1]):
        column = values[:, j]
        known = ~np.isnan(column)
        distinct, place = np.unique(column[known], return_inverse=True)
        out[known, j] = place.ravel()
        out[~known, j] = -float(max(1, len(distinct)))
    return out


def class_shares(
    rows: Floats,
    label: Ints,
    train: Ints,
    test: Ints,
    *,
    classes: int,
    trees: int,
    leaf: int,
    rng: np.random.Generator,
) -> Floats:
    """The mean share of each class in the leaves that each test record falls into.

    Parameters
    ----------
    rows : array
        Ranks (``ranks``) of all records.
    label : array of int
        The class of each record, 0 .. classes - 1.
    train, test : arrays of int
        Records that trees learn from, and records that are judged.
    classes : int
        Number of classes.
    trees : int
        Number of trees; all learn from all of ``train``.
    leaf : int
        Fewest training records of a leaf.
    rng : Generator
        Draws the thresholds.
    """
    learning = np.tile(train, trees)
    node = np.repeat(np.arange(trees), len(train))
    judged = np.tile(test, trees)
    at = np.repeat(np.arange(trees), len(test))
    total = np.zeros((classes, len(rows)))
    for level in range(DEEPEST + 1):
        split = _split(
            rows, label, learning, node, classes, leaf, rng, level == DEEPEST
        )
        # judged records that have reached a leaf
        there = split.column[at] < 0
        for c in range(1, classes):
            share = split.share[c - 1, at[there]]
            total[c] += np.bincount(judged[there], share, minlength=len(rows))
        cuts = split.column, split.threshold
        judged, at = descend(rows, judged, at, *cuts, by_node=False)
        if not len(judged):
            break
        learning, node = descend(rows, learning, node, *cuts, by_node=True)
    total[0] = trees - total[1:].sum(axis=0)
    return np.asarray(total[:, test] / trees, float)


def _split(
    rows: Floats,
    label: Ints,
    learning: Ints,
    node: Ints,
    classes: int,
    leaf: int,
    rng: np.random.Generator,
    last: bool,
) -> Split:
    """The purest of one random cut per column, for each node of a level."""
    begin = np.flatnonzero(np.diff(node, prepend=-1))
    size = np.diff(begin, append=len(node))
    uniform = rng.random((len(begin), rows.shape[1]))
    drawn, left = random_cuts(rows, label, learning, begin, uniform, classes)
    n_left = left.sum(axis=0)
    n_right = size[:, None] - n_left
    # of each class in each node
    run = np.repeat(np.arange(len(begin)), size) * classes + label[learning]
    every = np.bincount(run, minlength=len(begin) * classes).reshape(-1, classes).T
    right = every[:, :, None] - left
    allowed = (n_left >= leaf) & (n_right >= leaf)
    # least Gini impurity of both sides: most of sum over sides of (sum of squares) / size
    with np.errstate(divide="ignore", invalid="ignore"):
        purity = (left**2).sum(axis=0) / n_left + (right**2).sum(axis=0) / n_right
    purity = np.where(allowed, purity, -np.inf)
    column = purity.argmax(1)
    nodes = np.arange(len(size))
    pure = every.max(axis=0) == size
    ends = pure | ~allowed.any(1) | last
    # nodes are numbered by the trees; every number that occurs has a run
    count = int(node[-1]) + 1
    out = Split(np.full(count, -1), np.zeros(count), np.zeros((classes - 1, count)))
    name = node[begin]
    out.column[name] = np.where(ends, -1, column)
    out.threshold[name] = drawn[nodes, column]
    out.share[:, name] = every[1:] / size
    return out
