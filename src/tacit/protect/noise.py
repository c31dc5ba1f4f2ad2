"""Noise addition and multiplication."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Le
from scipy.special import ndtr, ndtri

from tacit.errors import ColumnError, ParameterError
from tacit.microdata import FloatArray, Kind, Microdata
from tacit.protect.base import Protector, Seed
from tacit.protect.moments import covariance, root

SMALLEST_SD = 1e-4
REDRAWS = 100


class Noise(Protector):
    """Add noise to continuous columns, or multiply them by it; replace values of other columns at random.

    Definition, with a = percent / 100 and e drawn anew for each record:

    - ``uncorrelated``: ``x' = x + e``, ``e ~ N(0, (a sd)^2)`` in each column on its own; a column whose sd (ddof 1) is
      below 0.0001 uses 1;
    - ``correlated``: ``e ~ N(0, a^2 Sigma)`` with Sigma the covariance of the file, so correlations are kept;
    - ``transformed``: ``x' = m + (x - m + e) / sqrt(1 + a^2)`` with e as in ``correlated``: mean and covariance of the
      release equal the original's in expectation;
    - ``multiplicative``: ``x' = x f`` with E(f) = 1: ``factor="lognormal"`` (f > 0, sd(f) = a) or ``"normal"``
      (N(1, a^2) cut to 0 < f < 2). A zero stays zero.

    A nominal or ordinal value is replaced with probability ``replace`` by another category, each equally likely.
    Source: 000, section 3.1.1; Kim (1986); Kim and Winkler (2003). Guarantee: none. Missing values stay missing.
    Cost: linear. Known attacks: nearest record and optimal assignment; Mahalanobis distance for correlated noise.

    Parameters: ``percent``: the sd of the noise as a percentage of the column's sd (of the factor: as a percentage
    of 1). ``bounds``: for each column [low, high]; a record with a value outside is drawn again (100 times, then
    put on the bound).

    >>> import numpy as np
    >>> Noise(percent=10, random_state=1).fit_transform(np.arange(6.0).reshape(3, 2)).shape
    (3, 2)
    """

    def __init__(
        self,
        percent: Annotated[float, Ge(0)] = 10.0,
        kind: Literal["uncorrelated", "correlated", "transformed", "multiplicative"] = "uncorrelated",
        factor: Literal["lognormal", "normal"] = "lognormal",
        replace: Annotated[float, Ge(0), Le(1)] = 0.1,
        bounds: dict[str, tuple[float, float]] | None = None,
        columns: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.percent = percent
        self.kind = kind
        self.factor = factor
        self.replace = replace
        self.bounds = bounds
        self.columns = columns
        self.random_state = random_state

    def _fit(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> None:
        numeric = [name for name in columns if data.schema[name].kind is Kind.continuous]
        values = data.numbers(numeric)
        self.sd_ = column_sd(values)
        self.mean_, self.covariance_ = covariance(values) if numeric else (np.empty(0), np.empty((0, 0)))

    def _apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        numeric = [name for name in columns if data.schema[name].kind is Kind.continuous]
        low, high = self._limits(numeric)
        if numeric:
            values = data.numbers(numeric)
            masked = self._draw(values, rng)
            for _ in range(REDRAWS):
                outside = ((masked < low) | (masked > high)).any(axis=1)
                if not outside.any():
                    break
                masked[outside] = self._draw(values[outside], rng)
            data = data.with_numbers(numeric, np.clip(masked, low, high))
        for name in columns:
            if name not in numeric:
                data = data.with_numbers(
                    [name], self._flip(data.column(name), len(data.categories(name)), rng)[:, None]
                )
        return data

    def _limits(self, numeric: list[str]) -> tuple[FloatArray, FloatArray]:
        bounds = self.bounds or {}
        unknown = [name for name in bounds if name not in numeric]
        if unknown:
            raise ColumnError(f"bounds names '{unknown[0]}', which is not a continuous column that noise is added to")
        low = np.array([bounds.get(name, (-np.inf, np.inf))[0] for name in numeric])
        high = np.array([bounds.get(name, (-np.inf, np.inf))[1] for name in numeric])
        if (low > high).any():
            raise ParameterError(
                f"bounds of '{numeric[int(np.argmax(low > high))]}': the lower one is above the upper one"
            )
        return low, high

    def _draw(self, values: FloatArray, rng: np.random.Generator) -> FloatArray:
        a = self.percent / 100.0
        normal = rng.standard_normal(values.shape)
        if self.kind == "uncorrelated":
            return np.asarray(values + normal * (self.sd_ * a))
        if self.kind == "multiplicative":
            return np.asarray(values * factors(normal, a, self.factor))
        noisy = values + normal @ root(self.covariance_) * a
        if self.kind == "transformed":
            noisy = self.mean_ + (noisy - self.mean_) / np.sqrt(1 + a * a)
        return np.asarray(noisy)

    def _flip(self, codes: FloatArray, size: int, rng: np.random.Generator) -> FloatArray:
        chosen = (rng.random(codes.size) < self.replace) & ~np.isnan(codes)
        if size < 2:
            return codes
        # one of the other size - 1 codes: a step of 1 .. size - 1 around the circle
        step = rng.integers(1, size, codes.size)
        return np.asarray(np.where(chosen, (codes + step) % size, codes))


def factors(normal: FloatArray, a: float, form: str) -> FloatArray:
    """Multipliers with mean 1 made from standard normal draws; see ``Noise``."""
    if a == 0:
        return np.ones_like(normal)
    if form == "lognormal":
        variance = np.log1p(a * a)
        return np.asarray(np.exp(np.sqrt(variance) * normal - variance / 2))
    # the normal distribution cut to 0 < f < 2, symmetric about 1: by inversion
    tail = ndtr(-1.0 / a)
    return np.asarray(1.0 + a * ndtri(tail + ndtr(normal) * (1 - 2 * tail)))


def column_sd(values: FloatArray) -> FloatArray:
    """Standard deviation (ddof 1) of each column without its missing values; 1 where it is below 0.0001."""
    present = np.sum(~np.isnan(values), axis=0)
    mean = np.nansum(values, axis=0) / np.maximum(present, 1)
    squares = np.nansum((values - mean) ** 2, axis=0)
    sd = np.sqrt(squares / np.maximum(present - 1, 1))
    return np.where(sd < SMALLEST_SD, 1.0, sd)
