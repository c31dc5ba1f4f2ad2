"""How many people share a key: k-anonymity, k-map, delta-presence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacit.base.typing import Bools
from tacit.protect.lattice.constraints.base import Constraint
from tacit.protect.lattice.view import View

# sums of weights differ by rounding
ROUNDING = 1e-9


@dataclass(frozen=True)
class KAnonymity(Constraint):
    """Every class holds at least k people (Samarati 2001)."""

    k: int
    survives_suppression: ClassVar[bool] = True

    def fails(
        self,
        view: View,
    ) -> Bools:
        """Classes of fewer than k people."""
        return np.asarray(view.size < self.k)

    def __str__(self) -> str:
        return f"k-anonymity with k={self.k}"


@dataclass(frozen=True)
class KMap(Constraint):
    """Every class holds at least k people of the population (Sweeney 2001).

    The population is a file, or estimated by the sum of weights.
    """

    k: float
    by_weights: bool
    survives_suppression: ClassVar[bool] = True

    def fails(
        self,
        view: View,
    ) -> Bools:
        """Classes of fewer than k people of the population."""
        if self.by_weights:
            return np.asarray(view.weight < self.k - ROUNDING)
        return np.asarray(view.population < self.k)

    def __str__(self) -> str:
        return f"k-map with k={self.k:g}"


@dataclass(frozen=True)
class DeltaPresence(Constraint):
    """low <= people of the file / people of the population <= high in every class.

    Nergiz, Atzori and Clifton (2007): nobody can tell whether somebody of the population is in
    the file. It is kept by the union of classes that keep it, since its share lies between theirs.
    """

    low: float
    high: float

    def fails(
        self,
        view: View,
    ) -> Bools:
        """Classes whose share of the population is outside."""
        # people whom the population lacks are a share of 1 or more, so that they do not pass for
        # safe
        share = view.size / np.maximum(view.population, 1)
        below = share < self.low - ROUNDING
        above = share > self.high + ROUNDING
        return np.asarray(below | above)

    def __str__(self) -> str:
        return f"delta-presence between {self.low:g} and {self.high:g}"
