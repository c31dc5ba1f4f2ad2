"""What thresholding the classes of a secret sample hides: the delta of sampling and k-anonymity.

Every record enters the sample with probability beta, and classes with fewer than k records of the
sample are left out. A record more in a class of m changes its count from Bin(m - 1, beta) to
Bin(m, beta), and the counts of other classes not at all. The ratio of the two probabilities of
a count j is m (1 - beta) / (m - j), which is above exp(epsilon) only where j > gamma m, with

    gamma = 1 - (1 - beta) exp(-epsilon)

and its inverse is at most 1 / (1 - beta), that is exp(epsilon) if beta <= 1 - exp(-epsilon).
Counts below k are not seen. So delta is at most the largest chance that a count is seen and lies
there:

    delta(k, epsilon, beta) = max over m of P(Bin(m, beta) > gamma m), m >= k / gamma - 1

(Li, Qardaji and Su 2012; Bild, Kuhn and Prasser 2018). For smaller m only counts of k and more are
seen, and their chance grows with m.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy.special import betainc

from tacit.base.errors import ParameterError

LARGEST_K = 2**31
"""No file has classes of so many records."""
AT_ONCE = 4096
"""Sizes of classes that are looked at together."""
ROUNDING = 1e-9
"""gamma m may come out a little above a whole number: the smaller limit counts more as delta."""


def largest_share(epsilon: float) -> float:
    """The largest probability of being sampled that epsilon allows, rounded down."""
    share = -math.expm1(-epsilon)
    # two steps: expm1 is right to the last place or so
    return math.nextafter(math.nextafter(share, 0.0), 0.0)


def delta_of(
    k: int,
    epsilon: float,
    beta: float,
) -> float:
    """The delta of a sample with share beta whose classes have at least k records.

    Parameters
    ----------
    k : int
        Fewest records of a class of the sample that is released.
    epsilon : float
        What delta belongs to; beta must be at most 1 - exp(-epsilon).
    beta : float
        The probability of being sampled.

    Examples
    --------
    >>> round(delta_of(2, 1.0, 0.5), 4), delta_of(20, 1.0, 0.5) < 0.02
    (0.25, True)
    """
    if beta > -math.expm1(-epsilon):
        raise ParameterError(
            f"a sample of {beta:g} is too large for epsilon {epsilon:g}: at most "
            f"{largest_share(epsilon):g}"
        )
    gamma = 1 - (1 - beta) * math.exp(-epsilon)
    # Chernoff: P(Bin(m, beta) >= gamma m) <= exp(-m d), d the divergence of gamma from beta
    spread = gamma * math.log(gamma / beta)
    spread += (1 - gamma) * math.log((1 - gamma) / (1 - beta))
    smallest = max(math.ceil(k / gamma - ROUNDING) - 1, k)
    worst = 0.0
    while True:
        sizes = np.arange(smallest, smallest + AT_ONCE, dtype=np.float64)
        # m (1 - beta) / (m - j) is above exp(epsilon) from here on
        limit = np.maximum(np.floor(gamma * sizes - ROUNDING), k - 1)
        # the chance of more than the limit, as an incomplete beta function
        chance = betainc(limit + 1, sizes - limit, beta)
        worst = max(worst, float(chance.max()))
        smallest += AT_ONCE
        # larger classes have a smaller chance than the worst that was found
        if math.exp(-smallest * spread) <= worst or smallest > LARGEST_K:
            return worst


@cache
def smallest_k(
    epsilon: float,
    delta: float,
    beta: float,
) -> int:
    """The smallest k with which a sample of share beta is (epsilon, delta)-private.

    Examples
    --------
    >>> k = smallest_k(1.0, 1e-4, 0.5)
    >>> delta_of(k, 1.0, 0.5) <= 1e-4 < delta_of(k - 1, 1.0, 0.5)
    True
    """
    low, high = 0, 1
    while delta_of(high, epsilon, beta) > delta:
        low, high = high, 2 * high
        if high > LARGEST_K:
            raise ParameterError(
                f"no class is large enough for epsilon {epsilon:g} and delta {delta:g}; "
                "raise one of them"
            )
    # delta falls with k: fewer sizes of classes are left
    while high - low > 1:
        middle = (low + high) // 2
        if delta_of(middle, epsilon, beta) > delta:
            low = middle
        else:
            high = middle
    return high
