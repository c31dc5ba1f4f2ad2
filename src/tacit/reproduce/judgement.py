"""The rule that turns numbers into a verdict. No verdict is typed in anywhere.

1. Ours: the interval over seeds. Against one published draw it is the 95 % prediction interval,
   mean +- t * sd * sqrt(1 + 1/m); against a published mean of several executions, the 95 % interval of
   the mean. The published interval is its rounding, plus t * spread / sqrt(executions) where the paper
   gives a spread.
2. The intervals overlap: **agrees**.
3. They do not, and the published program's fault, re-enacted, overlaps the published value (or the value is
   refuted by computation): **artefact**, with a link to the explanation.
4. They do not, and ours lies on the better side of the published value: **better**.
5. Otherwise: **differs**.

Values computed on stand-in data, because the paper's file is not public, are shown as **stand-in** and never
counted as reproduced. Seconds are shown and not judged (**hardware**).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tacit.reproduce.model import Better
from tacit.reproduce.transcript import EXECUTIONS, Published

AGREES, BETTER, ARTEFACT, DIFFERS = "agrees", "better", "artefact", "differs"
STAND_IN, HARDWARE, NOT_AVAILABLE, DRAWN = "stand-in", "hardware", "not available", "drawn"

#: verdicts that count as reproduced
GOOD = frozenset({AGREES, BETTER, ARTEFACT})

Interval = tuple[float, float]


def student(freedom: int) -> float:
    """The 97.5 % quantile of Student's t."""
    from scipy.special import stdtrit

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

    >>> overlap((1, 2), (2, 3)), overlap((1, 2), (2.1, 3)), overlap((float("nan"), 1), (0, 3))
    (True, False, False)
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
        try:
            return None if self.ours is None else self.ours - float(self.published)
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
    """Apply the rule above to one published value and our values over seeds."""
    if not values:
        return Judged(NOT_AVAILABLE, published.text if published else "", None, (math.nan, math.nan))
    mean = float(np.mean(values))
    interval = ours_interval(values)
    text = published.text if published else ""
    shown = float(np.mean(fault)) if fault else None
    if published is None or published.value is None:
        return Judged(DRAWN, text, mean, interval, shown)
    if better == "hardware":
        return Judged(HARDWARE, text, mean, interval, shown)
    if stand_in:
        return Judged(STAND_IN, text, mean, interval, shown, stand_in)
    theirs = published_interval(published)
    if overlap(interval, theirs):
        return Judged(AGREES, text, mean, interval, shown)
    if refuted:
        return Judged(ARTEFACT, text, mean, interval, shown, refuted)
    if fault and overlap(ours_interval(fault), theirs):
        return Judged(ARTEFACT, text, mean, interval, shown, "the fault, re-enacted, gives the published value")
    if (better == "higher" and mean > published.value) or (better == "lower" and mean < published.value):
        return Judged(BETTER, text, mean, interval, shown)
    return Judged(DIFFERS, text, mean, interval, shown)


def judge_word(published: str, ours: str) -> Judged:
    """A published word (which method won) against ours, which was computed from values over seeds."""
    return Judged(AGREES if published == ours else DIFFERS, published, None, (math.nan, math.nan), why=f"ours: {ours}")
