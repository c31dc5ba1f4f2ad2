"""Published procedures with their faults, re-enacted: for showing artefacts, never for use.

Each function names the fault in its docstring. What they get wrong was established by running or
reading the published programs; the docs page "What the literature got wrong" shows each one next
to the sound computation.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.optimize import linear_sum_assignment

from tacit.base.typing import Bools, Floats
from tacit.reproduce.stream_faults import groups_by_corner


def squared_distances(one: Floats, other: Floats) -> Floats:
    """All squared Euclidean distances."""
    out = np.zeros((len(one), len(other)))
    # by differences: a matrix product loses digits on columns with a large offset
    for j in range(one.shape[1]):
        out += (one[:, j, None] - other[None, :, j]) ** 2
    return out


def assignment_by_row_order(original: Floats, masked: Floats) -> int:
    """Fault: identical masked records are told apart by row, in files that are aligned."""
    sd = original.std(axis=0, ddof=1)
    distance = squared_distances(original / sd, masked / sd)
    # among equal candidates the solver takes the first, which is often the right one
    rows, columns = linear_sum_assignment(distance)
    return int((rows == columns).sum())


def arrival_groups(records: Floats, k: int) -> Floats:
    """Fault: groups are the first k records in order of arrival, not the k nearest.

    Returns the centroid of each record's group.
    """
    n = len(records)
    # records left over at the end join the last group
    label = np.minimum(np.arange(n) // k, max(n // k - 1, 0))
    sums = np.zeros((label[-1] + 1, records.shape[1]))
    np.add.at(sums, label, records)
    centroids: Floats = (sums / np.bincount(label)[:, None])[label]
    return centroids


class LaplaceNoise(Protocol):
    """Who draws the noise: a generator of numpy, or the published program's own."""

    def laplace(self, *, size: tuple[int, ...]) -> Floats:
        """Noise of scale 1."""


def private_microaggregation(
    records: Floats, k: int, window: int, epsilon: float, rng: LaplaceNoise
) -> tuple[Floats, Bools]:
    """Faults: some records are not aggregated, and the noise protects nobody.

    The noise ignores k and is 1.5 times the range of the centroids *seen so far* over epsilon,
    drawn anew for each copy of a centroid. Returns what leaves, and which were left out.
    """
    centroids = np.empty_like(records)
    raw = np.empty(len(records), dtype=np.bool_)
    groups_by_corner(
        np.ascontiguousarray(records),
        k,
        window,
        centroids,
        raw,
    )
    highest = np.maximum.accumulate(centroids, axis=0)
    lowest = np.minimum.accumulate(centroids, axis=0)
    # the first output has seen one centroid: a range, and hence a noise, of zero
    scale = 1.5 * (highest - lowest) / epsilon
    return centroids + rng.laplace(size=records.shape) * scale, raw


def past_linkage(emitted: Floats, kept: Floats, window: int) -> float:
    """Fault: the attacker sees only the past.

    Each emitted record is linked to the last ``window`` kept ones, its own included; ties
    share. Returns the mean probability of a correct link.
    """
    total = 0.0
    for t in range(len(emitted)):
        seen = kept[max(0, t - window + 1) : t + 1]
        distance = ((seen - emitted[t]) ** 2).sum(axis=1)
        best = distance.min()
        # the record's own is the last one
        if distance[-1] == best:
            total += 1.0 / int((distance == best).sum())
    return total / len(emitted)


def swap_by_fraction(
    column: Floats, percent: float, rng: np.random.Generator
) -> Floats:
    """Fault: a percentage is used as a fraction, so that 1, 5, 15 and 50 all mean "anywhere"."""
    reach = int(min(percent, 1.0) * len(column))
    return _swap(column, reach, rng)


def swap_by_ranks(column: Floats, percent: float, rng: np.random.Generator) -> Floats:
    """Fault: a percentage is used as a number of ranks, whatever the length of the file."""
    return _swap(column, int(percent), rng)


def _swap(column: Floats, reach: int, rng: np.random.Generator) -> Floats:
    """Pairs of values at most ``reach`` ranks apart change places."""
    order = np.argsort(column, kind="stable")
    free = np.ones(len(column), dtype=bool)
    out = column.copy()
    for i in range(len(column)):
        if not free[i]:
            continue
        ahead = np.flatnonzero(free[i + 1 : i + 1 + reach]) + i + 1
        if not len(ahead):
            continue
        j = int(rng.choice(ahead))
        free[[i, j]] = False
        out[order[i]], out[order[j]] = column[order[j]], column[order[i]]
    return out


def naive_mahalanobis(known: Floats, released: Floats) -> int:
    """Fault: the masking is not modelled.

    Distance by the inverse of cov(known) + cov(released), rows aligned.
    """
    inverse = np.linalg.pinv(np.cov(known.T) + np.cov(released.T))
    # a little on the diagonal: rounding can make a singular matrix negative
    ridge = 1e-12 * np.trace(inverse) * np.eye(len(inverse))
    root = np.linalg.cholesky(inverse + ridge)
    distance = squared_distances(known @ root, released @ root)
    return int((distance.argmin(axis=1) == np.arange(len(known))).sum())
