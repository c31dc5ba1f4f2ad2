"""Counts that the pictures need: bins of a column before and after, shares of categories, sizes of groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Bins:
    """Shares of the records per interval. `cut` is the share of the original that lies beyond the ends."""

    edges: list[float]
    before: list[float]
    after: list[float]
    cut: float


def bins(before: Floats, after: Floats, most: int = 28) -> Bins | None:
    """Equal intervals over both files. A long tail is cut at the outer 1 % when it would flatten the rest."""
    b, a = before[np.isfinite(before)], after[np.isfinite(after)]
    both = np.concatenate([b, a])
    if both.size == 0:
        return None
    low, high = float(both.min()), float(both.max())
    inner = np.quantile(both, [0.005, 0.995])
    if high - low > 2.5 * (inner[1] - inner[0]) > 0:
        low, high = float(inner[0]), float(inner[1])
    if high <= low:
        low, high = low - 0.5, high + 0.5
    whole = bool(np.all(b == np.round(b))) and high - low < most
    edges = np.arange(np.floor(low) - 0.5, np.ceil(high) + 1) if whole else np.linspace(low, high, most + 1)
    shares = [np.histogram(part, edges)[0] / max(part.size, 1) for part in (b, a)]
    cut = float(np.mean((b < edges[0]) | (b > edges[-1]))) if b.size else 0.0
    return Bins(edges.tolist(), shares[0].tolist(), shares[1].tolist(), cut)


def shares(
    before: list[Any] | NDArray[Any], after: list[Any] | NDArray[Any], most: int = 8
) -> tuple[list[str], list[float], list[float]]:
    """Labels and shares of the commonest values of either file; the others together as '(others)'."""
    from collections import Counter

    b, a = Counter(map(_label, before)), Counter(map(_label, after))
    total_b, total_a = max(sum(b.values()), 1), max(sum(a.values()), 1)
    order = sorted(set(b) | set(a), key=lambda v: (-(b[v] / total_b + a[v] / total_a), v))
    kept = order if len(order) <= most else order[: most - 1]
    rest = order[len(kept) :]
    labels = kept + (["(others)"] if rest else [])
    first = [b[v] / total_b for v in kept] + ([sum(b[v] for v in rest) / total_b] if rest else [])
    second = [a[v] / total_a for v in kept] + ([sum(a[v] for v in rest) / total_a] if rest else [])
    return labels, first, second


def _label(value: Any) -> str:
    missing = value is None or (isinstance(value, float) and value != value)
    return "(missing)" if missing else str(value)


def correlations(values: Floats) -> NDArray[np.float64]:
    """Pearson correlations over rows without missing values; a constant column gives NaN."""
    rows = values[np.isfinite(values).all(axis=1)]
    if rows.shape[0] < 3:
        return np.full((values.shape[1], values.shape[1]), np.nan)
    centred = rows - rows.mean(axis=0)
    sd = np.sqrt((centred**2).sum(axis=0))
    flat = sd <= 1e-12 * np.maximum(np.abs(rows).max(axis=0), 1.0)
    scaled = centred / np.where(flat, 1.0, sd)
    result = np.clip(scaled.T @ scaled, -1.0, 1.0)
    result[flat, :] = np.nan
    result[:, flat] = np.nan
    return np.asarray(result, dtype=np.float64)


def group_sizes(values: Floats) -> NDArray[np.int64]:
    """For each record: how many records of the file share all its values. Missing is a value of its own."""
    if values.shape[0] == 0 or values.shape[1] == 0:
        return np.zeros(values.shape[0], dtype=np.int64)
    filled = np.ascontiguousarray(np.where(np.isnan(values), np.inf, values) + 0.0)
    rows = filled.view([("", filled.dtype)] * filled.shape[1]).ravel()
    _, inverse, sizes = np.unique(rows, return_inverse=True, return_counts=True)
    return np.asarray(sizes[inverse.ravel()], dtype=np.int64)
