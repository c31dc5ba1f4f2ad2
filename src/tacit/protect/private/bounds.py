"""What the differentially private methods share: bounds from the user, values on a grid, budget."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tacit.base.errors import InputError, ParameterError
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata
from tacit.protect.private.accountant import Accountant
from tacit.protect.private.declared import missing

STEPS = 2**20
"""Grid points in a column's domain, unless declared as integers (they are the grid)."""
MOST_STEPS = STEPS * 64
"""An integer domain of more steps is put on the grid of real numbers: finer is no use."""


@dataclass(frozen=True)
class Grid:
    """A column's domain [low, high] in ``steps`` equal parts; values are integers 0 .. steps."""

    low: float
    high: float
    steps: int

    @property
    def unit(self) -> float:
        """Length of one step."""
        return (self.high - self.low) / self.steps

    def place(self, values: Floats) -> tuple[Ints, int]:
        """Clamped and rounded onto the grid, and how many values were outside the domain."""
        outside = (values < self.low) | (values > self.high)
        # clamping first: one value's place depends on that value alone and lies in 0 .. steps
        # whatever it is
        clamped = np.clip(values, self.low, self.high)
        share = (clamped - self.low) / (self.high - self.low)
        places = np.clip(np.rint(share * self.steps), 0, self.steps)
        return places.astype(np.int64), int(outside.sum())

    def value(self, places: Floats) -> Floats:
        """The values at these places."""
        return np.asarray(self.low + places * self.unit)


def grids(
    data: Microdata,
    columns: list[str],
    bounds: dict[str, tuple[float, float]],
    integers: list[str] | None,
) -> list[Grid]:
    """One grid per column, of declared numbers alone; a column with missing values is refused."""
    found = []
    for name in columns:
        found.append(grid_of(name, bounds[name], whole=name in (integers or ())))
        refuse_missing(data.column(name), name)
    return found


def grid_of(
    name: str,
    bounds: tuple[float, float],
    *,
    whole: bool,
) -> Grid:
    """The grid of one column."""
    low, high = (float(end) for end in bounds)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ParameterError(
            f"bounds of '{name}' must be two finite numbers, low < high, not {bounds}"
        )
    # whether the file's own numbers are whole is a fact about its values: it decides nothing
    exact = whole and low.is_integer() and high.is_integer()
    fits = high - low <= MOST_STEPS
    return Grid(low, high, int(high - low) if exact and fits else STEPS)


def refuse_missing(values: Floats, name: str) -> None:
    """A gap is not noised, so a column that has one cannot be released."""
    if np.isnan(values).any():
        raise InputError(missing(name))


def announce(
    accountant: Accountant,
    what: str,
    epsilon: float,
    grid: Grid,
    sensitivity: float,
    count: float,
) -> float:
    """Record a spend; the noise scale on the grid for this total sensitivity, in grid units.

    ``count``: what the noisy sums are divided by, so that the record is in the column's units.
    """
    # rounded up: never less noise than was promised
    scale = math.nextafter(sensitivity / epsilon, math.inf)
    accountant.spend(
        what,
        epsilon,
        sensitivity=sensitivity * grid.unit / count,
        scale=scale * grid.unit / count,
    )
    return scale


def secret_or(
    rng: np.random.Generator, random_state: object
) -> np.random.Generator | None:
    """The system's randomness unless a seed was given: a seed is for tests and stays secret."""
    return None if random_state is None else rng
