"""Scores of minimal sample uniques (SUDA2), on arrays.

A minimal sample unique (MSU) of a record is a smallest set of key columns on which no other record has its
values. m keys, an MSU of s of them adds w(s) to the record's score:

    elliot:  w(s) = (m - s)!                                (Elliot, Manning and Ford 2002)
    ihsn:    w(s) = (2^(m - s) - 1) s! (m - s)! / m!         (the IHSN program; 0 for an MSU of all keys)

DIS turns a score S into a probability that a match is correct. With f the sampling fraction, P the records
whose key occurs exactly twice and Q = 1 + (8 - m) / 20:

    DIS = 1 / (1 + P (1 - f) / f / (S^Q sum over records of S^-Q))       (Elliot and Manning 2003)
"""

from __future__ import annotations

from math import factorial

import numpy as np

from tacit.kernels.suda import minimal_uniques
from tacit.risk.keys import FloatArray, IntArray, classes, first_of_each

ELLIOT, IHSN = "elliot", "ihsn"


def weight(keys: int, size: int, definition: str) -> float:
    """What one minimal sample unique of `size` columns out of `keys` adds to a score."""
    if definition == ELLIOT:
        return float(factorial(keys - size))
    pairs = factorial(size) * factorial(keys - size) / factorial(keys)
    return float((2 ** (keys - size) - 1) * pairs)


def find(codes: IntArray, largest: int | None = None) -> tuple[IntArray, IntArray]:
    """(record, columns as bits) of every minimal sample unique."""
    m = codes.shape[1]
    labels, number = classes(codes)
    first = first_of_each(labels, number)
    counts = np.bincount(labels, minlength=number).astype(np.int64)
    # the column with most values last: it splits the rows soonest (see the kernel)
    order = np.argsort(codes.max(axis=0, initial=0), kind="stable")
    distinct = np.ascontiguousarray(codes[np.ix_(first, order)])
    row, packed = minimal_uniques(distinct, counts, m if largest is None else largest)
    columns = np.zeros(len(packed), np.int64)
    for place, j in enumerate(order):
        columns |= ((packed >> place) & 1) << j
    return first[row], columns


def dis(score: FloatArray, keys: int, pairs: int, fraction: float) -> FloatArray:
    """Probability-like score in [0, 1] from the SUDA score (see above); 0 where the score is 0."""
    out = np.zeros_like(score)
    hit = score > 0
    if hit.any():
        power = score[hit] ** (1 + (8 - keys) / 20)
        out[hit] = 1 / (1 + pairs * (1 - fraction) / fraction / (power * (1 / power).sum()))
    return out
