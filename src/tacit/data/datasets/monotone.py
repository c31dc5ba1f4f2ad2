"""A smooth curve through points that rises wherever they rise, for quantile functions.

The same numbers, bit for bit, as ``scipy.interpolate.PchipInterpolator``, whose import takes half a
second of the demo.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tacit.base.typing import Floats


def monotone(x: ArrayLike, y: ArrayLike, at: ArrayLike) -> Floats:
    """Values at ``at`` of the piecewise cubic through (x, y).

    Parameters
    ----------
    x, y : arrays
        At least three points, x rising.
    at : array
        Where the curve is wanted; outside of x the cubic of the first or last piece goes on.

    Notes
    -----
    **Definition.** A cubic on each piece with the slopes of ``_slopes`` at both of its ends.

    References
    ----------
    Fritsch and Butland (1984), A method for constructing local monotone piecewise cubic
    interpolants.

    Examples
    --------
    >>> monotone([0.0, 1.0, 2.0], [0.0, 1.0, 1.0], [0.5, 1.5]).tolist()
    [0.6875, 1.0]
    """
    x, y, at = (np.asarray(values, np.float64) for values in (x, y, at))
    step = np.diff(x)
    rise = np.diff(y) / step
    slope = _slopes(step, rise)
    bend = (slope[:-1] + slope[1:] - 2 * rise) / step
    piece = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(step) - 1)
    cubic = (bend / step)[piece]
    square = ((rise - slope[:-1]) / step - bend)[piece]
    s = at - x[piece]
    # added up from the constant term, as scipy does: the order decides about the last bit
    return np.asarray(
        y[piece] + slope[piece] * s + square * (s * s) + cubic * (s * s * s)
    )


def _slopes(step: Floats, rise: Floats) -> Floats:
    """Inside, the weighted harmonic mean of the rises on both sides; 0 where their signs differ."""
    before, after = rise[:-1], rise[1:]
    flat = (np.sign(before) != np.sign(after)) | (before == 0) | (after == 0)
    left = 2 * step[1:] + step[:-1]
    right = step[1:] + 2 * step[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (left / before + right / after) / (left + right)
        inside = np.where(flat, 0.0, 1.0 / mean)
    first = _end(step[0], step[1], rise[0], rise[1])
    last = _end(step[-1], step[-2], rise[-1], rise[-2])
    return np.concatenate([[first], inside, [last]])


def _end(step: float, next_step: float, rise: float, next_rise: float) -> float:
    """The slope at an end, by three points, held back so that the curve stays monotone."""
    slope = ((2 * step + next_step) * rise - step * next_rise) / (step + next_step)
    if np.sign(slope) != np.sign(rise):
        return 0.0
    if np.sign(rise) != np.sign(next_rise) and abs(slope) > 3.0 * abs(rise):
        return 3.0 * rise
    return float(slope)
