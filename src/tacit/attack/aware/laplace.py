"""Laplace noise: absolute differences over the scale."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Gt

from tacit.attack.aware.base import Informed, continuous, numbers
from tacit.attack.aware.categories import replaced
from tacit.attack.evidence import Evidence, Part, Rule
from tacit.microdata import FloatArray, Microdata


class AwareLaplace(Informed):
    """The Laplace mechanism: sum_k |x_k - z_k| / b_k with b_k = (high - low) m / epsilon; randomised response.

    Without bounds each column's range stands for high - low: only the ratio of the scales matters for the links.
    """

    method = "laplace"

    def __init__(
        self,
        epsilon: Annotated[float, Gt(0)] = 1.0,
        bounds: dict[str, tuple[float, float]] | None = None,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        return self._says(f"that Laplace noise for epsilon = {self.epsilon:g} was added")

    def evidence(self, original: Microdata, masked: Microdata, columns: list[str]) -> Evidence:
        share = self.epsilon / max(len(columns), 1)
        names = continuous(original, columns)
        found = Evidence.none(original.n, masked.n)
        for name in columns:
            if name not in names:
                size = len(original.categories(name))
                odds = np.exp(min(share, 500.0))
                found = found + replaced(original, masked, [name], 1 - odds / (odds + max(size - 1, 1)))
        if names:
            x, z = numbers(original, masked, names)
            low, high = x.min(0), x.max(0)
            reach = np.array(
                [
                    (self.bounds or {}).get(name, (0.0, h - w or 1.0))[1]
                    - (self.bounds or {}).get(name, (0.0, h - w or 1.0))[0]
                    for name, w, h in zip(names, low, high, strict=True)
                ]
            )
            unit = reach / share
            found = found + Evidence(
                np.empty((len(x), 0)),
                np.empty((len(z), 0)),
                [Part(x / unit, z / unit, _absolute, (x / unit, z / unit))],
            )
        return found


def _absolute(p: FloatArray, q: FloatArray) -> FloatArray:
    total = np.zeros((len(p), len(q)))
    for k in range(p.shape[1]):
        total += np.abs(p[:, k, None] - q[None, :, k])
    return total
