"""Means, variances, covariances and correlations of two files, on arrays. Rank-deficient data are fine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Moments:
    """First and second moments (ddof 0) of the columns of one file, missing values filled with column
    means.
    """

    mean: FloatArray
    covariance: FloatArray
    correlation: FloatArray  # rows and columns of a constant column are 0, its diagonal 1

    @property
    def sd(self) -> FloatArray:
        return np.asarray(np.sqrt(np.diagonal(self.covariance)))


def filled(values: FloatArray) -> FloatArray:
    """Missing cells replaced by the mean of their column, as a user who imputes the mean would; 0 if all
    are.
    """
    gaps = np.isnan(values)
    if not gaps.any():
        return values
    known = (~gaps).sum(axis=0)
    mean = np.where(known > 0, np.nansum(values, axis=0) / np.maximum(known, 1), 0.0)
    return np.where(gaps, mean, values)


def moments(values: FloatArray) -> Moments:
    """Moments of the columns. Centred before the product, so a large offset costs no digits."""
    x = filled(values)
    mean = x.mean(axis=0)
    centred = x - mean
    covariance = centred.T @ centred / max(len(x), 1)
    # a column that varies by rounding only is constant
    tiny = np.diagonal(covariance) <= (1e-14 * np.maximum(np.abs(mean), 1e-300)) ** 2 * 16
    covariance[tiny, :] = 0.0
    covariance[:, tiny] = 0.0
    sd = np.sqrt(np.diagonal(covariance))
    scale = np.where(sd > 0, sd, 1.0)
    correlation = np.clip(covariance / np.outer(scale, scale), -1.0, 1.0)
    np.fill_diagonal(correlation, 1.0)
    return Moments(mean, covariance, correlation)


def change(before: FloatArray, after: FloatArray, scale: FloatArray) -> FloatArray:
    """|before - after| / scale; where the scale is 0: 0 if nothing changed, else 1."""
    gap = np.abs(before - after)
    safe = np.where(scale > 0, scale, 1.0)
    return np.where(scale > 0, gap / safe, (gap > 0).astype(np.float64))
