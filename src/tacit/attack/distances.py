"""Distances between originals and masked records, as vectors whose plain distance is the wanted
one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tacit.attack.common_codes import common_codes, one_sided_merged
from tacit.attack.solver.metric import Metric
from tacit.base.errors import ColumnError, InputError, ParameterError
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Kind, Microdata

Scale = Literal["std", "max", "range", "none"]
"""How continuous columns are brought to one unit (see ``embed``)."""
Distance = Literal["euclidean", "manhattan", "mahalanobis", "gower"]
"""The named distances (see ``vectors``)."""
Compare = Callable[[Floats, Floats], Floats]
"""A distance of the user's own: (n, d) and (m, d) numbers (codes for categories) to an (n, m)
matrix."""

# Most pairs that are compared one by one (distances without vectors): 320 MB
PAIRS = 40_000_000
# Share of the largest variance below which a direction counts as constant
RANK = 1e-10


def embed(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
    scale: Scale = "std",
) -> tuple[Floats, Floats]:
    """Both files as vectors whose squared Euclidean distance is the sum over columns of theirs.

    Continuous: the difference over the scale. Ordinal: the difference of ranks over the
    number of ranks less one. Nominal: 0 or 1 (one coordinate per category that both files have
    and one for all others of each file, divided by the square root of 2). A missing value sits
    at the original's mean, and a missing marker adds 1 when only one of the two is missing.

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    columns : list of str
        The columns that are compared.
    scale : {"std", "max", "range", "none"}
        Standard deviation of the original, larger maximum absolute value of both files,
        range of the original, or 1.
    """
    X, Y, _ = vectors(original, masked, columns, scale=scale)
    return X, Y


def vectors(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
    distance: Distance = "euclidean",
    scale: Scale = "std",
    weights: dict[str, float] | None = None,
) -> tuple[Floats, Floats, Metric]:
    """Both files as vectors, and the metric between them that is the wanted distance.

    With d_c the distance of column c (see ``embed``) and w_c its weight: ``euclidean``
    sqrt(sum w d^2); ``manhattan`` sum w d; ``gower`` sum w d / sum w with ranges as scale
    (Gower 1971); ``mahalanobis`` sqrt((x - z)' S^-1 (x - z)) over the continuous columns, S
    the covariance of the original (its pseudo-inverse when columns depend on each other),
    plus w d^2 of the others.

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    columns : list of str
        The columns that are compared.
    distance : {"euclidean", "manhattan", "mahalanobis", "gower"}
        The wanted distance.
    scale : {"std", "max", "range", "none"}
        How continuous columns are brought to one unit.
    weights : dict of str to float, optional
        Weight of each column; 1 unless given.
    """
    if not columns:  # nothing to tell records apart by: all are at distance 0
        return np.zeros((original.n, 1)), np.zeros((masked.n, 1)), "euclidean"
    left: list[Floats] = []
    right: list[Floats] = []
    to_whiten: list[int] = []
    width = 0
    each = coordinates(original, masked, columns, distance, scale, weights)
    for name, (x, z, shape) in zip(columns, each, strict=True):
        is_continuous = original.schema[name].scale is Kind.continuous
        if distance == "mahalanobis" and is_continuous:
            # the first coordinate of the column; a missing marker may follow it
            to_whiten.append(width)
        left.append(shape(x))
        right.append(shape(z))
        width += shape.width
    X = np.ascontiguousarray(np.hstack(left))
    Y = np.ascontiguousarray(np.hstack(right))
    if to_whiten:
        _whiten(X, Y, np.array(to_whiten))
    return X, Y, metric_of(distance)


def metric_of(distance: Distance) -> Metric:
    """The metric between vectors that is the wanted distance."""
    # distances that add up, instead of their squares
    return "manhattan" if distance in ("manhattan", "gower") else "euclidean"


@dataclass(frozen=True)
class Shape:
    """From one number per record to the coordinates of a column: every record by itself.

    Attributes
    ----------
    size
        Of nominal columns the number of categories; None: values and ranks.
    marked
        Missing values have a coordinate that marks them.
    height
        What the indicator of a category is.
    factor
        What all coordinates are multiplied by: the weight of the column.
    """

    size: int | None = None
    marked: bool = False
    height: float = 1.0
    factor: float = 1.0

    @property
    def width(self) -> int:
        """Number of coordinates."""
        return 1 + (self.marked if self.size is None else self.size)

    def __call__(self, values: Floats) -> Floats:
        """(records, width) of one number per record, NaN where it is missing."""
        if self.size is not None:
            # one coordinate per category and one for missing values
            flags = np.zeros((len(values), self.size + 1))
            place = np.where(np.isnan(values), self.size, values).astype(np.int64)
            flags[np.arange(len(values)), place] = self.height
            return flags * self.factor
        if not self.marked:
            return values[:, None] * self.factor
        # missing values at 0, the mean
        lost = np.isnan(values)
        return np.column_stack([np.where(lost, 0.0, values), lost]) * self.factor


def coordinates(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
    distance: Distance = "euclidean",
    scale: Scale = "std",
    weights: dict[str, float] | None = None,
) -> Iterator[tuple[Floats, Floats, Shape]]:
    """One number per record of both files, and what coordinates it becomes, column by column.

    Parameters
    ----------
    original, masked, columns, distance, scale, weights
        As of ``vectors``, of which this is all but the whitening.
    """
    weight = _weights(columns, weights)
    straight = metric_of(distance) == "manhattan"
    if distance == "gower":
        scale = "range"
    for name in columns:
        factor = weight[name] if straight else float(np.sqrt(weight[name]))
        if distance == "gower":
            # Gower divides by the sum of the weights
            factor /= sum(weight.values())
        x, z, shape = _column_vectors(original, masked, name, scale, straight)
        yield x, z, replace(shape, factor=factor)


def compare_all(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
    compare: Compare,
) -> Floats:
    """The matrix of a user's own distance.

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    columns : list of str
        The columns that are compared.
    compare : function
        From numbers of both files to a matrix of distances.
    """
    if original.n * masked.n > PAIRS:
        raise InputError(
            f"a distance given as a function compares {original.n} x {masked.n} pairs one "
            f"by one, and takes up to {PAIRS:,}; use a named distance, or a sample"
        )
    distances = compare(original.numbers(columns), masked.numbers(columns))
    matrix = np.asarray(distances, dtype=np.float64)
    if matrix.shape != (original.n, masked.n) or not np.isfinite(matrix).all():
        raise InputError(
            "the distance function must return finite numbers of shape "
            f"{(original.n, masked.n)}, not {matrix.shape}"
        )
    return matrix


def _weights(columns: list[str], weights: dict[str, float] | None) -> dict[str, float]:
    """The weight of every compared column; raises on names and values that make no sense."""
    given = weights or {}
    for name, value in given.items():
        if name not in columns:
            raise ColumnError(
                f"weights: column '{name}' is not compared; compared are "
                f"{', '.join(columns)}"
            )
        if not (np.isfinite(value) and value >= 0):
            raise ParameterError(
                f"weights: column '{name}' has weight {value}; use a number of at least 0"
            )
    return {name: float(given.get(name, 1.0)) for name in columns}


def _whiten(
    X: Floats,
    Y: Floats,
    at: Ints,
) -> None:
    """Turn coordinates so that the original's covariance is the identity on what it spans."""
    # sums in value order: row order must not show in the last bit
    ranked = X[np.lexsort(X.T[::-1])][:, at]
    centred = ranked - ranked.mean(axis=0)
    covariance = centred.T @ centred / max(1, len(X) - 1)
    variance, axes = np.linalg.eigh(covariance)
    varies = variance > variance.max(initial=0.0) * RANK
    inverse_sd = 1.0 / np.sqrt(np.where(varies, variance, 1.0))
    turn = np.where(varies, inverse_sd, 0.0) * axes
    X[:, at] = X[:, at] @ turn
    Y[:, at] = Y[:, at] @ turn


def _column_vectors(
    original: Microdata,
    masked: Microdata,
    name: str,
    scale: Scale,
    straight: bool = False,
) -> tuple[Floats, Floats, Shape]:
    """One number per record; ``straight``: distances add up, not their squares."""
    kind = original.schema[name].scale
    if kind is Kind.continuous:
        if masked.schema[name].scale is not Kind.continuous:
            masked = masked.with_schema(masked.schema.set(continuous=[name]))
        x = original.column(name)
        z = masked.column(name)
        # sums of sorted values: the last bit of a mean must not depend on row order, or
        # tied optima would
        ranked = np.sort(x[~np.isnan(x)])
        unit = _unit(ranked, np.sort(z[~np.isnan(z)]), scale)
        if len(ranked):
            centre = float(ranked.mean())
        else:
            centre = 0.0
        return _with_missing((x - centre) / unit, (z - centre) / unit)
    x, z, size = common_codes(original, masked, name)
    if kind is Kind.ordinal:
        top = max(size - 1, 1)
        return _with_missing(x / top, z / top)
    # two categories differ in two coordinates: each counts one half
    half = 0.5 if straight else np.sqrt(0.5)
    x, z, size = one_sided_merged(x, z, size)
    return x, z, Shape(size=size, height=half)


def _unit(
    ours: Floats,
    theirs: Floats,
    scale: Scale,
) -> float:
    """What sorted values are divided by; 1 where the scale gives nothing to divide by."""
    if len(ours) == 0:
        return 1.0
    if scale == "std":
        if len(ours) > 1:
            unit = float(np.std(ours, ddof=1))
        else:
            unit = 1.0
    elif scale == "max":
        unit = max(float(np.abs(ours).max()), float(np.abs(theirs).max(initial=0.0)))
    elif scale == "range":
        unit = float(ours[-1] - ours[0])
    else:
        unit = 1.0
    if unit > 0 and np.isfinite(unit):
        return unit
    return 1.0


def _with_missing(x: Floats, z: Floats) -> tuple[Floats, Floats, Shape]:
    """Values with a coordinate that marks missing ones where there are any."""
    marked = bool(np.isnan(x).any() or np.isnan(z).any())
    return x, z, Shape(marked=marked)
