"""Means, covariances and square roots that work on rank-deficient and incomplete data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.base.errors import InputError
from tacit.base.typing import Floats
from tacit.data.microdata import Microdata
from tacit.protect import by_address

ROUNDING = 1e-13
"""An eigenvalue below this share of the largest, times the number of columns, is rounding error.

It is a few hundred times the spacing of doubles (2.2e-16).
"""


# their covariance takes 800 MB
MOST_COLUMNS = 10_000


def fill(values: Floats) -> Floats:
    """Missing values at their column's mean."""
    gaps = np.isnan(values)
    if not gaps.any():
        return values
    # a column that is missing throughout is divided by 1: its mean is then 0 and not NaN
    present = np.maximum((~gaps).sum(axis=0), 1)
    mean = np.where(gaps, 0.0, values).sum(axis=0) / present
    return np.asarray(np.where(gaps, mean, values))


def covariance(data: Microdata, names: Sequence[str]) -> tuple[Floats, Floats]:
    """Mean and covariance (n - 1) over the complete records, in two passes over the file.

    Where there are too few of them, of the file with missing values at their column's mean.
    """
    if len(names) > MOST_COLUMNS:
        gigabytes = 8e-9 * len(names) ** 2
        raise InputError(
            f"the covariance of {len(names):,} columns takes {gigabytes:.1f} GB; treat at most "
            f"{MOST_COLUMNS:,} columns in one step (columns=[...])"
        )
    records, total = 0, np.zeros(len(names))
    for block in data.in_turn(names, by_address.BLOCK):
        complete = _complete(block)
        records += len(complete)
        total += complete.sum(axis=0)
    # with no more records than columns the matrix would be singular whatever the file is
    if records <= len(names):
        return _of_filled(data.numbers(names))
    mean = total / records
    products = np.zeros((len(names), len(names)))
    for block in data.in_turn(names, by_address.BLOCK):
        centred = _complete(block) - mean
        products += centred.T @ centred
    return mean, products / (records - 1)


def _complete(values: Floats) -> Floats:
    """The records without a gap."""
    return np.asarray(values[~np.isnan(values).any(axis=1)])


def _of_filled(values: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance of few records, missing values at their column's mean."""
    filled = fill(values)
    mean = filled.mean(axis=0)
    centred = filled - mean
    degrees = max(len(filled) - 1, 1)
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
