"""Minimal sample uniques by partition refinement.

Columns are taken in the order of binary counting ({0}, {1}, {1,0}, {2}, {2,0}, ...), so that every subset of
a set of columns is visited before the set itself. At each set the live rows are split by one more column in
linear time; a row that ends alone is unique on the set, and the set is minimal for that row exactly when no
set found for the row earlier lies inside it. Groups without a row that is unique on all columns are dropped:
nothing below them can be unique. Nothing is hashed, so nothing collides.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def minimal_uniques(
    codes: NDArray[np.int64], counts: NDArray[np.int64], largest: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs (row, set of columns as bits) of every minimal sample unique of at most `largest` columns.

    codes: (distinct rows, columns), values 0.. per column, -1 = missing (takes part in no set);
    counts: how many records each distinct row stands for.
    """
    n, m = codes.shape
    found_row = np.empty(1024, np.int64)
    found_set = np.empty(1024, np.int64)
    found_next = np.empty(1024, np.int64)
    found = 0
    head = np.full(n, -1, np.int64)
    cardinality = 1
    for i in range(n):
        for j in range(m):
            cardinality = max(cardinality, codes[i, j] + 1)
    slot = np.full(cardinality, -1, np.int64)
    touched = np.empty(cardinality, np.int64)
    size = np.empty(cardinality, np.int64)  # distinct rows with this value
    weight = np.empty(cardinality, np.int64)  # records with this value
    hopeful = np.empty(cardinality, np.int64)  # rows that are unique on all columns
    place = np.empty(cardinality, np.int64)

    rows = np.empty((m + 1, n), np.int64)
    starts = np.empty((m + 1, n + 1), np.int64)
    groups = np.zeros(m + 1, np.int64)
    column = np.empty(m + 1, np.int64)  # the last column added at each depth
    step = np.empty(m + 1, np.int64)  # the next column to try at each depth
    bits = np.zeros(m + 1, np.int64)
    for i in range(n):
        rows[0, i] = i
    starts[0, 0] = 0
    starts[0, 1] = n
    groups[0] = 1 if n > 0 else 0
    column[0] = m
    step[0] = 0
    depth = 0
    while depth >= 0:
        c = step[depth]
        if c >= column[depth] or groups[depth] == 0:
            depth -= 1
            continue
        step[depth] = c + 1
        below = depth + 1
        mask = bits[depth] | (np.int64(1) << c)
        written = 0
        made = 0
        for g in range(groups[depth]):
            distinct = 0
            for p in range(starts[depth, g], starts[depth, g + 1]):
                r = rows[depth, p]
                v = codes[r, c]
                if v < 0:
                    continue
                s = slot[v]
                if s < 0:
                    s = distinct
                    slot[v] = s
                    touched[s] = v
                    size[s] = 0
                    weight[s] = 0
                    hopeful[s] = 0
                    distinct += 1
                size[s] += 1
                weight[s] += counts[r]
                if counts[r] == 1:
                    hopeful[s] += 1
            for s in range(distinct):
                if size[s] > 1 and hopeful[s] > 0:
                    place[s] = written
                    starts[below, made] = written
                    written += size[s]
                    made += 1
                else:
                    place[s] = -1
            for p in range(starts[depth, g], starts[depth, g + 1]):
                r = rows[depth, p]
                v = codes[r, c]
                if v < 0:
                    continue
                s = slot[v]
                if place[s] >= 0:
                    rows[below, place[s]] = r
                    place[s] += 1
                elif weight[s] == 1:
                    minimal = True
                    e = head[r]
                    while e >= 0:
                        if found_set[e] & mask == found_set[e]:
                            minimal = False
                            break
                        e = found_next[e]
                    if minimal:
                        if found == found_row.shape[0]:
                            found_row = np.concatenate((found_row, np.empty_like(found_row)))
                            found_set = np.concatenate((found_set, np.empty_like(found_set)))
                            found_next = np.concatenate((found_next, np.empty_like(found_next)))
                        found_row[found] = r
                        found_set[found] = mask
                        found_next[found] = head[r]
                        head[r] = found
                        found += 1
            for s in range(distinct):
                slot[touched[s]] = -1
        starts[below, made] = written
        if made > 0 and c > 0 and below < largest:
            groups[below] = made
            column[below] = c
            step[below] = 0
            bits[below] = mask
            depth = below
    return found_row[:found].copy(), found_set[:found].copy()
