"""Noise: the distance that the noise's own distribution gives."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Le

from tacit.attack.aware.base import Informed, continuous, numbers
from tacit.attack.aware.categories import replaced
from tacit.attack.evidence import Evidence, Part, Rule
from tacit.attack.whiten import spread, whitener
from tacit.microdata import FloatArray, Microdata

Form = Literal["uncorrelated", "correlated", "transformed", "multiplicative"]
SMALLEST = 1e-6
SIGN = 1e3
"""Weight of a sign or of a zero that multiplication cannot change."""


class AwareNoise(Informed):
    """The intruder knows the kind of noise, and its size or estimates it from the variances.

    Definition, a = percent / 100, x original and z masked: uncorrelated: sum_k (x_k - z_k)^2 / (2 a^2 s_k^2);
    correlated: (x - z) S^-1 (x - z)' / (2 a^2) with S the covariance of the file; transformed: the same after
    undoing the shrinking by sqrt(1 + a^2); multiplicative (lognormal): (log z - log x + v/2)^2 / (2 v) with
    v = log(1 + a^2), signs and zeros being kept. Without percent, a^2 is var z / var x - 1 averaged over columns
    (correlated: the mean of S^-1 (cov z - S)). Source: 003 (Muralidhar and Domingo-Ferrer).
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

    @property
    def knows(self) -> str:
        size = "its size estimated" if self.percent is None else f"of {self.percent:g} percent"
        return self._says(f"that {self.kind} noise ({size}) was added" if self.kind != "multiplicative"
                          else f"that values were multiplied by noise ({size})")  # fmt: skip

    def evidence(self, original: Microdata, masked: Microdata, columns: list[str]) -> Evidence:
        names = continuous(original, columns)
        rest = [name for name in columns if name not in names]
        found = replaced(original, masked, rest, self.replace)
        if not names:
            return found
        if self.kind == "multiplicative":
            return self._multiplied(original.numbers(names), masked.numbers(names)) + found
        x, z = numbers(original, masked, names)
        signal = spread(x)
        a = self._size(signal, spread(z))
        if self.kind == "uncorrelated":
            sd = np.sqrt(np.diag(signal))
            unit = np.where(sd < 1e-4, 1.0, sd) * a
            return Evidence(x / unit, z / unit) + found
        if self.kind == "transformed":
            z = z * np.sqrt(1 + a * a)
        w = whitener(signal * a * a, signal)
        return Evidence(x @ w, z @ w) + found

    def _size(self, signal: FloatArray, masked: FloatArray) -> float:
        if self.percent is not None:
            return max(self.percent / 100.0, SMALLEST)
        if self.kind == "transformed":  # nothing in the second moments tells the size
            return 0.1
        before, after = np.diag(signal), np.diag(masked)
        seen = before > 0
        grown = float(np.mean(after[seen] / before[seen])) - 1.0 if seen.any() else 1.0
        return float(np.sqrt(max(grown, 1e-4)))

    def _multiplied(self, x: FloatArray, z: FloatArray) -> Evidence:
        with np.errstate(divide="ignore", invalid="ignore"):
            lx, lz = np.log(np.abs(x)), np.log(np.abs(z))
        usable = np.isfinite(lx) & np.isfinite(lz) if len(x) == len(z) else None
        lx, lz = np.where(np.isfinite(lx), lx, 0.0), np.where(np.isfinite(lz), lz, 0.0)
        if self.percent is not None:
            variance = np.full(x.shape[1], np.log1p(max(self.percent / 100.0, SMALLEST) ** 2))
        else:
            variance = np.maximum(lz.var(0) - lx.var(0), 1e-4)
        signs = [SIGN * np.nan_to_num(np.sign(t)) for t in (x, z)]
        if self.factor == "normal" and self.percent is not None and usable is not None:
            a = max(self.percent / 100.0, SMALLEST)
            hint = (lx / a, lz / a)
            part = Part(np.nan_to_num(x), np.nan_to_num(z), lambda p, q: _normal_factor(p, q, a), hint)
            return Evidence(signs[0], signs[1], [part])
        s = np.sqrt(variance)
        return Evidence(np.hstack([lx / s, signs[0]]), np.hstack([(lz + variance / 2) / s, signs[1]]))


def _normal_factor(p: FloatArray, q: FloatArray, a: float) -> FloatArray:
    """z = x f, f normal about 1 and cut to 0 < f < 2: log|x| + (z/x - 1)^2 / (2 a^2); zero stays zero."""
    total = np.zeros((len(p), len(q)))
    for k in range(p.shape[1]):
        x, z = p[:, k, None], q[None, :, k]
        safe = np.where(x == 0, 1.0, x)
        f = z / safe
        cost = np.log(np.abs(safe)) + (f - 1) ** 2 / (2 * a * a)
        cost = np.where((f > 0) & (f < 2), cost, np.inf)
        total += np.where(x == 0, np.where(z == 0, 0.0, np.inf), cost)
    return total
