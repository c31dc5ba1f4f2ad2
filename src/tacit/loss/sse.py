"""Squared error of standardised columns, as a share of their total sum of squares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.data.pair import Pair
from tacit.loss.moments import NO_NUMBERS, filled


@facts.measure("SSE / SST")
def sse(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
) -> Measure:
    """SSE / SST: sum of squared changes over the total sum of squares about the mean.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    columns : list of str, optional
        Columns that are compared; the common quasi-identifiers unless given.

    Notes
    -----
    **Definition.** SSE = sum over records and standardised columns of (x - z)^2. Columns are
    divided by the original's sd (ddof 0), so SST = n d; the details hold SSE. Suppressed
    cells count as the column mean.
    **Range.** [0, inf). 0: no value changed; 1: as far off as putting the mean everywhere.
    Higher: further.

    References
    ----------
    Domingo-Ferrer and Mateo-Sanz (2002).
    """
    pair = Pair.of(original, masked, columns)
    names = pair.numeric
    if not names:
        return Measure.absent("SSE", NO_NUMBERS)
    if not pair.aligned:
        return Measure.absent("SSE", "the files differ in length")
    x, z = pair.numbers(names)
    z = filled(z)
    # where the original has no value nothing can be lost
    x = np.where(np.isnan(x), z, x)
    mean, sd = x.mean(axis=0), x.std(axis=0)
    unit = np.where(sd > 0, sd, 1.0)
    square = ((x - z) / unit) ** 2
    error = square.sum()
    total = (((x - mean) / unit) ** 2).sum()
    # constant columns have no spread to compare with: any change of them is all of it
    share = float(error / total) if total > 0 else float(error > 0)
    return Measure(
        "SSE",
        share,
        (0.0, float("inf")),
        "every value is as it was",
        "values are further from what they were; 1 is as bad as the mean everywhere",
        {
            "SSE": float(error),
            "SST": float(total),
            "percent": float(100 * error / total) if total else 0.0,
        },
        square.mean(axis=1),
        dict(zip(names, square.mean(axis=0).tolist(), strict=True)),
    )
