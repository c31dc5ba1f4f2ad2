"""Regression coefficients before and after, for models that the user gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.errors import ParameterError
from tacit.loss.moments import FloatArray, filled
from tacit.measure import Measure
from tacit.pair import Pair

Z95 = 1.959963984540054


def parse(model: str) -> tuple[str, list[str]]:
    """'income ~ age + hours' -> ('income', ['age', 'hours'])."""
    left, tilde, right = model.partition("~")
    terms = [term.strip() for term in right.split("+")]
    if not tilde or not left.strip() or not all(terms):
        raise ParameterError(f"'{model}' is not a model; write it as 'income ~ age + hours'")
    return left.strip(), terms


def least_squares(y: FloatArray, X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Coefficients (with intercept first) and their standard errors; by pseudo-inverse, so dependent columns are
    fine.
    """
    A = np.column_stack([np.ones(len(y)), X])
    inverse = np.linalg.pinv(A.T @ A)
    beta = inverse @ A.T @ y
    freedom = max(len(y) - np.linalg.matrix_rank(A), 1)
    sigma = float(((y - A @ beta) ** 2).sum() / freedom)
    return beta, np.sqrt(np.maximum(np.diagonal(inverse) * sigma, 0.0))


def overlap(a: FloatArray, sa: FloatArray, b: FloatArray, sb: FloatArray) -> FloatArray:
    """Overlap of the 95 % intervals of each coefficient: mean of (common length / each length), 0 if they are apart."""
    low = np.maximum(a - Z95 * sa, b - Z95 * sb)
    high = np.minimum(a + Z95 * sa, b + Z95 * sb)
    common = np.maximum(high - low, 0.0)
    la, lb = 2 * Z95 * sa, 2 * Z95 * sb
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (common / la + common / lb) / 2
    point = (la == 0) | (lb == 0)  # an interval of no width overlaps if it is inside the other
    return np.where(point, (high >= low).astype(np.float64), share)


def regression(original: Any, masked: Any, *, models: Sequence[str] | None = None) -> Measure:
    """Loss of regression results: 1 - mean overlap of the 95 % intervals of the coefficients before and after.

    ``models``: 'y ~ a + b', ordinary least squares on standardised columns. Range [0, 1]. 0: the intervals are the
    same. Higher: they overlap less; 1: not at all. The details give coefficients and overlap of each model.
    Source: Karr, Kohnen, Oganian, Reiter and Sanil 2006.
    """
    if not models:
        return Measure.absent("regression", "no model was given (models=['income ~ age + hours'])")
    details: dict[str, Any] = {}
    shares = []
    for model in models:
        target, terms = parse(model)
        pair = Pair.of(original, masked, [target, *terms])
        if pair.incomparable:
            raise ParameterError(f"model '{model}': '{pair.incomparable[0]}' holds no numbers in the masked file")
        x, z = (filled(part) for part in pair.numbers())
        mean, sd = x.mean(axis=0), x.std(axis=0)
        unit = np.where(sd > 0, sd, 1.0)
        x, z = (x - mean) / unit, (z - mean) / unit
        a, sa = least_squares(x[:, 0], x[:, 1:])
        b, sb = least_squares(z[:, 0], z[:, 1:])
        share = overlap(a[1:], sa[1:], b[1:], sb[1:])
        shares.append(float(share.mean()))
        details[model] = {
            term: {"before": float(a[i]), "after": float(b[i]), "overlap": float(share[i - 1])}
            for i, term in enumerate(terms, start=1)
        }
    return Measure(
        "regression",
        1 - float(np.mean(shares)),
        (0.0, 1.0),
        "the intervals of every coefficient are what they were",
        "the intervals overlap less",
        details,
    )
