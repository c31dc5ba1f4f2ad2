"""Means, covariances and square roots that work on rank-deficient and incomplete data."""

from __future__ import annotations

import numpy as np

from tacit.microdata import FloatArray


def fill(values: FloatArray) -> FloatArray:
    """Missing values at their column's mean."""
    gaps = np.isnan(values)
    if not gaps.any():
        return values
    present = np.maximum((~gaps).sum(axis=0), 1)
    mean = np.where(gaps, 0.0, values).sum(axis=0) / present
    return np.asarray(np.where(gaps, mean, values))


def covariance(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and covariance (n - 1) over the complete records; of the filled file when there are too few of them."""
    complete = values[~np.isnan(values).any(axis=1)]
    if len(complete) <= values.shape[1]:
        complete = fill(values)
    mean = complete.mean(axis=0)
    centred = complete - mean
    return mean, np.asarray(centred.T @ centred / max(len(complete) - 1, 1))


def root(matrix: FloatArray) -> FloatArray:
    """A with A'A = matrix, for a matrix that is positive semi-definite up to rounding.

    The matrix is put on correlation scale first, so that columns of very different size keep their digits; negative
    eigenvalues (rounding) count as zero. Noise with this root stays in the range of the matrix: a column that is
    the sum of two others stays their sum.
    """
    size = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    safe = np.where(size > 0, size, 1.0)
    values, vectors = np.linalg.eigh(matrix / np.outer(safe, safe))
    values = np.where(values > values.max(initial=0.0) * 1e-13 * len(values), values, 0.0)
    return np.asarray((np.sqrt(values)[:, None] * vectors.T) * size)
