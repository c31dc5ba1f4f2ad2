"""Means, variances, covariances and correlations of one file, on arrays and on files.

Rank-deficient data are fine: nothing here is inverted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.base.typing import Floats
from tacit.data.runs import known_means, runs

if TYPE_CHECKING:
    from tacit.data.out_of_core.disk_rows import Rows

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


def filled(values: Floats, mean: Floats | None = None) -> Floats:
    """Missing cells replaced by the mean of their column (of the whole file, if given).

    This is what a user who imputes the mean would work with.
    """
    gaps = np.isnan(values)
    if not gaps.any():
        return values
    return np.where(gaps, known_means(values) if mean is None else mean, values)


def mean_and_sd(values: Rows, fill: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation (ddof 0) of the columns, gaps filled."""
    n = max(len(values), 1)
    total, squares = np.zeros(values.shape[1]), np.zeros(values.shape[1])
    for run in runs(values):
        total += filled(run, fill).sum(axis=0)
    mean = total / n
    for run in runs(values):
        squares += ((filled(run, fill) - mean) ** 2).sum(axis=0)
    return mean, np.sqrt(squares / n)


def moments(values: Rows) -> Moments:
    """Moments of the columns. Centred before the product, so offsets cost no digits."""
    n, columns = len(values), values.shape[1]
    fill = known_means(values)
    total = np.zeros(columns)
    for run in runs(values):
        total += filled(run, fill).sum(axis=0)
    mean = total / max(n, 1)
    product = np.zeros((columns, columns))
    for run in runs(values):
        centred = filled(run, fill) - mean
        product += centred.T @ centred
    covariance = product / max(n, 1)
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
