"""Filters that look at one value at a time: PRAM, rounding, top and bottom coding.

One signature for all, that of every filter's step. A draw depends on the key and the address
(arrival number, column) only, so it does not matter how the stream is cut into calls.

State: `ints` = head (names below), kinds (d); `floats` = two parameters for each column (2, d).
"""

import math

import numpy as np
from numpy.typing import NDArray

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit
from tacit.kernels.stream.addressed import bits, row_key, uniform
from tacit.kernels.stream.noise import NOMINAL, label

# places in the head of the state's integers
COLUMNS, RANDOM, ARRIVAL, KEY0, KEY1 = range(5)
FIRST = 5


def state(
    kinds: Ints,
    keys: NDArray[np.uint64],
    first: float | Floats,
    second: float | Floats,
    random: int = 0,
) -> tuple[Floats, Ints]:
    """Fresh (floats, ints); what the two parameters are, each kernel says."""
    d = len(kinds)
    ints = np.zeros(FIRST + d, dtype=np.int64)
    ints[[COLUMNS, RANDOM]] = d, random
    ints[[KEY0, KEY1]] = keys.view(np.int64)
    ints[FIRST:] = kinds
    floats = np.empty((2, d))
    floats[0] = first
    floats[1] = second
    return floats.ravel(), ints


@njit(cache=True, nogil=True, error_model="numpy")
def pram(
    values: Floats,
    last: bool,
    floats: Floats,
    ints: Ints,
    out: Floats,
    meta: Ints,
) -> tuple[int, int]:
    """Nominal columns: a category stays with probability first[j], else another is drawn.

    There are second[j] categories; the others are numbered without the own one, which is skipped.
    """
    n, d = values.shape
    diagonal = floats[:d]
    count = floats[d:]
    key0 = np.uint64(ints[KEY0])
    key1 = np.uint64(ints[KEY1])
    for i in range(n):
        row = row_key(key0, key1, ints[ARRIVAL] + i)
        for j in range(d):
            x = values[i, j]
            # NaN (missing) differs from itself
            out[i, j] = x
            if ints[FIRST + j] != NOMINAL or x != x:
                continue
            if uniform(bits(row, j, 0)) >= diagonal[j]:
                other = math.floor(uniform(bits(row, j, 1)) * (count[j] - 1.0))
                out[i, j] = other + 1.0 if other >= x else other
    label(meta, 0, n, ints[ARRIVAL], 0)
    ints[ARRIVAL] += n
    return n, 0


@njit(cache=True, nogil=True, error_model="numpy")
def rounding(
    values: Floats,
    last: bool,
    floats: Floats,
    ints: Ints,
    out: Floats,
    meta: Ints,
) -> tuple[int, int]:
    """To multiples of first[j]: the nearest, or up with the probability that keeps the mean."""
    n, d = values.shape
    key0 = np.uint64(ints[KEY0])
    key1 = np.uint64(ints[KEY1])
    for i in range(n):
        row = row_key(key0, key1, ints[ARRIVAL] + i)
        for j in range(d):
            if ints[FIRST + j] == NOMINAL:
                out[i, j] = values[i, j]
                continue
            units = values[i, j] / floats[j]
            shift = uniform(bits(row, j, 0)) if ints[RANDOM] == 1 else 0.5
            out[i, j] = np.nan
            if units == units:
                out[i, j] = np.floor(units + shift) * floats[j]
    label(meta, 0, n, ints[ARRIVAL], 0)
    ints[ARRIVAL] += n
    return n, 0


@njit(cache=True, nogil=True, error_model="numpy")
def coding(
    values: Floats,
    last: bool,
    floats: Floats,
    ints: Ints,
    out: Floats,
    meta: Ints,
) -> tuple[int, int]:
    """Values below first[j] become first[j], values above second[j] become second[j]."""
    n, d = values.shape
    low = floats[:d]
    high = floats[d:]
    for i in range(n):
        for j in range(d):
            x = values[i, j]
            untouched = x != x or ints[FIRST + j] == NOMINAL
            out[i, j] = x if untouched else min(max(x, low[j]), high[j])
    label(meta, 0, n, ints[ARRIVAL], 0)
    ints[ARRIVAL] += n
    return n, 0
