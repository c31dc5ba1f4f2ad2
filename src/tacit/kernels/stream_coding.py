"""Filters that look at one value at a time: PRAM, rounding, top and bottom coding. One signature for all.

State: `ints` = head (names below), kinds (d); `floats` = two parameters for each column (2, d).
"""

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .stream_noise import NOMINAL, label
from .stream_random import bits, row_key, uniform

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

COLUMNS, RANDOM, ARRIVAL, KEY0, KEY1 = range(5)
FIRST = 5


def state(kinds: Ints, keys: NDArray[np.uint64], first: Any, second: Any, random: int = 0) -> tuple[Floats, Ints]:
    """Fresh (floats, ints); what the two parameters are, each kernel says."""
    d = len(kinds)
    ints = np.zeros(FIRST + d, dtype=np.int64)
    ints[[COLUMNS, RANDOM]] = d, random
    ints[[KEY0, KEY1]] = keys.view(np.int64)
    ints[FIRST:] = kinds
    return np.concatenate([np.broadcast_to(first, d), np.broadcast_to(second, d)]).astype(np.float64), ints


@njit(cache=True, nogil=True, error_model="numpy")
def pram(values: Floats, last: bool, floats: Floats, ints: Ints, out: Floats, meta: Ints) -> tuple[int, int]:
    """Nominal columns: a category is kept with probability first[j], else one of the second[j] others is drawn."""
    n, d = values.shape
    keep, count = floats[:d], floats[d:]
    key0, key1 = np.uint64(ints[KEY0]), np.uint64(ints[KEY1])
    for i in range(n):
        row = row_key(key0, ints[ARRIVAL] + i)
        for j in range(d):
            x = values[i, j]
            if ints[FIRST + j] == NOMINAL and x == x and uniform(bits(row, key1, j, 0)) >= keep[j]:
                other = math.floor(uniform(bits(row, key1, j, 1)) * (count[j] - 1.0))
                x = other + 1.0 if other >= x else other
            out[i, j] = x
    label(meta, 0, n, ints[ARRIVAL], 0)
    ints[ARRIVAL] += n
    return n, 0


@njit(cache=True, nogil=True, error_model="numpy")
def rounding(values: Floats, last: bool, floats: Floats, ints: Ints, out: Floats, meta: Ints) -> tuple[int, int]:
    """To multiples of first[j]: the nearest, or (random) up with the probability that keeps the mean."""
    n, d = values.shape
    key0, key1 = np.uint64(ints[KEY0]), np.uint64(ints[KEY1])
    for i in range(n):
        row = row_key(key0, ints[ARRIVAL] + i)
        for j in range(d):
            units = values[i, j] / floats[j]
            if ints[FIRST + j] == NOMINAL:
                out[i, j] = values[i, j]
                continue
            shift = uniform(bits(row, key1, j, 0)) if ints[RANDOM] == 1 else 0.5
            out[i, j] = np.floor(units + shift) * floats[j] if units == units else np.nan
    label(meta, 0, n, ints[ARRIVAL], 0)
    ints[ARRIVAL] += n
    return n, 0


@njit(cache=True, nogil=True, error_model="numpy")
def coding(values: Floats, last: bool, floats: Floats, ints: Ints, out: Floats, meta: Ints) -> tuple[int, int]:
    """Values below first[j] become first[j], values above second[j] become second[j]."""
    n, d = values.shape
    for i in range(n):
        for j in range(d):
            x = values[i, j]
            out[i, j] = x if x != x or ints[FIRST + j] == NOMINAL else min(max(x, floats[j]), floats[d + j])
    label(meta, 0, n, ints[ARRIVAL], 0)
    ints[ARRIVAL] += n
    return n, 0
