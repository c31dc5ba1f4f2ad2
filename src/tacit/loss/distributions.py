"""How far each column's distribution moved: Kolmogorov-Smirnov and total variation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.loss.moments import FloatArray
from tacit.loss.words import NO_NUMBERS
from tacit.measure import Measure
from tacit.pair import Pair


def largest_gap(x: FloatArray, z: FloatArray) -> float:
    """sup |F - G| of two samples, missing values left out; 1 if one has no value at all and the other has."""
    x, z = np.sort(x[~np.isnan(x)]), np.sort(z[~np.isnan(z)])
    if not len(x) or not len(z):
        return float(len(x) != len(z))
    at = np.concatenate([x, z])
    gap = np.searchsorted(x, at, side="right") / len(x) - np.searchsorted(z, at, side="right") / len(z)
    return float(np.abs(gap).max())


def ks(original: Any, masked: Any, *, columns: Sequence[str] | None = None) -> Measure:
    """Kolmogorov-Smirnov: mean over columns of sup |F_j - G_j|, the distribution functions before and after.

    Continuous and ordinal columns. Range [0, 1]. 0: the distributions are the same. Higher: further apart; 1: no
    overlap. Per column: each distance.
    """
    pair = Pair.of(original, masked, columns)
    names = pair.numeric
    if not names:
        return Measure.absent("KS", NO_NUMBERS)
    found = {name: largest_gap(*pair.column(name)) for name in names}
    return Measure(
        "KS",
        float(np.mean(list(found.values()))),
        (0.0, 1.0),
        "every column is distributed as it was",
        "distributions moved further",
        {"largest": max(found.values())},
        None,
        found,
    )


def tv(original: Any, masked: Any, *, columns: Sequence[str] | None = None) -> Measure:
    """Total variation: mean over columns of 1/2 sum over values of |share before - share after|.

    Nominal and ordinal columns; a missing value is a value of its own. Range [0, 1]. 0: the shares are the same.
    Higher: a larger share of records would have to change category to get them back.
    """
    pair = Pair.of(original, masked, columns)
    names = pair.categorical
    if not names:
        return Measure.absent("TV", "no compared column is nominal or ordinal")
    found = {}
    for name in names:
        x, z = pair.column(name)
        top = int(np.nanmax(np.concatenate([x, z, [0.0]]))) + 1
        p = np.bincount(np.where(np.isnan(x), top, x).astype(np.int64), minlength=top + 1) / max(len(x), 1)
        q = np.bincount(np.where(np.isnan(z), top, z).astype(np.int64), minlength=top + 1) / max(len(z), 1)
        found[name] = float(np.abs(p - q).sum() / 2)
    return Measure(
        "TV",
        float(np.mean(list(found.values()))),
        (0.0, 1.0),
        "the shares of every category are what they were",
        "more records would have to change category to restore the shares",
        {"largest": max(found.values())},
        None,
        found,
    )
