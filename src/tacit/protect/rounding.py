"""Rounding to multiples of a base."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from annotated_types import Gt

from tacit.errors import ColumnError
from tacit.microdata import FloatArray, Kind, Microdata
from tacit.protect.base import Protector, Seed

Base = Annotated[float, Gt(0)]


class Rounding(Protector):
    """Round values to multiples of a base.

    Definition: with ``q = floor(x / base)`` and ``f = x / base - q``, the random (unbiased) form gives
    ``base (q + 1)`` with probability f and ``base q`` otherwise, so that the expectation is x; the nearest form gives
    the nearest multiple (half to even). Source: Willenborg and De Waal (2001).
    Guarantee: every masked value is a multiple of the base; random: no bias. Missing values stay missing.
    Cost: linear. Known attacks: a value is known to within base / 2 (nearest) or base (random).

    Parameters: ``base``: one number, or one a column; None takes a tenth of each column's sd, rounded to 1, 2 or 5
    times a power of ten.

    >>> import numpy as np
    >>> Rounding(base=5, kind="nearest").fit_transform(np.array([[3.0], [7.4]])).tolist()
    [[5.0], [5.0]]
    """

    kinds = frozenset({Kind.continuous})

    def __init__(
        self,
        base: Base | dict[str, Base] | None = None,
        kind: Literal["random", "nearest"] = "random",
        columns: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.base = base
        self.kind = kind
        self.columns = columns
        self.random_state = random_state

    def _fit(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> None:
        if isinstance(self.base, dict):
            unknown = [name for name in self.base if name not in columns]
            if unknown:
                raise ColumnError(f"base names '{unknown[0]}', which is not a column to protect")
        self.base_ = {name: self._base(data, name) for name in columns}

    def _base(self, data: Microdata, name: str) -> float:
        asked = self.base.get(name) if isinstance(self.base, dict) else self.base
        if asked is not None:
            return float(asked)
        values = data.column(name)
        present = values[~np.isnan(values)]
        sd = float(present.std()) if present.size else 0.0
        return nice(sd / 10) if sd > 0 else 1.0

    def _apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        values = data.numbers(columns)
        for j, name in enumerate(columns):
            values[:, j] = round_to(values[:, j], self.base_[name], rng if self.kind == "random" else None)
        return data.with_numbers(columns, values)


def round_to(values: FloatArray, base: float, rng: np.random.Generator | None) -> FloatArray:
    """Multiples of the base: at random without bias, or the nearest when there is no generator."""
    units = values / base
    if rng is None:
        return np.asarray(np.rint(units) * base)
    below = np.floor(units)
    return np.asarray((below + (rng.random(values.shape) < units - below)) * base)


def nice(size: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above size.

    >>> nice(0.7), nice(34.0)
    (0.5, 20.0)
    """
    power = 10.0 ** np.floor(np.log10(size))
    for step in (5.0, 2.0):
        if step * power <= size:
            return float(step * power)
    return float(power)
