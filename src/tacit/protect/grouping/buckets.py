"""Classes of records that would be equal if some columns were blanked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Bools, Ints
from tacit.protect.grouping.key_classes import Reading, compress

Columns = tuple[int, ...]
"""A set of columns, by their places."""


@dataclass(frozen=True)
class Buckets:
    """Classes that agree on all keys outside a set of columns.

    Bucket b holds ``member[start[b]:start[b + 1]]``; its set is ``subsets[which[b]]``.
    """

    start: Ints
    member: Ints
    which: Ints
    subsets: list[Columns]

    @property
    def size(self) -> Ints:
        """Number of classes in each bucket."""
        return np.diff(self.start)


def buckets(
    distinct: Ints,
    subsets: list[Columns],
    wanted: Bools,
    missing: Reading,
) -> Buckets:
    """All buckets of these sets of columns that hold a wanted class.

    Under ``any``, a class with no value in the set has nothing to give there; under ``value``
    it has the suppressed form.
    """
    members: list[Ints] = []
    sizes: list[Ints] = []
    which: list[Ints] = []
    for number, subset in enumerate(subsets):
        rows = np.arange(len(distinct))
        if missing == "any":
            has_value = (distinct[:, subset] >= 0).any(axis=1)
            rows = np.flatnonzero(has_value)
        # classes that are equal outside the set are one bucket
        rest = [j for j in range(distinct.shape[1]) if j not in subset]
        _, label, _ = compress(distinct[rows][:, rest])
        # a bucket without a class that needs help is left out
        number_of_buckets = int(label.max(initial=-1)) + 1
        keep = np.zeros(number_of_buckets, dtype=np.bool_)
        keep[label[wanted[rows]]] = True
        kept = keep[label]
        rows, label = rows[kept], label[kept]
        count = np.bincount(label)
        members.append(rows[np.argsort(label, kind="stable")])
        sizes.append(count[count > 0])
        which.append(np.full(sizes[-1].size, number))
    ends = np.cumsum(np.concatenate(sizes))
    start = np.concatenate([[0], ends]).astype(np.int64)
    member = np.concatenate(members).astype(np.int64)
    subset_of = np.concatenate(which).astype(np.int64)
    return Buckets(start, member, subset_of, subsets)
