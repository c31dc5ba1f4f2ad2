"""Probabilistic information loss: five losses in [0, 1].

The original file is the population, a statistic t of the masked file an estimate of its value
T there, with the standard error s that an honest sample of the same size would have. Loss =
Pr(|N(0,1)| <= |t - T| / s): near 0 when the masked file tells the same as another sample
would, near 1 when no sample would stray so far.

    quantile q (5 %, 10 %, .. 95 %)   s^2 = q (1 - q) / (n g(Q)^2), g the density
    mean                              s^2 = mu2 / n
    variance                          s^2 = (mu4 - mu2^2) / n
    covariance                        s^2 = (mu22 - mu11^2) / n
    correlation r                     s^2 = (mean of (a b - r (a^2 + b^2) / 2)^2) / n,
                                      a and b standardised

The correlation's error is the delta method's, in a form without division by r. For quantiles
the distance is taken on the scale of ranks, (F(t) - q) / sqrt(q (1 - q) / n): the same to
first order, and no density need be estimated. Source: Mateo-Sanz, Domingo-Ferrer and Sebe
(2005).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.scipy_parts import erf
from tacit.base.typing import Floats, Ints
from tacit.data.pair import Pair
from tacit.data.runs import known_means, runs
from tacit.loss import class_means
from tacit.loss.moments import filled, mean_and_sd

if TYPE_CHECKING:
    from tacit.data.out_of_core.disk_rows import Rows

QUANTILES = np.arange(1, 20) / 20.0
PARTS = ("quantiles", "means", "variances", "covariances", "correlations")
# Columns are standardised, so a gap or an error below this is rounding.
_ROUNDING = 1e-12


@facts.measure("Probabilistic information loss", passes="pieces")
def pil(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
) -> Measure:
    """Probabilistic information loss: mean of five losses Pr(|N(0,1)| <= |t - T| / s).

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    columns : list of str, optional
        Columns that are compared; the common quasi-identifiers unless given.

    Notes
    -----
    **Definition.** The five are of quantiles (5 % .. 95 %), means, variances, covariances
    and correlations: T in the original, t in the masked file, s the standard error of t in
    an honest sample of the same size.
    **Range.** [0, 1]. 0: every statistic is what it was. Higher: further. About 0.5: the
    masked file strays as far as another sample would. Near 1: no sample would. With many
    records s is small and the loss is near 1 for any bias: that is its meaning.

    References
    ----------
    Mateo-Sanz, Domingo-Ferrer and Sebe (2005).
    """
    pair = Pair.of(original, masked, columns)
    if why := class_means.why_not(pair):
        return Measure.absent("PIL", why)
    names = class_means.compared(pair)
    parts = probabilistic(*class_means.rows(pair))
    # one column alone has no covariances and no correlations
    losses = {part: float(parts[part].mean()) for part in PARTS if parts[part].size}
    by_quantile = parts["quantiles"].mean(axis=0)
    by_column = (by_quantile + parts["means"] + parts["variances"]) / 3
    return Measure(
        "PIL",
        float(np.mean(list(losses.values()))),
        (0.0, 1.0),
        "quantiles, means, variances, covariances and correlations are as they were",
        "statistics moved further than the chance of sampling explains",
        {**losses, "columns": names},
        None,
        dict(zip(names, by_column.tolist(), strict=True)),
    )


@dataclass(frozen=True)
class PopulationMoments:
    """Moments of the original's columns, standardised: means of products of powers."""

    second: Floats  # mu2: 1, or 0 for a constant column
    fourth: Floats  # mu4
    product: Floats  # mu11, the correlations
    squares: Floats  # mu22
    cubes: Floats  # mu31

    @property
    def correlation_error(self) -> Floats:
        """n times the squared standard error of each correlation"""
        r = self.product
        fourths = self.fourth[:, None] + self.fourth[None, :]
        error = self.squares - r * (self.cubes + self.cubes.T)
        return np.asarray(error + r * r * (fourths + 2 * self.squares) / 4)


def probabilistic(original: Rows, masked: Rows) -> dict[str, Floats]:
    """Loss of each part: quantiles (19, d); means, variances (d,); the others (pairs)."""
    n = len(masked)
    ours, theirs = known_means(original), known_means(masked)
    mean, sd = mean_and_sd(original, ours)
    scale = np.where(sd > 0, sd, 1.0)
    population = population_moments(original, mean, scale, ours)
    shift, covariance = _sample_moments(masked, mean, scale, theirs)
    variance = np.diagonal(covariance)

    width = np.sqrt(variance)
    safe = np.where(width > 0, width, 1.0)
    correlation = covariance / np.outer(safe, safe)
    r = population.product
    second = population.second
    variance_error = population.fourth - second**2
    covariance_error = population.squares - r * r
    pairs = np.triu_indices(len(mean), 1)
    covariances = _loss(covariance - r, covariance_error, n)
    correlations = _loss(correlation - r, population.correlation_error, n)
    return {
        "quantiles": _quantiles(original, masked, ours, theirs),
        "means": _loss(shift, second, n),
        "variances": _loss(variance - second, variance_error, n),
        "covariances": covariances[pairs],
        "correlations": correlations[pairs],
    }


def _standardised(
    values: Rows,
    mean: Floats,
    scale: Floats,
    fill: Floats | None,
) -> Iterator[Floats]:
    """The rows by chunks, in units of the original's mean and sd."""
    for run in runs(values):
        yield ((run if fill is None else filled(run, fill)) - mean) / scale


def population_moments(
    x: Rows,
    mean: Floats,
    scale: Floats,
    fill: Floats | None = None,
) -> PopulationMoments:
    """Sums over chunks, divided by n at the end."""
    d = x.shape[1]
    second, fourth = np.zeros(d), np.zeros(d)
    product, squares, cubes = (np.zeros((d, d)) for _ in range(3))
    for a in _standardised(x, mean, scale, fill):
        square = a * a
        second += square.sum(axis=0)
        fourth += (square * square).sum(axis=0)
        product += a.T @ a
        squares += square.T @ square
        cubes += (square * a).T @ a
    for total in (second, fourth, product, squares, cubes):
        total /= len(x)
    return PopulationMoments(second, fourth, product, squares, cubes)


def _sample_moments(
    z: Rows,
    mean: Floats,
    scale: Floats,
    fill: Floats,
) -> tuple[Floats, Floats]:
    """Means and covariances of the masked file, in the original's units."""
    n, d = z.shape
    shift = np.zeros(d)
    for b in _standardised(z, mean, scale, fill):
        shift += b.sum(axis=0)
    shift /= n
    # a second pass about the mean: one pass would lose digits where the shift is large
    covariance = np.zeros((d, d))
    for b in _standardised(z, mean, scale, fill):
        centred = b - shift
        covariance += centred.T @ centred
    return shift, covariance / n


def _loss(gap: Floats, variance: Floats, n: int) -> Floats:
    """Pr(|N(0,1)| <= gap / sqrt(variance / n)); without variance 0 if no gap, else 1."""
    error = np.sqrt(np.maximum(variance, 0.0) / n)
    size = np.abs(gap)
    size = np.where(size <= _ROUNDING, 0.0, size)
    varies = error > _ROUNDING
    ratio = size / np.where(varies, error, 1.0)
    any_gap = (size > 0).astype(np.float64)
    return np.where(varies, erf(ratio / np.sqrt(2.0)), any_gap)


def _quantiles(x: Rows, z: Rows, ours: Floats, theirs: Floats) -> Floats:
    """Loss of each quantile of each column.

    Ties: no loss while q lies between the share below the value and the share not above it.
    """
    n = len(z)
    error = np.sqrt(QUANTILES * (1 - QUANTILES) / n)
    # The q-quantile is record number ceil(q n), counted from 1; 1e-9 undoes rounding up
    # where q n is a whole number.
    place = np.ceil(QUANTILES * n - 1e-9).astype(np.int64) - 1
    place = np.minimum(place, n - 1).clip(0)
    loss = np.empty((len(QUANTILES), x.shape[1]))
    for j in range(x.shape[1]):
        if isinstance(z, np.ndarray):
            found = _around_quantiles(x[:, j], z[:, j], ours[j], theirs[j], place)
        else:
            found = _around_on_disk(x, z, j, ours[j], theirs[j], place)
        below, not_above = (count / len(x) for count in found)
        outside = np.maximum(below - QUANTILES, QUANTILES - not_above)
        gap = np.maximum(outside, 0.0)
        # the sample's own quantile may sit one record away from q
        gap = np.where(gap <= 1.0 / n, 0.0, gap)
        loss[:, j] = erf(gap / error / np.sqrt(2.0))
    return loss


def _around_quantiles(
    x: Floats, z: Floats, ours: float, theirs: float, place: Ints
) -> tuple[Ints, Ints]:
    """Cells of x below, and at or below, the values at some places of z in rising order."""
    masked = _filled_copy(z, theirs)
    masked.partition(np.unique(place))
    quantile = masked[place]
    del masked
    values = _filled_copy(x, ours)
    values.sort()
    below = np.searchsorted(values, quantile, side="left")
    not_above = np.searchsorted(values, quantile, side="right")
    return below, not_above


def _filled_copy(column: Floats, fill: float) -> Floats:
    """A copy of a column, gaps filled."""
    copy: Floats = np.array(column)
    copy[np.isnan(copy)] = fill
    return copy


def _around_on_disk(
    x: Rows, z: Rows, column: int, ours: float, theirs: float, place: Ints
) -> tuple[Ints, Ints]:
    """The same of files on the disk: the masked column is sorted there, the other one counted."""
    # measured: what reads files is not loaded where they are in memory
    from tacit.data.out_of_core.disk_rows import DiskRows
    from tacit.loss.by_pieces import around, values_at

    assert isinstance(x, DiskRows)
    assert isinstance(z, DiskRows)
    quantile = values_at(z.ordered(column), theirs, place)
    return around(x.source(column), ours, quantile)
