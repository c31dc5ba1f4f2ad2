"""Were columns drawn anew given others (IPSO), or disturbed? Moments and likelihoods tell."""

from __future__ import annotations

import numpy as np

from tacit.attack.whiten import filled, spread, whitener
from tacit.base.scipy_parts import chdtri, logsumexp
from tacit.base.typing import Floats

# Relative change of moments below which they were kept on purpose
KEPT = 1e-6
# Chance at which drawn values are taken for others: covariances of n draws vary that much
CHANCE = 1e-6
# Sizes of noise that are tried, over the file's standard deviation
SIZES = np.geomspace(0.01, 2.0, 30)
# Released records whose likelihood is looked at, and originals that it is averaged over
LOOKED_AT = 150
AVERAGED = 6_000
# Nats per record by which disturbance must be less likely: both laws are only approximate
# for files that are not normal. Of those whose covariances fit (EIA, Census, simulated firms),
# files that were drawn anew had -1.8 or less, disturbed ones -0.6 or more.
DOUBTFUL = -1.0
# Smallest variance along a direction in which the file has variance 1
FLOOR = 1e-4


def drawn_anew(
    y: Floats,
    z: Floats,
    given: Floats,
) -> str:
    """Why the columns seem to be drawn anew given others; empty: they do not.

    Variant C keeps means and covariances to the last digit, B keeps means; A keeps both but for
    the luck of n draws, which is that of the residuals alone: what the given columns explain is
    kept.

    Parameters
    ----------
    y, z : arrays
        The columns in both files, row order not looked at.
    given : array
        The released columns from which they may have been drawn.
    """
    before = spread(y)
    after = spread(z)
    size = np.sqrt(np.maximum(np.diag(before), 1e-300))
    change = np.abs((after - before) / np.outer(size, size)).max()
    if change < KEPT:
        return "means and covariances are kept to the last digit and no value is"
    if np.isnan(z).any() or np.isnan(y).any():
        y = filled(y)
        z = filled(z)
    shift = np.abs(z.mean(axis=0) - y.mean(axis=0)) / size
    if not _within_luck(y, z, given) or _disturbed_instead(y, z, given) > DOUBTFUL:
        return ""
    if shift.max() < KEPT:
        return "means are kept to the last digit, covariances nearly, and no value is"
    return "covariances are those of n draws given other columns"


def _within_luck(
    y: Floats,
    z: Floats,
    given: Floats,
) -> bool:
    """Could residuals drawn with the original's covariance have changed it this much?

    In units of the original's covariance, let r be the share of a direction's variance that
    the given columns do not explain. Then its variance in the release differs from 1 by the
    product of both parts and by the square of the residuals, with variance
    (4 (1 - r) r + 2 r^2) / n, and its mean by r / n. Where the given columns explain nearly
    everything, any disturbance shows.
    """
    n = len(z)
    x = filled(given)
    x = x - x.mean(axis=0)
    scale = np.sqrt((x**2).mean(axis=0))
    x = x / np.where(scale > 0, scale, 1.0)
    centred = z - z.mean(axis=0)
    fitted = x @ np.linalg.lstsq(x, centred, rcond=1e-10)[0]
    signal = spread(y)
    w = whitener(signal, signal)
    # directions of the file, by how much of them is residual
    share, turn = np.linalg.eigh(w.T @ spread(centred - fitted) @ w)
    share = np.clip(share, 1.0 / n, 1.0)
    axes = w @ turn
    variance = np.diag(axes.T @ spread(z) @ axes)
    moved = (z.mean(axis=0) - y.mean(axis=0)) @ axes
    luck = (4 * (1 - share) * share + 2 * share**2) / n
    statistic = float(((variance - 1.0) ** 2 / luck).sum())
    statistic += float((moved**2 * n / share).sum())
    # the same number as scipy.stats.chi2.isf, whose import takes half a second
    return statistic < float(chdtri(2 * len(share), CHANCE))


def _disturbed_instead(
    y: Floats,
    z: Floats,
    given: Floats,
) -> float:
    """Mean log likelihood of disturbance above that of drawing anew, links unknown.

    Drawn anew, z is normal about what the given columns X say. Disturbed, it is some original
    plus noise, and that original also fits X: the density of (z, X) is the mean over
    originals of f(z | y_i) p(X | y_i), against p(z | X) times the mean of p(X | y_i).
    """
    # both files in units of the original's covariance
    signal = spread(y)
    w = whitener(signal, signal)
    centre = y.mean(axis=0)
    ours = _evenly((y - centre) @ w, AVERAGED)
    theirs = (z - centre) @ w
    x = filled(given)
    variance = spread(x)
    x = (x - x.mean(axis=0)) @ whitener(variance, variance)
    # p(X | y): in these units coefficients are covariances, which neither way changes
    slope = theirs.T @ x / len(x)
    left = np.eye(x.shape[1]) - slope.T @ slope
    fit_x = whitener(_floored(left), np.eye(x.shape[1]))
    beta = np.linalg.lstsq(x, theirs, rcond=1e-10)[0]
    residual = theirs - x @ beta
    # p(z | X)
    drawn = _log_normal(residual, _floored(spread(residual)))
    order = np.lexsort(theirs.T[::-1])
    rows = order[:: max(1, len(order) // LOOKED_AT)]
    gap = (x[rows] @ fit_x)[:, None, :] - (ours @ slope @ fit_x)[None]
    prior = -0.5 * (gap**2).sum(axis=2)
    anew = float(drawn[rows].sum() + logsumexp(prior, axis=1).sum())
    squared = ((theirs[rows][:, None, :] - ours[None]) ** 2).sum(axis=2)
    product = theirs[rows] @ ours.T
    norm = (theirs[rows] ** 2).sum(axis=1)[:, None]
    d = ours.shape[1]
    best = -np.inf
    for size in SIZES:
        # noise as the file is correlated, with variances that grow or that are kept
        grows = -0.5 * squared / size**2 - d * np.log(size)
        shrink = np.sqrt(1 + size**2)
        other = norm * shrink**2 - 2 * shrink * product + (squared - norm + 2 * product)
        kept = -0.5 * other / size**2 - d * np.log(size / shrink)
        for law in (grows, kept):
            fit = logsumexp(law + prior, axis=1) - 0.5 * d * np.log(2 * np.pi)
            best = max(best, float(fit.sum()))
    return (best - anew) / len(rows)


def _evenly(rows: Floats, most: int) -> Floats:
    """So many rows, evenly over the order of their values."""
    order = np.lexsort(rows.T[::-1])
    return np.asarray(rows[order[:: max(1, -(-len(order) // most))]])


def _floored(covariance: Floats) -> Floats:
    """The covariance with variances of at least FLOOR: differences of moments may be negative."""
    level, axes = np.linalg.eigh((covariance + covariance.T) / 2)
    return np.asarray((axes * np.maximum(level, FLOOR)) @ axes.T)


def _log_normal(rows: Floats, covariance: Floats) -> Floats:
    """Log density of each row."""
    level, axes = np.linalg.eigh(covariance)
    scaled = rows @ axes / np.sqrt(level)
    constant = np.log(2 * np.pi * level).sum()
    return np.asarray(-0.5 * ((scaled**2).sum(axis=1) + constant))
