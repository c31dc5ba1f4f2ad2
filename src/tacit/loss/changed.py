"""How many cells were changed, recoded or suppressed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.data.pair import Pair


@facts.measure("Changed cells")
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
    x, z = pair.numbers()
    no_original, no_masked = np.isnan(x), np.isnan(z)
    suppressed = no_masked & ~no_original
    # NaN differs from itself, so cells missing in both files are taken out
    cells = suppressed | ((x != z) & ~(no_original & no_masked))
    if pair.incomparable:
        # a column recoded to something else has no cell that is as it was
        recoded = np.ones((len(cells), len(pair.incomparable)), dtype=bool)
        cells = np.hstack([cells, recoded])
    return Measure(
        "changed",
        float(cells.mean()) if cells.size else 0.0,
        (0.0, 1.0),
        "every cell is as it was",
        "more cells are changed or suppressed",
        {
            "suppressed cells": int(suppressed.sum()),
            "recoded columns": pair.incomparable,
        },
        cells.mean(axis=1),
        dict(zip(names, cells.mean(axis=0).tolist(), strict=True)),
    )
