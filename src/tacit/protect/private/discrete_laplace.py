"""The discrete Laplace distribution, drawn exactly.

    P(X = x) = (1 - q) / (1 + q) * q^|x|,   q = exp(-1 / scale),   x an integer

Noise made from floating-point logarithms leaks: not every double can occur, and which ones can depends on
the value that is hidden (Mironov 2012). Here everything is an integer. The algorithm is that of Canonne,
Kamath and Steinke (2020), run on arrays: uniform integers by rejection of random words,
Bernoulli(exp(-u/t)) by
von Neumann's series, no floating-point number anywhere. A real value is first put on a grid by the caller;
`scale` is in grid units.
"""

from __future__ import annotations

import os
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.errors import ParameterError

Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

LARGEST_SCALE = 2.0**50  # t * (number of e-folds) must stay inside 63 bits
OPENDP_LIMIT = 20_000  # OpenDP draws one value at a time (about 9 us each); above this ours is used


def discrete_laplace(scale: float, size: int, rng: np.random.Generator | None = None) -> Integers:
    """Draw `size` integers from the discrete Laplace distribution with this scale (in grid units).

    With `rng` the random words come from that generator, so that a seed gives the same bytes again (for tests
    and for reproducible plans; the seed is then part of the secret). Without it they come from the operating
    system, or from OpenDP when that is installed and the array is small. A scale that cannot be held as a
    ratio of two 62-bit integers is rounded up, never down.

    >>> x = discrete_laplace(3.0, 4, np.random.default_rng(1))
    >>> x.dtype, x.shape
    (dtype('int64'), (4,))
    """
    if not 0 < scale <= LARGEST_SCALE:
        raise ParameterError(f"scale must be above 0 and at most 2**50 grid units, not {scale!r}: use a coarser grid")
    if rng is None and 0 < size <= OPENDP_LIMIT:
        drawn = _opendp(scale, size)
        if drawn is not None:
            return drawn
    numerator, denominator = _ratio(scale)
    return _sample(numerator, denominator, size, Bits(rng))


class Bits:
    """Uniform integers from 64-bit words of the system, or of a seeded generator."""

    def __init__(self, rng: np.random.Generator | None) -> None:
        self.rng = rng

    def words(self, size: int) -> Words:
        raw = os.urandom(8 * size) if self.rng is None else self.rng.bytes(8 * size)
        return np.frombuffer(raw, dtype="<u8").astype(np.uint64)

    def below(self, limit: int, size: int) -> Integers:
        """Uniform on 0 .. limit - 1, exactly: mask to the bits needed, draw again what is too large."""
        mask = np.uint64((1 << (limit - 1).bit_length()) - 1)
        drawn = (self.words(size) & mask).astype(np.int64)
        bad = np.flatnonzero(drawn >= limit)
        while bad.size:
            again = (self.words(bad.size) & mask).astype(np.int64)
            drawn[bad] = again
            bad = bad[again >= limit]
        return drawn


def _ratio(scale: float) -> tuple[int, int]:
    """The scale as t / s with s a power of two of at most 62 bits; rounded up when it does not fit."""
    exact = Fraction(scale)
    if exact.denominator.bit_length() <= 62:
        return exact.numerator, exact.denominator
    s = 1 << 61
    return -((-exact.numerator * s) // exact.denominator), s


def _exp_minus(u: Integers, t: int, bits: Bits) -> npt.NDArray[np.bool_]:
    """Bernoulli(exp(-u/t)) for each u in 0 .. t.

    Draw A_1, A_2, ... with A_k ~ Bernoulli(u / (t k)) until the first failure K. P(K > k) = (u/t)^k / k!, so
    P(K odd) = sum (-u/t)^k / k! = exp(-u/t).
    """
    odd = np.zeros(u.shape, dtype=np.bool_)
    alive = np.arange(u.size)
    k = 1
    while alive.size:
        success = bits.below(t, alive.size) < u[alive]
        if k > 1:
            success &= bits.below(k, alive.size) == 0
        if k % 2:
            odd[alive[~success]] = True
        alive = alive[success]
        k += 1
    return odd


def _folds(size: int, bits: Bits) -> Integers:
    """Geometric: how many Bernoulli(exp(-1)) succeed before the first failure."""
    count = np.zeros(size, dtype=np.int64)
    alive = np.arange(size)
    while alive.size:
        success = _exp_minus(np.ones(alive.size, dtype=np.int64), 1, bits)
        alive = alive[success]
        count[alive] += 1
    return count


def _sample(t: int, s: int, size: int, bits: Bits) -> Integers:
    out = np.empty(size, dtype=np.int64)
    done = 0
    while done < size:
        # a draw is kept with a chance near 0.63 (lower for a scale below 1): ask for a little more
        want = (size - done) * 7 // 4 + 16
        u = bits.below(t, want)
        u = u[_exp_minus(u, t, bits)]
        x = (u + t * _folds(u.size, bits)) // s
        negative = (bits.words(u.size) >> np.uint64(63)).astype(np.bool_)
        keep = ~(negative & (x == 0))  # zero has one sign, or it would be drawn twice as often
        x = np.where(negative, -x, x)[keep][: size - done]
        out[done : done + x.size] = x
        done += x.size
    return out


def _opendp(scale: float, size: int) -> Integers | None:
    """The same distribution from OpenDP, when it is installed."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    measurement: Any = _OPENDP.get(scale)
    if measurement is None:
        dp.enable_features("contrib")
        space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
        measurement = _OPENDP[scale] = dp.m.make_laplace(*space, scale=float(scale))
        if len(_OPENDP) > 64:
            _OPENDP.clear()
    return np.asarray(measurement([0] * size), dtype=np.int64)


_OPENDP: dict[float, Any] = {}
