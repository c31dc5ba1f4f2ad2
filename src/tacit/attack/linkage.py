"""The result of an attack: for every original record, whom the attacker names and how often that is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.measure import jsonable


@dataclass(frozen=True)
class Linkage:
    """``match[i]`` is the masked row named for original i (-1: none); with ties, one of the tied rows.

    ``success[i]`` is the probability that the named record is i's own under random tie breaking, exactly;
    ``ties[i]`` how many masked records the attacker cannot tell apart for i; ``margin[i]`` how much worse the
    second best is (NaN where it was not computed).
    """

    attacker: str
    knows: str
    columns: tuple[str, ...]
    match: NDArray[np.int64]
    score: NDArray[np.float64]
    margin: NDArray[np.float64]
    success: NDArray[np.float64]
    ties: NDArray[np.float64]
    truth: NDArray[np.int64]
    masked_records: int
    seconds: float
    cost: float | None = None
    bound: float | None = None
    certified: bool | None = None
    log: list[dict[str, Any]] = field(default_factory=list)
    explainer: Callable[[int], dict[str, Any]] | None = field(default=None, repr=False, compare=False)

    @property
    def records(self) -> int:
        """Number of original records."""
        return len(self.match)

    @property
    def correct(self) -> float:
        """Expected number of correct links (a real number when there are ties).

        Rounded to 1e-9: shares such as 1/20 have no exact form, and 2,000 of them are 100, not a hair above it, which
        would put a rate of 5 % above a bound of 5 %.
        """
        return round(fsum(self.success), 9)

    @property
    def rate(self) -> float:
        """Expected share of original records that are linked correctly."""
        return self.correct / self.records if self.records else 0.0

    @property
    def chance(self) -> float:
        """The rate that guessing gives: each released record is named with probability 1 / masked records."""
        if not self.records or not self.masked_records:
            return 0.0
        return float(np.mean(self.truth >= 0)) / self.masked_records

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson 95 % interval of the rate, the records taken as a sample of those that could be released."""
        return wilson(self.correct, self.records)

    def explain(self, i: int) -> dict[str, Any]:
        """Which masked records compete for original i and why the attacker chose this one."""
        if not 0 <= i < self.records:
            raise IndexError(f"record {i} is not among the {self.records} original records")
        return self.explainer(i) if self.explainer else {"record": i, "named": int(self.match[i])}

    def to_dict(self) -> dict[str, Any]:
        """The summary that ``assess --json`` holds."""
        out: dict[str, Any] = {
            "correct": self.correct,
            "rate": self.rate,
            "interval": list(self.interval),
            "chance": self.chance,
            "seconds": self.seconds,
            "knows": self.knows,
            "columns": list(self.columns),
        }
        if self.cost is not None:
            out |= {"cost": self.cost, "bound": self.bound, "certified": self.certified}
        if self.log:
            out["log"] = self.log
        return dict(jsonable(out))

    def _repr_html_(self) -> str:
        from tacit.report.jupyter import linkage

        return linkage(self)

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"Linkage({self.attacker}: {self.correct:.2f} of {self.records} correct, "
            f"{100 * self.rate:.1f} % [{100 * low:.1f}, {100 * high:.1f}], chance {100 * self.chance:.2f} %)"
        )


def wilson(correct: float, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Wilson score interval of a proportion: (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)."""
    if n == 0:
        return (0.0, 1.0)
    p = correct / n
    centre = p + z * z / (2 * n)
    half = z * float(np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)))
    scale = 1 + z * z / n
    return (max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale))
