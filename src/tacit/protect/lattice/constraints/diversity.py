"""How many values of a confidential column each class holds: l-diversity in three forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacit.base.typing import Bools, Floats
from tacit.protect.lattice.constraints.base import Constraint
from tacit.protect.lattice.view import Shares, View

# entropies are sums of logarithms
ROUNDING = 1e-9


@dataclass(frozen=True)
class DistinctDiversity(Constraint):
    """Every class holds at least l different values, and as many people."""

    column: str
    l: float  # noqa: E741  the letter is the name of the thing
    survives_suppression: ClassVar[bool] = True

    def fails(
        self,
        view: View,
    ) -> Bools:
        """Classes of fewer values."""
        cells = view.shares(self.column)
        values = np.bincount(cells.label, minlength=view.number)
        # one person with several values hides nobody: there must be as many people as values
        both = np.minimum(values, cells.size)
        return np.asarray(both < self.l - ROUNDING)

    def __str__(self) -> str:
        return f"distinct l-diversity of '{self.column}' with l={self.l:g}"


@dataclass(frozen=True)
class EntropyDiversity(Constraint):
    """exp(H) >= l in every class, H = - sum of s ln s over the shares s of its values.

    The entropy is concave: the union of classes that keep it keeps it.
    """

    column: str
    l: float  # noqa: E741

    def fails(
        self,
        view: View,
    ) -> Bools:
        """Classes of less entropy."""
        cells = view.shares(self.column)
        return np.asarray(effective(cells) < self.l - ROUNDING)

    def __str__(self) -> str:
        return f"entropy l-diversity of '{self.column}' with l={self.l:g}"


@dataclass(frozen=True)
class RecursiveDiversity(Constraint):
    """r_1 < c (r_l + ... + r_m) in every class, r the counts of its values in falling order.

    Machanavajjhala et al. (2007), who show that the union of classes that keep it keeps it.
    """

    column: str
    c: float
    l: int  # noqa: E741

    def fails(
        self,
        view: View,
    ) -> Bools:
        """Classes whose most frequent value is too frequent."""
        cells = view.shares(self.column)
        order = np.lexsort((-cells.count, cells.label))
        label = cells.label[order]
        count = cells.count[order]
        every = np.arange(view.number)
        start = np.searchsorted(label, every)
        rank = np.arange(len(label)) - start[label]
        tail = np.where(rank >= self.l - 1, count, 0.0)
        rest = np.bincount(label, weights=tail, minlength=view.number)
        largest = np.zeros(view.number)
        top = rank == 0
        largest[label[top]] = count[top]
        # the definition asks for strictly less, so that rounding counts against the class
        few = cells.size < self.l - ROUNDING
        keeps = largest < self.c * rest - ROUNDING
        return np.asarray(few | ~keeps)

    def __str__(self) -> str:
        return f"recursive ({self.c:g}, {self.l})-diversity of '{self.column}'"


def effective(cells: Shares) -> Floats:
    """exp(H) of each class: the effective number of values; no more than there are people."""
    share = cells.share
    entropy = -cells.by_class(share * np.log(share))
    number = np.exp(entropy)
    return np.asarray(np.minimum(number, cells.size))
