"""Random numbers by address: the number for (key, record, column, attempt) needs no state.

bits = mix(mix(key0 + GOLD (record + 1)) XOR (key1 + LANE (column + 1) + STEP attempt)), where mix is the
finaliser of SplitMix64 (Steele, Lea and Flood 2014). A filter that draws by address gives the same bytes one
record at a time, in a batch, after a restart, and on any number of threads. It is a statistical generator, not
a cryptographic one: differentially private filters take their noise from elsewhere.

The normal is the ziggurat of Marsaglia and Tsang (2000) with 256 layers, in the arrangement of Doornik (2005).
"""

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GOLD = np.uint64(0x9E3779B97F4A7C15)
LANE = np.uint64(0xD1342543DE82EF95)
STEP = np.uint64(0xAEF17502108EF2D9)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_R30, _R27, _R31 = np.uint64(30), np.uint64(27), np.uint64(31)
_R11, _R9, _R8 = np.uint64(11), np.uint64(9), np.uint64(8)
_ONE, _LOW8, _LOW52 = np.uint64(1), np.uint64(0xFF), np.uint64((1 << 52) - 1)
_TAIL = 3.6541528853610088  # where the ziggurat's tail begins, for 256 layers
_AREA = 0.00492867323399  # area of each layer
_UNIT = 2.0**-53


def _tables() -> tuple[NDArray[np.uint64], Floats, Floats]:
    """Thresholds, widths and heights of the 256 layers."""
    threshold = np.zeros(256, dtype=np.uint64)
    width = np.zeros(256)
    height = np.ones(256)
    scale = 2.0**52
    edge = previous = _TAIL
    base = _AREA / math.exp(-0.5 * edge * edge)
    threshold[0] = np.uint64(int(edge / base * scale))
    width[0], width[255] = base / scale, edge / scale
    height[255] = math.exp(-0.5 * edge * edge)
    for i in range(254, 0, -1):
        edge = math.sqrt(-2.0 * math.log(_AREA / edge + math.exp(-0.5 * edge * edge)))
        threshold[i + 1] = np.uint64(int(edge / previous * scale))
        previous = edge
        height[i] = math.exp(-0.5 * edge * edge)
        width[i] = edge / scale
    return threshold, width, height


THRESHOLD, WIDTH, HEIGHT = _tables()


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def mix(z: Any) -> Any:
    z = (z ^ (z >> _R30)) * _M1
    z = (z ^ (z >> _R27)) * _M2
    return z ^ (z >> _R31)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def row_key(key0: Any, record: int) -> Any:
    """First half of the address: one mix a record."""
    return mix(key0 + GOLD * (np.uint64(record) + _ONE))


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def bits(row: Any, key1: Any, column: int, attempt: int) -> Any:
    return mix(row ^ (key1 + LANE * (np.uint64(column) + _ONE) + STEP * np.uint64(attempt)))


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def uniform(word: Any) -> Any:
    """A float in (0, 1): never 0, so that its logarithm exists."""
    return (np.float64(word >> _R11) + 0.5) * _UNIT


@njit(cache=True, nogil=True, error_model="numpy")
def _normal_rare(row: Any, key1: Any, column: int, word: Any) -> Any:
    """The rest of the ziggurat: taken about once in a hundred draws."""
    attempt = 0
    while True:
        layer = np.int64(word & _LOW8)
        magnitude = (word >> _R9) & _LOW52
        x = np.float64(magnitude) * WIDTH[layer]
        positive = ((word >> _R8) & _ONE) == _ONE
        if magnitude < THRESHOLD[layer]:
            return x if positive else -x
        if layer == 0:
            while True:
                attempt += 2
                a = -math.log(uniform(bits(row, key1, column, attempt))) / _TAIL
                b = -math.log(uniform(bits(row, key1, column, attempt + 1)))
                if b + b > a * a:
                    return _TAIL + a if positive else -(_TAIL + a)
        attempt += 2
        u = uniform(bits(row, key1, column, attempt))
        if (HEIGHT[layer - 1] - HEIGHT[layer]) * u + HEIGHT[layer] < math.exp(-0.5 * x * x):
            return x if positive else -x
        attempt += 2
        word = bits(row, key1, column, attempt)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def normal(row: Any, key1: Any, column: int) -> Any:
    """A standard normal number for this record and column."""
    word = bits(row, key1, column, 0)
    layer = np.int64(word & _LOW8)
    magnitude = (word >> _R9) & _LOW52
    if magnitude < THRESHOLD[layer]:
        x = np.float64(magnitude) * WIDTH[layer]
        return x if (word >> _R8) & _ONE else -x
    return _normal_rare(row, key1, column, word)


@njit(cache=True, nogil=True, error_model="numpy")
def fill(key0: Any, key1: Any, first: int, kind: int, out: Floats) -> None:
    """Table of draws, for tests: kind 0 uniform, 1 normal; out[i, j] belongs to record first + i, column j."""
    for i in range(out.shape[0]):
        row = row_key(key0, first + i)
        for j in range(out.shape[1]):
            out[i, j] = uniform(bits(row, key1, j, 0)) if kind == 0 else normal(row, key1, j)
