"""Noise addition and multiplication."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Le

from tacit.base.errors import ColumnError, ParameterError
from tacit.base.facts import Strength
from tacit.base.scipy_parts import ndtr, ndtri
from tacit.base.typing import Floats
from tacit.data.microdata import Kind, Microdata
from tacit.protect import by_address
from tacit.protect.base import Protector, Seed
from tacit.protect.covariance import covariance, root

SMALLEST_SD = 1e-4
"""A column whose standard deviation is below this gets noise as if it were 1."""
REDRAWS = 100
"""How often a record outside its bounds is drawn again before it is put on the bound."""

Kinds = Literal["uncorrelated", "correlated", "transformed", "multiplicative"]


class Noise(Protector):
    """Add noise to continuous columns, or multiply them by it; replace other values at random.

    Parameters
    ----------
    percent : float
        Standard deviation of the noise, in percent of the column's (of the factor: in percent
        of 1).
    kind : {'uncorrelated', 'correlated', 'transformed', 'multiplicative'}
        How the noise of a record's columns is related, and whether it is added or multiplied.
    factor : {'lognormal', 'normal'}
        Distribution of the factor of multiplicative noise.
    replace : float
        Probability that a nominal or ordinal value is replaced by another category.
    bounds : dict of [low, high], optional
        Limits by column; a record with a value outside is drawn again, 100 times at most, and
        then put on the bound.
    columns : list of str, optional
        Columns to mask; the quasi-identifiers unless given.
    random_state : int, optional
        Seed: the same seed gives the same bytes; drawn from the system unless given.

    Attributes
    ----------
    sd_, mean_, covariance_ : array
        Moments of the continuous columns of the file.

    Notes
    -----
    **Definition.** With a = percent / 100 and e drawn anew for each record:

    - ``uncorrelated``: ``x' = x + e``, ``e ~ N(0, (a sd)^2)`` in each column on its own; a
      column whose sd (ddof 1) is below 0.0001 uses 1;
    - ``correlated``: ``e ~ N(0, a^2 Sigma)`` with Sigma the covariance of the file, so that
      correlations are kept;
    - ``transformed``: ``x' = m + (x - m + e) / sqrt(1 + a^2)`` with e as in ``correlated``:
      mean and covariance of the release equal the original's in expectation;
    - ``multiplicative``: ``x' = x f`` with E(f) = 1: ``factor="lognormal"`` (f > 0,
      sd(f) = a) or ``"normal"`` (N(1, a^2) cut to 0 < f < 2). A zero stays zero.

    A nominal or ordinal value is replaced with probability ``replace`` by another category,
    each equally likely. Missing values stay missing.

    **Guarantee.** None.

    **Cost.** Linear.

    **Known attacks.** Nearest record and optimal assignment; Mahalanobis distance for
    correlated noise.

    References
    ----------
    Rodriguez Fernandez (2013), section 3.1.1; Kim (1986); Kim and Winkler (2003).

    Examples
    --------
    >>> import numpy as np
    >>> Noise(percent=10, random_state=1).fit_transform(np.arange(6.0).reshape(3, 2)).shape
    (3, 2)
    """

    title = "Noise"
    family = "noise"
    purpose = "hide exact values while means and relations stay close"
    goal = "blur numbers"
    plain = {"percent": "amount of noise, in % of each column's spread"}
    strength = Strength("percent", 1.0, 1000.0)
    attacker = "informed.noise:AwareNoise"
    whole_file = (
        "its noise is a share of each column's standard deviation, "
        "and that of a block is far smaller"
    )
    passes = "records"

    def __init__(
        self,
        percent: Annotated[float, Ge(0)] = 10.0,
        kind: Kinds = "uncorrelated",
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

    def _fit(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> None:
        numeric = _continuous(data, columns)
        # of the file that was fitted: other records get noise of the same size
        self.sd_ = column_sd(data, numeric)
        if numeric:
            self.mean_, self.covariance_ = covariance(data, numeric)
        else:
            self.mean_, self.covariance_ = np.empty(0), np.empty((0, 0))

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        numeric = _continuous(data, columns)
        low, high = self._limits(numeric)
        if numeric:
            masked = self._inside(data.numbers(numeric), low, high, rng)
            data = data.with_numbers(numeric, masked)
        for name in columns:
            if name not in numeric:
                codes = data.column(name)
                size = len(data.categories(name))
                replaced = self._flip(codes, size, rng)
                data = data.with_numbers([name], replaced[:, None])
        return data

    def _inside(
        self,
        values: Floats,
        low: Floats,
        high: Floats,
        rng: np.random.Generator,
    ) -> Floats:
        """Noisy values within their bounds."""
        masked = self._draw(values, rng)
        for _ in range(REDRAWS):
            # whole records are drawn again, or the noise of their columns would not be related
            beyond = (masked < low) | (masked > high)
            outside = beyond.any(axis=1)
            if not outside.any():
                break
            masked[outside] = self._draw(values[outside], rng)
        return np.clip(masked, low, high)

    def _limits(self, numeric: list[str]) -> tuple[Floats, Floats]:
        """The lower and upper bound of each column; infinite where none is given."""
        bounds = self.bounds or {}
        unknown = [name for name in bounds if name not in numeric]
        if unknown:
            raise ColumnError(
                f"bounds names '{unknown[0]}', "
                "which is not a continuous column that noise is added to"
            )
        # a column without bounds is never redrawn or clipped
        unbounded = (-np.inf, np.inf)
        ends = [bounds.get(name, unbounded) for name in numeric]
        low = np.array([end[0] for end in ends])
        high = np.array([end[1] for end in ends])
        if (low > high).any():
            wrong = numeric[int(np.argmax(low > high))]
            raise ParameterError(
                f"bounds of '{wrong}': the lower one is above the upper one"
            )
        return low, high

    def _draw(
        self,
        values: Floats,
        rng: np.random.Generator,
    ) -> Floats:
        """One draw of the noisy values, whatever the bounds."""
        a = self.percent / 100.0
        # one draw per value whatever the kind, so that kinds differ by formula alone
        normal = rng.standard_normal(values.shape)
        if self.kind == "uncorrelated":
            return np.asarray(values + normal * (self.sd_ * a))
        if self.kind == "multiplicative":
            return np.asarray(values * factors(normal, a, self.factor))
        noisy = values + normal @ root(self.covariance_) * a
        if self.kind == "transformed":
            # the noise has made the covariance (1 + a^2) times as large; this takes it back
            shrink = np.sqrt(1 + a * a)
            noisy = self.mean_ + (noisy - self.mean_) / shrink
        return np.asarray(noisy)

    def _flip(
        self,
        codes: Floats,
        size: int,
        rng: np.random.Generator,
    ) -> Floats:
        """Codes of which each is replaced by another one with probability ``replace``."""
        chosen = (rng.random(codes.size) < self.replace) & ~np.isnan(codes)
        if size < 2:
            return codes
        # one of the other size - 1 codes: a step of 1 .. size - 1 around the circle
        step = rng.integers(1, size, codes.size)
        replaced = (codes + step) % size
        return np.asarray(np.where(chosen, replaced, codes))


def _continuous(data: Microdata, columns: list[str]) -> list[str]:
    """Those of the columns that hold numbers."""
    return [name for name in columns if data.schema[name].scale is Kind.continuous]


def factors(
    normal: Floats,
    a: float,
    form: str,
) -> Floats:
    """Multipliers with mean 1 made from standard normal draws; see ``Noise``."""
    if a == 0:
        return np.ones_like(normal)
    if form == "lognormal":
        # variance s^2 = log(1 + a^2) and mean -s^2 / 2 of the logarithm give mean 1 and sd a
        variance = np.log1p(a * a)
        logarithm = np.sqrt(variance) * normal - variance / 2
        return np.asarray(np.exp(logarithm))
    # the normal distribution cut to 0 < f < 2, symmetric about 1: by inversion
    tail = ndtr(-1.0 / a)
    inside = tail + ndtr(normal) * (1 - 2 * tail)
    return np.asarray(1.0 + a * ndtri(inside))


def column_sd(data: Microdata, names: Sequence[str]) -> Floats:
    """Standard deviation (ddof 1) of each column's present values; 1 where it is below 0.0001.

    Two passes over the file, summed block by block in file order, wherever the file is.
    """
    # by hand, because numpy's nanstd warns of columns without values
    present = np.zeros(len(names), dtype=np.int64)
    total, squares = np.zeros(len(names)), np.zeros(len(names))
    for block in data.in_turn(names, by_address.BLOCK):
        present += np.sum(~np.isnan(block), axis=0)
        total += np.nansum(block, axis=0)
    mean = total / np.maximum(present, 1)
    for block in data.in_turn(names, by_address.BLOCK):
        squares += np.nansum((block - mean) ** 2, axis=0)
    sd = np.sqrt(squares / np.maximum(present - 1, 1))
    return np.where(sd < SMALLEST_SD, 1.0, sd)
