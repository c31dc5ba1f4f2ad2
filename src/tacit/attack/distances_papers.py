"""The distances of the linkage literature, each for nearest record and for assignment."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import factorial
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Le

from tacit.attack.aware.base import Informed, continuous, numbers
from tacit.attack.distances import common_codes
from tacit.attack.evidence import Evidence, Rule
from tacit.attack.linkage import Linkage
from tacit.attack.whiten import spread, whitener
from tacit.errors import InputError, ParameterError
from tacit.microdata import FloatArray, Kind, Microdata

Measure = Literal["dbrl1", "dbrl2", "cov", "cov0", "kernel"]
MOST_FEATURES = 5_000


class ByDistance(Informed):
    """Link by a distance of the literature. Source: 001, section 2.1.

    Definition of d(a, b)^2, a original and b masked: `dbrl1`: each file standardised by its own mean and sd;
    `dbrl2`: differences over the sd of V_X - V_Y; `cov0`: Mahalanobis with S = var X + var Y; `cov`: Mahalanobis with
    S = var X + var Y - cov - cov' from the true links; `kernel`: K(a,a) - 2 K(a,b) + K(b,b) with
    K(x, y) = (1 + x.y)^degree on standardised columns. Nominal columns add 0 or 1, ordinal ones the number of
    categories passed over divided by the number of categories.
    `dbrl2` and `cov` use the true links: they are the worst case, an intruder who knows how the whole file moved.
    Guarantee: exact links under the distance. Cost: as `Nearest` or `Assignment`.

    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=(50, 3))
    >>> ByDistance(measure="dbrl1").link(x, 2 * x + 1).correct
    50.0
    """

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
        worst = ", and from the true links the covariance of the change" if self.measure in ("dbrl2", "cov") else ""
        return self._says(f"compared by the distance {self.measure}{worst}")

    def link(self, original: Any, masked: Any, *, truth: Any = None) -> Linkage:
        """As every attacker; `dbrl2` and `cov` first take the covariance of the change from the true links."""
        if self.measure not in ("dbrl2", "cov") or self.noise is not None:
            return super().link(original, masked, truth=truth)
        a, b = Microdata.of(original), Microdata.of(masked)
        if truth is None and a.n != b.n:
            raise InputError(f"the original has {a.n} records and the masked file {b.n}; say who is who (truth=...)")
        rows = np.arange(a.n) if truth is None else np.asarray(truth)
        x, z = numbers(a, b, continuous(a, self._columns(a, b)))
        released = rows >= 0
        # rounded to 12 digits: the sum must not depend on the order of the rows
        change = _steady(spread(x[released] - z[rows[released]]))
        told = ByDistance(self.measure, self.degree, self.rule, self.columns, change.tolist())
        return Informed.link(told, a, b, truth=truth)

    def evidence(self, original: Microdata, masked: Microdata, columns: list[str]) -> Evidence:
        names = continuous(original, columns)
        found = Evidence.none(original.n, masked.n)
        for name in columns:
            if name not in names:
                found = found + _categories(original, masked, name)
        if not names:
            return found
        x, z = numbers(original, masked, names)
        signal = spread(x)
        if self.measure in ("dbrl1", "kernel"):
            x, z = _standard(x), _standard(z)
            if self.measure == "kernel":
                x, z = polynomial(x, self.degree), polynomial(z, self.degree)
            return Evidence(x, z) + found
        if self.measure == "cov0":
            w = whitener(signal + spread(z), signal)
            return Evidence(x @ w, z @ w) + found
        if self.noise is None or np.shape(self.noise) != signal.shape:
            raise ParameterError(f"{self.measure} needs the covariance of the change for {len(names)} columns")
        noise = np.asarray(self.noise)
        if self.measure == "dbrl2":
            sd = np.sqrt(np.maximum(np.diag(noise), 1e-18 * np.diag(signal)))
            sd = np.where(sd > 0, sd, 1.0)
            return Evidence(x / sd, z / sd) + found
        w = whitener(noise, signal)
        return Evidence(x @ w, z @ w) + found


def _steady(matrix: FloatArray) -> FloatArray:
    scale = float(np.abs(matrix).max(initial=0.0)) or 1.0
    return np.asarray(np.round(matrix / scale, 12) * scale)


def _standard(values: FloatArray) -> FloatArray:
    sd = values.std(0)
    return np.asarray((values - values.mean(0)) / np.where(sd > 0, sd, 1.0))


def polynomial(values: FloatArray, degree: int) -> FloatArray:
    """Phi with Phi(x) . Phi(y) = (1 + x.y)^degree: all monomials of (1, x) with the roots of multinomial numbers.

    >>> x = np.array([[1.0, 2.0]]); y = np.array([[3.0, -1.0]])
    >>> bool(np.isclose((polynomial(x, 3) @ polynomial(y, 3).T)[0, 0], (1 + (x @ y.T)[0, 0]) ** 3))
    True
    """
    wide = np.column_stack([np.ones(len(values)), values])
    terms = list(combinations_with_replacement(range(wide.shape[1]), degree))
    if len(terms) > MOST_FEATURES:
        raise ParameterError(f"degree {degree} on {values.shape[1]} columns needs {len(terms)} features; lower it")
    out = np.empty((len(values), len(terms)))
    for k, term in enumerate(terms):
        ways = factorial(degree)
        for c in set(term):
            ways //= factorial(term.count(c))
        out[:, k] = np.sqrt(ways) * wide[:, list(term)].prod(1)
    return out


def _categories(original: Microdata, masked: Microdata, name: str) -> Evidence:
    a, b, size = common_codes(original, masked, name)
    steps = np.arange(size + 1)
    if original.schema[name].kind is Kind.ordinal:
        # one step for each category passed: squared distance = |difference of ranks| / size; factor 2 for the 1/2
        rows = [np.sqrt(2.0 / size) * (np.where(np.isnan(c), 0, c)[:, None] > steps) for c in (a, b)]
    else:
        rows = [1.0 * (np.where(np.isnan(c), size, c)[:, None] == steps) for c in (a, b)]
    return Evidence(rows[0], rows[1])
