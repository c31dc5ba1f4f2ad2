"""Squared error, and how many cells were changed or suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.loss.moments import filled
from tacit.loss.words import NO_NUMBERS
from tacit.measure import Measure
from tacit.pair import Pair


def sse(original: Any, masked: Any, *, columns: Sequence[str] | None = None) -> Measure:
    """SSE / SST: sum over records and standardised columns of (x - z)^2, over the total sum of squares about the mean.

    Columns are divided by the original's sd (ddof 0), so SST = n d; the details hold SSE. Range [0, inf): 0: no value
    changed; 1: as far off as putting the mean everywhere; higher: further. Suppressed cells count as the column mean.
    Source: Domingo-Ferrer and Mateo-Sanz 2002.
    """
    pair = Pair.of(original, masked, columns)
    names = pair.numeric
    if not names:
        return Measure.absent("SSE", NO_NUMBERS)
    if not pair.aligned:
        return Measure.absent("SSE", "the files differ in length")
    x, z = pair.numbers(names)
    z = filled(z)
    x = np.where(np.isnan(x), z, x)
    mean, sd = x.mean(axis=0), x.std(axis=0)
    unit = np.where(sd > 0, sd, 1.0)
    square = ((x - z) / unit) ** 2
    total = (((x - mean) / unit) ** 2).sum()
    return Measure(
        "SSE",
        float(square.sum() / total) if total > 0 else float(square.sum() > 0),
        (0.0, float("inf")),
        "every value is as it was",
        "values are further from what they were; 1 is as bad as the mean everywhere",
        {
            "SSE": float(square.sum()),
            "SST": float(total),
            "percent": float(100 * square.sum() / total) if total else 0.0,
        },
        square.mean(axis=1),
        dict(zip(names, square.mean(axis=0).tolist(), strict=True)),
    )


def changed(original: Any, masked: Any, *, columns: Sequence[str] | None = None) -> Measure:
    """Share of cells that are not what they were: changed, recoded or suppressed.

    Range [0, 1]. 0: every cell is as it was. Higher: more cells are not. The details count suppressed cells.
    """
    pair = Pair.of(original, masked, columns)
    if not pair.aligned or not (pair.columns or pair.incomparable):
        return Measure.absent("changed", "the files have no column in common, or differ in length")
    x, z = pair.numbers()
    gone = np.isnan(z) & ~np.isnan(x)
    cells = gone | ((x != z) & ~(np.isnan(x) & np.isnan(z)))
    if pair.incomparable:  # recoded to something else: every cell
        cells = np.hstack([cells, np.ones((len(cells), len(pair.incomparable)), dtype=bool)])
    names = [*pair.columns, *pair.incomparable]
    return Measure(
        "changed",
        float(cells.mean()) if cells.size else 0.0,
        (0.0, 1.0),
        "every cell is as it was",
        "more cells are changed or suppressed",
        {"suppressed cells": int(gone.sum()), "recoded columns": pair.incomparable},
        cells.mean(axis=1),
        dict(zip(names, cells.mean(axis=0).tolist(), strict=True)),
    )
