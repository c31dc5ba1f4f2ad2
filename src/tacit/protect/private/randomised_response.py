"""Randomised response, exactly."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from tacit.base.typing import Floats
from tacit.protect.private.discrete_laplace import Bits

WHOLE = 1 << 62
"""Probability 1: the largest power of two whose uniform integers fit into 63 bits."""
ROUNDING = 1 << 12
"""Taken off the probability, to cover the rounding of exp and division."""
LARGEST_EXPONENT = 700.0
"""exp of more than about 709 overflows; at 700 a value stays as good as surely."""


def randomised_response(
    codes: Floats,
    size: int,
    epsilon: float,
    rng: np.random.Generator | None,
) -> Floats:
    """Codes below ``size``, each kept or replaced by another one.

    It is kept with probability at most e^eps / (e^eps + c - 1). The probability is a ratio of
    62-bit integers, rounded down, and compared with a uniform integer: no floating point is
    drawn, and the privacy loss is never above epsilon.
    """
    odds = math.exp(min(epsilon, LARGEST_EXPONENT))
    share = odds / (odds + size - 1)
    threshold = int(Fraction(share) * WHOLE) - ROUNDING
    bits = Bits(rng)
    stays = bits.below(WHOLE, codes.size) < threshold
    # one of the other size - 1 codes: a step of 1 .. size - 1 around the circle
    step = bits.below(size - 1, codes.size) + 1
    return np.asarray(np.where(stays, codes, (codes + step) % size))
