"""Random draws of the differentially private filter: noise ahead of time, randomised response."""

from __future__ import annotations

import math
import os

import numpy as np
import numpy.typing as npt

from tacit.base.typing import Floats, Ints
from tacit.protect.private import discrete_laplace

# noise is drawn ahead in blocks: one large exact draw is much cheaper than many small ones
POOL = 40_000
# a huge epsilon must not overflow exp; with exp(30) a category is false once in 10^13 answers, and
# a smaller exponent than asked for only protects more
LARGEST_EXPONENT = 30.0


class NoisePool:
    """Discrete Laplace noise from the operating system, each number given out once."""

    def __init__(self) -> None:
        self._numbers: Ints = np.empty(0, dtype=np.int64)
        self._made_for: tuple[float, int] | None = None

    def take(
        self,
        scale: float,
        size: int,
    ) -> Ints:
        """The next numbers of this scale."""
        # noise of another scale is not what was promised, and a forked process has the same numbers
        wanted = (scale, os.getpid())
        if self._made_for != wanted or self._numbers.size < size:
            self._numbers = discrete_laplace(scale, max(POOL, size))
            self._made_for = wanted
        taken, self._numbers = self._numbers[:size], self._numbers[size:]
        return taken


def randomised_response(
    codes: Floats,
    categories: int,
    epsilon: float,
    rng: np.random.Generator | None,
) -> Floats:
    """The true category with probability e^epsilon / (e^epsilon + m - 1), else one of the others.

    The probability of the truth is rounded down to the grid of 2^-53, so that no category is more
    telling than promised. A missing value answers as the first category.
    """
    n = len(codes)
    odds = math.exp(min(epsilon, LARGEST_EXPONENT))
    truthful = odds / (odds + categories - 1)
    threshold = max(int(truthful * 2**53) - 1, 0)
    words = random_words(2 * n, rng)
    truth = np.where(np.isnan(codes), 0, codes).astype(np.int64)
    others = np.uint64(categories - 1)
    other = (words[:n] % others).astype(np.int64)
    # the others are numbered without the truth: make room for it
    other += other >= truth
    # the upper 53 of 64 bits are a uniform number on the grid
    honest = (words[n:] >> np.uint64(11)) < np.uint64(threshold)
    return np.where(honest, truth, other).astype(np.float64)


def random_words(size: int, rng: np.random.Generator | None) -> npt.NDArray[np.uint64]:
    """Words of 64 bits, from the operating system unless a generator is given (tests)."""
    raw = os.urandom(8 * size) if rng is None else rng.bytes(8 * size)
    return np.frombuffer(raw, dtype=np.uint64)
