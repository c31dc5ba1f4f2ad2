"""IL1 .. IL5 on arrays: cells, means, variances, covariances, correlations.

X original, Z masked, n records, d columns; S_j the original sd, v_ij covariances, r_ij
correlations (' = masked).

          relative to the spread (default)              relative to the value (first published)
    IL1   mean over cells of |x - z| / (sqrt(2) S_j)    mean over cells, x != 0, of |x - z| / |x|
    IL2   mean over columns of |mean - mean'| / S_j     ... / |mean|
    IL3   mean over columns of |v_jj - v'_jj| / v_jj    the same
    IL4   mean over i <= j of |v_ij - v'_ij| / (S_i S_j)   ... / |v_ij|
    IL5   mean over i < j of |r_ij - r'_ij|             the same

All are means, so files of different length compare. The value form explodes on values near
zero and cannot see a zero at all: that is why it is not the default. Domingo-Ferrer and Torra
(2001); the sqrt(2) S_j scale is that of Yancey, Winkler and Creecy (2002).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from tacit.base.typing import Floats
from tacit.data.runs import known_means, runs
from tacit.loss.moments import change, filled, moments

if TYPE_CHECKING:
    from tacit.data.out_of_core.disk_rows import Rows


@dataclass(frozen=True)
class CellLoss:
    """IL1 and its parts; nothing but NaN where the files are not aligned."""

    value: float
    column: Floats
    record: Floats | None
    skipped: int = 0  # cells that the value form cannot see (x = 0)


@dataclass(frozen=True)
class Five:
    """The five losses, and IL1 by column and by record (None if not aligned)."""

    values: tuple[float, float, float, float, float]
    column: Floats
    record: Floats | None
    skipped: int

    @property
    def mean(self) -> float:
        """mean of the losses that could be computed"""
        computed = [value for value in self.values if not np.isnan(value)]
        return float(np.mean(computed)) if computed else float("nan")


def five(
    original: Rows,
    masked: Rows,
    *,
    relative: str = "spread",
) -> Five:
    """IL1..IL5. A suppressed cell counts as its column's mean; IL1 needs equal lengths."""
    before, after = moments(original), moments(masked)
    sd = before.sd
    if relative == "value":
        mean_scale = np.abs(before.mean)
        covariance_scale = np.abs(before.covariance)
    else:
        mean_scale = sd
        covariance_scale = np.outer(sd, sd)
    means = change(before.mean, after.mean, mean_scale)
    variances = change(before.variance, after.variance, sd**2)
    covariances = change(before.covariance, after.covariance, covariance_scale)
    correlations = np.abs(before.correlation - after.correlation)

    columns = original.shape[1]
    # IL4 counts variances too (i <= j); a correlation of a column with itself is 1 (i < j)
    upper = np.triu_indices(columns)
    strict = np.triu_indices(columns, 1)
    cells = cell_loss(original, masked, sd, relative)
    values = (
        cells.value,
        _mean(means),
        _mean(variances),
        _mean(covariances[upper]),
        _mean(correlations[strict]),
    )
    return Five(values, cells.column, cells.record, cells.skipped)


def cell_loss(
    x: Rows,
    masked: Rows,
    sd: Floats,
    relative: str,
) -> CellLoss:
    """IL1: the mean change of a cell, over cells whose original value is present.

    Records have a loss of their own where they are in memory.
    """
    columns = x.shape[1]
    if len(x) != len(masked) or not columns:
        return CellLoss(float("nan"), np.full(columns, np.nan), None)
    fill = known_means(masked)
    total, number, skipped = np.zeros(columns), np.zeros(columns), 0
    records: list[Floats] = []
    for ours, theirs in zip(runs(x), runs(masked), strict=True):
        seen = ~np.isnan(ours)
        if relative == "value":
            skipped += int((seen & (ours == 0)).sum())
            seen &= ours != 0
        cell = np.where(seen, _cells(ours, filled(theirs, fill), sd, relative), 0.0)
        total += cell.sum(axis=0)
        number += seen.sum(axis=0)
        if isinstance(x, np.ndarray):
            records.append(cell.sum(axis=1) / np.maximum(seen.sum(axis=1), 1))
    per_column = total / np.maximum(number, 1)
    per_record = np.concatenate(records) if records else None
    value = float(total.sum() / max(number.sum(), 1))
    return CellLoss(value, per_column, per_record, skipped)


def _cells(x: Floats, z: Floats, sd: Floats, relative: str) -> Floats:
    """The change of each cell of some records."""
    if relative == "value":
        # The guarded division costs time: it is left to files with a zero.
        size = np.abs(x)
        return change(x, z, size) if (x == 0).any() else np.abs(x - z) / size
    scale = np.broadcast_to(sqrt(2.0) * sd, x.shape)
    return change(x, z, scale)


def _mean(values: Floats) -> float:
    """Mean; 0 of nothing, such as the correlations of a single column."""
    return float(values.mean()) if values.size else 0.0
