"""Scores of minimal sample uniques (SUDA2), on arrays.

A minimal sample unique (MSU) of a record is a smallest set of key columns on which no other
record has its values. Of m keys, an MSU of s adds w(s) to the record's score:

    elliot:  w(s) = (m - s)!                            (Elliot, Manning and Ford 2002)
    ihsn:    w(s) = (2^(m - s) - 1) s! (m - s)! / m!     (IHSN program; 0 for all keys)

DIS turns a score S into a probability that a match is correct. With f the sampling fraction,
P the records whose key occurs exactly twice and Q = 1 + (8 - m) / 20:

    DIS = 1 / (1 + P (1 - f) / f / (S^Q sum over records of S^-Q))

(Elliot and Manning 2003).
"""

from __future__ import annotations

from math import factorial

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.units import Units, records
from tacit.kernels.suda import minimal_uniques
from tacit.risk.classes import classes, first_of_each


def worth(
    keys: int,
    size: int,
    definition: str,
) -> float:
    """What one minimal sample unique of `size` columns out of `keys` adds to a score."""
    others = keys - size
    if definition == "elliot":
        return float(factorial(others))
    # one over the number of sets of this size, times the sets of other keys that can be
    # added to it
    one_of_its_size = factorial(size) * factorial(others) / factorial(keys)
    return float((2**others - 1) * one_of_its_size)


def minimal_sample_uniques(
    codes: Ints,
    largest: int | None = None,
    units: Units | None = None,
) -> tuple[Ints, Ints]:
    """(record, columns as bits) of every minimal sample unique.

    Of several records of one person with the same key one stands for all.
    """
    labels, number = classes(codes)
    first = first_of_each(labels, number)
    whose = records(len(codes)) if units is None else units
    person = whose.owners(labels)
    # The column with most values last: it splits the rows soonest (see the kernel).
    highest = codes.max(axis=0, initial=0)
    order = np.argsort(highest, kind="stable")
    distinct = np.ascontiguousarray(codes[np.ix_(first, order)])
    most = codes.shape[1] if largest is None else largest
    row, packed = minimal_uniques(distinct, person, most)
    # back from the kernel's order of columns to the table's
    columns = np.zeros(len(packed), np.int64)
    for place, j in enumerate(order):
        columns |= ((packed >> place) & 1) << j
    return first[row], columns


def dis(
    score: Floats,
    keys: int,
    pairs: int,
    fraction: float,
    times: Ints | None = None,
) -> Floats:
    """Probability-like score in [0, 1] of the SUDA score (see above); 0 where that is 0.

    ``times`` says how many records each score is that of; one unless given.
    """
    probability = np.zeros_like(score)
    special = score > 0
    if special.any():
        power = score[special] ** (1 + (8 - keys) / 20)
        wrong_matches = pairs * (1 - fraction) / fraction
        each = 1 / power if times is None else times[special] / power
        scaled = power * each.sum()
        probability[special] = 1 / (1 + wrong_matches / scaled)
    return probability
