"""Noise on a stream: running moments by Welford's recurrence, with forgetting, and the noise itself.

With forgetting factor f (1 = none), weight w, mean m and sum of squares S of each column:
w <- f w + 1;  d = x - m;  m <- m + d / w;  S <- f S + d (x - m);  variance = S / (w - 1).
`moments` has four rows: w, m, S and the largest category code seen.
Missing values (NaN) are skipped by the moments and stay missing.
"""

import math

import numpy as np
from numba import njit

from .stream_random import bits, normal, row_key, uniform

CONTINUOUS, ORDINAL, NOMINAL = 0, 1, 2
ROWS = 4  # of `moments`
BLOCK = 64  # records whose deviations are kept at a time: they stay in the nearest cache


@njit(cache=True, nogil=True, error_model="numpy")
def _step(values, start, stop, learn, moments, forget, amount, deviation):
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
def observe(values, moments, forget):
    """Update the moments with every row; nothing is emitted."""
    room = np.empty((BLOCK, values.shape[1]))
    for start in range(0, values.shape[0], BLOCK):
        _step(values, start, min(start + BLOCK, values.shape[0]), True, moments, forget, 1.0, room)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def variance(moments, j):
    """Running variance of a column; 0 before the second value."""
    return moments[2, j] / (moments[0, j] - 1.0) if moments[0, j] > 1.0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _redraw(x, row, key1, j, flip, top):
    if x == x and uniform(bits(row, key1, j, 0)) < flip:
        return math.floor(uniform(bits(row, key1, j, 1)) * (top + 1.0))
    return x


@njit(cache=True, nogil=True, error_model="numpy")
def additive(values, first, learn, moments, forget, amount, flip, kinds, key0, key1, out):
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


@njit(cache=True, nogil=True, error_model="numpy")
def multiplicative(values, first, amount, kinds, key0, key1, out):
    """x' = x (1 + amount * N(0, 1)) on continuous columns."""
    for i in range(values.shape[0]):
        row = row_key(key0, first + i)
        for j in range(values.shape[1]):
            x = values[i, j]
            out[i, j] = x * (1.0 + amount * normal(row, key1, j)) if kinds[j] == CONTINUOUS else x
