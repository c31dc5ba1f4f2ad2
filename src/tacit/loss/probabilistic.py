"""Probabilistic information loss on arrays: five losses in [0, 1].

The original file is the population, a statistic t of the masked file an estimate of its value T there, with
the standard error s that an honest sample of the same size would have. Loss = Pr(|N(0,1)| <= |t - T| / s):
near 0 when the masked file tells the same as another sample would, near 1 when no sample would stray so far.

    quantile q (5 %, 10 %, .. 95 %)   s^2 = q (1 - q) / (n g(Q)^2), g the density
    mean                              s^2 = mu2 / n
    variance                          s^2 = (mu4 - mu2^2) / n
    covariance                        s^2 = (mu22 - mu11^2) / n
    correlation r                     s^2 = (mean of (a b - r (a^2 + b^2) / 2)^2) / n   with a, b standardised

The correlation's error is the delta method's, in a form without division by r. For quantiles the distance is
taken on the scale of ranks, (F(t) - q) / sqrt(q (1 - q) / n): the same to first order, and no density need be
estimated. Source: Mateo-Sanz, Domingo-Ferrer and Sebe 2005.
"""

from __future__ import annotations

import numpy as np
from scipy.special import erf

from tacit.loss.moments import FloatArray, filled

QUANTILES = np.arange(1, 20) / 20.0
_CHUNK = 16_384
PARTS = ("quantiles", "means", "variances", "covariances", "correlations")


def probabilistic(original: FloatArray, masked: FloatArray) -> dict[str, FloatArray]:
    """Loss of each part: quantiles (19, d); means, variances (d,); covariances, correlations (pairs i <
    j).
    """
    x, z = filled(original), filled(masked)
    n, d = len(z), x.shape[1]
    mean, sd = x.mean(axis=0), x.std(axis=0)
    scale = np.where(sd > 0, sd, 1.0)
    second, fourth = np.zeros(d), np.zeros(d)
    r, cross, cubic = np.zeros((d, d)), np.zeros((d, d)), np.zeros((d, d))
    for start in range(0, len(x), _CHUNK):  # in pieces that stay in the cache
        a = (x[start : start + _CHUNK] - mean) / scale
        square = a * a
        second += square.sum(axis=0)
        fourth += (square * square).sum(axis=0)
        r += a.T @ a
        cross += square.T @ square  # mu22 of standardised columns
        cubic += (square * a).T @ a  # mu31
    for total in (second, fourth, r, cross, cubic):
        total /= len(x)
    shift, after = np.zeros(d), np.zeros((d, d))
    for start in range(0, n, _CHUNK):
        shift += ((z[start : start + _CHUNK] - mean) / scale).sum(axis=0)
    shift /= n
    for start in range(0, n, _CHUNK):
        b = (z[start : start + _CHUNK] - mean) / scale - shift
        after += b.T @ b
    after /= n
    strict = np.triu_indices(d, 1)
    width = np.sqrt(np.diagonal(after))
    wide = np.where(width > 0, width, 1.0)
    r_after = after / np.outer(wide, wide)
    r_error = cross - r * (cubic + cubic.T)
    r_error += r * r * (fourth[:, None] + fourth[None, :] + 2 * cross) / 4
    return {
        "quantiles": _quantiles(x, z),
        "means": _loss(shift, second, n),
        "variances": _loss(np.diagonal(after) - second, fourth - second**2, n),
        "covariances": _loss(after - r, cross - r * r, n)[strict],
        "correlations": _loss(r_after - r, r_error, n)[strict],
    }


def _loss(gap: FloatArray, variance: FloatArray, n: int) -> FloatArray:
    """Pr(|N(0,1)| <= gap / sqrt(variance / n)); with no variance: 0 if there is no gap, else 1."""
    error = np.sqrt(np.maximum(variance, 0.0) / n)
    gap = np.where(np.abs(gap) <= 1e-12, 0.0, np.abs(gap))
    ratio = gap / np.where(error > 1e-12, error, 1.0)
    return np.where(error > 1e-12, erf(ratio / np.sqrt(2.0)), (gap > 0).astype(np.float64))


def _quantiles(x: FloatArray, z: FloatArray) -> FloatArray:
    """Loss of each quantile. Ties: no loss while q lies between the shares below and not above the value."""
    n = len(z)
    out = np.empty((len(QUANTILES), x.shape[1]))
    error = np.sqrt(QUANTILES * (1 - QUANTILES) / n)
    at = np.minimum(np.ceil(QUANTILES * n - 1e-9).astype(np.int64) - 1, n - 1).clip(0)
    places = np.unique(at)
    for j in range(x.shape[1]):
        t = np.partition(z[:, j], places)[at]
        order = np.sort(x[:, j])
        low = np.searchsorted(order, t, side="left") / len(order)
        high = np.searchsorted(order, t, side="right") / len(order)
        gap = np.maximum(np.maximum(low - QUANTILES, QUANTILES - high), 0.0)
        # the sample's own quantile may sit one record away from q
        gap = np.where(gap <= 1.0 / n, 0.0, gap)
        out[:, j] = erf(gap / error / np.sqrt(2.0))
    return out
