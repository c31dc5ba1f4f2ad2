"""Noise on a stream: running moments by Welford's recurrence, with forgetting, and the noise
itself.

With forgetting factor f (1 = none), weight w, mean m and sum of squares S of each column: w <- f w
+ 1;  d = x - m;  m <- m + d / w;  S <- f S + d (x - m);  variance = S / (w - 1). `moments` has
four rows: w, m, S and the largest category code seen. Missing values (NaN) are skipped and stay.
Invariant: no value leaves with the deviation of a single one, which is zero.

State of `additive`: `ints` = head (names below), kinds (d); `floats` = forget, share (the noise's
sd over the column's), replace, moments (4, d), and the first records, held (warm, d) until there
is a variance worth the name.
"""

import math

import numpy as np
from numpy.typing import NDArray

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit
from tacit.kernels.stream.addressed import RowKey, Word, bits, normal, row_key, uniform

CONTINUOUS, ORDINAL, NOMINAL = 0, 1, 2
# records whose deviations are kept at a time: they stay in the nearest cache
BLOCK = 64
# places in the head of the state's integers
HELD, COLUMNS, ARRIVAL, WARM, KEY0, KEY1 = range(6)
FIRST = 6


def state(
    share: float,
    replace: float,
    forget: float,
    warm: int,
    kinds: Ints,
    keys: NDArray[np.uint64],
) -> tuple[Floats, Ints]:
    """Fresh (floats, ints) of `additive` and `multiplicative`."""
    d = len(kinds)
    ints = np.zeros(FIRST + d, dtype=np.int64)
    ints[[COLUMNS, WARM]] = d, warm
    ints[[KEY0, KEY1]] = keys.view(np.int64)
    ints[FIRST:] = kinds
    floats = np.zeros(3 + 4 * d + warm * d)
    floats[:3] = forget, share, replace
    return floats, ints


@njit(cache=True, nogil=True, error_model="numpy")
def _step(
    values: Floats,
    start: int,
    stop: int,
    learn: bool,
    moments: Floats,
    forget: float,
    share: float,
    deviation: Floats,
) -> None:
    """Rows start..stop into the moments; deviation[i - start] = share * sd as it stood after row i.

    One plain loop over columns without branches, so that it is vectorised.
    """
    weight = moments[0]
    mean = moments[1]
    square = moments[2]
    top = moments[3]
    for i in range(start, stop):
        for j in range(values.shape[1]):
            x = values[i, j]
            # a missing value (NaN) teaches nothing
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
            # NaN is above nothing
            top[j] = x if x > top[j] else top[j]
            # 0 / 0 before the second value: NaN, so that nothing raw leaves
            sd = math.sqrt(s / (w - 1.0))
            deviation[i - start, j] = share * sd


@njit(cache=True, nogil=True, error_model="numpy")
def observe(values: Floats, moments: Floats, forget: float) -> None:
    """Update the moments with every row; nothing is emitted."""
    n, d = values.shape
    room = np.empty((min(BLOCK, n), d))
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        _step(
            values,
            start,
            stop,
            True,
            moments,
            forget,
            1.0,
            room,
        )


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def variance(moments: Floats, j: int) -> float:
    """Running variance of a column; 0 before the second value."""
    weight = moments[0, j]
    return moments[2, j] / (weight - 1.0) if weight > 1.0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _redraw(
    x: float,
    row: RowKey,
    j: int,
    replace: float,
    top: float,
) -> float:
    """A category, or with probability `replace` any of those seen."""
    if x == x and uniform(bits(row, j, 0)) < replace:
        u: float = uniform(bits(row, j, 1))
        return math.floor(u * (top + 1.0))
    return x


@njit(cache=True, nogil=True, error_model="numpy")
def disturb(
    values: Floats,
    first: int,
    learn: bool,
    moments: Floats,
    forget: float,
    share: float,
    replace: float,
    kinds: Ints,
    key0: Word,
    key1: Word,
    out: Floats,
) -> None:
    """x' = x + share * sd * N(0, 1), the sd including the record itself.

    A category is redrawn with probability `replace` among those seen. `learn` False: the moments
    stay as they are.
    """
    n, d = values.shape
    deviation = np.empty((min(BLOCK, n), d))
    # asked once, so that streams of numbers skip the second loop
    nominal = np.any(kinds == NOMINAL)
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        _step(
            values,
            start,
            stop,
            learn,
            moments,
            forget,
            share,
            deviation,
        )
        for i in range(start, stop):
            row = row_key(key0, key1, first + i)
            for j in range(d):
                noise = deviation[i - start, j] * normal(row, j)
                out[i, j] = values[i, j] + noise
            if nominal:
                for j in range(d):
                    if kinds[j] == NOMINAL:
                        out[i, j] = _redraw(
                            values[i, j], row, j, replace, moments[3, j]
                        )


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def label(
    meta: Ints,
    start: int,
    stop: int,
    first: int,
    lag: int,
) -> None:
    """meta of records that leave one by one: arrival, delay, no group, size 1."""
    for e in range(start, stop):
        meta[e, 0] = first + e - start
        meta[e, 1] = lag
        meta[e, 2] = -1
        meta[e, 3] = 1


@njit(cache=True, nogil=True, error_model="numpy")
def additive(
    values: Floats,
    last: bool,
    floats: Floats,
    ints: Ints,
    out: Floats,
    meta: Ints,
) -> tuple[int, int]:
    """Noise addition; the first `warm` records wait for each other and leave together.

    Returns (emitted, withheld): a stream of one record has no variance and is withheld.
    """
    d = ints[COLUMNS]
    warm = ints[WARM]
    kinds = ints[FIRST:]
    key0 = np.uint64(ints[KEY0])
    key1 = np.uint64(ints[KEY1])
    forget = floats[0]
    share = floats[1]
    replace = floats[2]
    moments = floats[3 : 3 + 4 * d].reshape(4, d)
    held = floats[3 + 4 * d :].reshape(warm, d)
    n = values.shape[0]
    took = emitted = 0
    # the warm-up: records wait, and the moments learn from them
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
        # a single record has no variance and would leave raw
        if ints[ARRIVAL] < 2:
            return 0, waiting
        disturb(
            held[:waiting],
            first,
            False,
            moments,
            forget,
            share,
            replace,
            kinds,
            key0,
            key1,
            out,
        )
        label(meta, 0, waiting, first, 0)
        for e in range(waiting):
            meta[e, 1] = waiting - 1 - e
        emitted = waiting
    # after the warm-up every record leaves at once
    if took < n:
        disturb(
            values[took:],
            ints[ARRIVAL],
            True,
            moments,
            forget,
            share,
            replace,
            kinds,
            key0,
            key1,
            out[emitted:],
        )
        label(meta, emitted, emitted + n - took, ints[ARRIVAL], 0)
        emitted += n - took
        ints[ARRIVAL] += n - took
    return emitted, 0


@njit(cache=True, nogil=True, error_model="numpy")
def multiplicative(
    values: Floats,
    last: bool,
    floats: Floats,
    ints: Ints,
    out: Floats,
    meta: Ints,
) -> tuple[int, int]:
    """x' = x (1 + share * N(0, 1)) on continuous columns; others pass."""
    n, d = values.shape
    kinds = ints[FIRST:]
    key0 = np.uint64(ints[KEY0])
    key1 = np.uint64(ints[KEY1])
    share = floats[1]
    for i in range(n):
        row = row_key(key0, key1, ints[ARRIVAL] + i)
        for j in range(d):
            x = values[i, j]
            out[i, j] = x
            if kinds[j] == CONTINUOUS:
                factor = 1.0 + share * normal(row, j)
                out[i, j] = x * factor
    label(meta, 0, n, ints[ARRIVAL], 0)
    ints[ARRIVAL] += n
    return n, 0
