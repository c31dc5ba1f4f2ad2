"""How many records are unique in the population, from the frequencies of a sample.

n records of N in the population, f = n / N; n_j = number of keys that occur j times in the
sample.

weights   sum over sample uniques of 1/w: with a negative binomial posterior
          Pr(F = 1 | f = 1) = p = 1 / F
pitman    Pitman's sampling formula fitted to the n_j, Hoshino (2001):
          N^a G(t + 1) / G(t + a) population uniques
zayatz    Bayes with the sample's own frequencies as prior, Zayatz (1991)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tacit.base.scipy_parts import brentq, digamma, gammaln
from tacit.base.typing import Floats, Ints


def by_weights(sample: Ints, population: Floats) -> Floats:
    """Probability that each sample unique is a population unique, 1 / F; 0 for the others."""
    risk = 1 / np.maximum(population, 1.0)
    return np.where(sample == 1, risk, 0.0)


def by_zayatz(sizes: Ints, fraction: float) -> float:
    """n_1 * Pr(F = 1 | f = 1), with Pr(F = j) proportional to n_j, binomial sampling."""
    size, number = np.unique(sizes, return_counts=True)
    uniques = float(number[size == 1].sum())
    if uniques == 0:
        return 0.0
    prior = number / number.sum()
    # exactly one of the j records of a key is drawn
    one_drawn = size * fraction * (1 - fraction) ** (size - 1.0)
    prior_of_one = float(prior[size == 1].sum())
    return uniques * fraction * prior_of_one / float((one_drawn * prior).sum())


@dataclass(frozen=True)
class PitmanLikelihood:
    """Slopes of the log likelihood of Pitman's sampling formula in alpha and theta."""

    records: int
    keys: int
    size: Ints  # the sizes above 1 that occur
    number: Ints  # how many keys have each of them

    def harmonic(self, alpha: float, theta: float) -> float:
        """Sum over i = 1 .. keys - 1 of 1 / (theta + i alpha)."""
        start = theta / alpha
        return float((digamma(start + self.keys) - digamma(start + 1)) / alpha)

    def slope_theta(self, alpha: float, theta: float) -> float:
        """Derivative in theta."""
        over_records = float(digamma(theta + self.records) - digamma(theta + 1))
        return self.harmonic(alpha, theta) - over_records

    def slope_alpha(self, alpha: float, theta: float) -> float:
        """Derivative in alpha."""
        # sum over j = 1 .. size - 1 of 1 / (j - alpha), for each key
        per_key = digamma(self.size - alpha) - digamma(1 - alpha)
        over_keys = float((self.number * per_key).sum())
        rest = self.keys - 1 - theta * self.harmonic(alpha, theta)
        return rest / alpha - over_keys

    def best_theta(self, alpha: float) -> float | None:
        """The theta > -alpha at which the likelihood is largest; None: there is none."""
        # The model needs theta > -alpha. From there the grid grows geometrically, to a
        # hundred times the number of records.
        low, high = -alpha + 1e-9, float(self.records) * 100 + 10
        grid = np.concatenate([[low], np.geomspace(1e-6, high, 60) - alpha])
        return falling_zero(lambda theta: self.slope_theta(alpha, theta), grid)

    def slope_along_best(self, alpha: float) -> float:
        """Derivative in alpha when theta is the best for it; NaN if there is none."""
        theta = self.best_theta(alpha)
        return float("nan") if theta is None else self.slope_alpha(alpha, theta)


def falling_zero(
    function: Callable[[float], float],
    grid: Iterable[float],
) -> float | None:
    """The first zero that the function passes from above, looked for between grid points."""
    heights = [(x, function(x)) for x in grid]
    for (left, at_left), (right, at_right) in pairwise(heights):
        # comparisons with NaN are false, so undefined stretches are passed over
        if at_left > 0 >= at_right:
            return brentq(function, left, right)
    return None


def by_pitman(sizes: Ints, population: float) -> float:
    """Population uniques under the Pitman model; NaN if the likelihood has no maximum."""
    records, keys = int(sizes.sum()), len(sizes)
    unique = sizes == 1
    # Without uniques, or with nothing but uniques, there is no maximum inside the region.
    if not unique.any() or keys in (1, records) or unique.all():
        return float("nan")
    size, number = np.unique(sizes[~unique], return_counts=True)
    likelihood = PitmanLikelihood(records, keys, size, number)
    # alpha lies between 0 and 1; both ends are outside the model
    alpha = falling_zero(likelihood.slope_along_best, np.linspace(0.01, 0.99, 50))
    if alpha is None:
        return float("nan")
    theta = likelihood.best_theta(alpha)
    if theta is None:
        return float("nan")
    log_growth = alpha * np.log(population)
    return float(np.exp(log_growth + gammaln(theta + 1) - gammaln(theta + alpha)))
