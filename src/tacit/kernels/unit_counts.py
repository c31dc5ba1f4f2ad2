"""Units that have each of many labels, from their records one after the other.

Idea. The records of a unit stand together. A label is stamped with the unit that had it last, so
that a unit counts once in each label however many of its records have it, and nothing is sorted or
cleared between units. ``starts`` says where the records of each unit begin.

Invariant. ``seen[l]`` is the last unit with label l, from 0 within the call; -1: none yet.
"""

import numpy as np
import numpy.typing as npt

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit


@njit(cache=True, nogil=True)
def count_units(
    starts: Ints, label: npt.NDArray[np.int32], weight: Floats, number: int
) -> tuple[Ints, Floats]:
    """(f, F): units that have each label, and the sum of their weights.

    weight: of each record, whose mean is its unit's; empty: every unit weighs 1.
    """
    f = np.zeros(number, np.int64)
    F = np.zeros(number, np.float64)
    seen = np.full(number, -1, np.int32)
    for unit in range(len(starts)):
        first, stop = _span(starts, unit, len(label))
        each = _mean(weight, first, stop)
        for i in range(first, stop):
            at = label[i]
            if seen[at] != unit:
                seen[at] = unit
                f[at] += 1
                F[at] += each
    return f, F


@njit(cache=True, nogil=True)
def count_agreeing(
    starts: Ints,
    row: npt.NDArray[np.int32],
    weight: Floats,
    group: Ints,
    indptr: Ints,
    member: Ints,
    pattern: Ints,
) -> tuple[Ints, Floats]:
    """(f, F) of rows of which some have gaps: units with a record that agrees with each.

    group: (patterns, rows), the group of a row among those of a pattern with which it agrees, -1
    where it agrees with all of them; rows of group g are ``member[indptr[g] : indptr[g + 1]]``;
    pattern: of each row.
    """
    patterns, rows = group.shape
    f = np.zeros(rows, np.int64)
    F = np.zeros(rows, np.float64)
    # units that agree with every row of a pattern are counted once for all
    always = np.zeros(patterns, np.int64)
    always_weight = np.zeros(patterns, np.float64)
    with_all = np.zeros(patterns, np.bool_)
    seen = np.full(rows, -1, np.int32)
    done = np.full(rows, -1, np.int32)
    for unit in range(len(starts)):
        first, stop = _span(starts, unit, len(row))
        each = _mean(weight, first, stop)
        with_all[:] = False
        for i in range(first, stop):
            for p in range(patterns):
                if group[p, row[i]] < 0:
                    with_all[p] = True
        for p in range(patterns):
            if with_all[p]:
                always[p] += 1
                always_weight[p] += each
        for i in range(first, stop):
            if done[row[i]] == unit:
                continue
            done[row[i]] = unit
            for p in range(patterns):
                if with_all[p]:
                    continue
                g = group[p, row[i]]
                for e in range(indptr[g], indptr[g + 1]):
                    at = member[e]
                    if seen[at] != unit:
                        seen[at] = unit
                        f[at] += 1
                        F[at] += each
    for at in range(rows):
        f[at] += always[pattern[at]]
        F[at] += always_weight[pattern[at]]
    return f, F


@njit(cache=True, nogil=True)
def only_unit(
    starts: Ints, label: npt.NDArray[np.int32], number: int
) -> npt.NDArray[np.int32]:
    """The unit that has all records of each label; -1: several have some, -2: nobody."""
    owner = np.full(number, -2, np.int32)
    for unit in range(len(starts)):
        first, stop = _span(starts, unit, len(label))
        for i in range(first, stop):
            at = label[i]
            if owner[at] == -2:
                owner[at] = unit
            elif owner[at] != unit:
                owner[at] = -1
    return owner


@njit(cache=True, nogil=True)
def shared_out(
    starts: Ints,
    label: npt.NDArray[np.int32],
    row: npt.NDArray[np.int32],
    number: int,
    rows: int,
) -> Floats:
    """What the records of each row count together, if units count once in each label."""
    total = np.zeros(rows, np.float64)
    seen = np.full(number, -1, np.int32)
    times = np.zeros(number, np.int32)
    for unit in range(len(starts)):
        first, stop = _span(starts, unit, len(label))
        for i in range(first, stop):
            at = label[i]
            if seen[at] != unit:
                seen[at] = unit
                times[at] = 0
            times[at] += 1
        for i in range(first, stop):
            total[row[i]] += 1.0 / times[label[i]]
    return total


@njit(cache=True, nogil=True)
def _span(starts: Ints, unit: int, length: int) -> tuple[int, int]:
    """Where the records of a unit begin and end."""
    stop = starts[unit + 1] if unit + 1 < len(starts) else length
    return starts[unit], stop


@njit(cache=True, nogil=True)
def _mean(weight: Floats, first: int, stop: int) -> float:
    """The mean weight of some records; 1 without weights."""
    if len(weight) == 0:
        return 1.0
    total = 0.0
    for i in range(first, stop):
        total += weight[i]
    return total / (stop - first)
