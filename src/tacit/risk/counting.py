"""Sample and population frequencies of key combinations, on arrays."""

from __future__ import annotations

import numpy as np

from tacit.risk.keys import FloatArray, IntArray, classes, first_of_each


def count(
    codes: IntArray,
    weights: FloatArray | None,
    *,
    any_matches: bool = True,
    grouped: tuple[IntArray, int] | None = None,
) -> tuple[IntArray, FloatArray]:
    """(f, F) of each record: how many records share its key, and the sum of their weights.

    With `any_matches` a missing value (-1) agrees with every value, as a suppressed cell does for an
    intruder: f_i counts every record that differs from record i on no key that is present in both.
    """
    labels, number = classes(codes) if grouped is None else grouped
    f = np.bincount(labels, minlength=number).astype(np.int64)
    one_each = np.ones(len(labels)) if weights is None else weights
    total = np.bincount(labels, weights=one_each, minlength=number).astype(np.float64)
    if any_matches and bool((codes < 0).any()):
        distinct = codes[first_of_each(labels, number)]
        f, total = _count_with_gaps(distinct, f, total)
    return f[labels], total[labels]


def _count_with_gaps(distinct: IntArray, f: IntArray, total: FloatArray) -> tuple[IntArray, FloatArray]:
    """The same over distinct rows with gaps: rows of each pair of gap patterns are matched on what both
    have.
    """
    patterns, pattern = np.unique(distinct < 0, axis=0, return_inverse=True)
    pattern = pattern.reshape(-1)
    members = [np.flatnonzero(pattern == p) for p in range(len(patterns))]
    out_f = np.zeros(len(f), np.int64)
    out_total = np.zeros(len(total))
    for p, gaps in enumerate(patterns):
        for q, other in enumerate(patterns):
            common = np.flatnonzero(~(gaps | other))
            mine, theirs = members[p], members[q]
            both = np.concatenate([mine, theirs])
            labels, number = (
                classes(distinct[np.ix_(both, common)]) if len(common) else (np.zeros(len(both), np.int64), 1)
            )
            there = labels[len(mine) :]
            counted = np.bincount(there, weights=f[theirs].astype(np.float64), minlength=number)
            weighed = np.bincount(there, weights=total[theirs], minlength=number)
            out_f[mine] += counted[labels[: len(mine)]].astype(np.int64)
            out_total[mine] += weighed[labels[: len(mine)]]
    return out_f, out_total
