"""PRAM, rounding and coding of one value at a time, against plain twins that take the same random
draws.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from stream.siphash import siphash
from tacit.kernels.stream import addressed as stream_random
from tacit.kernels.stream import coding as stream_coding
from tacit.kernels.stream.noise import NOMINAL

KEYS = np.array([11, 12], dtype=np.uint64)
FIRST_ROW = 7


def uniform(row: int, column: int, number: int) -> float:
    return float(
        stream_random.uniform(np.uint64(siphash(KEYS, FIRST_ROW + row, column, number)))
    )


def run(kernel, values, kinds, first, second=0.0, random=0):
    floats, ints = stream_coding.state(
        np.array(kinds, dtype=np.int64), KEYS, first, second, random
    )
    ints[stream_coding.ARRIVAL] = FIRST_ROW
    out, meta = np.empty_like(values), np.empty((len(values), 4), dtype=np.int64)
    assert kernel(values, True, floats, ints, out, meta) == (len(values), 0)
    assert ints[stream_coding.ARRIVAL] == FIRST_ROW + len(values)
    return out


def twin(values, rule):
    out = values.copy()
    for i, j in np.argwhere(~np.isnan(values)):
        out[i, j] = rule(int(i), int(j), values[i, j])
    return out


@pytest.mark.parametrize("seed", range(4))
def test_pram(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, size=(200, 2)).astype(float)
    values[rng.random(values.shape) < 0.1] = np.nan

    def rule(i, j, x):
        if j == 1 or uniform(i, j, 0) < 0.6:  # column 1 holds numbers: untouched
            return x
        others = [c for c in range(4) if c != x]
        return others[math.floor(uniform(i, j, 1) * 3)]

    out = run(stream_coding.pram, values, [NOMINAL, 0], 0.6, 4)
    np.testing.assert_array_equal(out, twin(values, rule))


@pytest.mark.parametrize("random", [0, 1])
def test_rounding(random):
    values = np.random.default_rng(random).normal(0, 20, size=(200, 2))
    values[3, 1] = np.nan

    def rule(i, j, x):
        low = math.floor(x / 5)
        up = 1 - uniform(i, j, 0) <= x / 5 - low if random else x / 5 - low >= 0.5
        return 5.0 * (low + up)

    np.testing.assert_array_equal(
        run(stream_coding.rounding, values, [0, 0], 5.0, random=random),
        twin(values, rule),
    )


def test_coding():
    values = np.random.default_rng(0).normal(0, 2, size=(100, 3))
    values[5, 0] = np.nan
    out = run(stream_coding.coding, values, [0, 0, 0], -1.0, 1.5)
    np.testing.assert_array_equal(
        out, twin(values, lambda i, j, x: min(max(x, -1.0), 1.5))
    )
