"""Linear maps that make a Mahalanobis distance a plain one, on files of any rank."""

from __future__ import annotations

import numpy as np

from tacit.microdata import FloatArray

RANK = 1e-10
FLOOR = 1e-9


def filled(values: FloatArray, mean: FloatArray | None = None) -> FloatArray:
    """Missing values at the column's mean (given, or their own)."""
    gaps = np.isnan(values)
    if not gaps.any():
        return values
    if mean is None:
        present = np.maximum((~gaps).sum(axis=0), 1)
        mean = np.where(gaps, 0.0, values).sum(axis=0) / present
    return np.asarray(np.where(gaps, mean, values))


def spread(values: FloatArray) -> FloatArray:
    """Covariance (n - 1) of the filled file."""
    centred = filled(values)
    centred = centred - centred.mean(axis=0)
    return np.asarray(centred.T @ centred / max(len(values) - 1, 1))


def whitener(noise: FloatArray, signal: FloatArray) -> FloatArray:
    """W such that |(a - b) W|^2 = (a - b) S^-1 (a - b) with S = noise, on the directions in which `signal` varies.

    A direction in which the file is constant (a column that is the sum of two others gives one) is left out: it
    tells nobody apart. A direction in which the noise vanishes but the file varies is kept, with a floor: it tells
    everybody apart.
    """
    size = np.sqrt(np.maximum(np.diag(signal), 0.0))
    size = np.where(size > 0, size, 1.0)
    values, vectors = np.linalg.eigh(signal / np.outer(size, size))
    keep = values > max(float(values.max(initial=0.0)), 0.0) * RANK
    basis = vectors[:, keep] / np.sqrt(values[keep])  # the signal has unit variance along each of these
    inner = basis.T @ (noise / np.outer(size, size)) @ basis
    level, axes = np.linalg.eigh((inner + inner.T) / 2)
    level = np.maximum(level, FLOOR)
    return np.asarray((basis @ axes / np.sqrt(level)) / size[:, None])
