"""The distances of the linkage literature, each for nearest record and for assignment."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import factorial
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import ArrayLike

from tacit.attack.common_codes import common_codes
from tacit.attack.informed.base import Informed, continuous, numbers
from tacit.attack.informed.evidence import Evidence, Rule
from tacit.attack.linkage import Linkage
from tacit.attack.whiten import spread, whitener
from tacit.base import parameters
from tacit.base.errors import InputError, ParameterError
from tacit.base.typing import Floats
from tacit.data.microdata import Kind, Microdata

Measure = Literal["dbrl1", "dbrl2", "cov", "cov0", "kernel"]
"""The distances, by the names that the literature gives them."""
FROM_LINKS = ("dbrl2", "cov")
"""Distances that take the covariance of the change from the true links."""
# Most monomials of the polynomial kernel: 40 kB per record
MOST_FEATURES = 5_000
# Variance of a change relative to the column's (1e-9 of its sd): below it nothing
# changed.
SMALLEST_CHANGE = 1e-18


class ByDistance(Informed):
    """Link by a distance of the literature.

    Parameters
    ----------
    measure : {"dbrl1", "dbrl2", "cov", "cov0", "kernel"}
        The distance, by its name in the literature.
    degree : int
        Degree of the polynomial kernel.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.
    noise : matrix, optional
        Covariance of the change, for ``dbrl2`` and ``cov``; from the true links unless
        given.

    Notes
    -----
    **Definition.** d(a, b)^2 with a original and b masked is for ``dbrl1`` the squared
    difference of each file standardised by its own mean and sd; for ``dbrl2`` differences
    over the sd of V_X - V_Y; for ``cov0`` Mahalanobis with S = var X + var Y; for ``cov``
    Mahalanobis with S = var X + var Y - cov - cov' from the true links; for ``kernel``
    K(a, a) - 2 K(a, b) + K(b, b) with K(x, y) = (1 + x.y)^degree on standardised columns.
    Nominal columns add 0 or 1, ordinal ones the number of categories passed over divided by
    the number of categories. ``dbrl2`` and ``cov`` use the true links: they are the worst
    case, an intruder who knows how the whole file moved.

    **Guarantee.** Exact links under the distance.

    **Cost.** As ``Nearest`` or ``Assignment``.

    References
    ----------
    Abril, Navarro-Arribas and Torra (2012), section 2.1.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=(50, 3))
    >>> ByDistance(measure="dbrl1").link(x, 2 * x + 1).correct
    50.0
    """

    title = "A distance of the literature"

    method = "distance"

    def __init__(
        self,
        measure: Measure = "dbrl1",
        degree: Annotated[int, Ge(1), Le(6)] = 2,
        rule: Rule = "nearest",
        columns: list[str] | None = None,
        noise: list[list[float]] | None = None,
    ) -> None:
        self.measure = measure
        self.degree = degree
        self.rule = rule
        self.columns = columns
        self.noise = noise

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        phrase = f"compared by the distance {self.measure}"
        if self.measure in FROM_LINKS:
            phrase += ", and from the true links the covariance of the change"
        return self._says(phrase)

    def link(
        self,
        original: object,
        masked: object,
        *,
        truth: ArrayLike | None = None,
    ) -> Linkage:
        """As every attacker; some measures first take the covariance of the change.

        Parameters
        ----------
        original, masked : frame, array, dict of columns or Microdata
            What the intruder knows, and what was released.
        truth : array of int, optional
            The masked row of each original (-1: not released); aligned rows unless given.
        """
        parameters.check(type(self), self.get_params(deep=False))
        if self.measure not in FROM_LINKS or self.noise is not None:
            return super().link(original, masked, truth=truth)
        ours = Microdata.of(original)
        theirs = Microdata.of(masked)
        if truth is None and ours.n != theirs.n:
            raise InputError(
                f"the original has {ours.n} records and the masked file {theirs.n}; say "
                "who is who (truth=...)"
            )
        if truth is None:
            rows = np.arange(ours.n)
        else:
            rows = np.asarray(truth)
        # covariances are of the continuous columns alone
        names = continuous(ours, self._columns(ours, theirs))
        x, z = numbers(ours, theirs, names)
        released = rows >= 0
        change = _steady(spread(x[released] - z[rows[released]]))
        # the same attacker, who now knows how the file moved
        knowing = ByDistance(
            self.measure,
            self.degree,
            self.rule,
            self.columns,
            change.tolist(),
        )
        return Informed.link(knowing, ours, theirs, truth=truth)

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Vectors of the continuous columns, and indicators of the categories."""
        names = continuous(original, columns)
        categories = Evidence.none(original.n, masked.n)
        for name in columns:
            if name not in names:
                categories = categories + _categories(original, masked, name)
        if not names:
            return categories
        x, z = numbers(original, masked, names)
        return self._of_numbers(x, z) + categories

    def _of_numbers(
        self,
        x: Floats,
        z: Floats,
    ) -> Evidence:
        """The evidence of the continuous columns."""
        if self.measure in ("dbrl1", "kernel"):
            x = _standard(x)
            z = _standard(z)
            if self.measure == "kernel":
                x = polynomial(x, self.degree)
                z = polynomial(z, self.degree)
            return Evidence(x, z)
        signal = spread(x)
        if self.measure == "cov0":
            w = whitener(signal + spread(z), signal)
            return Evidence(x @ w, z @ w)
        if self.noise is None or np.shape(self.noise) != signal.shape:
            raise ParameterError(
                f"{self.measure} needs the covariance of the change for {len(signal)} "
                "columns"
            )
        noise = np.asarray(self.noise)
        if self.measure == "dbrl2":
            least = SMALLEST_CHANGE * np.diag(signal)
            sd = np.sqrt(np.maximum(np.diag(noise), least))
            sd = np.where(sd > 0, sd, 1.0)
            return Evidence(x / sd, z / sd)
        w = whitener(noise, signal)
        return Evidence(x @ w, z @ w)


def _steady(matrix: Floats) -> Floats:
    """Rounded to 12 digits of the largest entry: a sum must not depend on the order of rows."""
    scale = float(np.abs(matrix).max(initial=0.0)) or 1.0
    return np.asarray(np.round(matrix / scale, 12) * scale)


def _standard(values: Floats) -> Floats:
    """Columns by their own mean and sd."""
    sd = values.std(0)
    return np.asarray((values - values.mean(0)) / np.where(sd > 0, sd, 1.0))


def polynomial(values: Floats, degree: int) -> Floats:
    """Phi with Phi(x) . Phi(y) = (1 + x.y)^degree.

    All monomials of (1, x) with the roots of multinomial numbers.

    Parameters
    ----------
    values : array
        Records x columns.
    degree : int
        Of the kernel.

    Examples
    --------
    >>> x, y = np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]])
    >>> product = (polynomial(x, 3) @ polynomial(y, 3).T)[0, 0]
    >>> bool(np.isclose(product, (1 + (x @ y.T)[0, 0]) ** 3))
    True
    """
    with_one = np.column_stack([np.ones(len(values)), values])
    terms = list(combinations_with_replacement(range(with_one.shape[1]), degree))
    if len(terms) > MOST_FEATURES:
        raise ParameterError(
            f"degree {degree} on {values.shape[1]} columns needs {len(terms)} features; "
            "lower it"
        )
    features = np.empty((len(values), len(terms)))
    for k, term in enumerate(terms):
        # in how many orders the factors of the term can be multiplied
        multinomial = factorial(degree)
        for factor in set(term):
            multinomial //= factorial(term.count(factor))
        features[:, k] = np.sqrt(multinomial) * with_one[:, list(term)].prod(1)
    return features


def _categories(
    original: Microdata,
    masked: Microdata,
    name: str,
) -> Evidence:
    """The evidence of a nominal or ordinal column."""
    x, z, size = common_codes(original, masked, name)
    places = np.arange(size + 1)
    if original.schema[name].scale is Kind.ordinal:
        # one step for each category passed: squared distance = |difference of ranks| / size;
        # factor 2 for the 1/2
        step = np.sqrt(2.0 / size)
        ours = np.nan_to_num(x)
        theirs = np.nan_to_num(z)
        return Evidence(
            step * (ours[:, None] > places),
            step * (theirs[:, None] > places),
        )
    ours = np.nan_to_num(x, nan=size)
    theirs = np.nan_to_num(z, nan=size)
    return Evidence(1.0 * (ours[:, None] == places), 1.0 * (theirs[:, None] == places))
