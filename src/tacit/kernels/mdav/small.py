"""Exact MDAV and group means of a small file in plain numpy: nothing to compile.

Idea. The definition of ``exact`` as it stands: full scans for the farthest and the nearest, one
column at a time. Up to some thousands of records that takes less time than reading the compiled
kernel from its cache, let alone compiling it (docs/explanation/cold-start.md).

Invariant. Every sum is taken in the order of ``exact``: squared distances column by column, the
sum of the records left in twice the precision and record by record. So the labels are the same,
ties included, and it does not matter which of the two ways a call takes.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats, Ints


def groups(values: Floats, start: Ints, k: int) -> Ints:
    """Labels of the records of distinct ``values`` in value order, as ``exact._groups`` gives them.

    Row v of ``values`` has the records start[v] .. start[v+1]-1, used up in that order.
    """
    n = int(start[-1])
    label = np.full(n, -1, np.int64)
    total = _TwoSums(values, np.diff(start))
    columns = np.ascontiguousarray(values.T)
    used = start[:-1].copy()
    # the rows that have records left, rising
    live = np.arange(len(values))
    here = columns
    left = n
    group = 0
    while left >= 2 * k:
        pole = live[np.argmax(_squared(here, total.mean(left)))]
        for side in range(2 if left >= 3 * k else 1):
            if side == 1:
                pole = live[np.argmax(_squared(here, values[pole]))]
            near = live[_first(_squared(here, values[pole]), k)]
            # the pole itself, then the nearest, copy by copy
            label[used[pole]] = group
            used[pole] += 1
            total.subtract(values[pole])
            wanted = k - 1
            for row in near:
                while wanted > 0 and used[row] < start[row + 1]:
                    label[used[row]] = group
                    used[row] += 1
                    total.subtract(values[row])
                    wanted -= 1
            gone = [row for row in (*near, pole) if used[row] == start[row + 1]]
            if gone:
                live = live[~np.isin(live, gone)]
                here = columns[:, live]
            left -= k
            group += 1
    label[label < 0] = group
    return label


def _squared(columns: Floats, pole: Floats) -> Floats:
    """The squared distance of every row from a pole, summed in column order."""
    total = np.zeros(columns.shape[1])
    for column, centre in zip(columns, pole, strict=True):
        gap = column - centre
        gap *= gap
        total += gap
    return total


def _first(distance: Floats, k: int) -> Ints:
    """The places of the k smallest, by (distance, place)."""
    if k >= len(distance):
        return np.argsort(distance, kind="stable")
    limit = np.partition(distance, k - 1)[k - 1]
    near = np.flatnonzero(distance <= limit)
    return np.asarray(near[np.argsort(distance[near], kind="stable")][:k])


def group_means(values: Floats, labels: Ints, groups: int) -> Floats:
    """The running means of ``univariate._group_means``: all first members, then all second, ..."""
    mean = np.zeros((groups, values.shape[1]))
    count = np.zeros((groups, values.shape[1]))
    order = np.argsort(labels, kind="stable")
    size = np.bincount(labels, minlength=groups)
    first = np.cumsum(size) - size
    for turn in range(int(size.max(initial=0))):
        group = np.flatnonzero(size > turn)
        x = values[order[first[group] + turn]]
        there = ~np.isnan(x)
        count[group] += there
        before = mean[group]
        with np.errstate(invalid="ignore"):
            after = before + (x - before) / np.maximum(count[group], 1.0)
        mean[group] = np.where(there, after, before)
    # nothing but missing values has no mean
    mean[count == 0.0] = np.nan
    return mean


class _TwoSums:
    """The sum of the records left, as an unevaluated sum of two numbers (Knuth's two-sum)."""

    def __init__(self, values: Floats, copies: Ints) -> None:
        self.high = np.zeros(values.shape[1])
        self.low = np.zeros(values.shape[1])
        for row in np.repeat(values, copies, axis=0):
            self._add(row)

    def _add(self, row: Floats) -> None:
        total = self.high + row
        part = total - self.high
        self.low += (self.high - (total - part)) + (row - part)
        self.high = total

    def subtract(self, row: Floats) -> None:
        """One record leaves."""
        self._add(-row)

    def mean(self, left: int) -> Floats:
        """The mean of the records left."""
        return np.asarray((self.high + self.low) / left)
