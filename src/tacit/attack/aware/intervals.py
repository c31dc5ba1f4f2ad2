"""Rounding: which multiples of the base can a value have become, and how probably."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tacit.attack.aware.base import Informed, continuous
from tacit.attack.aware.categories import unchanged
from tacit.attack.evidence import Evidence, Part, Rule
from tacit.microdata import FloatArray, Microdata

SLACK = 1e-9


class AwareRounding(Informed):
    """The intruder knows the base, or sees it: the step of which all released values are multiples.

    Definition: nearest: a pair is possible when |x - z| <= base / 2; random: with probability 1 - |x - z| / base when
    |x - z| < base; the cost is minus its logarithm, inf when a column is impossible.
    """

    method = "rounding"

    def __init__(
        self,
        base: float | dict[str, float] | None = None,
        kind: Literal["random", "nearest"] = "random",
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.base = base
        self.kind = kind
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        return self._says(f"that values were rounded ({self.kind}) to multiples of a base")

    def evidence(self, original: Microdata, masked: Microdata, columns: list[str]) -> Evidence:
        names = continuous(original, columns)
        rest = [name for name in columns if name not in names]
        found = unchanged(original, masked, rest) if rest else Evidence.none(original.n, masked.n)
        for name in names:
            x, z = original.column(name), masked.column(name)
            asked = self.base.get(name) if isinstance(self.base, dict) else self.base
            step = asked if asked is not None else granularity(z)
            if step is None:
                found = found + unchanged(original, masked, [name])
                continue
            cost = _Rounded(float(step), self.kind == "random")
            fill = [np.where(np.isnan(c), np.inf, c)[:, None] for c in (x, z)]
            found = found + Evidence(
                np.empty((len(x), 0)), np.empty((len(z), 0)), [Part(fill[0], fill[1], cost, _units(x, z, float(step)))]
            )
        return found


def _units(x: FloatArray, z: FloatArray, step: float) -> tuple[FloatArray, FloatArray]:
    centre = float(np.nanmean(x)) if not np.isnan(x).all() else 0.0
    left, right = (np.nan_to_num((c - centre) / step, nan=1e6)[:, None] for c in (x, z))
    return left, right


class _Rounded:
    def __init__(self, base: float, random: bool) -> None:
        self.base, self.random = base, random

    def __call__(self, p: FloatArray, q: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            far = np.abs(p - q.T) / self.base
        far = np.where(np.isinf(p) & np.isinf(q.T), 0.0, np.where(np.isnan(far), np.inf, far))
        if self.random:
            with np.errstate(divide="ignore"):
                return np.asarray(-np.log(np.maximum(0.0, 1.0 + SLACK - np.minimum(far, 2.0))))
        return np.asarray(np.where(far <= 0.5 + SLACK, 0.0, np.inf))


def granularity(values: FloatArray) -> float | None:
    """The largest of 1, 2, 5 times a power of ten (or the smallest gap) that divides all values; None: no such step.

    >>> granularity(np.array([20.0, 60.0, 340.0]))
    20.0
    """
    seen = np.unique(values[np.isfinite(values)])
    if seen.size < 2:
        return None
    step = float(np.diff(seen).min())
    scale = float(np.abs(seen).max())
    top = 10.0 ** np.floor(np.log10(step))
    choices = sorted({step, *(t * m for t in (top / 10, top, top * 10) for m in (1.0, 2.0, 5.0))}, reverse=True)
    for base in choices:
        if base <= step * (1 + 1e-9) and base > 1e-9 * scale:
            units = seen / base
            if np.abs(units - np.rint(units)).max() < 1e-6:
                return float(base)
    return None
