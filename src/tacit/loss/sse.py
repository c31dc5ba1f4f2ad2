"""Squared error of standardised columns, as a share of their total sum of squares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.typing import Floats
from tacit.data.pair import Pair
from tacit.data.runs import known_means, runs
from tacit.loss import class_means
from tacit.loss.moments import filled

if TYPE_CHECKING:
    from tacit.data.out_of_core.disk_rows import Rows


@facts.measure("SSE / SST", passes="runs")
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
    if why := class_means.why_not(pair):
        return Measure.absent("SSE", why)
    names = class_means.compared(pair)
    if not pair.aligned:
        return Measure.absent("SSE", "the files differ in length")
    x, z = class_means.rows(pair)
    fill = known_means(z)
    mean, sd = _mean_and_sd(x, z, fill)
    unit = np.where(sd > 0, sd, 1.0)
    by_column, total = np.zeros(len(names)), 0.0
    records: list[Floats] = []
    for ours, theirs in _both(x, z, fill):
        square = ((ours - theirs) / unit) ** 2
        by_column += square.sum(axis=0)
        total += float((((ours - mean) / unit) ** 2).sum())
        if isinstance(x, np.ndarray):
            records.append(square.mean(axis=1))
    error = by_column.sum()
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
        # of a file on the disk, records have no place to be kept in
        np.concatenate(records) if records else None,
        dict(zip(names, (by_column / max(len(x), 1)).tolist(), strict=True)),
    )


def _both(x: Rows, z: Rows, fill: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Both files run by run; where the original has no value nothing can be lost."""
    for ours, theirs in zip(runs(x), runs(z), strict=True):
        masked = filled(theirs, fill)
        yield np.where(np.isnan(ours), masked, ours), masked


def _mean_and_sd(x: Rows, z: Rows, fill: Floats) -> tuple[Floats, Floats]:
    """Mean and sd (ddof 0) of the original so filled."""
    n = max(len(x), 1)
    mean = sum(ours.sum(axis=0) for ours, _ in _both(x, z, fill)) / n
    squares = sum(((ours - mean) ** 2).sum(axis=0) for ours, _ in _both(x, z, fill))
    return np.asarray(mean), np.asarray(np.sqrt(squares / n))
