"""The best point of a line of weights, exactly.

Every original is linked correctly on one open interval of the line (``kernels.weightline``), so
the number of correct links changes only at the ends of intervals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.base.typing import TIE, Floats, Ints
from tacit.kernels.weightline import own_intervals

if TYPE_CHECKING:
    from tacit.attack.learned.weights_search import Pairs

# Smallest difference of two expected numbers of links that is not rounding
BETTER = 1e-9


def best_on_line(
    pairs: Pairs,
    w: Floats,
    u: Floats,
    low: float,
    high: float,
    hard: tuple[Ints, Ints] | None = None,
) -> tuple[float, float]:
    """(t, correct) of the best point of w + t u; the middle of the widest best segment.

    Parameters
    ----------
    pairs : Pairs
        What is learned from.
    w, u : arrays
        A point and a direction.
    low, high : float
        Only low < t < high is looked at.
    hard : (rows, indptr), optional
        Rows of z to compare with first, for each original (speed only).
    """
    if pairs.gains is not None:
        first, last = _intervals(pairs, w, u, low, high)
    else:
        if hard is None:
            hard = (np.empty(0, np.int64), np.zeros(pairs.n + 1, np.int64))
        first, last = own_intervals(
            pairs.x,
            pairs.z,
            pairs.nominal,
            pairs.own,
            w,
            u,
            low,
            high,
            *hard,
        )
    # sweep over t: an original counts from the first to the last point of its interval
    is_open = first < last
    if not is_open.any():
        return 0.0, 0.0
    value = pairs.value[is_open]
    points = np.concatenate([first[is_open], last[is_open]])
    steps = np.concatenate([value, -value])
    order = np.argsort(points, kind="stable")
    points = points[order]
    correct = np.cumsum(steps[order])
    width = np.diff(points)
    has_inside = width > TIE * np.maximum(1.0, np.abs(points[:-1]))
    if not has_inside.any():
        return 0.0, 0.0
    inside = np.where(has_inside, correct[:-1], -1.0)
    most = inside.max()
    best = np.flatnonzero(inside >= most - BETTER)
    widest = best[np.argmax(width[best])]
    middle = 0.5 * (points[widest] + points[widest + 1])
    return float(middle), float(most)


def _intervals(
    pairs: Pairs, w: Floats, u: Floats, low: float, high: float
) -> tuple[Floats, Floats]:
    """The kernel's intervals from the differences of all pairs at once; lo >= hi: empty."""
    at_zero, slope = pairs.wins(w, u)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = at_zero / -slope
    rises = slope > 0.0
    falls = slope < 0.0
    lo = np.where(rises, t, low).max(axis=1, initial=low)
    hi = np.where(falls, t, high).min(axis=1, initial=high)
    flat = ~(rises | falls)
    if flat.any():
        # no t helps where a row is at least as near everywhere on the line
        never = (flat & (at_zero <= 0.0)).any(axis=1)
        hi = np.where(never, lo, hi)
    return lo, hi


def reach(w: Floats, u: Floats) -> tuple[float, float]:
    """The open range of t in which w + t u stays non-negative."""
    down = u < 0
    up = u > 0
    if down.any():
        high = float(np.min(w[down] / -u[down]))
    else:
        high = 1.0
    if up.any():
        low = float(np.max(-w[up] / u[up]))
    else:
        low = -1.0
    return low, high
