"""The rule that turns numbers into a verdict. No verdict is typed in anywhere.

1. Ours: the interval over seeds. Against one published draw it is the 95 % prediction interval,
   mean +- t * sd * sqrt(1 + 1/m); against a published mean of several executions, the 95 %
   interval of the mean. The published interval is its rounding, plus
   t * spread / sqrt(executions) where the paper gives a spread.
2. The intervals overlap: **agrees**.
3. They do not, and the published program's fault, re-enacted, overlaps the published value (or
   the value is refuted by computation): **artefact**, with a link to the explanation.
4. They do not, and ours lies on the better side of the published value: **better**.
5. Otherwise: **differs**.

Values computed on stand-in data, because the paper's file is not public, are shown as
**stand-in** and never counted as reproduced. Seconds are shown and not judged (**hardware**).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from tacit.reproduce.model import Better
from tacit.reproduce.transcript import EXECUTIONS, Published

# The verdicts of the rule ...
AGREES = "agrees"
BETTER = "better"
ARTEFACT = "artefact"
DIFFERS = "differs"
# ... and what is said of values that are not judged.
STAND_IN = "stand-in"
HARDWARE = "hardware"
NOT_AVAILABLE = "not available"
DRAWN = "drawn"

# Verdicts that count as reproduced.
GOOD = frozenset({AGREES, BETTER, ARTEFACT})

Interval = tuple[float, float]


def student(freedom: int) -> float:
    """The 97.5 % quantile of Student's t."""
    return float(stdtrit(freedom, 0.975))


def ours_interval(values: list[float]) -> Interval:
    """Where another run lies with 95 %; one value alone has no interval but itself."""
    finite = [v for v in values if math.isfinite(v)]
    if not finite:
        return (math.nan, math.nan)
    mean, m = float(np.mean(finite)), len(finite)
    if m == 1:
        return (mean, mean)
    sd = float(np.std(finite, ddof=1))
    half = student(m - 1) * sd * math.sqrt(1.0 + 1.0 / m)
    # values that are all equal have no spread; rounding must not keep them from agreeing
    slack = 1e-9 * abs(mean)
    return (mean - half - slack, mean + half + slack)


def published_interval(published: Published) -> Interval:
    """The printed value give or take its rounding and its published spread."""
    assert published.value is not None
    half = published.rounding
    if published.spread:
        half += student(EXECUTIONS - 1) * published.spread / math.sqrt(EXECUTIONS)
    return (published.value - half, published.value + half)


def overlap(a: Interval, b: Interval) -> bool:
    """Do two intervals meet? NaN never does.

    >>> overlap((1, 2), (2, 3)), overlap((1, 2), (2.1, 3))
    (True, False)
    >>> overlap((float("nan"), 1), (0, 3))
    False
    """
    return a[0] <= b[1] and b[0] <= a[1]


@dataclass(frozen=True)
class Judged:
    """One cell and measure, judged."""

    verdict: str
    published: str
    ours: float | None
    interval: Interval
    fault: float | None = None
    why: str = ""

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


def judge(
    published: Published | None,
    values: list[float],
    *,
    better: Better = "none",
    fault: list[float] | None = None,
    refuted: str | None = None,
    stand_in: str = "",
) -> Judged:
    """Apply the rule above to one published value and our values over seeds.

    Parameters
    ----------
    published : Published or None
        What was printed; None for a figure without printed values.
    values : list of float
        Ours, one per seed.
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
    mean = float(np.mean(values))
    interval = ours_interval(values)
    fault_mean = float(np.mean(fault)) if fault else None

    def say(verdict: str, why: str = "") -> Judged:
        return Judged(
            verdict,
            text,
            mean,
            interval,
            fault_mean,
            why,
        )

    # what is not judged comes first
    if published is None or published.value is None:
        return say(DRAWN)
    if better == "hardware":
        return say(HARDWARE)
    if stand_in:
        return say(STAND_IN, stand_in)
    theirs = published_interval(published)
    if overlap(interval, theirs):
        return say(AGREES)
    # a value that a fault explains is not sold as an improvement: artefact before better
    if refuted:
        return say(ARTEFACT, refuted)
    if fault and overlap(ours_interval(fault), theirs):
        return say(ARTEFACT, "the fault, re-enacted, gives the published value")
    higher = better == "higher" and mean > published.value
    lower = better == "lower" and mean < published.value
    return say(BETTER if higher or lower else DIFFERS)


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
