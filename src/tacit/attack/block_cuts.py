"""Ways to cut two files into pairs of blocks of equal size, so that each can be linked alone.

* ``by_attribute``: both files sorted by one attribute and cut at the same ranks (Rodriguez
  Fernandez 2013, section 5.2);
* ``by_ranks``: halve both files at the same rank along the attribute in which the original
  is widest, again and again: blocks of equal size without moving anybody;
* ``by_clusters``: section 5.1 of the same source: kd-tree cells of the originals, k-means of
  the masked records from the centroids of the cells, then records moved between clusters
  until sizes agree. Kept because it was published: who is moved is cut off from its own
  record, and centroids of noisy records drift, so it finds far fewer links.

All take rows in value order, so row order plays no part.
"""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Floats, Ints

Pairs = list[tuple[Ints, Ints]]
"""Rows of the original and of the masked file that form a block."""


def by_attribute(
    X: Floats,
    Y: Floats,
    axis: int,
    size: int,
) -> Pairs:
    """Both files sorted by one attribute and cut at the same ranks.

    Parameters
    ----------
    X, Y : arrays
        Both files as vectors.
    axis : int
        The attribute to sort by.
    size : int
        Most records in a block.
    """
    ours = _sorted(X, np.arange(len(X)), axis)
    theirs = _sorted(Y, np.arange(len(Y)), axis)
    parts = max(1, -(-len(X) // size))  # rounded up
    left = np.array_split(ours, parts)
    right = np.array_split(theirs, parts)
    return list(zip(left, right, strict=True))


def by_ranks(
    X: Floats,
    Y: Floats,
    size: int,
) -> Pairs:
    """Both files halved at the same rank along the widest attribute, again and again.

    Parameters
    ----------
    X, Y : arrays
        Both files as vectors.
    size : int
        Most records in a block.
    """

    def halve(ours: Ints, theirs: Ints) -> Pairs:
        if len(ours) <= size or len(theirs) < 2:
            return [(ours, theirs)]
        # the widest attribute tells most records apart
        widest = int(np.argmax(np.std(X[ours], axis=0)))
        ours = _sorted(X, ours, widest)
        theirs = _sorted(Y, theirs, widest)
        middle = len(ours) // 2
        # the same share of both files, should their lengths differ
        their_middle = len(theirs) * middle // len(ours)
        lower = halve(ours[:middle], theirs[:their_middle])
        return lower + halve(ours[middle:], theirs[their_middle:])

    return halve(np.arange(len(X)), np.arange(len(Y)))


def by_clusters(
    X: Floats,
    Y: Floats,
    size: int,
    rounds: int = 20,
) -> Pairs:
    """Cells of the originals, clusters of the masked records around their centroids.

    Parameters
    ----------
    X, Y : arrays
        Both files as vectors.
    size : int
        Most records in a block.
    rounds : int
        Most rounds of k-means.
    """
    groups = _cells(X, np.arange(len(X)), size)
    centre = np.array([X[rows].mean(axis=0) for rows in groups])
    label = np.zeros(len(Y), np.int64)
    for _ in range(rounds):
        label = _distances(Y, centre).argmin(axis=1)
        moved = centre.copy()
        # clusters that nobody joined keep their centre
        for g in np.unique(label):
            moved[g] = Y[label == g].mean(axis=0)
        if np.array_equal(moved, centre):
            break
        centre = moved
    # a block must hold as many masked records as originals
    wanted = np.array([len(rows) for rows in groups])
    label = _rebalance(Y, centre, label, wanted)
    return [(rows, np.flatnonzero(label == g)) for g, rows in enumerate(groups)]


def _cells(
    X: Floats,
    rows: Ints,
    size: int,
) -> list[Ints]:
    """Cut in the middle of the longest side until no cell holds more than ``size``."""
    if len(rows) <= size:
        return [rows]
    longest = int(np.argmax(np.ptp(X[rows], axis=0)))
    values = X[rows, longest]
    low = values <= (values.min() + values.max()) / 2
    if low.all() or not low.any():  # all values are equal: no cut can help
        return [rows]
    return _cells(X, rows[low], size) + _cells(X, rows[~low], size)


def _rebalance(
    Y: Floats,
    centre: Floats,
    label: Ints,
    wanted: Ints,
) -> Ints:
    """Move records from clusters that are too large to the nearest too small, cheapest first."""
    label = label.copy()
    have = np.bincount(label, minlength=len(wanted))
    distance = _distances(Y, centre)
    # what a move costs: the distance to the new centre less that to the present one
    loss = distance - distance[np.arange(len(Y)), label][:, None]
    movable = np.flatnonzero((have > wanted)[label])
    sinks = np.flatnonzero(have < wanted)
    cheapest_first = np.argsort(
        loss[np.ix_(movable, sinks)],
        axis=None,
        kind="stable",
    )
    for move in cheapest_first:
        i = movable[move // len(sinks)]
        sink = sinks[move % len(sinks)]
        source = label[i]
        # earlier moves may have filled the sink or emptied the source
        if have[source] > wanted[source] and have[sink] < wanted[sink]:
            have[source] -= 1
            have[sink] += 1
            label[i] = sink
    return label


def _distances(Y: Floats, centre: Floats) -> Floats:
    """Squared distance of each record to each centre."""
    return np.column_stack([((Y - c) ** 2).sum(axis=1) for c in centre])


def _sorted(
    X: Floats,
    rows: Ints,
    axis: int,
) -> Ints:
    """By one attribute, equal values by the others: never by row number."""
    return rows[np.lexsort((*X[rows].T[::-1], X[rows, axis]))]
