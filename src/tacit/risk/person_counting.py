"""Frequencies of key combinations where a person has several records: persons are counted."""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.spread import Spread
from tacit.data.units import Units
from tacit.kernels.members import distinct_members
from tacit.risk.agreeing_persons import agreeing
from tacit.risk.classes import classes, first_of_each


def count_persons(
    codes: Ints,
    weights: Floats | None,
    units: Units,
    *,
    any_matches: bool,
    grouped: tuple[Ints, int],
) -> tuple[Ints, Floats]:
    """(f, F) of each record: how many persons have a record that agrees with its key.

    Parameters
    ----------
    codes : array
        One row per record, one column per key; -1 where the value is missing.
    weights : array or None
        Sampling weights of the records; a person has the mean of his.
    units : Units
        Whose records these are.
    any_matches : bool
        A missing value agrees with every value.
    grouped : tuple
        The result of ``classes(codes)``.
    """
    labels, number = grouped
    if not (any_matches and bool((codes < 0).any())):
        f, F = units.counted(labels, number, weights)
        return f[labels], F[labels]
    distinct = codes[first_of_each(labels, number)]
    if isinstance(units, Spread):
        f, F = agreeing(distinct, labels, units, weights)
    else:
        # each person once in each class
        f, F = _with_gaps(distinct, *units.pairs(labels), units.weights(weights))
    return f[labels], F[labels]


def people_behind(weights: Floats | None, units: Units) -> float:
    """How many people of the population all of these persons stand for."""
    if weights is None:
        return float(units.number)
    if units.single:
        return float(weights.sum())
    return units.people(weights)


def _with_gaps(
    distinct: Ints,
    label: Ints,
    person: Ints,
    weight: Floats,
) -> tuple[Ints, Floats]:
    """The same over distinct rows of which some have gaps.

    Rows of two gap patterns agree when they are equal on the keys that both have (see
    ``counting``). A person may agree by several rows and counts once, so what the patterns bring
    is united and not added.
    """
    number = len(distinct)
    people = len(weight)
    patterns, pattern = np.unique(distinct < 0, axis=0, return_inverse=True)
    pattern = pattern.reshape(-1)
    members = [np.flatnonzero(pattern == p) for p in range(len(patterns))]
    # the persons of the classes of each pattern, and their class
    of_pattern = [np.flatnonzero(pattern[label] == p) for p in range(len(patterns))]
    f = np.zeros(number, np.int64)
    F = np.zeros(number)
    for p, our_gaps in enumerate(patterns):
        ours = members[p]
        everywhere = np.zeros(people, dtype=bool)
        groups, found, starts = [], [], [np.zeros(1, np.int64)]
        offset = entries = 0
        for q, their_gaps in enumerate(patterns):
            common = np.flatnonzero(~(our_gaps | their_gaps))
            theirs = of_pattern[q]
            if not len(common):
                # without a key in common everybody of that pattern agrees
                everywhere[person[theirs]] = True
                continue
            both = np.concatenate([ours, label[theirs]])
            group, size = classes(distinct[np.ix_(both, common)])
            their_group = group[len(ours) :]
            pair = np.unique(their_group * people + person[theirs])
            degree = np.bincount(pair // people, minlength=size)
            groups.append(group[: len(ours)] + offset)
            found.append(pair % people)
            starts.append(entries + np.cumsum(degree))
            # groups of the patterns are numbered on, so that one table holds them all
            offset += size
            entries += len(pair)
        table = (
            np.stack(groups, axis=1) if groups else np.zeros((len(ours), 0), np.int64)
        )
        member = np.concatenate(found) if found else np.zeros(0, np.int64)
        indptr = np.concatenate(starts).astype(np.int64)
        f[ours], F[ours] = distinct_members(
            np.ascontiguousarray(table), indptr, member, everywhere, weight
        )
    return f, F
