"""Minimal sample uniques by partition refinement.

Idea. Columns are taken in the order of binary counting ({0}, {1}, {1,0}, {2}, {2,0},
...), so that every subset of a set of columns is visited before the set itself. At each
set the live rows are split by one more column in linear time; rows that end alone with
their person (mostly one row) are unique on the set, and the set is minimal for a row exactly
when no set noted for the row earlier lies inside it. Groups without a row that is unique on
all columns are dropped: nothing below them can be unique. Nothing is hashed, so nothing
collides.

Invariant. At each depth, ``rows`` lists the live rows group by group: the rows of a
group are equal on the columns of ``bits``, and rows of different groups are not.
"""

import numpy as np

from tacit.kernels.arrays import Ints
from tacit.kernels.compiler import njit

FIRST_ROOM = 1024
"""Uniques for which there is room at first; the lists double when they are full."""


@njit(cache=True, nogil=True)
def _is_minimal(
    columns: int,
    newest: int,
    unique_set: Ints,
    unique_before: Ints,
) -> bool:
    """Whether no set noted for the row (a chain that begins at ``newest``) is inside."""
    entry = newest
    while entry >= 0:
        if unique_set[entry] & columns == unique_set[entry]:
            return False
        entry = unique_before[entry]
    return True


@njit(cache=True, nogil=True)
def _doubled(array: Ints) -> Ints:
    """The same entries, and as much room again."""
    return np.concatenate((array, np.empty_like(array)))


@njit(cache=True, nogil=True)
def minimal_uniques(
    codes: Ints,
    person: Ints,
    largest: int,
) -> tuple[Ints, Ints]:
    """Pairs (row, set of columns as bits) of every minimal sample unique.

    codes: (distinct rows, columns), values 0.. per column, -1 = missing (takes part in
    no set); person: whose row it is, -1 where several persons have it; largest: the most
    columns of a set.
    """
    n, m = codes.shape
    # the uniques so far; those of one row are a chain from the newest to the oldest
    unique_row = np.empty(FIRST_ROOM, np.int64)
    unique_set = np.empty(FIRST_ROOM, np.int64)
    unique_before = np.empty(FIRST_ROOM, np.int64)
    uniques = 0
    newest = np.full(n, -1, np.int64)

    # the values that a group has in one column, numbered as they come up
    cardinality = 1
    for i in range(n):
        for j in range(m):
            cardinality = max(cardinality, codes[i, j] + 1)
    slot = np.full(cardinality, -1, np.int64)  # number of a value, -1: not seen
    touched = np.empty(cardinality, np.int64)  # value of a number
    size = np.empty(cardinality, np.int64)  # distinct rows with this value
    owner = np.empty(cardinality, np.int64)  # person with this value, -1: several
    hopeful = np.empty(cardinality, np.int64)  # rows that are unique on all columns
    place = np.empty(cardinality, np.int64)  # where its next row is written below

    # one partition for each depth, that is, for each number of columns in the set
    rows = np.empty((m + 1, n), np.int64)
    starts = np.empty((m + 1, n + 1), np.int64)
    groups = np.zeros(m + 1, np.int64)
    column = np.empty(m + 1, np.int64)  # the last column added at each depth
    step = np.empty(m + 1, np.int64)  # the next column to try at each depth
    bits = np.zeros(m + 1, np.int64)  # the set of columns at each depth
    for i in range(n):
        rows[0, i] = i
    starts[0, 0] = 0
    starts[0, 1] = n
    groups[0] = 1 if n > 0 else 0
    column[0] = m
    step[0] = 0
    depth = 0
    while depth >= 0:
        added = step[depth]
        # only columns below the last one: each set is visited once
        if added >= column[depth] or groups[depth] == 0:
            depth -= 1
            continue
        step[depth] = added + 1
        below = depth + 1
        columns = bits[depth] | (np.int64(1) << added)
        written = 0
        groups_below = 0
        for group in range(groups[depth]):
            first = starts[depth, group]
            last = starts[depth, group + 1]

            # count what each value of the added column has in this group
            distinct = 0
            for p in range(first, last):
                row = rows[depth, p]
                value = codes[row, added]
                if value < 0:
                    continue
                s = slot[value]
                if s < 0:
                    s = distinct
                    slot[value] = s
                    touched[s] = value
                    size[s] = 0
                    owner[s] = person[row]
                    hopeful[s] = 0
                    distinct += 1
                size[s] += 1
                if person[row] != owner[s]:
                    owner[s] = -1
                if person[row] >= 0:
                    hopeful[s] += 1

            # values that may still be split become groups of the next depth
            for s in range(distinct):
                if size[s] > 1 and owner[s] < 0 and hopeful[s] > 0:
                    place[s] = written
                    starts[below, groups_below] = written
                    written += size[s]
                    groups_below += 1
                else:
                    place[s] = -1

            # write their rows there, and note the rows that stand alone
            for p in range(first, last):
                row = rows[depth, p]
                value = codes[row, added]
                if value < 0:
                    continue
                s = slot[value]
                if place[s] >= 0:
                    rows[below, place[s]] = row
                    place[s] += 1
                elif owner[s] >= 0 and _is_minimal(
                    columns, newest[row], unique_set, unique_before
                ):
                    if uniques == unique_row.shape[0]:
                        unique_row = _doubled(unique_row)
                        unique_set = _doubled(unique_set)
                        unique_before = _doubled(unique_before)
                    unique_row[uniques] = row
                    unique_set[uniques] = columns
                    unique_before[uniques] = newest[row]
                    newest[row] = uniques
                    uniques += 1

            # only the slots in use are cleared, so a group costs what it holds
            for s in range(distinct):
                slot[touched[s]] = -1
        starts[below, groups_below] = written
        if groups_below > 0 and added > 0 and below < largest:
            groups[below] = groups_below
            column[below] = added
            step[below] = 0
            bits[below] = columns
            depth = below
    return unique_row[:uniques].copy(), unique_set[:uniques].copy()
