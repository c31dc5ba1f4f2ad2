"""Randomised response, exactly."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from tacit.dp.laplace import Bits
from tacit.errors import InputError
from tacit.microdata import FloatArray, Microdata


def randomised_response(data: Microdata, name: str, epsilon: float, rng: np.random.Generator | None) -> FloatArray:
    """The codes of a column, each kept with probability at most e^eps / (e^eps + c - 1), else another one.

    The probability is a ratio of 62-bit integers, rounded down, and compared with a uniform integer: no floating
    point is drawn, and the privacy loss is never above epsilon.
    """
    codes = data.column(name)
    if np.isnan(codes).any():
        raise InputError(
            f"column '{name}' has missing values, and where they are would be released without noise; "
            "fill or drop them first"
        )
    size = len(data.categories(name))
    if size < 2:
        return codes
    whole = 1 << 62
    keep = math.exp(min(epsilon, 700.0))
    share = keep / (keep + size - 1)
    threshold = int(Fraction(share) * whole) - (1 << 12)  # a little below, to cover the rounding of exp and division
    bits = Bits(rng)
    stays = bits.below(whole, codes.size) < threshold
    step = bits.below(size - 1, codes.size) + 1
    return np.asarray(np.where(stays, codes, (codes + step) % size))
