"""How many cells were changed, recoded or suppressed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.data.pair import Pair


@facts.measure("Changed cells", passes="columns")
def changed(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
) -> Measure:
    """Share of cells that are not what they were: changed, recoded or suppressed.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    columns : list of str, optional
        Columns that are compared; the common quasi-identifiers unless given.

    Notes
    -----
    **Definition.** #{cells with x != z} / (n d); a cell missing in both files is as it was.
    **Range.** [0, 1]. 0: every cell is as it was. Higher: more cells are not. The details
    count suppressed cells.
    """
    pair = Pair.of(original, masked, columns)
    names = [*pair.columns, *pair.incomparable]
    if not pair.aligned or not names:
        why = "the files have no column in common, or differ in length"
        return Measure.absent("changed", why)
    n = pair.original.n
    by_record = np.zeros(n) if pair.original.in_memory else None
    shares: list[float] = []
    hidden = 0
    # column by column: a file may be larger than memory
    for name in pair.columns:
        x, z = pair.column(name)
        no_original, no_masked = np.isnan(x), np.isnan(z)
        suppressed = no_masked & ~no_original
        # NaN differs from itself, so cells missing in both files are taken out
        cells = suppressed | ((x != z) & ~(no_original & no_masked))
        hidden += int(suppressed.sum())
        shares.append(float(cells.mean()) if n else 0.0)
        if by_record is not None:
            by_record += cells
    # a column recoded to something else has no cell that is as it was
    shares += [1.0] * len(pair.incomparable)
    if by_record is not None:
        by_record = (by_record + len(pair.incomparable)) / len(names)
    return Measure(
        "changed",
        float(np.mean(shares)) if n else 0.0,
        (0.0, 1.0),
        "every cell is as it was",
        "more cells are changed or suppressed",
        {
            "suppressed cells": hidden,
            "recoded columns": pair.incomparable,
        },
        by_record,
        dict(zip(names, shares, strict=True)),
    )
