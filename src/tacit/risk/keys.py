"""Equivalence classes: records that agree on every key column.

Codes of all keys are packed into one 63-bit number a record (mixed radix); when the product of the numbers of
categories is too large, what is packed so far is ranked first. No hashing, so no collisions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


def codes(values: FloatArray) -> IntArray:
    """Each column of numbers as codes 0.. in value order; a missing value (NaN) is -1."""
    n, m = values.shape
    out = np.empty((n, m), np.int64, order="F")
    for j in range(m):
        out[:, j] = column_codes(np.ascontiguousarray(values[:, j]))
    return out


def column_codes(x: FloatArray, *, dense: bool = True) -> IntArray:
    """One column of numbers as codes 0.. in value order; NaN is -1. Not `dense`: codes may be left out."""
    missing = np.isnan(x)
    any_missing = bool(missing.any())
    present = x[~missing] if any_missing else x
    if len(present) == 0:
        return np.full(len(x), -1, np.int64)
    low, high = present.min(), present.max()
    filled = (present - low).astype(np.int64) if high - low < max(4 * len(x), 1 << 12) else None
    if filled is not None and bool((filled == present - low).all()):  # whole numbers in a short range
        if dense:
            seen = np.zeros(int(high - low) + 1, np.int64)
            seen[filled] = 1
            if not seen.all():
                filled = (np.cumsum(seen) - 1)[filled]
    else:
        filled = np.asarray(np.unique(present, return_inverse=True)[1], np.int64)
    if not any_missing:
        return np.asarray(filled, np.int64)
    out = np.full(len(x), -1, np.int64)
    out[~missing] = filled
    return out


def rank(packed: IntArray) -> tuple[IntArray, int]:
    """Dense labels 0.. of whole numbers >= 0, in value order, and how many there are."""
    if len(packed) == 0:
        return packed.astype(np.int64), 0
    top = int(packed.max()) + 1
    if top <= max(4 * len(packed), 1 << 16):
        seen = np.zeros(top, np.int64)
        seen[packed] = 1
        place = np.cumsum(seen) - 1
        return place[packed], int(place[-1]) + 1
    distinct, labels = np.unique(packed, return_inverse=True)
    return labels.astype(np.int64), len(distinct)


def classes(codes: IntArray) -> tuple[IntArray, int]:
    """Label of each record's class (0.., in the order of the key values) and the number of classes.

    A missing value (-1) is a category of its own here; `frequencies` treats it as matching everything.
    """
    n, m = codes.shape
    if n == 0:
        return np.zeros(0, np.int64), 0
    packed = np.zeros(n, np.int64)
    room = 1
    for j in range(m):
        base = int(codes[:, j].max()) + 2
        if room * base >= 1 << 62:
            packed, room = rank(packed)
        packed = packed * base + (codes[:, j] + 1)
        room *= base
    return rank(packed)


def first_of_each(labels: IntArray, number: int) -> IntArray:
    """One record of each class (which one does not matter: they agree on every key)."""
    first = np.empty(number, np.int64)
    first[labels] = np.arange(len(labels))
    return first
