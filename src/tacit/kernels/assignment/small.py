"""Assignments inside many small pairs of groups: the cheapest way to pair the members.

Idea. Two groups of up to some dozens of members are compared by the least sum of costs over
all ways to pair them. A matrix of costs is made square: a masked member who is left over
costs what it costs as a stranger, an original member who is left over costs a fixed charge.
The square is solved by shortest augmenting paths with potentials (Kuhn 1955; Jonker and
Volgenant 1987), which takes k^3 steps for k members.

Invariant. After each row the potentials u_i + v_j <= c_ij hold for every cell, with equality
on the links, so that the links are optimal for the rows treated so far.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit


@njit(cache=True, nogil=True)
def _square(
    cells: Floats, rows: int, cols: int, left_out: Floats, charge: float
) -> Floats:
    """The matrix made square; impossible cells stand behind a wall that no sum of others
    reaches."""
    k = max(rows, cols)
    out = np.empty((k, k))
    top, bottom = 0.0, 0.0
    for i in range(k):
        for j in range(k):
            if i < rows and j < cols:
                value = cells[i * cols + j]
            elif i < rows:
                value = charge
            else:
                value = left_out[j]
            out[i, j] = value
            if value < np.inf:
                top = max(top, value)
                bottom = min(bottom, value)
    wall = (top - bottom + 1.0) * (k + 1)
    for i in range(k):
        for j in range(k):
            if out[i, j] == np.inf:
                out[i, j] = wall
    return out


@njit(cache=True, nogil=True)
def _solve(cost: Floats) -> Ints:
    """Column of each row in the cheapest one-to-one pairing of a square matrix."""
    k = len(cost)
    # position 0 of columns stands for "no column yet", as in the usual form of the algorithm
    u, v = np.zeros(k + 1), np.zeros(k + 1)
    row_of = np.zeros(k + 1, np.int64)
    before = np.zeros(k + 1, np.int64)
    least = np.empty(k + 1)
    done = np.empty(k + 1, np.bool_)
    for i in range(1, k + 1):
        row_of[0] = i
        here = 0
        least[:] = np.inf
        done[:] = False
        while row_of[here] != 0:
            done[here] = True
            row = row_of[here]
            step, nearest = np.inf, 0
            for j in range(1, k + 1):
                if done[j]:
                    continue
                slack = cost[row - 1, j - 1] - u[row] - v[j]
                if slack < least[j]:
                    least[j] = slack
                    before[j] = here
                if least[j] < step:
                    step = least[j]
                    nearest = j
            for j in range(k + 1):
                if done[j]:
                    u[row_of[j]] += step
                    v[j] -= step
                else:
                    least[j] -= step
            here = nearest
        while here != 0:
            row_of[here] = row_of[before[here]]
            here = before[here]
    out = np.empty(k, np.int64)
    for j in range(1, k + 1):
        out[row_of[j] - 1] = j - 1
    return out


@njit(cache=True, nogil=True)
def member_pairs(
    a: Ints,
    b: Ints,
    start_a: Ints,
    start_b: Ints,
    row_a: Ints,
    row_b: Ints,
) -> tuple[Ints, Ints]:
    """The rows of all members of group a[p] with all of group b[p], matrix after matrix.

    Group g has the members start[g] .. start[g + 1] - 1, whose rows are row[member].
    """
    total = 0
    for p in range(len(a)):
        size = start_a[a[p] + 1] - start_a[a[p]]
        total += size * (start_b[b[p] + 1] - start_b[b[p]])
    left = np.empty(total, np.int64)
    right = np.empty(total, np.int64)
    at = 0
    for p in range(len(a)):
        for i in range(start_a[a[p]], start_a[a[p] + 1]):
            for j in range(start_b[b[p]], start_b[b[p] + 1]):
                left[at] = row_a[i]
                right[at] = row_b[j]
                at += 1
    return left, right


@njit(cache=True, nogil=True)
def group_costs(
    cells: Floats,
    start: Ints,
    rows: Ints,
    cols: Ints,
    left_out: Floats,
    begin: Ints,
    charge: float,
) -> Floats:
    """The cost of pairing the members of each pair of groups; inf where none is possible.

    Pair p has the matrix of rows[p] x cols[p] cells that begins at start[p]; its masked members
    cost left_out[begin[p]], ... as strangers, and an original who is left over costs ``charge``.
    """
    total = np.empty(len(rows))
    for p in range(len(rows)):
        r, c = rows[p], cols[p]
        strangers = left_out[begin[p] : begin[p] + c]
        matrix = cells[start[p] : start[p] + r * c]
        column = _solve(_square(matrix, r, c, strangers, charge))
        value = 0.0
        for i in range(max(r, c)):
            j = column[i]
            if i < r and j < c:
                value += matrix[i * c + j]
            elif i < r:
                value += charge
            else:
                value += strangers[j]
        total[p] = value
    return total


@njit(cache=True, nogil=True)
def group_pairing(
    cells: Floats, rows: int, cols: int, left_out: Floats, charge: float
) -> Ints:
    """For one pair of groups the masked member of each original member; -1: left over or
    impossible."""
    column = _solve(_square(cells, rows, cols, left_out, charge))
    out = np.full(rows, -1, np.int64)
    for i in range(rows):
        j = column[i]
        if j < cols and cells[i * cols + j] < np.inf:
            out[i] = j
    return out
