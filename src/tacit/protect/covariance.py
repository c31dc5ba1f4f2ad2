"""Means, covariances and square roots that work on rank-deficient and incomplete data."""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Floats

ROUNDING = 1e-13
"""An eigenvalue below this share of the largest, times the number of columns, is rounding error.

It is a few hundred times the spacing of doubles (2.2e-16).
"""


def fill(values: Floats) -> Floats:
    """Missing values at their column's mean."""
    gaps = np.isnan(values)
    if not gaps.any():
        return values
    # a column that is missing throughout is divided by 1: its mean is then 0 and not NaN
    present = np.maximum((~gaps).sum(axis=0), 1)
    mean = np.where(gaps, 0.0, values).sum(axis=0) / present
    return np.asarray(np.where(gaps, mean, values))


def covariance(values: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance (n - 1) over the complete records.

    Where there are too few of them, of the file with missing values at their column's mean.
    """
    complete = values[~np.isnan(values).any(axis=1)]
    # with no more records than columns the matrix would be singular whatever the file is
    if len(complete) <= values.shape[1]:
        complete = fill(values)
    mean = complete.mean(axis=0)
    centred = complete - mean
    degrees = max(len(complete) - 1, 1)
    return mean, np.asarray(centred.T @ centred / degrees)


def root(matrix: Floats) -> Floats:
    """A with A'A = matrix, for a matrix that is positive semi-definite up to rounding.

    The matrix is put on correlation scale first, so that columns of very different size keep
    their digits; negative eigenvalues (rounding) count as zero. Noise with this root stays in
    the range of the matrix: a column that is the sum of two others stays their sum.
    """
    size = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    # a constant column has size 0; its row and column of the matrix are 0 and may stay so
    divisor = np.where(size > 0, size, 1.0)
    correlation = matrix / np.outer(divisor, divisor)
    values, vectors = np.linalg.eigh(correlation)
    smallest = values.max(initial=0.0) * ROUNDING * len(values)
    values = np.where(values > smallest, values, 0.0)
    scaled_vectors = np.sqrt(values)[:, None] * vectors.T
    return np.asarray(scaled_vectors * size)
