"""What was spent, on what, and under which neighbour relation.

Pure epsilon-differential privacy with sequential composition: the releases computed from the
same records add their epsilons. Sums are kept as exact fractions, so that ten shares of a tenth
are the whole budget and not a little more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from tacit.base.errors import ParameterError

CHANGE_ONE = "change one record (the number of records is public)"
ADD_REMOVE = "add or remove one record"


class BudgetError(ParameterError):
    """The budget would be exceeded; nothing was released."""


@dataclass(frozen=True)
class Spend:
    """One use of the data: what was released and the epsilon that it cost."""

    what: str
    epsilon: float
    sensitivity: float | None = None
    scale: float | None = None

    def to_dict(self) -> dict[str, object]:
        """Plain types for JSON, without what is not known."""
        return {name: value for name, value in vars(self).items() if value is not None}

    def __str__(self) -> str:
        noise = ""
        if self.scale is not None:
            noise = f" (sensitivity {self.sensitivity:g}, noise scale {self.scale:g})"
        return f"{self.what}: {self.epsilon:g}{noise}"


@dataclass
class Accountant:
    """Keeps the sum of what was spent; refuses to go over `budget`.

    >>> a = Accountant(1.0)
    >>> for column in ("age", "income"):
    ...     _ = a.spend(column, 0.5)
    >>> a.spent, a.remaining
    (1.0, 0.0)
    """

    budget: float = math.inf
    neighbours: str = CHANGE_ONE
    spends: list[Spend] = field(default_factory=list)
    not_private: list[str] = field(default_factory=list)
    """Columns that are released beside the private ones, as they are: no epsilon covers them."""
    _total: Fraction = field(default=Fraction(0), repr=False)

    def spend(
        self,
        what: str,
        epsilon: float,
        *,
        sensitivity: float | None = None,
        scale: float | None = None,
    ) -> Spend:
        """Record one use of the data.

        Raises `BudgetError`, and records nothing, when it does not fit.
        """
        if not (epsilon > 0 and math.isfinite(epsilon)):
            raise BudgetError(
                f"epsilon must be a finite number above 0, not {epsilon!r}"
            )
        total = self._total + Fraction(epsilon)
        # an infinite budget has no fraction, and nothing exceeds it
        if math.isfinite(self.budget) and total > Fraction(self.budget):
            raise BudgetError(
                f"{what} needs epsilon {epsilon:g}, "
                f"but only {self.remaining:g} of {self.budget:g} is left"
            )
        entry = Spend(what, epsilon, sensitivity, scale)
        self.spends.append(entry)
        self._total = total
        return entry

    @property
    def spent(self) -> float:
        """The sum of all epsilons, rounded up: never less than what was spent."""
        value = float(self._total)
        if Fraction(value) >= self._total:
            return value
        return math.nextafter(value, math.inf)

    @property
    def remaining(self) -> float:
        """What is left of the budget."""
        return self.budget - self.spent

    def __iter__(self) -> Iterator[Spend]:
        return iter(self.spends)

    def to_dict(self) -> dict[str, object]:
        """Plain types for JSON, which has no infinity."""
        return {
            "epsilon": self.spent,
            "budget": self.budget if math.isfinite(self.budget) else None,
            "neighbours": self.neighbours,
            "spends": [spend.to_dict() for spend in self.spends],
            "not_private": list(self.not_private),
        }

    def __str__(self) -> str:
        head = f"epsilon {self.spent:g} spent, neighbours: {self.neighbours}"
        lines = [head, *(f"  {spend}" for spend in self.spends)]
        if self.not_private:
            lines.append(f"  not private: {', '.join(self.not_private)}, as they are")
        return "\n".join(lines)


def split(epsilon: float, parts: int) -> float:
    """The largest share such that `parts` of them, added exactly, do not exceed epsilon."""
    share = epsilon / parts
    # the quotient may have been rounded up
    while Fraction(share) * parts > Fraction(epsilon):
        share = math.nextafter(share, 0.0)
    return share
