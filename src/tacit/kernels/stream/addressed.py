"""Random numbers by address: the number for (key, record, column, attempt) needs no state.

bits = SipHash-2-4 (Aumasson and Bernstein 2012) of the 16 bytes (record, column * 2^32 + attempt)
under a key of 128 bits. SipHash is a keyed pseudo-random function: whoever knows the noise of some
records learns neither the key nor the noise of another record (an invertible mixer, which was here
before, gave its whole key away for two known numbers). A filter that draws by address gives the
same bytes one record at a time, in a batch, after a restart, and on any number of threads.
Differentially private filters take their noise from the operating system instead.

The normal is the ziggurat of Marsaglia and Tsang (2000) with 256 layers, in the arrangement of
Doornik (2005). Invariant: every draw of a record and column reads attempts 0, 1, 2, ... of its own
address, and no two draws share one.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tacit.kernels.arrays import Floats
from tacit.kernels.compiler import njit

Word: TypeAlias = np.uint64
RowKey: TypeAlias = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
"""The four words of SipHash's state."""

# the initial state of SipHash, from its definition ("somepseudorandomlygeneratedbytes")
_V0 = np.uint64(0x736F6D6570736575)
_V1 = np.uint64(0x646F72616E646F6D)
_V2 = np.uint64(0x6C7967656E657261)
_V3 = np.uint64(0x7465646279746573)
# the last word of the message holds its length, 16 bytes; the mark of the last rounds
_LENGTH = np.uint64(16 << 56)
_LAST = np.uint64(0xFF)
# rotations of a round; numba needs them as words, or the shifts become floating point
_13 = np.uint64(13)
_16 = np.uint64(16)
_17 = np.uint64(17)
_21 = np.uint64(21)
_32 = np.uint64(32)
_64 = np.uint64(64)
# how a word is cut for the ziggurat: 8 bits layer, 1 bit sign, 52 bits magnitude
_R9 = np.uint64(9)
_R8 = np.uint64(8)
_ONE = np.uint64(1)
_LOW8 = np.uint64(0xFF)
_LOW52 = np.uint64((1 << 52) - 1)
# where the ziggurat's tail begins and the area of each layer, for 256 layers
_TAIL = 3.6541528853610088
_AREA = 0.00492867323399
# a float has 53 bits: the upper ones of a word
_R11 = np.uint64(11)
_UNIT = 2.0**-53


def _tables() -> tuple[NDArray[np.uint64], Floats, Floats]:
    """Thresholds, widths and heights of the 256 layers."""
    threshold = np.zeros(256, dtype=np.uint64)
    width = np.zeros(256)
    height = np.ones(256)
    scale = 2.0**52
    edge = previous = _TAIL
    base = _AREA / math.exp(-0.5 * edge * edge)
    # the lowest layer is a box and the tail beside it
    threshold[0] = np.uint64(int(edge / base * scale))
    width[0] = base / scale
    width[255] = edge / scale
    height[255] = math.exp(-0.5 * edge * edge)
    # each layer begins where the box below it ends, so that all have the same area
    for i in range(254, 0, -1):
        density = _AREA / edge + math.exp(-0.5 * edge * edge)
        edge = math.sqrt(-2.0 * math.log(density))
        threshold[i + 1] = np.uint64(int(edge / previous * scale))
        previous = edge
        height[i] = math.exp(-0.5 * edge * edge)
        width[i] = edge / scale
    return threshold, width, height


THRESHOLD, WIDTH, HEIGHT = _tables()


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _rotate(word: Word, by: Word) -> Word:
    """The bits of a word moved to the left; those that fall off come in on the right."""
    rotated: Word = (word << by) | (word >> (_64 - by))
    return rotated


@njit(cache=True, nogil=True, error_model="numpy")
def _round(
    a: Word,
    b: Word,
    c: Word,
    d: Word,
) -> RowKey:
    """SipRound."""
    a += b
    b = _rotate(b, _13) ^ a
    a = _rotate(a, _32)
    c += d
    d = _rotate(d, _16) ^ c
    a += d
    d = _rotate(d, _21) ^ a
    c += b
    b = _rotate(b, _17) ^ c
    c = _rotate(c, _32)
    return a, b, c, d


@njit(cache=True, nogil=True, error_model="numpy")
def _absorb(state: RowKey, word: Word) -> RowKey:
    """Take 8 bytes of the message in: two rounds."""
    a, b, c, d = state
    a, b, c, d = _round(a, b, c, d ^ word)
    a, b, c, d = _round(a, b, c, d)
    return a ^ word, b, c, d


@njit(cache=True, nogil=True, error_model="numpy")
def row_key(key0: Word, key1: Word, record: int) -> RowKey:
    """First half of the address: the state of SipHash after the key and the record's number."""
    start = (key0 ^ _V0, key1 ^ _V1, key0 ^ _V2, key1 ^ _V3)
    key: RowKey = _absorb(start, np.uint64(record))
    return key


@njit(cache=True, nogil=True, error_model="numpy")
def bits(row: RowKey, column: int, attempt: int) -> Word:
    """64 bits for this record, column and attempt."""
    address = (np.uint64(column) << _32) | np.uint64(attempt)
    a, b, c, d = _absorb(_absorb(row, address), _LENGTH)
    c ^= _LAST
    # SipHash-2-4: two rounds per word of the message, four at the end
    for _ in range(4):
        a, b, c, d = _round(a, b, c, d)
    word: Word = a ^ b ^ c ^ d
    return word


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def uniform(word: Word) -> float:
    """A float in (0, 1): never 0, so that its logarithm exists."""
    return (np.float64(word >> _R11) + 0.5) * _UNIT


@njit(cache=True, nogil=True, error_model="numpy")
def _normal_rare(row: RowKey, column: int, word: Word) -> float:
    """The rest of the ziggurat: taken about once in a hundred draws."""
    attempt = 0
    while True:
        layer = np.int64(word & _LOW8)
        magnitude = (word >> _R9) & _LOW52
        x: float = np.float64(magnitude) * WIDTH[layer]
        positive = ((word >> _R8) & _ONE) == _ONE
        if magnitude < THRESHOLD[layer]:
            return x if positive else -x
        if layer == 0:
            # the tail: exponential draws until one is below the normal density
            while True:
                attempt += 2
                u = uniform(bits(row, column, attempt))
                v = uniform(bits(row, column, attempt + 1))
                beyond = -math.log(u) / _TAIL
                if -2.0 * math.log(v) > beyond * beyond:
                    x = _TAIL + beyond
                    return x if positive else -x
        # the edge of a layer: a point in its box, taken if it lies below the density
        attempt += 2
        u = uniform(bits(row, column, attempt))
        bottom = HEIGHT[layer]
        height = (HEIGHT[layer - 1] - bottom) * u + bottom
        if height < math.exp(-0.5 * x * x):
            return x if positive else -x
        attempt += 2
        word = bits(row, column, attempt)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def normal(row: RowKey, column: int) -> float:
    """A standard normal number for this record and column."""
    # most words fall inside a layer and need no second look
    word = bits(row, column, 0)
    layer = np.int64(word & _LOW8)
    magnitude = (word >> _R9) & _LOW52
    if magnitude < THRESHOLD[layer]:
        x: float = np.float64(magnitude) * WIDTH[layer]
        return x if (word >> _R8) & _ONE else -x
    rare: float = _normal_rare(row, column, word)
    return rare


@njit(cache=True, nogil=True, error_model="numpy")
def fill(
    key0: Word,
    key1: Word,
    first: int,
    kind: int,
    out: Floats,
) -> None:
    """Table of draws, for tests: kind 0 uniform, 1 normal; out[i, j] is of record first + i."""
    for i in range(out.shape[0]):
        row = row_key(key0, key1, first + i)
        for j in range(out.shape[1]):
            if kind == 0:
                out[i, j] = uniform(bits(row, j, 0))
            else:
                out[i, j] = normal(row, j)
