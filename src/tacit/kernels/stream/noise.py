"""Noise on a stream: running moments by Welford's recurrence, with forgetting, and the noise itself.

With forgetting factor f (1 = none), weight w, mean m and sum of squares S of each column:
w <- f w + 1;  d = x - m;  m <- m + d / w;  S <- f S + d (x - m);  variance = S / (w - 1).
`moments` has four rows: w, m, S and the largest category code seen. Missing values (NaN) are skipped and stay.

State of `additive`: `ints` = head (names below), kinds (d); `floats` = forget, amount, flip, moments (4, d), and the
first records, held (warm, d) until there is a variance worth the name.
"""

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .stream_random import bits, normal, row_key, uniform

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CONTINUOUS, ORDINAL, NOMINAL = 0, 1, 2
BLOCK = 64  # records whose deviations are kept at a time: they stay in the nearest cache
HELD, COLUMNS, ARRIVAL, WARM, KEY0, KEY1 = range(6)
FIRST = 6


def state(
    amount: float, flip: float, forget: float, warm: int, kinds: Ints, keys: NDArray[np.uint64]
) -> tuple[Floats, Ints]:
    """Fresh (floats, ints) of `additive` and `multiplicative`."""
    d = len(kinds)
    ints = np.zeros(FIRST + d, dtype=np.int64)
    ints[[COLUMNS, WARM]] = d, warm
    ints[[KEY0, KEY1]] = keys.view(np.int64)
    ints[FIRST:] = kinds
    floats = np.zeros(3 + 4 * d + warm * d)
    floats[:3] = forget, amount, flip
    return floats, ints


@njit(cache=True, nogil=True, error_model="numpy")
def _step(
    values: Floats, start: int, stop: int, learn: bool, moments: Floats, forget: float, amount: float, deviation: Floats
) -> None:
    """Rows start..stop into the moments; deviation[i - start] = amount * sd as it stood after row i.

    One plain loop over columns without branches, so that it is vectorised.
    """
    weight, mean, square, top = moments[0], moments[1], moments[2], moments[3]
    for i in range(start, stop):
        for j in range(values.shape[1]):
            x = values[i, j]
            seen = learn and x == x
            w = forget * weight[j] + 1.0
            delta = x - mean[j]
            m = mean[j] + delta / w
            s = forget * square[j] + delta * (x - m)
            w = w if seen else weight[j]
            s = s if seen else square[j]
            weight[j] = w
            mean[j] = m if seen else mean[j]
            square[j] = s
            top[j] = x if x > top[j] else top[j]
            # 0 / 0 before the second value: NaN, so that nothing raw leaves
            deviation[i - start, j] = amount * math.sqrt(s / (w - 1.0))


@njit(cache=True, nogil=True, error_model="numpy")
def observe(values: Floats, moments: Floats, forget: float) -> None:
    """Update the moments with every row; nothing is emitted."""
    room = np.empty((min(BLOCK, values.shape[0]), values.shape[1]))
    for start in range(0, values.shape[0], BLOCK):
        _step(values, start, min(start + BLOCK, values.shape[0]), True, moments, forget, 1.0, room)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def variance(moments: Floats, j: int) -> float:
    """Running variance of a column; 0 before the second value."""
    return moments[2, j] / (moments[0, j] - 1.0) if moments[0, j] > 1.0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _redraw(x: float, row: Any, key1: Any, j: int, flip: float, top: float) -> Any:
    if x == x and uniform(bits(row, key1, j, 0)) < flip:
        return math.floor(uniform(bits(row, key1, j, 1)) * (top + 1.0))
    return x


@njit(cache=True, nogil=True, error_model="numpy")
def disturb(
    values: Floats,
    first: int,
    learn: bool,
    moments: Floats,
    forget: float,
    amount: float,
    flip: float,
    kinds: Ints,
    key0: Any,
    key1: Any,
    out: Floats,
) -> None:
    """x' = x + amount * sd * N(0, 1), the sd including the record itself; a category is redrawn
    with probability `flip` among those seen. `learn` False: the moments stay as they are.
    """
    n, d = values.shape
    deviation = np.empty((min(BLOCK, n), d))
    nominal = np.any(kinds == NOMINAL)
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        _step(values, start, stop, learn, moments, forget, amount, deviation)
        for i in range(start, stop):
            row = row_key(key0, first + i)
            for j in range(d):
                out[i, j] = values[i, j] + deviation[i - start, j] * normal(row, key1, j)
            if nominal:
                for j in range(d):
                    if kinds[j] == NOMINAL:
                        out[i, j] = _redraw(values[i, j], row, key1, j, flip, moments[3, j])


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def label(meta: Ints, start: int, stop: int, first: int, lag: int) -> None:
    """meta of records that leave one by one: arrival, delay, no group, size 1."""
    for e in range(start, stop):
        meta[e, 0], meta[e, 1], meta[e, 2], meta[e, 3] = first + e - start, lag, -1, 1


@njit(cache=True, nogil=True, error_model="numpy")
def additive(values: Floats, last: bool, floats: Floats, ints: Ints, out: Floats, meta: Ints) -> tuple[int, int]:
    """Noise addition; the first `warm` records wait for each other and leave together.

    Returns (emitted, withheld): a stream of one record has no variance and is withheld.
    """
    d, warm = ints[COLUMNS], ints[WARM]
    kinds, key0, key1 = ints[FIRST:], np.uint64(ints[KEY0]), np.uint64(ints[KEY1])
    forget, amount, flip = floats[0], floats[1], floats[2]
    moments, held = floats[3 : 3 + 4 * d].reshape(4, d), floats[3 + 4 * d :].reshape(warm, d)
    n = values.shape[0]
    took = emitted = 0
    while took < n and ints[ARRIVAL] < warm:
        held[ints[HELD]] = values[took]
        observe(values[took : took + 1], moments, forget)
        ints[HELD] += 1
        ints[ARRIVAL] += 1
        took += 1
    waiting = ints[HELD]
    if waiting > 0 and (last or waiting == warm):
        ints[HELD] = 0
        first = ints[ARRIVAL] - waiting
        if ints[ARRIVAL] < 2:
            return 0, waiting
        disturb(held[:waiting], first, False, moments, forget, amount, flip, kinds, key0, key1, out)
        for e in range(waiting):
            meta[e, 0], meta[e, 1], meta[e, 2], meta[e, 3] = first + e, waiting - 1 - e, -1, 1
        emitted = waiting
    if took < n:
        disturb(values[took:], ints[ARRIVAL], True, moments, forget, amount, flip, kinds, key0, key1, out[emitted:])
        label(meta, emitted, emitted + n - took, ints[ARRIVAL], 0)
        emitted += n - took
        ints[ARRIVAL] += n - took
    return emitted, 0


@njit(cache=True, nogil=True, error_model="numpy")
def multiplicative(values: Floats, last: bool, floats: Floats, ints: Ints, out: Floats, meta: Ints) -> tuple[int, int]:
    """x' = x (1 + amount * N(0, 1)) on continuous columns; others pass."""
    n, d = values.shape
    kinds, key0, key1 = ints[FIRST:], np.uint64(ints[KEY0]), np.uint64(ints[KEY1])
    amount = floats[1]
    for i in range(n):
        row = row_key(key0, ints[ARRIVAL] + i)
        for j in range(d):
            x = values[i, j]
            out[i, j] = x * (1.0 + amount * normal(row, key1, j)) if kinds[j] == CONTINUOUS else x
    label(meta, 0, n, ints[ARRIVAL], 0)
    ints[ARRIVAL] += n
    return n, 0
