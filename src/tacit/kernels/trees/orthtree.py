"""2^d-tree kernels: cell codes of values, descent of records, exact sums by leaf.

Idea. A value's code is its place in the column's range, cut in 2^32 equal cells: the
first bit says which half, the second which quarter, and so on. So a child of a node at
depth t is named by bit t of each of the d codes (its key), and a tree needs comparisons
only, no distances.

Invariant. Codes are integers: counts and sums of them are the same in any order of the
records, on one machine or on many.
"""

import numpy as np
from numpy.typing import NDArray

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit

BITS = 32
"""Bits of a code, so the deepest level of a tree; sums of 2^31 codes fit 64 bits."""
KEY_BITS = 64
"""Two keys differ in fewer bits: the sign of a 64-bit number stays unused."""
HALF_BITS = 16
"""Products of half codes have 32 bits, so that 2^31 of them still fit in a sum."""
HALF_MASK = 0xFFFF
"""The lower half of a code."""

Codes = NDArray[np.uint32]


@njit(cache=True, nogil=True)
def codes(
    values: Floats,
    low: Floats,
    high: Floats,
) -> Codes:
    """floor((x - low) / (high - low) * 2^32), kept within 0 .. 2^32-1.

    A column of a single value has the code 0.
    """
    n, d = values.shape
    out = np.zeros((n, d), np.uint32)
    top = 2.0**BITS
    for j in range(d):
        width = high[j] - low[j]
        if width <= 0.0:
            continue
        for i in range(n):
            place = np.floor((values[i, j] - low[j]) / width * top)
            # the maximum itself, and records of another file, may lie outside
            out[i, j] = np.uint32(min(max(place, 0.0), top - 1.0))
    return out


@njit(cache=True, nogil=True)
def _key(
    code: Codes,
    i: int,
    depth: int,
) -> np.int64:
    """The child of record i at this depth: bit j says which half of column j."""
    shift = np.uint32(BITS - 1 - depth)
    key = np.int64(0)
    for j in range(code.shape[1]):
        key |= np.int64((code[i, j] >> shift) & np.uint32(1)) << j
    return key


@njit(cache=True, nogil=True)
def _first_not_below(
    key: Ints,
    start: int,
    stop: int,
    wanted: np.int64,
) -> int:
    """The first child of start .. stop - 1 whose key is not below ``wanted``."""
    while start < stop:
        middle = (start + stop) // 2
        if key[middle] < wanted:
            start = middle + 1
        else:
            stop = middle
    return start


@njit(cache=True, nogil=True)
def _most_alike(
    key: Ints,
    start: int,
    stop: int,
    wanted: np.int64,
) -> int:
    """The child whose key differs from ``wanted`` in the fewest bits, the first of equals."""
    best = start
    fewest = KEY_BITS
    for v in range(start, stop):
        rest = key[v] ^ wanted
        bits = 0
        while rest:
            rest &= rest - 1  # takes the lowest set bit off
            bits += 1
        if bits < fewest:
            fewest = bits
            best = v
    return best


@njit(cache=True, nogil=True)
def descend(
    code: Codes,
    first: Ints,
    children: Ints,
    key: Ints,
    levels: int,
    node: Ints,
    child: Ints,
) -> None:
    """The deepest node of each record, and where it would go if that were split.

    ``child`` receives, were the node to be split ``levels`` times, the keys of the
    record's descendants there, one after the other (the child's key in the highest
    bits).

    Node v has the children first[v] .. first[v]+children[v]-1, in rising order of
    ``key`` (bit j: the half of column j). Only cells with records have nodes; a record
    from another file that falls in an empty cell goes to the child that differs in the
    fewest columns, the first of equals.
    """
    n, d = code.shape
    for i in range(n):
        here = 0
        depth = 0
        while True:
            # below the last bit all records of a cell have equal codes: one child, key 0
            k = _key(code, i, depth) if depth < BITS else np.int64(0)
            if children[here] == 0:
                for below in range(depth + 1, depth + levels):
                    k <<= d
                    k |= _key(code, i, below)
                break
            start = first[here]
            stop = start + children[here]
            following = _first_not_below(key, start, stop, k)
            if following == stop or key[following] != k:
                following = _most_alike(key, start, stop, k)
            here = following
            depth += 1
        node[i] = here
        child[i] = k


@njit(cache=True, nogil=True)
def sums_by_leaf(
    code: Codes,
    leaf: Ints,
    count: Ints,
    total: Ints,
) -> None:
    """Add the records to the count and the sum of codes of their leaves."""
    for i in range(code.shape[0]):
        count[leaf[i]] += 1
        for j in range(code.shape[1]):
            total[leaf[i], j] += code[i, j]


@njit(cache=True, nogil=True)
def moments(
    code: Codes,
    total: Ints,
    squares: Ints,
) -> None:
    """Add sums of codes, and of the three products of their halves, by column.

    With code = 2^16 a + b the products are aa, ab and bb: whole squares would overflow.
    """
    for i in range(code.shape[0]):
        for j in range(code.shape[1]):
            c = np.int64(code[i, j])
            a = c >> HALF_BITS
            b = c & HALF_MASK
            total[j] += c
            squares[j, 0] += a * a
            squares[j, 1] += a * b
            squares[j, 2] += b * b
