"""Distances and averages of columns of mixed kind (001, section 2.1).

Squared distance of two records: the sum over columns of

    continuous   ((a - b) / sd)^2
    nominal      0 when equal, else 1
    ordinal      |ranks from a to b| / number of categories

The published ordinal distance counts both ends, which adds the same 1/categories to every pair; it is left out,
so that a record is at distance 0 from itself and every comparison stays the same. Both categorical distances are
squared Euclidean ones after a change of coordinates (one column a category, or a step function of the rank), so
the same exact partitions serve all kinds. A column of more than 64 categories would need as many coordinates; it gets
64: ordinal ranks are then rounded to 1/64 of the scale, and two different nominal values are at a squared distance of
about 1 (fixed random signs, standard deviation 0.18).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.kernels.univariate import group_means as _means
from tacit.microdata import FloatArray, Kind

Labels = NDArray[np.int64]
SMALLEST_SD = 1e-12
WIDEST = 64


def standardise(values: FloatArray) -> FloatArray:
    """(x - mean) / sd with the population sd; a constant column and a missing value become 0."""
    gaps = np.isnan(values)
    present = np.maximum((~gaps).sum(axis=0), 1)
    filled = np.where(gaps, 0.0, values)
    mean = filled.sum(axis=0) / present
    centred = np.where(gaps, 0.0, values - mean)
    sd = np.sqrt((centred**2).sum(axis=0) / present)
    largest = np.abs(filled).max(axis=0, initial=0.0)
    return np.asarray(centred / np.where(sd <= SMALLEST_SD * largest, 1.0, sd))


def coordinates(values: FloatArray, kinds: list[Kind], sizes: list[int], *, scale: bool = True) -> FloatArray:
    """Columns whose squared Euclidean distances are those above; a missing value sits at the column's mean."""
    parts: list[FloatArray] = []
    for j, (kind, size) in enumerate(zip(kinds, sizes, strict=True)):
        column = values[:, [j]]
        if kind is Kind.continuous:
            if scale:
                parts.append(standardise(column))
            else:
                gaps = np.isnan(column)
                parts.append(np.where(gaps, np.mean(column[~gaps]) if (~gaps).any() else 0.0, column))
            continue
        gaps = np.isnan(column[:, 0])
        if kind is Kind.nominal and size > WIDEST:
            signs = np.random.default_rng(0).choice([-1.0, 1.0], (size, WIDEST)) / np.sqrt(2.0 * WIDEST)
            wide = signs[np.where(gaps, 0, column[:, 0]).astype(np.int64)]
        elif kind is Kind.nominal:
            wide = (column == np.arange(size)) / np.sqrt(2.0)
        else:
            steps = min(size, WIDEST)
            wide = (np.floor(column * steps / max(size, 1)) > np.arange(max(steps - 1, 1))) / np.sqrt(max(steps, 1))
        if gaps.any():
            wide[gaps] = wide[~gaps].mean(axis=0) if (~gaps).any() else 0.0
        parts.append(wide)
    return np.ascontiguousarray(np.hstack(parts))


def group_means(values: FloatArray, labels: Labels, weights: FloatArray | None = None) -> FloatArray:
    """Mean of each column in each group over the values present: sum w x / sum w, with w = 1 unless given."""
    groups = int(labels.max(initial=-1)) + 1
    mean = np.asarray(_means(np.ascontiguousarray(values), labels, groups))
    if weights is None:
        return mean
    for j, column in enumerate(values.T):
        here = ~np.isnan(column) & (weights > 0)
        apart = column[here] - mean[labels[here], j]  # the plain mean first, so that an offset costs no digits
        total = np.bincount(labels[here], weights[here], groups)
        shift = np.bincount(labels[here], weights[here] * apart, groups)
        mean[:, j] += np.divide(shift, total, out=np.zeros(groups), where=total > 0)
    return mean


def group_medians(values: FloatArray, labels: Labels, weights: FloatArray | None = None) -> FloatArray:
    """Lower median of each column in each group over the values present (always a value of the group).

    With weights: the smallest value up to which the group has half of its weight.
    """
    groups = int(labels.max(initial=-1)) + 1
    weights = np.ones(len(labels)) if weights is None else weights
    out = np.full((groups, values.shape[1]), np.nan)
    for j, column in enumerate(values.T):
        here = np.flatnonzero(~np.isnan(column))
        here = here[np.lexsort((weights[here], column[here], labels[here]))]
        group, upto = labels[here], np.cumsum(weights[here])
        total = np.bincount(group, weights[here], groups)
        before = (np.cumsum(total) - total)[group]
        half = np.flatnonzero(upto - before >= total[group] * (0.5 - 1e-12))[::-1]
        out[group[half], j] = column[here[half]]  # the first of each group is written last
    return out


def group_modes(codes: FloatArray, labels: Labels, size: int, weights: FloatArray | None = None) -> FloatArray:
    """Most frequent (or heaviest) code of each group; ties go to the one more frequent in the file, then the lower."""
    groups = int(labels.max(initial=-1)) + 1
    present = ~np.isnan(codes)
    whole = codes[present].astype(np.int64)
    overall = np.bincount(whole, minlength=size)
    rank = np.empty(size, dtype=np.int64)  # position in (frequency, then lower code)
    rank[np.lexsort((-np.arange(size), overall))] = np.arange(size)
    pair, place, count = np.unique(labels[present] * size + whole, return_inverse=True, return_counts=True)
    if weights is not None:
        count = np.bincount(place, weights[present])
    group, code = pair // size, pair % size
    order = np.lexsort((rank[code], count, group))
    out = np.full(groups, np.nan)
    out[group[order]] = code[order]  # the last of each group is the best
    return out
