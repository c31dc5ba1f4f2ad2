"""Counts of agreement patterns over all pairs of two files, without storing a pair: the kernel."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def pattern_counts(x, z, x_copies, z_copies, kinds, limits, limit_at, tables, table_at, widths, base, size):  # type: ignore[no-untyped-def]
    """counts[pattern] over all pairs; pattern = sum over columns of (level + 1) * base[column].

    x, z: distinct rows with their numbers of copies. limits and tables hold all columns' limits and look-up
    tables end to end: limit_at and table_at say where each column's begin, widths how many columns a table has.
    """
    counts = np.zeros(size)
    d = x.shape[1]
    for i in range(x.shape[0]):
        for j in range(z.shape[0]):
            code = 0
            for k in range(d):
                a, b = x[i, k], z[j, k]
                level = -1
                if not (np.isnan(a) or np.isnan(b)):
                    if kinds[k] == 1:
                        level = tables[table_at[k] + int(a) * widths[k] + int(b)]
                    else:
                        gap = abs(a - b)
                        level = 0
                        for t in range(limit_at[k], limit_at[k + 1]):
                            if gap > limits[t]:
                                break
                            level += 1
                code += (level + 1) * base[k]
            counts[code] += x_copies[i] * z_copies[j]
    return counts


@njit(cache=True, nogil=True)
def patterns_of(x, z, kinds, limits, limit_at, tables, table_at, widths, base):  # type: ignore[no-untyped-def]
    """The pattern of every pair of a block of rows x with all rows z, as a matrix."""
    out = np.zeros((x.shape[0], z.shape[0]), np.int64)
    for i in range(x.shape[0]):
        for j in range(z.shape[0]):
            code = 0
            for k in range(x.shape[1]):
                a, b = x[i, k], z[j, k]
                level = -1
                if not (np.isnan(a) or np.isnan(b)):
                    if kinds[k] == 1:
                        level = tables[table_at[k] + int(a) * widths[k] + int(b)]
                    else:
                        gap = abs(a - b)
                        level = 0
                        for t in range(limit_at[k], limit_at[k + 1]):
                            if gap > limits[t]:
                                break
                            level += 1
                code += (level + 1) * base[k]
            out[i, j] = code
    return out
