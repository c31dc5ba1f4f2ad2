"""The mean of a plan's runs, and how far it may be off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def mean(values: Sequence[float]) -> float:
    """The mean over runs; NaN if one of them is."""
    return float(np.mean(values))


def spread(
    values: Sequence[float],
    within: tuple[float, float] = (-np.inf, np.inf),
) -> tuple[float, float]:
    """95 % interval of the mean over seeds (Student's t), cut to the measure's range.

    One seed: the value itself.
    """
    x = np.asarray(values, dtype=np.float64)
    centre = float(x.mean())
    if len(x) < 2:
        return centre, centre
    # half a second that a single run need not wait for
    from scipy.stats import t as student

    # 2.5 % on each side
    quantile = student.ppf(0.975, len(x) - 1)
    half = float(quantile * x.std(ddof=1) / np.sqrt(len(x)))
    return max(centre - half, within[0]), min(centre + half, within[1])
