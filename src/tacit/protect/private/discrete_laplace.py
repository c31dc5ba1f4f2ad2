"""The discrete Laplace distribution, drawn exactly.

    P(X = x) = (1 - q) / (1 + q) * q^|x|,   q = exp(-1 / scale),   x an integer

Noise made from floating-point logarithms leaks: not every double can occur, and which ones can
depends on the value that is hidden (Mironov 2012). Here everything is an integer. The algorithm
is that of Canonne, Kamath and Steinke (2020), run on arrays: uniform integers by rejection of
random words, Bernoulli(exp(-u/t)) by von Neumann's series, no floating-point number anywhere. A
real value is first put on a grid by the caller; `scale` is in grid units.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from tacit.base.errors import ParameterError
from tacit.base.typing import Bools, Ints
from tacit.kernels.stream.exact_laplace import exact_laplace

Words = npt.NDArray[np.uint64]

LARGEST_SCALE = 2.0**50
"""t times the number of e-folds must stay inside 63 bits."""
OPENDP_LIMIT = 20_000
"""OpenDP draws one value at a time (about 9 us each); above this ours is used."""
WORDS_EACH = 24
"""Random words that are laid ready for each number; it takes 17 on average."""
OPENDP_KEPT = 64
"""Measurements that are kept to be used again; a release needs one per scale."""


def discrete_laplace(
    scale: float,
    size: int,
    rng: np.random.Generator | None = None,
) -> Ints:
    """Draw `size` integers from the discrete Laplace distribution.

    Parameters
    ----------
    scale : float
        Scale in grid units. One that cannot be held as a ratio of two 62-bit integers is
        rounded up, never down.
    size : int
        How many are drawn.
    rng : Generator, optional
        Where the random words come from, so that a seed gives the same bytes again (for tests;
        the seed is then part of the secret). Without it they come from the operating system, or
        from OpenDP when that is installed and the array is small.

    Examples
    --------
    >>> x = discrete_laplace(3.0, 4, np.random.default_rng(1))
    >>> x.dtype, x.shape
    (dtype('int64'), (4,))
    """
    _check(scale)
    if rng is None and 0 < size <= OPENDP_LIMIT:
        drawn = _opendp(scale, size)
        if drawn is not None:
            return drawn
    numerator, denominator = _ratio(scale)
    return _sample(numerator, denominator, size, Bits(rng))


def laplace_of(
    scale: float,
    size: int,
    words: Callable[[int], Words],
) -> Ints:
    """The same distribution, drawn from words that are given: the same words, the same numbers.

    Parameters
    ----------
    scale : float
        Scale in grid units.
    size : int
        How many are drawn.
    words : callable
        Gives so many uniform words of 64 bits; asked for more, the same ones and others after them.
    """
    _check(scale)
    numerator, denominator = _ratio(scale)
    drawn = np.empty(size, dtype=np.int64)
    # about 17 words a number; rarely more, and then there are twice as many
    asked = WORDS_EACH * size + WORDS_EACH
    while not exact_laplace(numerator, denominator, words(asked), drawn):
        asked *= 2
    return drawn


def _check(scale: float) -> None:
    if not 0 < scale <= LARGEST_SCALE:
        raise ParameterError(
            f"scale must be above 0 and at most 2**50 grid units, not {scale!r}: "
            "use a coarser grid"
        )


class Bits:
    """Uniform integers from 64-bit words of the system, or of a seeded generator."""

    def __init__(self, rng: np.random.Generator | None) -> None:
        self.rng = rng

    def words(self, size: int) -> Words:
        """Random words of 64 bits."""
        raw = os.urandom(8 * size) if self.rng is None else self.rng.bytes(8 * size)
        # little-endian on every machine: same seed, same numbers
        return np.frombuffer(raw, dtype="<u8").astype(np.uint64)

    def below(
        self,
        limit: int,
        size: int,
    ) -> Ints:
        """Uniform on 0 .. limit - 1, exactly: mask to the bits needed, redraw what is too large."""
        mask = np.uint64((1 << (limit - 1).bit_length()) - 1)
        drawn = (self.words(size) & mask).astype(np.int64)
        too_large = np.flatnonzero(drawn >= limit)
        while too_large.size:
            again = (self.words(too_large.size) & mask).astype(np.int64)
            drawn[too_large] = again
            too_large = too_large[again >= limit]
        return drawn


def _ratio(scale: float) -> tuple[int, int]:
    """The scale as t / s with s a power of two of at most 62 bits; rounded up if need be."""
    exact = Fraction(scale)
    if exact.denominator.bit_length() <= 62:
        return exact.numerator, exact.denominator
    s = 1 << 61
    # division rounds down, so that of the negative number rounds up
    return -((-exact.numerator * s) // exact.denominator), s


def _exp_minus(
    u: Ints,
    t: int,
    bits: Bits,
) -> Bools:
    """Bernoulli(exp(-u/t)) for each u in 0 .. t.

    Draw A_1, A_2, ... with A_k ~ Bernoulli(u / (t k)) until the first failure K.
    P(K > k) = (u/t)^k / k!, so P(K odd) = sum (-u/t)^k / k! = exp(-u/t).
    """
    odd = np.zeros(u.shape, dtype=np.bool_)
    alive = np.arange(u.size)
    k = 1
    while alive.size:
        success = bits.below(t, alive.size) < u[alive]
        # Bernoulli(u / (t k)) as two independent draws, so that t k need not fit into a word
        if k > 1:
            success &= bits.below(k, alive.size) == 0
        if k % 2:
            odd[alive[~success]] = True
        alive = alive[success]
        k += 1
    return odd


def _folds(size: int, bits: Bits) -> Ints:
    """Geometric: how many Bernoulli(exp(-1)) succeed before the first failure."""
    count = np.zeros(size, dtype=np.int64)
    alive = np.arange(size)
    while alive.size:
        success = _exp_minus(np.ones(alive.size, dtype=np.int64), 1, bits)
        alive = alive[success]
        count[alive] += 1
    return count


def _sample(
    t: int,
    s: int,
    size: int,
    bits: Bits,
) -> Ints:
    """Draws of scale t / s.

    u + t V with u of density exp(-u/t) on 0 .. t - 1 and V geometric has density exp(-x/t);
    divided by s and rounded down it is geometric with scale t / s; a random sign makes it
    two-sided.
    """
    out = np.empty(size, dtype=np.int64)
    done = 0
    while done < size:
        # a draw is kept with a chance near 0.63 (lower for a scale below 1): ask for a little
        # more
        want = (size - done) * 7 // 4 + 16
        u = bits.below(t, want)
        u = u[_exp_minus(u, t, bits)]
        x = (u + t * _folds(u.size, bits)) // s
        # the first bit of a fresh word is the sign
        first_bit = bits.words(u.size) >> np.uint64(63)
        negative = first_bit.astype(np.bool_)
        # zero has one sign, or it would be drawn twice as often
        keep = ~(negative & (x == 0))
        x = np.where(negative, -x, x)[keep][: size - done]
        out[done : done + x.size] = x
        done += x.size
    return out


_OPENDP: dict[float, Callable[[list[int]], list[int]]] = {}


def _opendp(scale: float, size: int) -> Ints | None:
    """The same distribution from OpenDP, when it is installed."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    measurement = _OPENDP.get(scale)
    if measurement is None:
        dp.enable_features("contrib")
        space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
        measurement = dp.m.make_laplace(*space, scale=float(scale))
        _OPENDP[scale] = measurement
        if len(_OPENDP) > OPENDP_KEPT:
            _OPENDP.clear()
    # noise alone: the vector to which it is added is zero
    return np.asarray(measurement([0] * size), dtype=np.int64)
