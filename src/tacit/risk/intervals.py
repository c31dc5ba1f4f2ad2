"""Interval disclosure: how often the original value lies close to the masked one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from tacit.errors import ParameterError
from tacit.measure import Measure
from tacit.pair import Pair
from tacit.risk.keys import FloatArray

WIDTHS = tuple(w / 100 for w in range(1, 11))
"""Half-widths of the interval: 1 % to 10 %, as published; the measure is their average."""


def bounds(z: FloatArray, width: float, by: str, sd: float) -> tuple[FloatArray, FloatArray]:
    """The interval around each masked value: ``width`` of n ranks, or of the sd, to either side."""
    if by == "sd":
        return z - width * sd, z + width * sd
    order = np.sort(z)
    n = len(order)
    steps = int(np.floor(width * n + 1e-9))
    low = np.maximum(np.searchsorted(order, z, side="left") - steps, 0)
    high = np.minimum(np.searchsorted(order, z, side="right") - 1 + steps, n - 1)
    return order[low], order[high]


def interval(
    original: Any,
    masked: Any,
    *,
    by: Literal["rank", "sd"] = "rank",
    widths: Sequence[float] = WIDTHS,
    columns: Sequence[str] | None = None,
) -> Measure:
    """Interval disclosure ID: share of original values inside an interval around their masked value.

    ``by="rank"``: the interval reaches ``width`` x n ranks of the masked column to either side; ``by="sd"``: ``width``
    x the original's standard deviation. The share is averaged over widths (1 % .. 10 % unless given), columns and
    records. Nominal columns: the value is the same. Range [0, 1]. 0: no original value can be guessed that closely.
    Higher: more can. ``chance`` in the details: the same share when originals and masked values are paired at random.
    Source: Domingo-Ferrer and Torra 2001; Mateo-Sanz, Sebe and Domingo-Ferrer 2004 (sd).
    """
    pair = Pair.of(original, masked, columns)
    if by not in ("rank", "sd"):
        raise ParameterError(f"by={by!r} must be 'rank' or 'sd'")
    if not widths or min(widths) < 0:
        raise ParameterError("widths must be one or more shares of 0 or more, such as 0.05")
    if not pair.columns or not pair.aligned:
        return Measure.absent("interval", "the files have no common column, or differ in length")
    record, seen = np.zeros(pair.original.n), np.zeros(pair.original.n)
    per_column: dict[str, float] = {}
    chances = []
    for name in pair.columns:
        x, z = pair.column(name)
        known = ~np.isnan(x) & ~np.isnan(z)  # a suppressed cell discloses nothing
        inside, chance = _inside(x[known], z[known], by if name in pair.numeric else "same", widths)
        hits = np.zeros(len(x))
        hits[known] = inside
        record += hits
        seen += ~np.isnan(x)
        per_column[name] = float(hits.sum() / max((~np.isnan(x)).sum(), 1))
        chances.append(chance)
    return Measure(
        "interval",
        float(np.mean(list(per_column.values()))),
        (0.0, 1.0),
        "no original value lies in the interval around its masked value",
        "more original values can be guessed closely from the masked ones",
        {"by": by, "widths": list(widths), "chance": float(np.mean(chances))},
        record / np.maximum(seen, 1),
        per_column,
    )


def _inside(x: FloatArray, z: FloatArray, by: str, widths: Sequence[float]) -> tuple[FloatArray, float]:
    if not len(x):
        return np.zeros(0), 0.0
    if by == "same":
        codes, counts = np.unique(x, return_counts=True)
        share = dict(zip(codes.tolist(), (counts / len(x)).tolist(), strict=True))
        return (x == z).astype(np.float64), float(np.mean([share.get(v, 0.0) for v in z.tolist()]))
    order = np.sort(x)
    sd = float(x.std())
    total, chance = np.zeros(len(x)), 0.0
    for width in widths:
        low, high = bounds(z, width, by, sd)
        total += (x >= low) & (x <= high)
        count = np.searchsorted(order, high, side="right") - np.searchsorted(order, low, side="left")
        chance += float(count.mean()) / len(x)
    return total / len(widths), chance / len(widths)


def interval_sd(
    original: Any, masked: Any, *, widths: Sequence[float] = WIDTHS, columns: Sequence[str] | None = None
) -> Measure:
    """Interval disclosure with intervals of a share of the standard deviation (see ``interval``).

    Range [0, 1]. 0: no original value lies so close to its masked one. Higher: more do.
    """
    return replace(interval(original, masked, by="sd", widths=widths, columns=columns), name="interval_sd")
