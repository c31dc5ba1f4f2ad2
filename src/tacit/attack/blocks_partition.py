"""Ways to cut two files into pairs of blocks of equal size, so that each pair can be linked on its own.

* ``by_attribute``: both files sorted by one attribute and cut at the same ranks (section 5.2 of the source);
* ``by_ranks``: halve both files at the same rank along the attribute in which the original is widest, again and
  again: blocks of equal size without moving anybody;
* ``by_clusters``: the source's section 5.1: kd-tree cells of the originals, k-means of the masked from the cells'
  centroids, then records moved between clusters until sizes agree. Kept because it was published: who is moved is
  cut off from its own record, and centroids of noisy records drift, so it finds far fewer links.

All take rows in value order, so row order plays no part.
"""

from __future__ import annotations

import numpy as np

from tacit.attack.neighbours import Floats, Ints

Pairs = list[tuple[Ints, Ints]]


def by_attribute(X: Floats, Y: Floats, axis: int, size: int) -> Pairs:
    a, b = _sorted(X, np.arange(len(X)), axis), _sorted(Y, np.arange(len(Y)), axis)
    parts = max(1, -(-len(X) // size))
    return list(zip(np.array_split(a, parts), np.array_split(b, parts), strict=True))


def by_ranks(X: Floats, Y: Floats, size: int) -> Pairs:
    def halve(a: Ints, b: Ints) -> Pairs:
        if len(a) <= size or len(b) < 2:
            return [(a, b)]
        axis = int(np.argmax(np.std(X[a], axis=0)))
        a, b = _sorted(X, a, axis), _sorted(Y, b, axis)
        middle, other = len(a) // 2, len(b) * (len(a) // 2) // len(a)
        return halve(a[:middle], b[:other]) + halve(a[middle:], b[other:])

    return halve(np.arange(len(X)), np.arange(len(Y)))


def by_clusters(X: Floats, Y: Floats, size: int, rounds: int = 20) -> Pairs:
    def cells(a: Ints) -> list[Ints]:
        if len(a) <= size:
            return [a]
        axis = int(np.argmax(np.ptp(X[a], axis=0)))
        middle = (X[a, axis].min() + X[a, axis].max()) / 2
        low = X[a, axis] <= middle
        return [a] if low.all() or not low.any() else cells(a[low]) + cells(a[~low])

    groups = cells(np.arange(len(X)))
    centre = np.array([X[a].mean(axis=0) for a in groups])
    label = np.zeros(len(Y), np.int64)
    for _ in range(rounds):
        label = _distances(Y, centre).argmin(axis=1)
        moved = centre.copy()
        for g in np.unique(label):
            moved[g] = Y[label == g].mean(axis=0)
        if np.array_equal(moved, centre):
            break
        centre = moved
    label = _rebalance(Y, centre, label, np.array([len(a) for a in groups]))
    return [(a, np.flatnonzero(label == g)) for g, a in enumerate(groups)]


def _rebalance(Y: Floats, centre: Floats, label: Ints, wanted: Ints) -> Ints:
    """Move records from clusters that are too large to the nearest that are too small, cheapest moves first."""
    label = label.copy()
    have = np.bincount(label, minlength=len(wanted))
    apart = _distances(Y, centre)
    apart -= apart[np.arange(len(Y)), label][:, None]
    source = np.flatnonzero((have > wanted)[label])
    sinks = np.flatnonzero(have < wanted)
    for place in np.argsort(apart[np.ix_(source, sinks)], axis=None, kind="stable"):
        i, g = source[place // len(sinks)], sinks[place % len(sinks)]
        if have[label[i]] > wanted[label[i]] and have[g] < wanted[g]:
            have[label[i]] -= 1
            have[g] += 1
            label[i] = g
    return label


def _distances(Y: Floats, centre: Floats) -> Floats:
    return np.column_stack([((Y - c) ** 2).sum(axis=1) for c in centre])


def _sorted(X: Floats, rows: Ints, axis: int) -> Ints:
    """By one attribute, equal values by the others: never by row number."""
    return rows[np.lexsort((*X[rows].T[::-1], X[rows, axis]))]
