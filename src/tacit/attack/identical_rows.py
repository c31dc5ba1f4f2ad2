"""Classes of identical records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Bools, Floats, Ints

SOME = 2_100
"""Most rows that are sorted at once: a hash saves nothing."""
FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""An odd number that mixes the bits of a hash (2^64 over the golden ratio)."""


@dataclass(frozen=True)
class Distinct:
    """The distinct rows of an array, in value order: classes of identical records.

    Attributes
    ----------
    rows
        One row per class.
    inverse
        The class of each record.
    count
        How many records each class has.
    first
        The first record of each class.
    """

    rows: Floats
    inverse: Ints
    count: Ints
    first: Ints


def distinct(values: Floats) -> Distinct:
    """Group identical rows; missing values are equal to each other.

    The order of classes depends on values alone, so permuting rows changes nothing.

    Examples
    --------
    >>> distinct(np.array([[2.0], [1.0], [2.0]])).inverse.tolist()
    [1, 0, 1]
    """
    values = np.ascontiguousarray(values) + 0.0  # -0.0 and 0.0 are the same value
    grouped = _by_hash(values) if len(values) > SOME else None
    if grouped is None:
        return _by_value(values)
    # sorting by all columns takes longest: only one row of each class is sorted
    inner = _by_value(grouped.rows)
    order = inner.first
    return Distinct(
        inner.rows,
        inner.inverse[grouped.inverse],
        grouped.count[order],
        grouped.first[order],
    )


def shared_rows(values: Floats) -> Distinct | None:
    """``distinct`` in some order, which depends on values alone; None where it saves little.

    For searches: who looks for each of many identical rows again works for nothing.
    """
    if len(values) <= SOME:
        return None
    found = _by_hash(np.ascontiguousarray(values) + 0.0)
    if found is None or 2 * len(found.rows) > len(values):
        return None
    return found


def _by_hash(values: Floats) -> Distinct | None:
    """Classes in the order of a hash of their values; None: two classes have the same hash."""
    values[np.isnan(values)] = np.nan  # all missing values have the same bits
    hashes = np.zeros(len(values), np.uint64)
    for column in values.view(np.uint64).T:
        hashes = (hashes ^ column) * FACTOR
        hashes ^= hashes >> np.uint64(32)
    order = np.argsort(hashes, kind="stable")
    ranked = hashes[order]
    starts = np.concatenate([[True], ranked[1:] != ranked[:-1]])
    if (starts != _run_starts(values[order])).any():
        return None
    return _of_runs(values, order, starts)


def _by_value(values: Floats) -> Distinct:
    """Classes in value order."""
    if values.shape[1]:
        order = np.lexsort(values.T[::-1])
    else:
        order = np.arange(len(values))
    return _of_runs(values, order, _run_starts(values[order]))


def _of_runs(values: Floats, order: Ints, starts: Bools) -> Distinct:
    """The classes of rows that stand together in an order; ``starts`` says where each begins."""
    label = np.cumsum(starts) - 1
    inverse = np.empty(len(values), dtype=np.int64)
    inverse[order] = label
    # the first row of each run of equal rows
    heads = np.flatnonzero(starts)
    if len(values):
        first = np.minimum.reduceat(order, heads)
    else:
        first = np.zeros(0, dtype=np.int64)
    count = np.bincount(label, minlength=len(heads))
    return Distinct(values[order[heads]], inverse, count.astype(np.int64), first)


def _run_starts(ranked: Floats) -> Bools:
    """Where a sorted row differs from the row before it."""
    if not len(ranked):
        return np.zeros(0, dtype=bool)
    this = ranked[1:]
    before = ranked[:-1]
    with np.errstate(invalid="ignore"):
        same = (this == before) | (np.isnan(this) & np.isnan(before))
    return np.concatenate([[True], ~same.all(axis=1)])
