"""Means, variances, covariances and correlations of one file, on arrays.

Rank-deficient data are fine: nothing here is inverted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Floats

# why a measure of numbers has no value: the one sentence that all of them say
NO_NUMBERS = "no compared column is continuous or ordinal"

# Relative rounding error of a column's mean, with some room above the 2e-16 of a double.
_ROUNDING = 1e-14


@dataclass(frozen=True)
class Moments:
    """First and second moments (ddof 0) of the columns of one file.

    Missing values are filled with column means.
    """

    mean: Floats
    covariance: Floats
    correlation: Floats  # rows and columns of a constant column are 0, its diagonal 1

    @property
    def variance(self) -> Floats:
        """variance of each column"""
        return np.diagonal(self.covariance)

    @property
    def sd(self) -> Floats:
        """standard deviation of each column"""
        return np.asarray(np.sqrt(self.variance))


def filled(values: Floats) -> Floats:
    """Missing cells replaced by the mean of their column; 0 if all are missing.

    This is what a user who imputes the mean would work with.
    """
    gaps = np.isnan(values)
    if not gaps.any():
        return values
    known = (~gaps).sum(axis=0)
    total = np.nansum(values, axis=0)
    mean = np.where(known > 0, total / np.maximum(known, 1), 0.0)
    return np.where(gaps, mean, values)


def moments(values: Floats) -> Moments:
    """Moments of the columns. Centred before the product, so offsets cost no digits."""
    x = filled(values)
    mean = x.mean(axis=0)
    centred = x - mean
    covariance = centred.T @ centred / max(len(x), 1)
    # A column that varies by rounding only is constant. The bound is a standard deviation
    # of four rounding errors of the mean; the floor keeps it above 0 for a mean of 0.
    size = np.maximum(np.abs(mean), 1e-300)
    constant = np.diagonal(covariance) <= (_ROUNDING * size) ** 2 * 16
    covariance[constant, :] = 0.0
    covariance[:, constant] = 0.0
    sd = np.sqrt(np.diagonal(covariance))
    scale = np.where(sd > 0, sd, 1.0)
    # rounding may carry a correlation of 1 past 1
    correlation = np.clip(covariance / np.outer(scale, scale), -1.0, 1.0)
    np.fill_diagonal(correlation, 1.0)
    return Moments(mean, covariance, correlation)


def change(
    before: Floats,
    after: Floats,
    scale: Floats,
) -> Floats:
    """|before - after| / scale; where the scale is 0: 0 if nothing changed, else 1."""
    gap = np.abs(before - after)
    positive = scale > 0
    safe = np.where(positive, scale, 1.0)
    any_gap = (gap > 0).astype(np.float64)
    return np.where(positive, gap / safe, any_gap)
