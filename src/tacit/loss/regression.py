"""Regression coefficients before and after, for models that the user gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.base import facts
from tacit.base.errors import ParameterError
from tacit.base.measure import Measure
from tacit.base.typing import Floats
from tacit.data.pair import Pair
from tacit.data.runs import known_means, runs
from tacit.loss.moments import filled, mean_and_sd

if TYPE_CHECKING:
    from tacit.data.out_of_core.disk_rows import Rows

# the 97.5 % quantile of N(0, 1): a 95 % interval reaches so many standard errors each way
Z95 = 1.959963984540054
# Share of the largest sum of squares below which a direction is rounding: columns depend on others
DEPENDENT = 1e-12


@dataclass(frozen=True)
class Fit:
    """Coefficients of a model and their standard errors."""

    coefficient: Floats
    error: Floats

    @property
    def reach(self) -> Floats:
        """how far the 95 % interval reaches to either side"""
        return np.asarray(Z95 * self.error)


def parse(model: str) -> tuple[str, list[str]]:
    """'income ~ age + hours' -> ('income', ['age', 'hours'])."""
    left, tilde, right = model.partition("~")
    target = left.strip()
    terms = [term.strip() for term in right.split("+")]
    if not tilde or not target or not all(terms):
        raise ParameterError(
            f"'{model}' is not a model; write it as 'income ~ age + hours'"
        )
    return target, terms


def least_squares(rows: Rows, standard: Callable[[Floats], Floats]) -> Fit:
    """The first column regressed on the others, with an intercept that is left out of the result.

    Sums over runs of records: A'A and A'y, then the squares of y - A beta. By pseudo-inverse, so
    dependent columns are fine.

    Parameters
    ----------
    rows : array or rows of a file
        The columns of the model, the target first.
    standard : function
        What a run of them is in the units of the model, gaps filled.
    """
    terms = rows.shape[1]
    square, product = np.zeros((terms, terms)), np.zeros(terms)
    for run in runs(rows):
        y, A = _matrix(standard(run))
        square += A.T @ A
        product += A.T @ y
    inverse = np.linalg.pinv(square, rcond=DEPENDENT, hermitian=True)
    beta = inverse @ product
    size = np.abs(np.linalg.eigvalsh(square))
    rank = int(np.count_nonzero(size > DEPENDENT * size.max()))
    freedom = max(len(rows) - rank, 1)
    squares = 0.0
    for run in runs(rows):
        y, A = _matrix(standard(run))
        squares += float(((y - A @ beta) ** 2).sum())
    variance = squares / freedom
    # rounding may take the variance of a coefficient below 0
    error = np.sqrt(np.maximum(np.diagonal(inverse) * variance, 0.0))
    return Fit(beta[1:], error[1:])


def _matrix(values: Floats) -> tuple[Floats, Floats]:
    """(target, ones and the other columns)."""
    return values[:, 0], np.column_stack([np.ones(len(values)), values[:, 1:]])


def overlap(before: Fit, after: Fit) -> Floats:
    """Overlap of each coefficient's 95 % intervals: mean of common length / each length.

    0 if they are apart.
    """
    low = np.maximum(
        before.coefficient - before.reach,
        after.coefficient - after.reach,
    )
    high = np.minimum(
        before.coefficient + before.reach,
        after.coefficient + after.reach,
    )
    common = np.maximum(high - low, 0.0)
    length_before = 2 * Z95 * before.error
    length_after = 2 * Z95 * after.error
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (common / length_before + common / length_after) / 2
    # an interval of no width overlaps if it is inside the other
    point = (length_before == 0) | (length_after == 0)
    touching = (high >= low).astype(np.float64)
    return np.where(point, touching, share)


@facts.measure("Regression", passes="runs")
def regression(
    original: object,
    masked: object,
    *,
    models: Sequence[str] | None = None,
) -> Measure:
    """Loss of regression results: 1 - mean overlap of the coefficients' 95 % intervals.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    models : list of str
        Models as 'y ~ a + b': ordinary least squares on standardised columns.

    Notes
    -----
    **Definition.** The overlap of two intervals is the mean of common length / each length;
    it is averaged over coefficients, then over models.
    **Range.** [0, 1]. 0: the intervals are the same. Higher: they overlap less; 1: not at
    all. The details give coefficients and overlap of each model.

    References
    ----------
    Karr, Kohnen, Oganian, Reiter and Sanil (2006).
    """
    if not models:
        why = "no model was given (models=['income ~ age + hours'])"
        return Measure.absent("regression", why)
    details: dict[str, object] = {}
    shares = []
    for model in models:
        target, terms = parse(model)
        pair = Pair.of(original, masked, [target, *terms])
        if pair.incomparable:
            recoded = pair.incomparable[0]
            raise ParameterError(
                f"model '{model}': '{recoded}' holds no numbers in the masked file"
            )
        before, after = _fits(pair)
        share = overlap(before, after)
        shares.append(float(share.mean()))
        details[model] = {
            term: {
                "before": float(before.coefficient[i]),
                "after": float(after.coefficient[i]),
                "overlap": float(share[i]),
            }
            for i, term in enumerate(terms)
        }
    return Measure(
        "regression",
        1 - float(np.mean(shares)),
        (0.0, 1.0),
        "the intervals of every coefficient are what they were",
        "the intervals overlap less",
        details,
    )


def _fits(pair: Pair) -> tuple[Fit, Fit]:
    """The first column regressed on the others, in both files."""
    x, z = pair.rows(pair.columns)
    ours, theirs = known_means(x), known_means(z)
    # both files in the original's units, so that coefficients compare
    mean, sd = mean_and_sd(x, ours)
    unit = np.where(sd > 0, sd, 1.0)
    before = least_squares(x, lambda run: (filled(run, ours) - mean) / unit)
    after = least_squares(z, lambda run: (filled(run, theirs) - mean) / unit)
    return before, after
