"""Linear maps that make a Mahalanobis distance a plain one, on files of any rank."""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Floats

# Share of the largest variance below which a direction counts as constant: rounding
# leaves a little variance along a direction that is exactly constant.
RANK = 1e-10
# Smallest variance of the noise along a direction in which the file has variance 1
FLOOR = 1e-9


def filled(values: Floats, mean: Floats | None = None) -> Floats:
    """Missing values at the column's mean.

    Parameters
    ----------
    values : array
        Records x columns, NaN where missing.
    mean : array, optional
        One for each column; that of the values present unless given.
    """
    gaps = np.isnan(values)
    if not gaps.any():
        return values
    if mean is None:
        present = np.maximum((~gaps).sum(axis=0), 1)
        mean = np.where(gaps, 0.0, values).sum(axis=0) / present
    return np.asarray(np.where(gaps, mean, values))


def spread(values: Floats) -> Floats:
    """Covariance (n - 1) of the filled file."""
    complete = filled(values)
    # of numbers near the end of doubles it is infinite
    with np.errstate(over="ignore", invalid="ignore"):
        centred = complete - complete.mean(axis=0)
        return np.asarray(centred.T @ centred / max(len(values) - 1, 1))


def whitener(noise: Floats, signal: Floats) -> Floats:
    """W such that |(a - b) W|^2 = (a - b) S^-1 (a - b) with S = noise.

    It holds on the directions in which ``signal`` varies. A direction in which the file is
    constant (a column that is the sum of two others gives one) is left out: it tells nobody
    apart. A direction in which the noise vanishes but the file varies is kept, with a
    floor: it tells everybody apart.

    Parameters
    ----------
    noise, signal : arrays
        Covariance matrices of what was added and of the file.
    """
    size = np.sqrt(np.maximum(np.diag(signal), 0.0))
    size = np.where(size > 0, size, 1.0)
    # correlations first: columns in large units must not decide the rank
    correlation = signal / np.outer(size, size)
    variance, axes = np.linalg.eigh(correlation)
    largest = max(float(variance.max(initial=0.0)), 0.0)
    varies = variance > largest * RANK
    # the signal has unit variance along each column of the basis
    basis = axes[:, varies] / np.sqrt(variance[varies])
    # the noise as seen in the directions in which the file varies
    inner = basis.T @ (noise / np.outer(size, size)) @ basis
    level, turn = np.linalg.eigh((inner + inner.T) / 2)
    level = np.maximum(level, FLOOR)
    return np.asarray((basis @ turn / np.sqrt(level)) / size[:, None])
