"""Extremely randomised trees of two classes, grown level by level in numpy.

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

from tacit.base.typing import Bools, Floats, Ints

DEEPEST = 60
"""Levels after which nodes stay as they are: halving 2^60 records; only equal rows get there."""


@dataclass(frozen=True)
class Split:
    """What each node of a level does: leaves have the column -1."""

    column: Ints
    threshold: Floats
    share: Floats  # of records of the second class, in training


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


def share_of_second(
    rows: Floats,
    is_second: Bools,
    train: Ints,
    test: Ints,
    *,
    trees: int,
    leaf: int,
    rng: np.random.Generator,
) -> Floats:
    """The mean share of the second class in the leaves that each test record falls into.

    Parameters
    ----------
    rows : array
        Ranks (``ranks``) of all records.
    is_second : array of bool
        The class of each record.
    train, test : arrays of int
        Records that trees learn from, and records that are judged.
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
    total = np.zeros(len(rows))
    for level in range(DEEPEST + 1):
        split = _split(rows, is_second, learning, node, leaf, rng, level == DEEPEST)
        # judged records that have reached a leaf
        there = split.column[at] < 0
        total += np.bincount(judged[there], split.share[at[there]], minlength=len(rows))
        judged, at = _descend(rows, judged, at, split)
        learning, node = _descend(rows, learning, node, split)
        if not len(judged):
            break
        by_node = np.argsort(node, kind="stable")
        learning = learning[by_node]
        node = node[by_node]
    return np.asarray(total[test] / trees, float)


def _split(
    rows: Floats,
    is_second: Bools,
    learning: Ints,
    node: Ints,
    leaf: int,
    rng: np.random.Generator,
    last: bool,
) -> Split:
    """The purest of one random cut per column, for each node of a level."""
    begin = np.flatnonzero(np.diff(node, prepend=-1))
    size = np.diff(begin, append=len(node))
    x = rows[learning]
    low = np.minimum.reduceat(x, begin)
    high = np.maximum.reduceat(x, begin)
    # in (low, high]: the smallest value goes to the left, the largest to the right
    drawn = high - rng.random(low.shape) * (high - low)
    left = x < np.repeat(drawn, size, axis=0)
    second = is_second[learning]
    n = size[:, None].astype(float)
    ones = np.add.reduceat(second, begin, dtype=np.int64)[:, None].astype(float)
    n_left = np.add.reduceat(left, begin, dtype=np.int32).astype(float)
    one_left = np.add.reduceat(left & second[:, None], begin, dtype=np.int32)
    one_left = one_left.astype(float)
    n_right = n - n_left
    one_right = ones - one_left
    allowed = (n_left >= leaf) & (n_right >= leaf)
    # least Gini impurity of both sides: most of sum over sides of (a^2 + b^2) / size
    with np.errstate(divide="ignore", invalid="ignore"):
        purity = _squares(one_left, n_left) + _squares(one_right, n_right)
    purity = np.where(allowed, purity, -np.inf)
    column = purity.argmax(1)
    nodes = np.arange(len(size))
    pure = (ones == 0) | (ones == n)
    ends = pure.ravel() | ~allowed.any(1) | last
    # nodes are numbered by the trees; every number that occurs has a run
    count = int(node[-1]) + 1
    out = Split(np.full(count, -1), np.zeros(count), np.zeros(count))
    name = node[begin]
    out.column[name] = np.where(ends, -1, column)
    out.threshold[name] = drawn[nodes, column]
    out.share[name] = (ones / n).ravel()
    return out


def _squares(ones: Floats, n: Floats) -> Floats:
    """(a^2 + b^2) / n of a side with ``ones`` records of the second class among n."""
    return np.asarray((ones**2 + (n - ones) ** 2) / n, float)


def _descend(rows: Floats, record: Ints, node: Ints, split: Split) -> tuple[Ints, Ints]:
    """The entries that go on, in the child of their node: 2 k or 2 k + 1, numbered anew."""
    column = split.column[node]
    on = column >= 0
    record = record[on]
    node = node[on]
    right = rows[record, column[on]] >= split.threshold[node]
    # splitting nodes are numbered one after the other
    number = np.cumsum(split.column >= 0) - 1
    return record, 2 * number[node] + right
