"""The result of an attack: for every original record, whom the attacker names and how often
that is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import fsum, sqrt

import numpy as np

from tacit.attack.solver.solution import LogEntry
from tacit.base import display
from tacit.base.measure import jsonable
from tacit.base.typing import Bools, Floats, Ints
from tacit.data.units import Units

# The 97.5 % point of the standard normal distribution: 95 % lie within it both ways.
NORMAL_95 = 1.959963984540054
# More likely than not, and as good as certain: what the summary counts records above.
LIKELY = (0.5, 0.9)


@dataclass(frozen=True)
class UnitLinks:
    """What all rows of a person find together."""

    found: Floats
    """The probability that each unit is found."""
    lead: Floats
    """How far the named unit leads over the next, as the attacker sees it; NaN: not known."""
    own: Floats
    """The probability that each row's very own masked row is named."""


@dataclass(frozen=True)
class Linkage:
    """Whom an attacker names for each original record, scored against the truth.

    Attributes
    ----------
    match
        The masked row named for each original (-1: none); with ties, one of the tied rows.
    score
        The attacker's figure for the link, mostly a distance.
    success
        The probability that the named record is the original's own under random tie
        breaking, exactly; where units are counted, that it is one of the original's unit.
    ties
        How many masked records the attacker cannot tell apart for each original.
    margin
        How much worse the second best is; NaN where it was not computed.
    truth
        The masked row that is each original's own (-1: not released).
    stated
        The attacker's own probability that its link is right, of attackers who give a
        calibrated one; None: the attacker states none.
    cost, bound, certified
        Of linkages that minimise a total: the total, a proven lower bound of the optimum,
        and whether the two agree to rounding.
    tolerance
        How far the rate may be from that of the proven optimum, where a large file was linked
        without a proof; the interval is longer by it at both ends.
    units
        Whose row each original is, where a person or firm has several; all counts are then of
        units. None: records are counted.
    """

    attacker: str
    knows: str
    columns: tuple[str, ...]
    match: Ints
    score: Floats
    margin: Floats
    success: Floats
    ties: Floats
    truth: Ints
    masked_records: int
    seconds: float
    cost: float | None = None
    bound: float | None = None
    certified: bool | None = None
    tolerance: float = 0.0
    stated: Floats | None = None
    log: list[LogEntry] = field(default_factory=list)
    units: Units | None = field(default=None, repr=False)
    by_rows: UnitLinks | None = field(default=None, repr=False)
    """What the rows of each unit find together, where units are counted."""
    explainer: Callable[[int], dict[str, object]] | None = field(
        default=None,
        repr=False,
        compare=False,
    )

    @property
    def records(self) -> int:
        """Number of original records."""
        return len(self.match)

    @property
    def counted(self) -> int:
        """Number of original units: persons where they have several rows, else records."""
        return self.records if self.units is None else self.units.number

    @property
    def counts(self) -> str:
        """What is counted, in one word."""
        return "records" if self.units is None else self.units.words

    @property
    def correct(self) -> float:
        """Expected number of units that are found (a real number when there are ties).

        Rounded to 1e-9: shares such as 1/20 have no exact form, and 2,000 of them are 100,
        not a hair above it, which would put a rate of 5 % above a bound of 5 %.
        """
        return round(fsum(self.found), 9)

    @property
    def rate(self) -> float:
        """Expected share of original units that are linked correctly."""
        if self.counted:
            return self.correct / self.counted
        return 0.0

    @property
    def chance(self) -> float:
        """The rate that guessing gives: each unit is named with 1 / masked units."""
        if not self.records or not self.masked_records:
            return 0.0
        return self.released / self.counted / self._masked_units

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson 95 % interval of the rate, the units being a sample of possible ones; longer by
        ``tolerance`` at both ends."""
        return self._longer(wilson(self.correct, self.counted))

    @property
    def released(self) -> int:
        """Number of original units of which a record was released."""
        return self.units_with(self.truth >= 0)

    @property
    def released_rate(self) -> float:
        """Expected share of released units that are linked correctly; NaN without any.

        Whoever was not released cannot be found: counted over all originals, a raw sample
        of 4 % looks like a rate of 4 %.
        """
        if self.released:
            return self.correct / self.released
        return float("nan")

    @property
    def released_interval(self) -> tuple[float, float]:
        """Wilson 95 % interval of the rate over released units, longer like ``interval``."""
        return self._longer(wilson(self.correct, self.released))

    @property
    def released_chance(self) -> float:
        """The rate over released units that guessing gives: 1 / masked units."""
        if self.released:
            return 1 / self._masked_units
        return float("nan")

    @property
    def remark(self) -> str:
        """What must be said beside the rate; empty where there is nothing."""
        if not self.tolerance:
            return ""
        points = f"{100 * self.tolerance:.3g}"
        return (
            "large file: everybody is linked at once, without a proof of the optimum; the rate "
            f"may be off by {points} percentage point{'s' * (points != '1')}, which the interval "
            "holds"
        )

    def _longer(self, interval: tuple[float, float]) -> tuple[float, float]:
        low, high = interval
        return max(0.0, low - self.tolerance), min(1.0, high + self.tolerance)

    def units_with(self, rows: Bools) -> int:
        """How many units have a marked row; without units, how many rows are marked.

        Parameters
        ----------
        rows : array of bool
            The marked originals.
        """
        if self.units is None:
            return int(np.count_nonzero(rows))
        return int(np.count_nonzero(self.units.any(rows)))

    def likely(self, at: float = 0.5) -> int:
        """How many released units have their own record named with more than `at`.

        Parameters
        ----------
        at : float
            The probability that must be exceeded: the attacker's own where it states one
            (the link must then be right too), else that of the named record over ties.
        """
        if self.by_rows is not None:
            return int(np.count_nonzero(self.by_rows.found > at))
        own_named = (self.truth >= 0) & (self.success > 0)
        probability = self.success if self.stated is None else self.stated
        return self.units_with(own_named & (probability > at))

    @property
    def found(self) -> Floats:
        """The probability that each unit is found; that of each record where these are counted."""
        return self.success if self.by_rows is None else self.by_rows.found

    @property
    def _masked_units(self) -> int:
        """Units of the release; a masked record of nobody is one by itself."""
        return self.masked_records - int(np.sum(self.truth >= 0)) + self.released

    def explain(self, i: int) -> dict[str, object]:
        """Which masked records compete for original i and why the attacker chose this one.

        Parameters
        ----------
        i : int
            Row of the original record, from 0.
        """
        if not 0 <= i < self.records:
            raise IndexError(
                f"record {i} is not among the {self.records} original records"
            )
        if self.explainer is None:
            return {"record": i, "named": int(self.match[i])}
        return self.explainer(i)

    def to_dict(self) -> dict[str, object]:
        """The summary that ``assess --json`` holds."""
        summary: dict[str, object] = {
            "correct": self.correct,
            "rate": self.rate,
            "interval": list(self.interval),
            "chance": self.chance,
            "released": self.released,
            "released_rate": self.released_rate,
            "released_interval": list(self.released_interval),
            "released_chance": self.released_chance,
            "likely": {str(at): self.likely(at) for at in LIKELY},
            "seconds": self.seconds,
            "knows": self.knows,
            "columns": list(self.columns),
            "counts": self.counts,
        }
        if self.by_rows is not None:
            # rows that were linked to their very own masked row, beside the persons
            own = round(fsum(self.by_rows.own), 9)
            summary["records"] = {
                "correct": own,
                "rate": own / self.records,
                "interval": list(wilson(own, self.records)),
                "chance": float(np.mean(self.truth >= 0)) / self.masked_records,
            }
        # only attackers that minimise a total have a cost
        if self.cost is not None:
            summary["cost"] = self.cost
            summary["bound"] = self.bound
            summary["certified"] = self.certified
        if self.remark:
            summary["tolerance"] = self.tolerance
            summary["remark"] = self.remark
        if self.log:
            summary["log"] = self.log
        return dict(jsonable(summary))

    def _repr_html_(self) -> str:
        return str(display.show("notebook:linkage", self))

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"Linkage({self.attacker}: {self.correct:.2f} of {self.counted} correct, "
            f"{100 * self.rate:.1f} % [{100 * low:.1f}, {100 * high:.1f}], "
            f"chance {100 * self.chance:.2f} %)"
        )


def wilson(
    correct: float,
    n: int,
    z: float = NORMAL_95,
) -> tuple[float, float]:
    """Wilson score interval of a proportion.

    (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n) with p = correct / n.

    Parameters
    ----------
    correct, n : float, int
        Successes (may be an expectation, so not whole) and trials.
    z : float
        Normal quantile of the interval.

    References
    ----------
    Wilson (1927), Probable inference, the law of succession, and statistical inference.
    """
    # nothing was tried: every rate is possible
    if n == 0:
        return (0.0, 1.0)
    p = correct / n
    centre = p + z * z / (2 * n)
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # rounding must not push the ends outside of [0, 1]
    return (max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale))
