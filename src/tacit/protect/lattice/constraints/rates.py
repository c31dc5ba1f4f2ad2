"""Bounds on the release as a whole: average risk, uniques of the file and of the population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacit.base.typing import Floats
from tacit.protect.lattice.constraints.base import Constraint
from tacit.protect.lattice.view import View

# shares of people are ratios of sums
ROUNDING = 1e-12


@dataclass(frozen=True)
class AverageRisk(Constraint):
    """The mean over people of 1 / size of their class is at most the bound.

    Of a person with several records, the riskiest counts. Without suppression it never grows on
    the way up, as every class grows. Together with k-anonymity it is what ARX calls the strict
    average.
    """

    bound: float
    per_class: ClassVar[bool] = False

    def holds(
        self,
        view: View,
        suppressed: int,
    ) -> bool:
        """On average over the people who are released, the suppressed as one class."""
        # empty classes have nobody, and so no part in the sum
        risk = 1.0 / np.maximum(view.size, 1)
        total = float(worst_of_each(view, risk).sum())
        people = people_of(view)
        # the suppressed are found as one of them
        total += 1.0 if suppressed else 0.0
        return total <= self.bound * (people + suppressed) + ROUNDING

    def monotone(
        self,
        *,
        suppression: bool,
        several_rows: bool,
    ) -> bool:
        """Without suppression."""
        return not suppression

    def unsatisfiable(
        self,
        whole: View,
    ) -> str:
        """Even one class of everybody may be too small."""
        return "" if self.holds(whole, 0) else str(self)

    def __str__(self) -> str:
        return f"an average risk of at most {self.bound:g}"


@dataclass(frozen=True)
class SampleUniqueness(Constraint):
    """The share of people who are alone with a key in the file is at most the bound."""

    bound: float
    per_class: ClassVar[bool] = False

    def holds(
        self,
        view: View,
        suppressed: int,
    ) -> bool:
        """Of the people of the file, suppressed or not."""
        alone = (view.size == 1).astype(np.float64)
        found = float(worst_of_each(view, alone).sum())
        # a single blank record is alone with its blank key
        found += 1.0 if suppressed == 1 else 0.0
        return found <= self.bound * (people_of(view) + suppressed) + ROUNDING

    def monotone(
        self,
        *,
        suppression: bool,
        several_rows: bool,
    ) -> bool:
        """Without suppression."""
        return not suppression

    def __str__(self) -> str:
        return f"a share of sample uniques of at most {self.bound:g}"


@dataclass(frozen=True)
class PopulationUniqueness(Constraint):
    """The expected share of people who are unique in the population is at most the bound.

    Sum over those alone with a key of 1/F, over n; F is their weight (Benedetti and Franconi
    1998: Pr(F = 1 | f = 1) = 1/F under a negative binomial posterior).
    """

    bound: float
    per_class: ClassVar[bool] = False

    def holds(
        self,
        view: View,
        suppressed: int,
    ) -> bool:
        """Of the people of the file, suppressed or not."""
        alone = view.size == 1
        # a weight below 1 would make a chance above 1
        stands_for = np.maximum(view.weight, 1.0)
        risk = np.where(alone, 1.0 / stands_for, 0.0)
        found = float(worst_of_each(view, risk).sum())
        # one who is suppressed alone may be unique
        found += 1.0 if suppressed == 1 else 0.0
        return found <= self.bound * (people_of(view) + suppressed) + ROUNDING

    def monotone(
        self,
        *,
        suppression: bool,
        several_rows: bool,
    ) -> bool:
        """Without suppression, and where a person has one record and so one weight."""
        return not (suppression or several_rows)

    def __str__(self) -> str:
        return f"a share of population uniques of at most {self.bound:g}"


def people_of(view: View) -> int:
    """How many people (or records) a view holds."""
    person = view.extras.person
    if person is None:
        return int(view.records.sum())
    return len(np.unique(view.people))


def worst_of_each(
    view: View,
    risk: Floats,
) -> Floats:
    """The largest risk of the classes of each person."""
    if view.extras.person is None:
        return np.asarray(risk * view.records)
    most = int(view.people.max(initial=0)) + 1
    worst = np.zeros(most)
    # the intruder takes that record of a person which is easiest to find
    np.maximum.at(worst, view.people, risk[view.label])
    return worst
