"""Counts that the pictures need.

Bins of a column before and after, shares of categories, correlations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Floats

# A tail is cut at these quantiles of both files together ...
TAIL = [0.005, 0.995]
# ... when the whole range is so many times as wide as what lies between them.
FLATTENS = 2.5


@dataclass(frozen=True)
class Bins:
    """Shares of the records per interval.

    `cut` is the share of the original that lies beyond the ends.
    """

    edges: list[float]
    before: list[float]
    after: list[float]
    cut: float


def bins(before: Floats, after: Floats, most: int = 28) -> Bins | None:
    """Equal intervals over both files; None when neither has a value.

    Parameters
    ----------
    before, after : array
        One column of the original and of the masked file.
    most : int
        The number of intervals; whole numbers get one interval each if there are fewer.
    """
    original = before[np.isfinite(before)]
    masked = after[np.isfinite(after)]
    both = np.concatenate([original, masked])
    if both.size == 0:
        return None
    low, high = _ends(both)
    whole = bool(np.all(original == np.round(original))) and high - low < most
    if whole:
        edges = np.arange(np.floor(low) - 0.5, np.ceil(high) + 1)
    else:
        edges = np.linspace(low, high, most + 1)
    first, second = (
        np.histogram(part, edges)[0] / max(part.size, 1) for part in (original, masked)
    )
    beyond = (original < edges[0]) | (original > edges[-1])
    cut = float(np.mean(beyond)) if original.size else 0.0
    return Bins(edges.tolist(), first.tolist(), second.tolist(), cut)


def _ends(values: Floats) -> tuple[float, float]:
    """Where the axis starts and ends: a tail that would flatten the rest is cut."""
    low, high = float(values.min()), float(values.max())
    inner_low, inner_high = np.quantile(values, TAIL)
    if high - low > FLATTENS * (inner_high - inner_low) > 0:
        low, high = float(inner_low), float(inner_high)
    # a constant column gets one interval around its value
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def shares(
    before: Iterable[object], after: Iterable[object], most: int = 8
) -> tuple[list[str], list[float], list[float]]:
    """Labels and shares of the commonest values of either file.

    Parameters
    ----------
    before, after : iterable
        One column of the original and of the masked file.
    most : int
        So many labels; the values beyond are taken together as '(others)'.
    """
    first, second = Counter(map(_label, before)), Counter(map(_label, after))
    total_first = max(first.total(), 1)
    total_second = max(second.total(), 1)

    def rank(label: str) -> tuple[float, str]:
        """The commonest first; equally common ones by name, so that pages compare."""
        common = first[label] / total_first + second[label] / total_second
        return -common, label

    order = sorted(set(first) | set(second), key=rank)
    # one place is left for the others
    kept = order if len(order) <= most else order[: most - 1]
    rest = order[len(kept) :]
    labels = [*kept, "(others)"] if rest else kept

    def column(counts: Counter[str], total: int) -> list[float]:
        each = [counts[label] / total for label in kept]
        others = sum(counts[label] for label in rest) / total
        return [*each, others] if rest else each

    return labels, column(first, total_first), column(second, total_second)


def _label(value: object) -> str:
    # only NaN differs from itself
    missing = value is None or (isinstance(value, float) and value != value)
    return "(missing)" if missing else str(value)


def correlations(values: Floats) -> Floats:
    """Pearson correlations over rows without missing values; a constant column gives NaN."""
    rows = values[np.isfinite(values).all(axis=1)]
    # two records are always perfectly correlated
    if rows.shape[0] < 3:
        return np.full((values.shape[1], values.shape[1]), np.nan)
    centred = rows - rows.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    # what is left of a constant column is rounding, relative to its size
    size = np.maximum(np.abs(rows).max(axis=0), 1.0)
    flat = length <= 1e-12 * size
    scaled = centred / np.where(flat, 1.0, length)
    result = np.clip(scaled.T @ scaled, -1.0, 1.0)
    result[flat, :] = np.nan
    result[:, flat] = np.nan
    return np.asarray(result, dtype=np.float64)
