"""Counts of agreement patterns over all pairs of two files, without storing a pair.

Idea. Two records agree in each column at some level: -1 when a value is missing, else
the level that a table gives for two categories, or the number of limits (widest first)
that the gap of two numbers keeps within. The levels of a pair, as digits of one number
with a base for each column, are its pattern. Patterns are few, pairs are many, so that
a table of counts holds all that a likelihood of the pairs needs.

Invariant. Every pair adds to exactly one pattern, so the counts sum to the product of
both files' numbers of records, copies included.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import NUMPY_STEP, njit

CATEGORIES = 1
"""The entry of ``kinds`` for a column that is compared by its table, not by its gap."""
OPERATIONS = 3
"""Operations in numpy on a pair and column, about."""
BLOCK = 512
"""Rows whose patterns are held at a time in numpy."""


# inlined by numba: as a call, the loop over pairs took 45 % longer
@njit(cache=True, nogil=True, inline="always")
def _pattern(
    x: Floats,
    i: int,
    z: Floats,
    j: int,
    kinds: Ints,
    limits: Floats,
    limit_at: Ints,
    tables: Ints,
    table_at: Ints,
    widths: Ints,
    base: Ints,
) -> int:
    """Sum over columns of (level + 1) * base[column] for row i of x and row j of z."""
    code = 0
    for k in range(x.shape[1]):
        ours = x[i, k]
        theirs = z[j, k]
        level = -1
        if not (np.isnan(ours) or np.isnan(theirs)):
            if kinds[k] == CATEGORIES:
                cell = int(ours) * widths[k] + int(theirs)
                level = tables[table_at[k] + cell]
            else:
                gap = abs(ours - theirs)
                level = 0
                # limits fall, so the first that is passed ends the count
                for t in range(limit_at[k], limit_at[k + 1]):
                    if gap > limits[t]:
                        break
                    level += 1
        code += (level + 1) * base[k]
    return code


def pattern_counts(
    x: Floats,
    z: Floats,
    x_copies: Floats,
    z_copies: Floats,
    kinds: Ints,
    limits: Floats,
    limit_at: Ints,
    tables: Ints,
    table_at: Ints,
    widths: Ints,
    base: Ints,
    size: int,
) -> Floats:
    """counts[pattern] over all pairs; pattern = sum of (level + 1) * base[column].

    x, z: distinct rows with their numbers of copies. limits and tables hold all
    columns' limits and look-up tables end to end: limit_at and table_at say where each
    column's begin, widths how many columns a table has.
    """
    given = (kinds, limits, limit_at, tables, table_at, widths, base)
    if _pattern_counts.pays(OPERATIONS * x.size * len(z) * NUMPY_STEP):
        compiled: Floats = _pattern_counts(x, z, x_copies, z_copies, *given, size)
        return compiled
    counts = np.zeros(size)
    # copies are whole numbers: their sums are exact, in blocks as well
    for first in range(0, len(x), BLOCK):
        some = slice(first, first + BLOCK)
        codes = _plain_patterns(x[some], z, *given)
        copies = np.outer(x_copies[some], z_copies)
        counts += np.bincount(codes.ravel(), copies.ravel(), size)
    return counts


def patterns_of(
    x: Floats,
    z: Floats,
    kinds: Ints,
    limits: Floats,
    limit_at: Ints,
    tables: Ints,
    table_at: Ints,
    widths: Ints,
    base: Ints,
) -> Ints:
    """The pattern of every pair of a block of rows x with all rows z, as a matrix."""
    given = (kinds, limits, limit_at, tables, table_at, widths, base)
    compiled = _patterns_of.pays(OPERATIONS * x.size * len(z) * NUMPY_STEP)
    compute = _patterns_of if compiled else _plain_patterns
    patterns: Ints = compute(x, z, *given)
    return patterns


def _plain_patterns(
    x: Floats,
    z: Floats,
    kinds: Ints,
    limits: Floats,
    limit_at: Ints,
    tables: Ints,
    table_at: Ints,
    widths: Ints,
    base: Ints,
) -> Ints:
    """The patterns column by column, in numpy."""
    codes = np.zeros((len(x), len(z)), np.int64)
    for k in range(x.shape[1]):
        ours, theirs = x[:, k], z[:, k]
        our_gaps, their_gaps = np.isnan(ours), np.isnan(theirs)
        if kinds[k] == CATEGORIES:
            rows = np.where(our_gaps, 0.0, ours).astype(np.int64) * widths[k]
            columns = np.where(their_gaps, 0.0, theirs).astype(np.int64)
            level = tables[table_at[k] + rows[:, None] + columns]
        else:
            gap = np.abs(ours[:, None] - theirs)
            # short numbers, because there are few limits and many pairs
            level = np.zeros(gap.shape, np.int16)
            # limits fall, so those that hold are the first ones
            for limit in limits[limit_at[k] : limit_at[k + 1]]:
                level += gap <= limit
        # one level more than the limits that hold; 0 is a gap
        digit = level + level.dtype.type(1)
        if our_gaps.any() or their_gaps.any():
            digit = np.where(our_gaps[:, None] | their_gaps, 0, digit)
        codes += np.multiply(digit, base[k], dtype=np.int64)
    return codes


@njit(cache=True, nogil=True)
def _pattern_counts(
    x: Floats,
    z: Floats,
    x_copies: Floats,
    z_copies: Floats,
    kinds: Ints,
    limits: Floats,
    limit_at: Ints,
    tables: Ints,
    table_at: Ints,
    widths: Ints,
    base: Ints,
    size: int,
) -> Floats:
    """counts[pattern] over all pairs; pattern = sum of (level + 1) * base[column].

    x, z: distinct rows with their numbers of copies. limits and tables hold all
    columns' limits and look-up tables end to end: limit_at and table_at say where each
    column's begin, widths how many columns a table has.
    """
    counts = np.zeros(size)
    for i in range(x.shape[0]):
        for j in range(z.shape[0]):
            code = _pattern(
                x, i, z, j, kinds, limits, limit_at, tables, table_at, widths, base
            )
            counts[code] += x_copies[i] * z_copies[j]
    return counts


@njit(cache=True, nogil=True)
def _patterns_of(
    x: Floats,
    z: Floats,
    kinds: Ints,
    limits: Floats,
    limit_at: Ints,
    tables: Ints,
    table_at: Ints,
    widths: Ints,
    base: Ints,
) -> Ints:
    """The pattern of every pair of a block of rows x with all rows z, as a matrix."""
    out = np.zeros((x.shape[0], z.shape[0]), np.int64)
    for i in range(x.shape[0]):
        for j in range(z.shape[0]):
            out[i, j] = _pattern(
                x, i, z, j, kinds, limits, limit_at, tables, table_at, widths, base
            )
    return out
