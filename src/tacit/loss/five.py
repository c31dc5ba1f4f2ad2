"""IL1 .. IL5 on arrays: cells, means, variances, covariances, correlations.

X original, Z masked, n records, d columns; S_j the original sd, v_ij covariances, r_ij correlations (' =
masked).

          relative to the spread (default)                relative to the value (as first published)
    IL1   mean over cells of |x - z| / (sqrt(2) S_j)       mean over cells with x != 0 of |x - z| / |x|
    IL2   mean over columns of |mean - mean'| / S_j        ... / |mean|
    IL3   mean over columns of |v_jj - v'_jj| / v_jj       the same
    IL4   mean over i <= j of |v_ij - v'_ij| / (S_i S_j)   ... / |v_ij|
    IL5   mean over i < j of |r_ij - r'_ij|                the same

All are means, so files of different length compare. The value form explodes on values near zero and cannot
see a zero at all: that is why it is not the default. Domingo-Ferrer and Torra 2001; the sqrt(2) S_j scale is
Yancey, Winkler and Creecy 2002.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from tacit.loss.moments import FloatArray, change, filled, moments


@dataclass(frozen=True)
class Five:
    """The five losses; `column` holds IL1 of each column, `record` IL1 of each record (None if not
    aligned).
    """

    values: tuple[float, float, float, float, float]
    column: FloatArray
    record: FloatArray | None
    skipped: int  # cells that the value form cannot see (x = 0)

    @property
    def mean(self) -> float:
        known = [v for v in self.values if not np.isnan(v)]
        return float(np.mean(known)) if known else float("nan")


def five(original: FloatArray, masked: FloatArray, *, relative: str = "spread") -> Five:
    """IL1..IL5. A suppressed cell counts as imputed by its column's mean; IL1 needs files of equal length."""
    before, after = moments(original), moments(masked)
    d = original.shape[1]
    value = relative == "value"
    sd = before.sd
    column = np.full(d, np.nan)
    record: FloatArray | None = None
    first, skipped = float("nan"), 0
    if len(original) == len(masked) and d:
        x, z = original, filled(masked)
        scale = np.abs(x) if value else np.broadcast_to(sqrt(2.0) * sd, x.shape)
        cell = np.abs(x - z) / scale if value and not (x == 0).any() else change(x, z, scale)
        seen = ~np.isnan(x)
        if value:
            skipped = int((seen & (x == 0)).sum())
            seen &= x != 0
        cell = np.where(seen, cell, 0.0)
        column = cell.sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
        record = cell.sum(axis=1) / np.maximum(seen.sum(axis=1), 1)
        first = float(cell.sum() / max(seen.sum(), 1))
    upper, strict = np.triu_indices(d), np.triu_indices(d, 1)
    pair = np.abs(before.covariance) if value else np.outer(sd, sd)
    return Five(
        (
            first,
            _mean(change(before.mean, after.mean, np.abs(before.mean) if value else sd)),
            _mean(change(np.diagonal(before.covariance), np.diagonal(after.covariance), sd**2)),
            _mean(change(before.covariance, after.covariance, pair)[upper]),
            _mean(np.abs(before.correlation - after.correlation)[strict]),
        ),
        column,
        record,
        skipped,
    )


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if values.size else 0.0
