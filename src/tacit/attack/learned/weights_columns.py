"""Columns on the scale on which weights are compared, and what each links alone."""

from __future__ import annotations

import numpy as np

from tacit.attack.common_codes import common_codes
from tacit.attack.learned.weights_search import Pairs
from tacit.base.typing import TIE, Bools, Floats
from tacit.data.microdata import Kind, Microdata


def columns_of(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
) -> tuple[Floats, Floats, Bools]:
    """Both files on the scale on which weights are compared, and which columns are nominal.

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    columns : list of str
        The columns that are compared.
    """
    left, right, nominal = [], [], []
    for name in columns:
        kind = original.schema[name].scale
        if kind is Kind.continuous:
            left.append(_standard(original.column(name)))
            right.append(_standard(masked.column(name)))
        else:
            x, z, size = common_codes(original, masked, name)
            if kind is Kind.nominal:
                scale = 1.0
            else:
                scale = 1.0 / max(size - 1, 1)
            # a missing value is a category of its own
            left.append(np.where(np.isnan(x), -1.0, x) * scale)
            right.append(np.where(np.isnan(z), -1.0, z) * scale)
        nominal.append(kind is Kind.nominal)
    return np.stack(left, 1), np.stack(right, 1), np.array(nominal, bool)


def _standard(values: Floats) -> Floats:
    """By mean and sd of the values present; missing values at the mean."""
    is_missing = np.isnan(values)
    seen = values[~is_missing]
    if seen.size:
        sd = float(seen.std())
    else:
        sd = 1.0
    if seen.size:
        mean = float(seen.mean())
    else:
        mean = 0.0
    return np.where(is_missing, 0.0, (values - mean) / (sd or 1.0))


def alone(pairs: Pairs, k: int) -> float:
    """Expected links by one attribute, ties shared among the records of the same value."""
    x = pairs.x[:, k]
    z = pairs.z[pairs.own, k]
    values, inverse, counts = np.unique(
        z,
        return_inverse=True,
        return_counts=True,
    )
    if pairs.nominal[k]:
        return float(((x == z) / counts[inverse]).sum())
    # the nearest values on both sides of each original
    right = np.clip(np.searchsorted(values, x), 0, len(values) - 1)
    left = np.maximum(right - 1, 0)
    down = np.abs(x - values[left])
    up = np.abs(values[right] - x)
    near = np.minimum(down, up)
    tied_left = (down == near) * counts[left]
    tied_right = ((up == near) & (right != left)) * counts[right]
    is_hit = np.abs(x - z) <= near * (1 + TIE)
    return float((is_hit / np.maximum(tied_left + tied_right, 1)).sum())
