"""The rule that turns numbers into a verdict. No verdict is typed in anywhere.

1. Ours: m values over seeds, with mean and sd. A published value is the mean of r runs (r = 1 for
   one draw; ``published/runs.csv`` says which). If the published program does what ours does, it
   lies with 95 % in the interval mean +- t(m - 1) * sd * sqrt(1/r + 1/m), give or take its
   rounding; p is its two-sided probability by Student's t.
2. p >= 0.05: **agrees**.
3. Otherwise, and the published program's fault, re-enacted, has p >= 0.05 (or the value is refuted
   by computation): **artefact**, with a link to the explanation.
4. Of many values some must lie outside. The larger p of both readings goes through the rule of
   Benjamini and Hochberg (1995) at 5 % over the values of one table. Not rejected: **outside**,
   as far as chance goes.
5. Rejected, and ours lies on the better side of the published value: **better**; else **differs**.

Beside the verdict stands how far the means are, in standard errors of their difference; there the
published spread is used where one is printed.

Values computed on stand-in data, because the paper's file is not public, are shown as
**stand-in** and never counted as reproduced. Seconds are shown and not judged (**hardware**).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtr, stdtrit

from tacit.reproduce.model import Better
from tacit.reproduce.transcript import Published

# The verdicts of the rule ...
AGREES = "agrees"
BETTER = "better"
ARTEFACT = "artefact"
OUTSIDE = "outside"
DIFFERS = "differs"
# ... and what is said of values that are not judged.
STAND_IN = "stand-in"
HARDWARE = "hardware"
NOT_AVAILABLE = "not available"
DRAWN = "drawn"

# Verdicts that count as reproduced.
GOOD = frozenset({AGREES, BETTER, ARTEFACT})
# A right reading is outside its interval, and a right table is rejected, with this probability.
LEVEL = 0.05
# Values that are all equal have no spread; rounding of this share must not keep them apart.
SAME = 1e-9

Interval = tuple[float, float]


@dataclass(frozen=True)
class Sample:
    """Our values over seeds: how many are numbers, their mean and standard deviation."""

    size: int
    mean: float
    sd: float

    @classmethod
    def of(cls, values: list[float]) -> Sample:
        """A run without a number is left out; one value alone has no spread."""
        finite = [v for v in values if math.isfinite(v)]
        if not finite:
            return cls(0, math.nan, math.nan)
        sd = float(np.std(finite, ddof=1)) if len(finite) > 1 else 0.0
        return cls(len(finite), float(np.mean(finite)), sd)

    def error(self, runs: int) -> float:
        """Standard error of the distance between our mean and a mean of so many runs."""
        return self.sd * math.sqrt(1.0 / runs + 1.0 / self.size)


def interval_of(values: list[float], runs: int = 1) -> Interval:
    """Where the mean of so many more runs lies with 95 %; one value has no interval but itself."""
    ours = Sample.of(values)
    if not ours.size:
        return (math.nan, math.nan)
    half = SAME * abs(ours.mean)
    if ours.size > 1:
        t = float(stdtrit(ours.size - 1, 1.0 - LEVEL / 2.0))
        half += t * ours.error(runs)
    return (ours.mean - half, ours.mean + half)


def probability(published: Published, values: list[float], runs: int = 1) -> float:
    """Two-sided p-value of the printed number among means of so many runs of ours.

    The distance counts from the nearer end of what was rounded to that number. Without a spread
    the number is met (1) or not (0).
    """
    assert published.value is not None
    ours = Sample.of(values)
    if not ours.size:
        return 0.0
    gap = max(abs(published.value - ours.mean) - published.rounding, 0.0)
    if gap <= SAME * abs(ours.mean):
        return 1.0
    # values that differ by less than rounding do not spread
    if ours.sd <= SAME * abs(ours.mean):
        return 0.0
    return 2.0 * float(stdtr(ours.size - 1, -gap / ours.error(runs)))


def standard_errors(
    published: Published, values: list[float], runs: int = 1
) -> float | None:
    """Difference of the means over its standard error, sqrt(ours^2 / m + theirs^2 / r).

    Theirs is the printed spread; where none is printed, ours stands for it. None without a spread.
    """
    assert published.value is not None
    ours = Sample.of(values)
    if not ours.size:
        return None
    theirs = ours.sd if published.spread is None else published.spread
    error = math.sqrt(ours.sd**2 / ours.size + theirs**2 / runs)
    if error <= SAME * abs(ours.mean):
        return None
    return (ours.mean - published.value) / error


@dataclass(frozen=True)
class Judged:
    """One cell and measure, judged. ``p`` is of our reading, ``fault_p`` of the fault."""

    verdict: str
    published: str
    ours: float | None
    interval: Interval
    fault: float | None = None
    why: str = ""
    p: float | None = None
    fault_p: float | None = None
    errors: float | None = None
    improves: bool = False

    @property
    def difference(self) -> float | None:
        """Ours less the published value; None where one of them is not a number."""
        if self.ours is None:
            return None
        # the published value can be a word, or nothing
        try:
            return self.ours - float(self.published)
        except ValueError:
            return None

    @property
    def likelier(self) -> float | None:
        """The p-value of the reading that comes nearer.

        None for what is not tested, and for a value that was refuted: no reading gives it.
        """
        tested = [p for p in (self.p, self.fault_p) if p is not None]
        nearer = max(tested, default=None)
        if nearer is None or (self.verdict == ARTEFACT and nearer < LEVEL):
            return None
        return nearer


def judge(
    published: Published | None,
    values: list[float],
    *,
    runs: int = 1,
    better: Better = "none",
    fault: list[float] | None = None,
    refuted: str | None = None,
    stand_in: str = "",
) -> Judged:
    """Apply steps 1 to 3 to one published value and our values over seeds.

    What is neither met nor explained is *outside* until `settle` has seen the whole table.

    Parameters
    ----------
    published : Published or None
        What was printed; None for a figure without printed values.
    values : list of float
        Ours, one per seed.
    runs : int
        Runs of which the published value is the mean.
    better : {"higher", "lower", "none", "hardware"}
        Which direction is an improvement.
    fault : list of float, optional
        The values of the fault, re-enacted.
    refuted : str, optional
        Why the published value is impossible.
    stand_in : str
        The data that stand for a file that is not public.
    """
    text = published.text if published else ""
    if not values:
        return Judged(NOT_AVAILABLE, text, None, (math.nan, math.nan))
    shown = Judged(
        DRAWN,
        text,
        float(np.mean(values)),
        interval_of(values, runs),
        float(np.mean(fault)) if fault else None,
    )
    # what is not judged comes first
    if published is None or published.value is None:
        return shown
    if better == "hardware":
        return replace(shown, verdict=HARDWARE)
    if stand_in:
        return replace(shown, verdict=STAND_IN, why=stand_in)
    assert shown.ours is not None
    higher = better == "higher" and shown.ours > published.value
    lower = better == "lower" and shown.ours < published.value
    tested = replace(
        shown,
        p=probability(published, values, runs),
        fault_p=probability(published, fault, runs) if fault else None,
        errors=standard_errors(published, values, runs),
        improves=higher or lower,
    )
    verdict, why = _first(tested, refuted)
    return replace(tested, verdict=verdict, why=why)


def _first(tested: Judged, refuted: str | None) -> tuple[str, str]:
    """Verdict and reason by steps 2 and 3."""
    if tested.p is not None and tested.p >= LEVEL:
        return AGREES, ""
    # a value that a fault explains is not sold as an improvement: artefact before better
    if refuted:
        return ARTEFACT, refuted
    if tested.fault_p is not None and tested.fault_p >= LEVEL:
        return ARTEFACT, "the fault, re-enacted, gives the published value"
    return OUTSIDE, ""


def settle(table: list[Judged]) -> list[Judged]:
    """Steps 4 and 5: which of the values outside are more than chance, over one table.

    Benjamini and Hochberg: with the p-values in order, the largest i with p(i) <= 0.05 i / n and
    all below it are rejected.
    """
    tested = sorted(j.likelier for j in table if j.likelier is not None)
    allowed = [LEVEL * i / len(tested) for i in range(1, len(tested) + 1)]
    rejected = [p for p, most in zip(tested, allowed, strict=True) if p <= most]
    bound = max(rejected, default=-1.0)
    return [_settled(judged, bound) for judged in table]


def _settled(judged: Judged, bound: float) -> Judged:
    p = judged.likelier
    if judged.verdict != OUTSIDE or p is None or p > bound:
        return judged
    return replace(judged, verdict=BETTER if judged.improves else DIFFERS)


@dataclass(frozen=True)
class Chance:
    """How many values must be outside by chance, and how many are.

    Parameters
    ----------
    tested : int
        Values that a drawn reading of ours, or a fault, was tested on.
    outside : int
        Those outside the 95 % interval of either.
    beyond : int
        Those that are more than chance over their table (better, differs).
    """

    tested: int
    outside: int
    beyond: int

    @property
    def expected(self) -> float:
        """Values outside if every reading is right: one in twenty.

        At most, because the better of two readings counts where a fault is re-enacted.
        """
        return LEVEL * self.tested


def chance(values: Iterable[Judged]) -> Chance:
    """Count over the values of which our reading spreads; the others are met or not."""
    drawn = [j for j in values if j.errors is not None and j.likelier is not None]
    outside = [j for j in drawn if j.likelier is not None and j.likelier < LEVEL]
    beyond = sum(j.verdict in {BETTER, DIFFERS} for j in outside)
    return Chance(len(drawn), len(outside), beyond)


def judge_word(published: str, ours: str) -> Judged:
    """A published word (which method won) against ours, computed from values over seeds."""
    verdict = AGREES if published == ours else DIFFERS
    no_interval = (math.nan, math.nan)
    return Judged(
        verdict,
        published,
        None,
        no_interval,
        why=f"ours: {ours}",
    )
