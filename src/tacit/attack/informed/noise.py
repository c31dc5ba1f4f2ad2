"""Noise: the distance that the noise's own distribution gives."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Le

from tacit.attack.informed.base import Informed, continuous, numbers
from tacit.attack.informed.evidence import Evidence, Part, Rule
from tacit.attack.informed.pram import replaced
from tacit.attack.whiten import spread, whitener
from tacit.base.typing import Floats
from tacit.data.microdata import Microdata

Form = Literal["uncorrelated", "correlated", "transformed", "multiplicative"]
"""The kinds of noise."""

# Smallest size of the noise that is divided by
SMALLEST = 1e-6
# Weight of a sign or of a zero that multiplication cannot change
SIGN = 1e3
# Columns with a smaller sd count as constant: they get no noise to divide by
CONSTANT = 1e-4
# Size taken where nothing in the release tells it: the links depend on it little
UNTOLD = 0.1
# Smallest variance that is estimated: by chance the estimate can be negative
LEAST_GROWTH = 1e-4


class AwareNoise(Informed):
    """The intruder knows the kind of noise, and its size or estimates it from the variances.

    Parameters
    ----------
    kind : {"uncorrelated", "correlated", "transformed", "multiplicative"}
        The kind of noise.
    percent : float, optional
        Its size in percent of the standard deviation; estimated unless given.
    factor : {"lognormal", "normal"}
        Distribution of the factors of multiplicative noise.
    replace : float
        Probability with which a category was replaced by another.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** With a = percent / 100, x original and z masked: uncorrelated:
    sum_k (x_k - z_k)^2 / (2 a^2 s_k^2); correlated: (x - z) S^-1 (x - z)' / (2 a^2) with S
    the covariance of the file; transformed: the same after undoing the shrinking by
    sqrt(1 + a^2); multiplicative (lognormal): (log z - log x + v/2)^2 / (2 v) with
    v = log(1 + a^2), signs and zeros being kept. Without percent, a^2 is var z / var x - 1
    averaged over columns.

    **Guarantee.** The exact likelihood where percent is given; links are exact under it.

    **Cost.** That of a nearest or assignment run on vectors; all pairs for normal factors.

    References
    ----------
    Muralidhar and Domingo-Ferrer.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(60, 3))
    >>> AwareNoise(percent=5).link(x, x + 0.05 * rng.normal(size=x.shape)).rate > 0.9
    True
    """

    method = "noise"

    def __init__(
        self,
        kind: Form = "uncorrelated",
        percent: Annotated[float, Ge(0)] | None = None,
        factor: Literal["lognormal", "normal"] = "lognormal",
        replace: Annotated[float, Ge(0), Le(1)] = 0.1,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.kind = kind
        self.percent = percent
        self.factor = factor
        self.replace = replace
        self.rule = rule
        self.columns = columns

    @classmethod
    def knowing(
        cls,
        protector: Any,
        original: Microdata,
    ) -> AwareNoise:
        """Kind and size of the noise are those of the protector."""
        return cls(
            protector.kind,
            percent=protector.percent,
            factor=protector.factor,
            replace=protector.replace,
        )

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        if self.percent is None:
            size = "its size estimated"
        else:
            size = f"of {self.percent:g} percent"
        if self.kind == "multiplicative":
            return self._says(f"that values were multiplied by noise ({size})")
        return self._says(f"that {self.kind} noise ({size}) was added")

    def is_vectors(self, original: Microdata, columns: list[str]) -> bool:
        """Numbers alone, and no factors whose law is no distance."""
        normal = self.kind == "multiplicative" and self.factor == "normal"
        return not normal and continuous(original, columns) == columns

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Minus the log density of the noise; categories replaced at random."""
        names = continuous(original, columns)
        rest = [name for name in columns if name not in names]
        categories = replaced(
            original,
            masked,
            rest,
            self.replace,
        )
        if not names:
            return categories
        if self.kind == "multiplicative":
            x = original.numbers(names)
            z = masked.numbers(names)
            return self._multiplied(x, z) + categories
        x, z = numbers(original, masked, names)
        signal = spread(x)
        size = self._size(signal, spread(z))
        if self.kind == "uncorrelated":
            sd = np.sqrt(np.diag(signal))
            unit = np.where(sd < CONSTANT, 1.0, sd) * size
            return Evidence(x / unit, z / unit) + categories
        # the method shrank the sum to the old variance
        if self.kind == "transformed":
            z = z * np.sqrt(1 + size * size)
        w = whitener(signal * size * size, signal)
        return Evidence(x @ w, z @ w) + categories

    def _size(
        self,
        signal: Floats,
        masked: Floats,
    ) -> float:
        """a: as given, or from how much variances grew."""
        if self.percent is not None:
            return max(self.percent / 100.0, SMALLEST)
        if self.kind == "transformed":  # nothing in the second moments tells the size
            return UNTOLD
        before = np.diag(signal)
        after = np.diag(masked)
        # constant columns tell nothing about the size
        varies = before > 0
        if not varies.any():
            return 1.0
        growth = float(np.mean(after[varies] / before[varies])) - 1.0
        return float(np.sqrt(max(growth, LEAST_GROWTH)))

    def _multiplied(
        self,
        x: Floats,
        z: Floats,
    ) -> Evidence:
        """Differences of logarithms; signs and zeros count heavily."""
        with np.errstate(divide="ignore", invalid="ignore"):
            log_x = np.log(np.abs(x))
            log_z = np.log(np.abs(z))
        # zeros and missing values say nothing by their size
        log_x = np.where(np.isfinite(log_x), log_x, 0.0)
        log_z = np.where(np.isfinite(log_z), log_z, 0.0)
        signs = SIGN * np.nan_to_num(np.sign(x)), SIGN * np.nan_to_num(np.sign(z))
        if self.percent is None:
            variance = np.maximum(log_z.var(0) - log_x.var(0), LEAST_GROWTH)
        else:
            size = max(self.percent / 100.0, SMALLEST)
            if self.factor == "normal" and len(x) == len(z):
                part = Part(
                    np.nan_to_num(x),
                    np.nan_to_num(z),
                    partial(_normal_factor, size=size),
                    (log_x / size, log_z / size),
                )
                return Evidence(*signs, [part])
            variance = np.full(x.shape[1], np.log1p(size**2))
        sd = np.sqrt(variance)
        # factors have mean 1, so their logarithm has mean -variance / 2
        return Evidence(
            np.hstack([log_x / sd, signs[0]]),
            np.hstack([(log_z + variance / 2) / sd, signs[1]]),
        )


def _normal_factor(
    p: Floats,
    q: Floats,
    size: float,
) -> Floats:
    """z = x f, f normal about 1 and cut to 0 < f < 2; zero stays zero.

    The cost is log|x| + (z/x - 1)^2 / (2 size^2).
    """
    total = np.zeros((len(p), len(q)))
    for k in range(p.shape[1]):
        x = p[:, k, None]
        z = q[None, :, k]
        safe = np.where(x == 0, 1.0, x)
        f = z / safe
        cost = np.log(np.abs(safe)) + (f - 1) ** 2 / (2 * size * size)
        cost = np.where((f > 0) & (f < 2), cost, np.inf)
        if_zero = np.where(z == 0, 0.0, np.inf)
        total += np.where(x == 0, if_zero, cost)
    return total
