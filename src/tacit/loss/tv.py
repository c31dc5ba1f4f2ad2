"""Total variation: how far the shares of each column's categories moved."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.typing import Floats
from tacit.data.pair import Pair


def total_variation(x: Floats, z: Floats) -> float:
    """1/2 sum over categories of |share before - share after|; NaN is a category."""
    # missing values get the code after the last one; the 0 is for columns of nothing else
    both = np.concatenate([x, z, [0.0]])
    missing = int(np.nanmax(both)) + 1
    gap = _shares(x, missing) - _shares(z, missing)
    return float(np.abs(gap).sum() / 2)


def _shares(codes: Floats, missing: int) -> Floats:
    """Share of each code 0 .. missing."""
    whole = np.where(np.isnan(codes), missing, codes).astype(np.int64)
    counts = np.bincount(whole, minlength=missing + 1)
    return np.asarray(counts / max(len(codes), 1))


@facts.measure("Total variation", passes="columns")
def tv(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
) -> Measure:
    """Total variation: mean over columns of 1/2 sum of |share before - share after|.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    columns : list of str, optional
        Columns that are compared; the common quasi-identifiers unless given.

    Notes
    -----
    **Definition.** The sum is over the values of a nominal or ordinal column; a missing
    value is a value of its own.
    **Range.** [0, 1]. 0: the shares are the same. Higher: a larger share of records would
    have to change category to get them back.
    """
    pair = Pair.of(original, masked, columns)
    names = pair.categorical
    if not names:
        return Measure.absent("TV", "no compared column is nominal or ordinal")
    moved = {name: total_variation(*pair.column(name)) for name in names}
    return Measure(
        "TV",
        float(np.mean(list(moved.values()))),
        (0.0, 1.0),
        "the shares of every category are what they were",
        "more records would have to change category to restore the shares",
        {"largest": max(moved.values())},
        None,
        moved,
    )
