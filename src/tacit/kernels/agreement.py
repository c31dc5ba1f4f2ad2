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

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import NUMPY_STEP, njit

ShortInts: TypeAlias = npt.NDArray[np.int32]
"""Patterns of pairs: short numbers, because there are many and no table of patterns has 2^31
entries."""
CATEGORIES = 1
"""The entry of ``kinds`` for a column that is compared by its table, not by its gap."""
OPERATIONS = 3
"""Operations in numpy on a pair and column, about."""
AT_HAND = 32_768
"""Pairs whose patterns are worked out at a time in numpy."""
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
) -> ShortInts:
    """The pattern of every pair of a block of rows x with all rows z, as a matrix."""
    given = (kinds, limits, limit_at, tables, table_at, widths, base)
    compiled = _patterns_of.pays(OPERATIONS * x.size * len(z) * NUMPY_STEP)
    compute = _patterns_of if compiled else _plain_patterns
    patterns: ShortInts = compute(x, z, *given)
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
) -> ShortInts:
    """The patterns column by column, in numpy."""
    codes = np.zeros((len(x), len(z)), np.int32)
    given = (kinds, limits, limit_at, tables, table_at, widths, base)
    # a few rows at a time stay in the processor's cache from column to column
    step = max(1, AT_HAND // max(1, len(z)))
    for first in range(0, len(x), step):
        some = slice(first, first + step)
        _add_patterns(codes[some], x[some], z, *given)
    return codes


def _add_patterns(
    codes: ShortInts,
    x: Floats,
    z: Floats,
    kinds: Ints,
    limits: Floats,
    limit_at: Ints,
    tables: Ints,
    table_at: Ints,
    widths: Ints,
    base: Ints,
) -> None:
    """Add the digits of all columns to the codes, in place."""
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
        codes += np.multiply(digit, base[k], dtype=np.int32)


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
) -> ShortInts:
    """The pattern of every pair of a block of rows x with all rows z, as a matrix.

    Column by column along a row, without a branch inside: the processor compares several at once.
    """
    n, m = x.shape[0], z.shape[0]
    out = np.zeros((n, m), np.int32)
    turned = np.ascontiguousarray(z.T)
    known = np.zeros(turned.shape, np.int32)
    code = np.zeros(turned.shape, np.int64)
    for k in range(x.shape[1]):
        for j in range(m):
            if not np.isnan(turned[k, j]):
                # a missing value is the digit 0, whatever it is compared with
                known[k, j] = base[k]
                if kinds[k] == CATEGORIES:
                    code[k, j] = int(turned[k, j])
    for i in range(n):
        for k in range(x.shape[1]):
            ours = x[i, k]
            if np.isnan(ours):
                continue
            if kinds[k] == CATEGORIES:
                at = table_at[k] + int(ours) * widths[k]
                for j in range(m):
                    out[i, j] += known[k, j] * np.int32(tables[at + code[k, j]] + 1)
                continue
            for j in range(m):
                out[i, j] += known[k, j]
            # limits fall, so those that hold are the first ones
            for t in range(limit_at[k], limit_at[k + 1]):
                limit = limits[t]
                for j in range(m):
                    holds = abs(ours - turned[k, j]) <= limit
                    out[i, j] += known[k, j] if holds else np.int32(0)
    return out
