"""The very streams of Martinez Rodriguez (2015): RandomRBF and Waveform as MOA 2014 draws them.

The thesis runs both generators with their default seeds (1), and java.util.Random is documented, so
its 100,000 records can be drawn again. That these are the records is shown by the tables whose
filter draws nothing: groups in order of arrival lose 89953.68 (RandomRBF, k = 5) and 4057649.13
(Waveform, k = 5) on them, to the last printed digit, and so for every k (tests/reproduce).

Definitions, with u and g the next uniform and the next normal number:

* RandomRBF: the centre is chosen by weight with u; the direction is 2u - 1 in each column, scaled
  to length g times the centre's deviation.
* Waveform: class by a whole number below 3, share by u, then share * one wave + (1 - share) * the
  other + g in each column.
"""

from __future__ import annotations

import math

import numpy as np

from tacit.base.errors import ParameterError
from tacit.base.typing import Floats, Ints
from tacit.data.datasets.rbf import JavaRandom, RandomRBF
from tacit.data.datasets.waveform import WAVES
from tacit.kernels.compiler import njit

# The default of MOA's options modelRandomSeed and instanceRandomSeed.
SEED = 1


def published_stream(generator: str, n: int, seed: int = SEED) -> Floats:
    """The first n records of a generator of MOA, without the class.

    Parameters
    ----------
    generator : {"rbf", "waveform"}
        Which generator.
    n : int
        Number of records.
    seed : int
        MOA's instanceRandomSeed.
    """
    # the constructor of java.util.Random scrambles its seed
    state = np.array([JavaRandom(seed).state], dtype=np.int64)
    spare = np.array([math.nan])
    if generator == "rbf":
        model = RandomRBF()
        out = np.empty((n, model.centres.shape[1]))
        _rbf(state, spare, model.centres, model.deviations, model.weights, out)
    elif generator == "waveform":
        out = np.empty((n, WAVES.shape[1]))
        _waveform(state, spare, WAVES, out)
    else:
        raise ParameterError(f"generator '{generator}' is not known; use rbf, waveform")
    return out


@njit(cache=True, nogil=True)
def _bits(state: Ints, number: int) -> int:
    """The highest bits of the next state of 48 bits; the constants are of java.util.Random."""
    # int64 wraps, and the mask keeps the 48 bits that do not depend on what was lost
    state[0] = (state[0] * 0x5DEECE66D + 0xB) & 0xFFFFFFFFFFFF
    return int(state[0] >> (48 - number))


@njit(cache=True, nogil=True)
def uniform(state: Ints) -> float:
    """nextDouble: 53 bits of two steps."""
    high = _bits(state, 26) << 27
    return float((high + _bits(state, 27)) * 2.0**-53)


@njit(cache=True, nogil=True)
def _normal(state: Ints, spare: Floats) -> float:
    """nextGaussian: the polar method of Marsaglia, which makes two; ``spare`` keeps the second."""
    if not math.isnan(spare[0]):
        kept = spare[0]
        spare[0] = math.nan
        return float(kept)
    while True:
        a = 2.0 * uniform(state) - 1.0
        b = 2.0 * uniform(state) - 1.0
        square = a * a + b * b
        if 0.0 < square < 1.0:
            factor = math.sqrt(-2.0 * math.log(square) / square)
            spare[0] = b * factor
            return float(a * factor)


@njit(cache=True, nogil=True)
def _below(state: Ints, bound: int) -> int:
    """nextInt for a bound that is no power of two."""
    while True:
        drawn = _bits(state, 31)
        value = drawn % bound
        # draws beyond the last full multiple of the bound would favour small values
        if drawn - value + bound - 1 < 1 << 31:
            return int(value)


@njit(cache=True, nogil=True)
def _rbf(
    state: Ints,
    spare: Floats,
    centre: Floats,
    deviation: Floats,
    weight: Floats,
    out: Floats,
) -> None:
    """Fill ``out`` with points around centres."""
    n, d = out.shape
    total = 0.0
    for w in weight:
        total += w
    for t in range(n):
        value = uniform(state) * total
        which, reached = -1, 0.0
        while reached <= value and which + 1 < len(weight):
            which += 1
            reached += weight[which]
        square = 0.0
        for j in range(d):
            out[t, j] = 2.0 * uniform(state) - 1.0
            square += out[t, j] * out[t, j]
        length = _normal(state, spare) * deviation[which]
        scale = length / math.sqrt(square)
        for j in range(d):
            out[t, j] = centre[which, j] + out[t, j] * scale


@njit(cache=True, nogil=True)
def _waveform(
    state: Ints,
    spare: Floats,
    waves: Floats,
    out: Floats,
) -> None:
    """Fill ``out`` with mixtures of two waves."""
    for t in range(out.shape[0]):
        label = _below(state, 3)
        # class 0 mixes waves 0 and 1, class 1 mixes 0 and 2, class 2 mixes 1 and 2
        one = 1 if label == 2 else 0
        other = 1 if label == 0 else 2
        share = uniform(state)
        for j in range(out.shape[1]):
            mixed = share * waves[one, j] + (1.0 - share) * waves[other, j]
            out[t, j] = mixed + _normal(state, spare)
