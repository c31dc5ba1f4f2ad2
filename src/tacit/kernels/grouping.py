"""Equal keys get equal labels, in one pass over a hash table.

Idea. A search over generalisations groups the same records thousands of times by integer keys;
sorting them each time costs n log n. An open table of at least twice as many places holds the
position of the first record with each key.

Invariant. Labels are 0, 1, ... in the order in which keys first occur, and ``first[l]`` is the
position of the first record with label l.
"""

from __future__ import annotations

import numpy as np

from tacit.kernels.arrays import Ints
from tacit.kernels.compiler import njit

SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio: multiplied by it, neighbouring keys fall far apart (Knuth)."""


@njit(cache=True, nogil=True)
def group(keys: Ints) -> tuple[Ints, Ints]:
    """The label of each key, and the first position of each label."""
    n = keys.shape[0]
    bits = 4
    while (1 << bits) < 2 * n:
        bits += 1
    places = 1 << bits
    shift = np.uint64(64 - bits)
    table = np.full(places, -1, dtype=np.int64)
    labels = np.empty(n, dtype=np.int64)
    first = np.empty(n, dtype=np.int64)
    count = 0
    for i in range(n):
        key = keys[i]
        place = np.int64((np.uint64(key) * SPREAD) >> shift)
        while True:
            label = table[place]
            if label < 0:
                table[place] = count
                first[count] = i
                labels[i] = count
                count += 1
                break
            if keys[first[label]] == key:
                labels[i] = label
                break
            place = (place + 1) & (places - 1)
    return labels, first[:count].copy()
