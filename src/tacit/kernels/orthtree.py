"""2^d-tree kernels: cell codes of values, descent of records through the tree, exact sums by leaf.

A value's code is its place in the column's range, cut in 2^32 equal cells: the first bit says which half, the second
which quarter, and so on. So a child of a node at depth t is named by bit t of each of the d codes, and a tree needs
comparisons only, no distances. Codes are integers: counts and sums of them are the same in any order of the records,
on one machine or on many.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

BITS = 32

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.uint32]


@njit(cache=True, nogil=True)
def codes(values: Floats, low: Floats, high: Floats) -> Codes:
    """floor((x - low) / (high - low) * 2^32), held within 0 .. 2^32-1; 0 in a column of a single value."""
    n, d = values.shape
    out = np.zeros((n, d), np.uint32)
    top = 2.0**BITS
    for j in range(d):
        width = high[j] - low[j]
        if width <= 0.0:
            continue
        for i in range(n):
            place = np.floor((values[i, j] - low[j]) / width * top)
            out[i, j] = np.uint32(min(max(place, 0.0), top - 1.0))
    return out


@njit(cache=True, nogil=True)
def descend(code: Codes, first: Ints, children: Ints, key: Ints, levels: int, node: Ints, child: Ints) -> None:
    """The deepest node of each record and, were it to be split ``levels`` times, the keys of its descendants there,
    one after the other (the child's key in the highest bits).

    Node v has the children first[v] .. first[v]+children[v]-1, in rising order of ``key`` (bit j: the half of
    column j). Only cells with records have nodes; a record from another file that falls in an empty cell goes to
    the child that differs in the fewest columns, the first of equals.
    """
    n, d = code.shape
    for i in range(n):
        here = 0
        depth = 0
        while True:
            k = np.int64(0)
            if depth < BITS:
                for j in range(d):
                    k |= np.int64((code[i, j] >> np.uint32(BITS - 1 - depth)) & np.uint32(1)) << j
            if children[here] == 0:
                for below in range(depth + 1, depth + levels):
                    k <<= d
                    for j in range(d):
                        k |= np.int64((code[i, j] >> np.uint32(BITS - 1 - below)) & np.uint32(1)) << j
                break
            a, b = first[here], first[here] + children[here]
            left, right = a, b
            while left < right:
                middle = (left + right) // 2
                if key[middle] < k:
                    left = middle + 1
                else:
                    right = middle
            if left == b or key[left] != k:
                fewest = d + 1
                for v in range(a, b):
                    rest = key[v] ^ k
                    bits = 0
                    while rest:
                        rest &= rest - 1
                        bits += 1
                    if bits < fewest:
                        fewest, left = bits, v
            here = left
            depth += 1
        node[i] = here
        child[i] = k


@njit(cache=True, nogil=True)
def sums_by_leaf(code: Codes, leaf: Ints, count: Ints, total: Ints) -> None:
    """Add the records to the count and the sum of codes of their leaves."""
    for i in range(code.shape[0]):
        count[leaf[i]] += 1
        for j in range(code.shape[1]):
            total[leaf[i], j] += code[i, j]


@njit(cache=True, nogil=True)
def moments(code: Codes, total: Ints, squares: Ints) -> None:
    """Add sums of codes, and of the three products of their halves (code = 2^16 a + b: aa, ab, bb), by column."""
    for i in range(code.shape[0]):
        for j in range(code.shape[1]):
            c = np.int64(code[i, j])
            a, b = c >> 16, c & 0xFFFF
            total[j] += c
            squares[j, 0] += a * a
            squares[j, 1] += a * b
            squares[j, 2] += b * b
