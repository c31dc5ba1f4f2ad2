"""Distances between originals and masked records, as vectors whose plain distance is the wanted one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from tacit.attack.metric import Metric
from tacit.errors import ColumnError, InputError, ParameterError
from tacit.microdata import FloatArray, Kind, Microdata

Scale = Literal["std", "max", "range", "none"]
Distance = Literal["euclidean", "manhattan", "mahalanobis", "gower"]
Compare = Callable[[FloatArray, FloatArray], FloatArray]
"""A distance of the user's own: (n, d) and (m, d) numbers (codes for categories) to an (n, m) matrix."""

PAIRS = 40_000_000
"""Most pairs that are compared one by one (distances without vectors)."""


def embed(
    original: Microdata, masked: Microdata, columns: list[str], scale: Scale = "std"
) -> tuple[FloatArray, FloatArray]:
    """Both files as vectors with squared Euclidean distance = sum over columns of the column's squared distance.

    Continuous: the difference over the scale (``std``: sd of the original, ``max``: the larger maximum absolute
    value of both files, ``range``: range of the original, ``none``: 1). Ordinal: the difference of ranks over the
    number of ranks less one. Nominal: 0 or 1 (one coordinate a category, divided by the square root of 2).
    A missing value sits at the original's mean, and a missing marker adds 1 when only one of the two is missing.
    """
    return vectors(original, masked, columns, scale=scale)[:2]


def vectors(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
    distance: Distance = "euclidean",
    scale: Scale = "std",
    weights: dict[str, float] | None = None,
) -> tuple[FloatArray, FloatArray, Metric]:
    """Both files as vectors, and the metric between them that is the wanted distance.

    With d_c the distance of column c (see ``embed``) and w_c its weight (1 unless given): ``euclidean``
    sqrt(sum w d^2); ``manhattan`` sum w d; ``gower`` (Gower 1971) sum w d / sum w with ranges as scale;
    ``mahalanobis`` sqrt((x - z)' S^-1 (x - z)) over the continuous columns, S the covariance of the original
    (its pseudo-inverse when columns depend on each other), plus w d^2 of the others.
    """
    if not columns:  # nothing to tell records apart by: all are at distance 0
        return np.zeros((original.n, 1)), np.zeros((masked.n, 1)), "euclidean"
    weight = _weights(columns, weights)
    straight = distance in ("manhattan", "gower")
    left: list[FloatArray] = []
    right: list[FloatArray] = []
    whole: list[int] = []  # coordinates to whiten
    for name in columns:
        a, b = _column_vectors(original, masked, name, "range" if distance == "gower" else scale, straight)
        factor = weight[name] if straight else np.sqrt(weight[name])
        if distance == "gower":
            factor /= sum(weight.values())
        if distance == "mahalanobis" and original.schema[name].kind is Kind.continuous:
            whole.append(sum(part.shape[1] for part in left))
        left.append(a * factor)
        right.append(b * factor)
    X, Y = np.ascontiguousarray(np.hstack(left)), np.ascontiguousarray(np.hstack(right))
    if whole:
        _whiten(X, Y, np.array(whole))
    return X, Y, "manhattan" if straight else "euclidean"


def compare_all(original: Microdata, masked: Microdata, columns: list[str], compare: Compare) -> FloatArray:
    """The matrix of a user's own distance."""
    if original.n * masked.n > PAIRS:
        raise InputError(
            f"a distance given as a function compares {original.n} x {masked.n} pairs one by one, and takes up to "
            f"{PAIRS:,}; use a named distance, or a sample"
        )
    out = np.asarray(compare(original.numbers(columns), masked.numbers(columns)), dtype=np.float64)
    if out.shape != (original.n, masked.n) or not np.isfinite(out).all():
        raise InputError(
            f"the distance function must return finite numbers of shape {(original.n, masked.n)}, not {out.shape}"
        )
    return out


def _weights(columns: list[str], weights: dict[str, float] | None) -> dict[str, float]:
    for name, value in (weights or {}).items():
        if name not in columns:
            raise ColumnError(f"weights: column '{name}' is not compared; compared are {', '.join(columns)}")
        if not (np.isfinite(value) and value >= 0):
            raise ParameterError(f"weights: column '{name}' has weight {value}; use a number of at least 0")
    return {name: float((weights or {}).get(name, 1.0)) for name in columns}


def _whiten(X: FloatArray, Y: FloatArray, at: np.ndarray) -> None:
    """Turn the coordinates ``at`` so that the original's covariance is the identity on what it spans."""
    ranked = X[np.lexsort(X.T[::-1])][:, at]  # sums in value order: row order must not show in the last bit
    centred = ranked - ranked.mean(axis=0)
    values, axes = np.linalg.eigh(centred.T @ centred / max(1, len(X) - 1))
    kept = values > values.max(initial=0.0) * 1e-10
    turn = np.where(kept, 1.0 / np.sqrt(np.where(kept, values, 1.0)), 0.0) * axes
    X[:, at], Y[:, at] = X[:, at] @ turn, Y[:, at] @ turn


def _column_vectors(
    original: Microdata, masked: Microdata, name: str, scale: Scale, straight: bool = False
) -> tuple[FloatArray, FloatArray]:
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
    half = 0.5 if straight else np.sqrt(0.5)
    return _indicators(a, size, half), _indicators(b, size, half)


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


def _indicators(codes: FloatArray, size: int, half: float) -> FloatArray:
    out = np.zeros((len(codes), size + 1))
    out[np.arange(len(codes)), np.where(np.isnan(codes), size, codes).astype(np.int64)] = half
    return out
