"""How many records are unique in the population, from the frequencies of a sample.

n records of N in the population, f = n / N; n_j = number of keys that occur j times in the sample.

weights   sum over sample uniques of 1/w: with a negative binomial posterior Pr(F = 1 | f = 1) = p = 1 / F
pitman    Pitman's sampling formula fitted to (n, u, n_1), Hoshino 2001: N^a G(t + 1) / G(t + a)
zayatz    Bayes with the sample's own frequencies as prior, Zayatz 1991
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, gammaln

from tacit.risk.keys import FloatArray, IntArray


def by_weights(sample: IntArray, population: FloatArray) -> float:
    """Expected number of sample uniques that are population uniques: sum of 1 / F over f = 1."""
    unique = sample == 1
    return float((1 / np.maximum(population[unique], 1.0)).sum())


def by_zayatz(sizes: IntArray, fraction: float) -> float:
    """n_1 * Pr(F = 1 | f = 1), with Pr(F = j) proportional to n_j and sampling without replacement
    (binomial).
    """
    size, number = np.unique(sizes, return_counts=True)
    singles = float(number[size == 1].sum())
    if singles == 0:
        return 0.0
    chance = size * fraction * (1 - fraction) ** (size - 1.0)  # one of j is drawn
    prior = number / number.sum()
    return singles * fraction * float(prior[size == 1].sum()) / float((chance * prior).sum())


def by_pitman(sizes: IntArray, population: float) -> float:
    """Population uniques under the Pitman model; NaN if the likelihood has no maximum inside its region."""
    n, u = int(sizes.sum()), len(sizes)
    if not (sizes == 1).any() or u in (1, n) or (sizes == 1).all():
        return float("nan")
    size, number = np.unique(sizes[sizes > 1], return_counts=True)

    def harmonic(a: float, t: float) -> float:
        """Sum over i = 1 .. u - 1 of 1 / (t + i a)."""
        return float((digamma(t / a + u) - digamma(t / a + 1)) / a)

    def slope_alpha(a: float, t: float) -> float:
        # sum over classes of sum_{j=1}^{size-1} 1 / (j - a) = psi(size - a) - psi(1 - a)
        classes = float((number * (digamma(size - a) - digamma(1 - a))).sum())
        return (u - 1 - t * harmonic(a, t)) / a - classes

    def theta(a: float) -> float | None:
        def slope(t: float) -> float:
            return harmonic(a, t) - float(digamma(t + n) - digamma(t + 1))

        low, high = -a + 1e-9, float(n) * 100 + 10
        grid = np.concatenate([[low], np.geomspace(1e-6, high, 60) - a])
        sign = [slope(t) for t in grid]
        for x, y, p, q in zip(grid[:-1], grid[1:], sign[:-1], sign[1:], strict=True):
            if p > 0 >= q:
                return float(brentq(slope, x, y))
        return None

    def along(a: float) -> float:
        t = theta(a)
        return float("nan") if t is None else slope_alpha(a, t)

    alphas = np.linspace(0.01, 0.99, 50)
    heights = [along(a) for a in alphas]
    for x, y, p, q in zip(alphas[:-1], alphas[1:], heights[:-1], heights[1:], strict=True):
        if p > 0 >= q:
            a = float(brentq(along, x, y))
            t = theta(a)
            if t is None:
                break
            return float(np.exp(a * np.log(population) + gammaln(t + 1) - gammaln(t + a)))
    return float("nan")
