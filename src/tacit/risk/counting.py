"""Sample and population frequencies of key combinations, on arrays."""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.units import Units
from tacit.risk.classes import classes, first_of_each
from tacit.risk.person_counting import count_persons


def count(
    codes: Ints,
    weights: Floats | None,
    *,
    any_matches: bool = True,
    grouped: tuple[Ints, int] | None = None,
    units: Units | None = None,
) -> tuple[Ints, Floats]:
    """(f, F) of each record: how many share its key, and the sum of their weights.

    Parameters
    ----------
    codes : array
        One row per record, one column per key; -1 where the value is missing.
    weights : array or None
        Sampling weights; every record counts once if None.
    any_matches : bool
        A missing value agrees with every value, as a suppressed cell does for an intruder:
        f_i counts every record that differs from record i on no key present in both.
    grouped : tuple, optional
        The result of ``classes(codes)``, where the caller has it already.
    units : Units, optional
        Whose records these are: persons are counted, each once. Records unless given.
    """
    labels, number = classes(codes) if grouped is None else grouped
    if units is not None and not units.single:
        return count_persons(
            codes, weights, units, any_matches=any_matches, grouped=(labels, number)
        )
    if units is None:
        f = np.bincount(labels, minlength=number).astype(np.int64)
    else:
        f = units.by_label(labels, number)
    if weights is None:
        F = f.astype(np.float64)
    else:
        F = np.bincount(labels, weights=weights, minlength=number).astype(np.float64)
    if any_matches and bool((codes < 0).any()):
        distinct = codes[first_of_each(labels, number)]
        f, F = _count_with_gaps(distinct, f, F)
    return f[labels], F[labels]


def _count_with_gaps(distinct: Ints, f: Ints, F: Floats) -> tuple[Ints, Floats]:
    """The same over distinct rows of which some have gaps.

    Agreement with gaps is not transitive, so there are no classes. But two rows whose gaps
    are known agree exactly when they are equal on the keys that both have: the rows of
    each pair of gap patterns are grouped on those keys.
    """
    patterns, pattern = np.unique(distinct < 0, axis=0, return_inverse=True)
    pattern = pattern.reshape(-1)
    members = [np.flatnonzero(pattern == p) for p in range(len(patterns))]
    all_f = np.zeros(len(f), np.int64)
    all_F = np.zeros(len(F))
    for p, our_gaps in enumerate(patterns):
        for q, their_gaps in enumerate(patterns):
            common = np.flatnonzero(~(our_gaps | their_gaps))
            ours, theirs = members[p], members[q]
            labels, number = _group_on(distinct, common, ours, theirs)
            our_labels = labels[: len(ours)]
            their_labels = labels[len(ours) :]
            # what "they" bring to each group is added to every row of ours in it
            rows = f[theirs].astype(np.float64)
            records = np.bincount(their_labels, weights=rows, minlength=number)
            weight = np.bincount(their_labels, weights=F[theirs], minlength=number)
            all_f[ours] += records[our_labels].astype(np.int64)
            all_F[ours] += weight[our_labels]
    return all_f, all_F


def _group_on(
    distinct: Ints,
    keys: Ints,
    ours: Ints,
    theirs: Ints,
) -> tuple[Ints, int]:
    """Group the rows of both sides on some keys; without any key all agree."""
    both = np.concatenate([ours, theirs])
    if not len(keys):
        return np.zeros(len(both), np.int64), 1
    return classes(distinct[np.ix_(both, keys)])
