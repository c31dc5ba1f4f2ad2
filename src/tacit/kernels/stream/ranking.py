"""Differentially private means of one tumbling window, by individual ranking on an integer grid.

Each column is clipped to its bounds and rounded to the grid q = 0..steps. Its values are sorted and
cut into groups of k neighbours in order (the last one takes the rest); only the sums of the groups
are used.

Sensitivity. Replace one record, moving its q from a to b. In sorted order the values between a and
b shift by one place, so the sum over places of |q_(i) - q'_(i)| is |a - b| <= steps. The sizes of
the groups depend on n and k only, so the vector of all group sums of the column changes by at most
`steps` in L1 norm: discrete Laplace noise of scale steps / epsilon on each sum, drawn once, is
epsilon-DP for the whole vector. (On means: Delta / k for groups of k.)

Which record stood in which group is not released: that would give its rank away. The noisy means,
each repeated as often as its group has members, are handed out in an order drawn without looking at
the data, column by column.
"""

import math

import numpy as np

from tacit.kernels.arrays import Floats, Ints
from tacit.kernels.compiler import njit
from tacit.kernels.stream.addressed import bits, row_key, uniform


@njit(cache=True, nogil=True, error_model="numpy")
def group_sums(
    values: Floats,
    j: int,
    lower: float,
    width: float,
    steps: int,
    k: int,
    sorted_: Ints,
    sums: Ints,
) -> None:
    """Sums on the grid of the groups of column j; a missing value is in the middle."""
    n = values.shape[0]
    for i in range(n):
        x = values[i, j]
        if x != x:
            sorted_[i] = steps // 2
            continue
        # math.floor would be an integer, and overflow
        q = np.floor((x - lower) / width + 0.5)
        # clipped to the bounds: the proof needs them, whatever the data are
        q = min(max(q, 0.0), np.float64(steps))
        sorted_[i] = np.int64(q)
    sorted_.sort()
    # sizes depend on n and k only: the last group takes the rest
    groups = n // k
    for g in range(groups):
        end = (g + 1) * k if g + 1 < groups else n
        total = 0
        for i in range(g * k, end):
            total += sorted_[i]
        sums[g] = total


@njit(cache=True, nogil=True, error_model="numpy")
def release(
    values: Floats,
    lower: Floats,
    width: Floats,
    steps: int,
    k: int,
    noise: Ints,
    clamp: bool,
    number: int,
    key0: np.uint64,
    key1: np.uint64,
    out: Floats,
) -> None:
    """Fill `out` (n, d) for window `number`; noise (d, groups) is in grid units, for the sums."""
    n, d = values.shape
    groups = n // k
    sorted_ = np.empty(n, dtype=np.int64)
    sums = np.empty(groups, dtype=np.int64)
    means = np.empty(groups)
    # the window's number is the address of its shuffles
    row = row_key(key0, key1, number)
    for j in range(d):
        group_sums(
            values,
            j,
            lower[j],
            width[j],
            steps,
            k,
            sorted_,
            sums,
        )
        for g in range(groups):
            members = k if g + 1 < groups else n - k * (groups - 1)
            noisy = np.float64(sums[g]) + np.float64(noise[j, g])
            mean = noisy / members
            # after the noise: what is done to a private number costs no budget
            if clamp:
                mean = min(max(mean, 0.0), np.float64(steps))
            means[g] = lower[j] + width[j] * mean
        # in order of size for now
        for i in range(n):
            out[i, j] = means[min(i // k, groups - 1)]
        # Fisher-Yates shuffle: independent of the data, so it costs no budget
        for i in range(n - 1, 0, -1):
            u = uniform(bits(row, j, i))
            other = np.int64(u * (i + 1))
            swapped = out[i, j]
            out[i, j] = out[other, j]
            out[other, j] = swapped


@njit(cache=True, nogil=True, error_model="numpy")
def fast_laplace(
    scale: Floats,
    number: int,
    key0: np.uint64,
    key1: np.uint64,
    out: Ints,
) -> None:
    """Discrete Laplace by the difference of two geometric numbers, in floating point.

    Fast, and not safe: the set of reachable values may depend on the data in its last digits
    (Mironov 2012), and the generator is not cryptographic. For tests and measurements of speed.
    """
    row = row_key(key0, key1, number)
    for j in range(out.shape[0]):
        for g in range(out.shape[1]):
            u = uniform(bits(row, j, 2 * g))
            v = uniform(bits(row, j, 2 * g + 1))
            # an exponential number rounded down is a geometric one
            up = math.floor(-math.log(u) * scale[j])
            down = math.floor(-math.log(v) * scale[j])
            out[j, g] = np.int64(up - down)
