"""Kolmogorov-Smirnov: how far each column's distribution function moved."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.typing import Floats
from tacit.data.pair import Pair
from tacit.loss import class_means


def largest_gap(x: Floats, z: Floats) -> float:
    """sup |F - G| of two samples, missing values left out; 1 if one alone has no value."""
    x = np.sort(x[~np.isnan(x)])
    z = np.sort(z[~np.isnan(z)])
    if not len(x) or not len(z):
        return float(len(x) != len(z))
    # both functions are steps that change at values only: the largest gap is at a value
    values = np.concatenate([x, z])
    before = np.searchsorted(x, values, side="right") / len(x)
    after = np.searchsorted(z, values, side="right") / len(z)
    return float(np.abs(before - after).max())


@facts.measure("Kolmogorov-Smirnov distance", passes="pieces")
def ks(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
) -> Measure:
    """Kolmogorov-Smirnov: mean over columns of sup |F_j - G_j|, before and after.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    columns : list of str, optional
        Columns that are compared; the common quasi-identifiers unless given.

    Notes
    -----
    **Definition.** F_j and G_j are the distribution functions of column j in the original
    and the masked file; continuous and ordinal columns are compared.
    **Range.** [0, 1]. 0: the distributions are the same. Higher: further apart; 1: no
    overlap. Per column: each distance.
    """
    pair = Pair.of(original, masked, columns)
    if why := class_means.why_not(pair):
        return Measure.absent("KS", why)
    gaps = _gaps(pair)
    return Measure(
        "KS",
        float(np.mean(list(gaps.values()))),
        (0.0, 1.0),
        "every column is distributed as it was",
        "distributions moved further",
        {"largest": max(gaps.values())},
        None,
        gaps,
    )


def _gaps(pair: Pair) -> dict[str, float]:
    """The gap of each compared column."""
    names = class_means.compared(pair)
    if pair.held:
        return {name: largest_gap(*class_means.column(pair, name)) for name in names}
    # measured: what reads files is not loaded where they are in memory
    from tacit.data.out_of_core.disk_rows import DiskRows
    from tacit.loss import by_pieces

    x, z = class_means.rows(pair)
    assert isinstance(x, DiskRows)
    assert isinstance(z, DiskRows)
    return {
        name: by_pieces.largest_gap(x.ordered(j), z.ordered(j))
        for j, name in enumerate(names)
    }
