"""Classes of records with equal keys, and how many records share a combination of keys.

Two readings of a missing value, always named:

- ``any``: it matches anything. f(r) = number of records that agree with r wherever both are
  present.
- ``value``: it is a value of its own. f(r) = number of records with the same keys and the same
  gaps.

f under ``value`` is never larger than under ``any``, so k-anonymity under ``value`` gives both.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from tacit.base.typing import Ints

Reading = Literal["any", "value"]


def compress(codes: Ints, records: Ints | None = None) -> tuple[Ints, Ints, Ints]:
    """Distinct rows in value order, the class of each row, and the records of each class.

    ``records`` is how many records each row stands for; one unless given.
    """
    label = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        rank = ranks(column)
        width = int(rank.max(initial=0)) + 1
        # renumbered after each column: the product stays small
        label = ranks(label * width + rank)
    size = int(label.max(initial=-1)) + 1
    first = np.zeros(size, dtype=np.int64)
    # backwards, so that the first record of each class is written last
    first[label[::-1]] = np.arange(len(codes))[::-1]
    # as floats: exact to 2^53 records
    count = np.bincount(label, weights=records, minlength=size).astype(np.int64)
    return codes[first], label, count


def ranks(column: Ints) -> Ints:
    """0, 1, ... in value order; by counting when the values are few, which is faster."""
    if not column.size:
        return column
    low = int(column.min())
    high = int(column.max())
    # a table of four entries per record costs less than sorting; 1000 is for short files
    if high - low < 4 * column.size + 1000:
        seen = np.zeros(high - low + 1, dtype=np.bool_)
        seen[column - low] = True
        return np.asarray((np.cumsum(seen) - 1)[column - low])
    _, place = np.unique(column, return_inverse=True)
    return np.asarray(place.ravel(), dtype=np.int64)


def frequencies(
    codes: Ints, missing: Reading = "any", records: Ints | None = None
) -> Ints:
    """f(r) of every row; -1 codes a missing value; ``records``: how many each stands for."""
    distinct, label, count = compress(codes, records)
    return np.asarray(class_frequencies(distinct, count, missing)[label])


def class_frequencies(
    distinct: Ints,
    count: Ints,
    missing: Reading,
) -> Ints:
    """f of every class of equal records, given how many records each has."""
    if missing == "value":
        return count
    # classes with the same gaps are compared at once, on the columns that both have
    gaps, pattern, _ = compress((distinct < 0).astype(np.int64))
    rows = [np.flatnonzero(pattern == number) for number in range(len(gaps))]
    frequency = np.zeros(len(distinct), dtype=np.int64)
    for mine, my_gaps in zip(rows, gaps, strict=True):
        for theirs, their_gaps in zip(rows, gaps, strict=True):
            seen = np.flatnonzero((my_gaps == 0) & (their_gaps == 0))
            both = np.concatenate([mine, theirs])
            _, shared, _ = compress(distinct[both][:, seen])
            my_part, their_part = shared[: mine.size], shared[mine.size :]
            size = int(shared.max()) + 1
            total = np.bincount(their_part, weights=count[theirs], minlength=size)
            frequency[mine] += total.astype(np.int64)[my_part]
    return frequency
