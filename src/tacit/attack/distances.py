"""Distances between originals and masked records, as vectors whose plain distance is the wanted one."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tacit.errors import ColumnError
from tacit.microdata import FloatArray, Kind, Microdata

Scale = Literal["std", "max", "range", "none"]


def embed(
    original: Microdata, masked: Microdata, columns: list[str], scale: Scale = "std"
) -> tuple[FloatArray, FloatArray]:
    """Both files as vectors with squared Euclidean distance = sum over columns of the column's squared distance.

    Continuous: the difference over the scale (``std``: sd of the original, ``max``: the larger maximum absolute
    value of both files, ``range``: range of the original, ``none``: 1). Ordinal: the difference of ranks over the
    number of ranks less one. Nominal: 0 or 1 (one coordinate a category, divided by the square root of 2).
    A missing value sits at the original's mean, and a missing marker adds 1 when only one of the two is missing.
    """
    left: list[FloatArray] = []
    right: list[FloatArray] = []
    for name in columns:
        a, b = _column_vectors(original, masked, name, scale)
        left.append(a)
        right.append(b)
    return np.ascontiguousarray(np.hstack(left)), np.ascontiguousarray(np.hstack(right))


def _column_vectors(original: Microdata, masked: Microdata, name: str, scale: Scale) -> tuple[FloatArray, FloatArray]:
    kind = original.schema[name].kind
    if kind is Kind.continuous:
        if masked.schema[name].kind is not Kind.continuous:
            masked = masked.with_schema(masked.schema.set(continuous=[name]))
        a, b = original.column(name), masked.column(name)
        # sums of sorted values: the last bit of a mean must not depend on row order, or tied optima would
        ranked = np.sort(a[~np.isnan(a)])
        unit = _unit(ranked, np.sort(b[~np.isnan(b)]), scale)
        centre = float(ranked.mean()) if len(ranked) else 0.0
        return _with_missing((a - centre) / unit, (b - centre) / unit)
    a, b, size = common_codes(original, masked, name)
    if kind is Kind.ordinal:
        top = max(size - 1, 1)
        return _with_missing(a / top, b / top)
    return _indicators(a, size), _indicators(b, size)


def common_codes(original: Microdata, masked: Microdata, name: str) -> tuple[FloatArray, FloatArray, int]:
    """Codes of a nominal or ordinal column over the categories of both files."""
    kind = original.schema[name].kind
    if masked.schema[name].kind != kind:
        masked = masked.with_schema(masked.schema.set(**{str(kind): [name]}))
    ours, theirs = original.categories(name), masked.categories(name)
    every = ours + [value for value in theirs if value not in set(ours)]
    if kind is Kind.ordinal and len(every) > len(ours):
        try:
            every = sorted(every)
        except TypeError:
            raise ColumnError(
                f"column '{name}': the masked file has values that the original's order does not know"
            ) from None
    code = {value: position for position, value in enumerate(every)}
    return (
        _recode(original.column(name), [code[v] for v in ours]),
        _recode(masked.column(name), [code[v] for v in theirs]),
        len(every),
    )


def _recode(codes: FloatArray, new: list[int]) -> FloatArray:
    table = np.asarray([*new, np.nan], dtype=np.float64)
    return table[np.where(np.isnan(codes), len(new), codes).astype(np.int64)]


def _unit(a: FloatArray, b: FloatArray, scale: Scale) -> float:
    if len(a) == 0:
        return 1.0
    if scale == "std":
        unit = float(np.std(a, ddof=1)) if len(a) > 1 else 1.0
    elif scale == "max":
        unit = max(float(np.abs(a).max()), float(np.abs(b).max(initial=0.0)))
    elif scale == "range":
        unit = float(a[-1] - a[0])
    else:
        unit = 1.0
    return unit if unit > 0 and np.isfinite(unit) else 1.0


def _with_missing(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    gone_a, gone_b = np.isnan(a), np.isnan(b)
    if not (gone_a.any() or gone_b.any()):
        return a[:, None], b[:, None]
    fill_a, fill_b = np.where(gone_a, 0.0, a), np.where(gone_b, 0.0, b)
    return np.column_stack([fill_a, gone_a]), np.column_stack([fill_b, gone_b])


def _indicators(codes: FloatArray, size: int) -> FloatArray:
    out = np.zeros((len(codes), size + 1))
    out[np.arange(len(codes)), np.where(np.isnan(codes), size, codes).astype(np.int64)] = np.sqrt(0.5)
    return out
