"""Persons who agree with each combination of keys where some have gaps, from the disk.

Rows of two gap patterns agree when they are equal on the keys that both have (see ``counting``).
The groups of every pair of patterns are found among the combinations, which are few; then persons
go by, and each counts once for all combinations with which one of his records agrees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.spread import Found, Rows, Spread, weights_in
from tacit.kernels.unit_counts import count_agreeing
from tacit.risk.classes import classes


@dataclass(frozen=True)
class Agreement:
    """Which combinations agree; see ``kernels.unit_counts.count_agreeing``."""

    group: Ints
    indptr: Ints
    member: Ints
    pattern: Ints

    @classmethod
    def of(cls, distinct: Ints) -> Agreement:
        """Of different combinations, one row each; -1 is a gap."""
        patterns, pattern = np.unique(distinct < 0, axis=0, return_inverse=True)
        pattern = pattern.reshape(-1)
        members = [np.flatnonzero(pattern == p) for p in range(len(patterns))]
        group = np.full((len(patterns), len(distinct)), -1, np.int64)
        found, degrees = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        offset = 0
        for p, our_gaps in enumerate(patterns):
            for q, their_gaps in enumerate(patterns):
                common = np.flatnonzero(~(our_gaps | their_gaps))
                if not len(common):
                    # without a key in common all agree
                    continue
                ours, theirs = members[p], members[q]
                both = np.concatenate([ours, theirs])
                label, number = classes(distinct[np.ix_(both, common)])
                group[p, theirs] = label[len(ours) :] + offset
                own = label[: len(ours)]
                found.append(ours[np.argsort(own, kind="stable")])
                degrees.append(np.bincount(own, minlength=number))
                # groups of the pairs are numbered on, so that one table holds them all
                offset += number
        degree = np.concatenate(degrees)
        indptr = np.concatenate([[0], np.cumsum(degree)]).astype(np.int64)
        return cls(group, indptr, np.concatenate(found), pattern)


@dataclass(frozen=True)
class _Agreeing:
    """Persons of a piece who agree with each combination, and what they weigh."""

    agreement: Agreement
    labels: Rows
    """The combination of each row."""
    by_row: Floats | None

    def __call__(
        self, starts: Ints, row: Rows, weight: Floats | None = None, *, length: int
    ) -> Found:
        each = weights_in(row, self.by_row, weight)
        same = self.agreement
        groups = same.group, same.indptr, same.member, same.pattern
        f, F = count_agreeing(starts, self.labels[row], each, *groups)
        found = np.flatnonzero(f)
        return found, f[found], F[found]


def agreeing(
    distinct: Ints, labels: Ints, units: Spread, weights: Floats | None
) -> tuple[Ints, Floats]:
    """(f, F): persons who agree with each combination, and the sum of their weights.

    Parameters
    ----------
    distinct : array
        The combinations, one row each; -1 where a value is missing.
    labels : array of int
        The combination of each row of the units.
    units : Spread
        Whose records these are.
    weights : array or None
        Sampling weights of the rows.
    """
    by_row = units.by_row(weights)
    work = _Agreeing(Agreement.of(distinct), labels.astype(np.int32), by_row)
    return units.summed(work, len(distinct), weights)
