"""What happened to the correlations between columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.data.pair import Pair
from tacit.loss import class_means
from tacit.loss.moments import moments


@facts.measure("Correlation", passes="runs")
def correlation(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
) -> Measure:
    """Largest change of a correlation: max over i < j of |r_ij - r'_ij|.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    columns : list of str, optional
        Columns that are compared; the common quasi-identifiers unless given.

    Notes
    -----
    **Range.** [0, 2]. 0: every correlation is what it was. Higher: some correlation moved
    further. Per column: mean change of its correlations; the details name the pair and give
    the mean.
    """
    pair = Pair.of(original, masked, columns)
    if why := class_means.why_not(pair):
        return Measure.absent("correlation", why)
    names = class_means.compared(pair)
    if len(names) < 2:
        return Measure.absent("correlation", "there is only one column of numbers")
    x, z = class_means.rows(pair)
    gap = np.abs(moments(x).correlation - moments(z).correlation)
    i, j = np.unravel_index(int(gap.argmax()), gap.shape)
    # the diagonal is 0 and counts in no mean: each column has d - 1 others
    others = len(names) - 1
    by_column = gap.sum(axis=0) / others
    return Measure(
        "correlation",
        float(gap.max()),
        (0.0, 2.0),
        "every correlation is what it was",
        "some correlation moved further",
        {
            "pair": [names[i], names[j]],
            "mean": float(gap.sum() / (len(names) * others)),
        },
        None,
        dict(zip(names, by_column.tolist(), strict=True)),
    )
