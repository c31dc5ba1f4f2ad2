"""Distances and averages of columns of mixed kind (Abril, Navarro-Arribas and Torra 2012, 2.1).

Squared distance of two records: the sum over columns of

    continuous   ((a - b) / sd)^2
    nominal      0 when equal, else 1
    ordinal      |ranks from a to b| / number of categories

The published ordinal distance counts both ends, which adds the same 1/categories to every pair;
it is left out, so that a record is at distance 0 from itself and every comparison stays the
same. Both categorical distances are squared Euclidean ones after a change of coordinates (one
column per category, or a step function of the rank), so the same exact partitions serve all
kinds. A column of more than 64 categories would need as many coordinates; it gets 64: ordinal
ranks are then rounded to 1/64 of the scale, and two different nominal values are at a squared
distance of about 1 (fixed random signs, standard deviation 0.18).
"""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Bools, Floats, Ints
from tacit.data.microdata import Kind
from tacit.kernels.mdav.univariate import group_means as present_means

SMALLEST_SD = 1e-12
"""A standard deviation below this share of the largest value is rounding: a constant column."""
WIDEST = 64
"""Most coordinates of a categorical column."""
HALF = 0.5 - 1e-12
"""Half of a group's weight, where sums of weights may be off by rounding."""


def standardise(values: Floats) -> Floats:
    """(x - mean) / sd with the population sd; a constant column and a missing value become 0."""
    # sums over present values, by hand: nanmean warns of columns without values
    gaps = np.isnan(values)
    present = np.maximum((~gaps).sum(axis=0), 1)
    filled = np.where(gaps, 0.0, values)
    mean = filled.sum(axis=0) / present
    centred = np.where(gaps, 0.0, values - mean)
    sd = np.sqrt((centred**2).sum(axis=0) / present)
    largest = np.abs(filled).max(axis=0, initial=0.0)
    constant = sd <= SMALLEST_SD * largest
    return np.asarray(centred / np.where(constant, 1.0, sd))


def coordinates(
    values: Floats,
    kinds: list[Kind],
    sizes: list[int],
    *,
    scale: bool = True,
) -> Floats:
    """Columns whose squared Euclidean distances are those above.

    A missing value sits at the column's mean.
    """
    parts: list[Floats] = []
    for j, (kind, size) in enumerate(zip(kinds, sizes, strict=True)):
        column = values[:, [j]]
        if kind is not Kind.continuous:
            parts.append(_of_categories(column, kind, size))
        elif scale:
            parts.append(standardise(column))
        else:
            parts.append(_at_mean(column, np.isnan(column)))
    return np.ascontiguousarray(np.hstack(parts))


def _at_mean(column: Floats, gaps: Bools) -> Floats:
    """Numbers as they are, missing ones at the mean of the others."""
    present = column[~gaps]
    mean = np.mean(present) if present.size else 0.0
    return np.where(gaps, mean, column)


def _of_categories(
    column: Floats,
    kind: Kind,
    size: int,
) -> Floats:
    """The coordinates of a nominal or ordinal column."""
    gaps = np.isnan(column[:, 0])
    if kind is not Kind.nominal:
        wide = _steps(column, size)
    elif size > WIDEST:
        codes = np.where(gaps, 0, column[:, 0]).astype(np.int64)
        wide = _signs(size)[codes]
    else:
        # two unit vectors are sqrt(2) apart; divided by sqrt(2), different values are 1 apart
        wide = (column == np.arange(size)) / np.sqrt(2.0)
    if gaps.any():
        present = wide[~gaps]
        wide[gaps] = present.mean(axis=0) if len(present) else 0.0
    return wide


def _signs(size: int) -> Floats:
    """Fixed random signs, one row per category.

    Two rows differ in about half of their entries, each by 2 / sqrt(2 x 64), which makes a
    squared distance of about 1.
    """
    # always the same ones: a distance must not depend on a seed
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], (size, WIDEST))
    return np.asarray(signs / np.sqrt(2.0 * WIDEST))


def _steps(column: Floats, size: int) -> Floats:
    """One coordinate per step of the scale, passed or not: ranks apart are steps apart."""
    steps = min(size, WIDEST)
    # more categories than steps: neighbours share a step
    rank = np.floor(column * steps / max(size, 1))
    passed = rank > np.arange(max(steps - 1, 1))
    return np.asarray(passed / np.sqrt(max(steps, 1)))


def group_means(
    values: Floats,
    labels: Ints,
    weights: Floats | None = None,
) -> Floats:
    """Mean of each column in each group over the values present.

    sum w x / sum w, with w = 1 unless given.
    """
    groups = int(labels.max(initial=-1)) + 1
    mean = np.asarray(present_means(np.ascontiguousarray(values), labels, groups))
    if weights is None:
        return mean
    for j, column in enumerate(values.T):
        here = ~np.isnan(column) & (weights > 0)
        group, weight = labels[here], weights[here]
        # the plain mean first, so that an offset costs no digits
        apart = column[here] - mean[group, j]
        total = np.bincount(group, weight, groups)
        shift = np.bincount(group, weight * apart, groups)
        # a group whose weights are all 0 keeps its plain mean
        unmoved = np.zeros(groups)
        mean[:, j] += np.divide(shift, total, out=unmoved, where=total > 0)
    return mean


def group_medians(
    values: Floats,
    labels: Ints,
    weights: Floats | None = None,
) -> Floats:
    """Lower median of each column in each group over the values present.

    It is always a value of the group. With weights: the smallest value up to which the group
    has half of its weight.
    """
    groups = int(labels.max(initial=-1)) + 1
    weights = np.ones(len(labels)) if weights is None else weights
    out = np.full((groups, values.shape[1]), np.nan)
    for j, column in enumerate(values.T):
        # the records of a column, group after group, by value
        here = np.flatnonzero(~np.isnan(column))
        by_value = np.lexsort((weights[here], column[here], labels[here]))
        here = here[by_value]
        group, weight = labels[here], weights[here]
        total = np.bincount(group, weight, groups)
        before = (np.cumsum(total) - total)[group]
        within = np.cumsum(weight) - before
        upper_half = np.flatnonzero(within >= total[group] * HALF)
        # backwards, so that the first of each group is written last
        backwards = upper_half[::-1]
        out[group[backwards], j] = column[here[backwards]]
    return out


def group_modes(
    codes: Floats,
    labels: Ints,
    size: int,
    weights: Floats | None = None,
) -> Floats:
    """Most frequent (or heaviest) code of each group.

    Ties go to the one more frequent in the file, then the lower.
    """
    groups = int(labels.max(initial=-1)) + 1
    present = ~np.isnan(codes)
    whole = codes[present].astype(np.int64)
    in_file = np.bincount(whole, minlength=size)
    # the rank of each code in the file: by frequency, then the lower code above the higher
    rank = np.empty(size, dtype=np.int64)
    rarest_first = np.lexsort((-np.arange(size), in_file))
    rank[rarest_first] = np.arange(size)
    # every pair of group and code that occurs, as one number
    pairs = labels[present] * size + whole
    pair, place, count = np.unique(pairs, return_inverse=True, return_counts=True)
    if weights is not None:
        count = np.bincount(place, weights[present])
    group, code = pair // size, pair % size
    order = np.lexsort((rank[code], count, group))
    out = np.full(groups, np.nan)
    out[group[order]] = code[order]  # the last of each group is the best
    return out
