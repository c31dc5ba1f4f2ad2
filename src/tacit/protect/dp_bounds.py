"""What the differentially private methods share: bounds from the user, values on an integer grid, the budget."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tacit.dp import Accountant
from tacit.errors import InputError, ParameterError
from tacit.microdata import FloatArray, Microdata
from tacit.protect.base import Protector

STEPS = 2**20
"""Grid points in a column's domain, unless the column holds integers (then the grid is the integers)."""


class PrivateProtector(Protector):
    """A release whose noise is drawn anew each time: fitting it and applying it are the same work."""

    unseeded: ClassVar[bool] = True
    """A plan draws no seed for this method: who knows the seed can remove the noise."""

    def _release(self, data: Microdata, columns: list[str], rng: np.random.Generator, *, keep: bool) -> Microdata:
        """Mask; with ``keep`` also set the fitted attributes."""
        raise NotImplementedError

    def _fit(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> None:
        self._release(data, columns, rng, keep=True)

    def _apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        return self._release(data, columns, rng, keep=False)

    def _fit_apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        return self._release(data, columns, rng, keep=True)


@dataclass(frozen=True)
class Grid:
    """A column's domain [low, high] cut into ``steps`` equal parts; values are integers 0 .. steps on it."""

    low: float
    high: float
    steps: int

    @property
    def unit(self) -> float:
        return (self.high - self.low) / self.steps

    def place(self, values: FloatArray) -> tuple[NDArray[np.int64], int]:
        """Clamped and rounded onto the grid, and how many values were outside the domain."""
        outside = int(((values < self.low) | (values > self.high)).sum())
        # clamping first: one value's place depends on that value alone and lies in 0 .. steps whatever it is
        unit = (np.clip(values, self.low, self.high) - self.low) / (self.high - self.low)
        return np.clip(np.rint(unit * self.steps), 0, self.steps).astype(np.int64), outside

    def value(self, places: FloatArray) -> FloatArray:
        return np.asarray(self.low + places * self.unit)


def grids(data: Microdata, columns: list[str], bounds: dict[str, tuple[float, float]] | None, who: str) -> list[Grid]:
    """One grid a column; a column without bounds is refused, since bounds read from the data would leak them."""
    import pyarrow as pa

    out = []
    for name in columns:
        if bounds is None or name not in bounds:
            raise ParameterError(
                f"{who} needs the bounds of '{name}', from what is known and not from the file: "
                f"bounds={{'{name}': (low, high)}}"
            )
        low, high = (float(v) for v in bounds[name])
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ParameterError(f"bounds of '{name}' must be two finite numbers, low < high, not {bounds[name]}")
        if np.isnan(data.column(name)).any():
            raise InputError(
                f"column '{name}' has missing values, and where they are would be released without noise; "
                "fill or drop them first"
            )
        whole = pa.types.is_integer(data.table.column(name).type) and low.is_integer() and high.is_integer()
        steps = int(high - low) if whole and high - low <= STEPS * 64 else STEPS
        out.append(Grid(low, high, steps))
    return out


def announce(accountant: Accountant, what: str, epsilon: float, grid: Grid, sensitivity: float, count: float) -> float:
    """Record a spend; the noise scale on the grid for a total sensitivity of ``sensitivity`` grid units."""
    scale = sensitivity / epsilon
    accountant.spend(what, epsilon, sensitivity=sensitivity * grid.unit / count, scale=scale * grid.unit / count)
    return scale


def secret_or(rng: np.random.Generator, random_state: Any) -> np.random.Generator | None:
    """The system's randomness unless a seed was given: a seed is for tests and must stay secret."""
    return None if random_state is None else rng
