"""Figures for strangers: a band instead of a value, from which no parameter can be computed.

The intruder who runs the method again finds one record in each group, so a rate of 7.7 % says
k = 13, and a loss with three digits says how much noise was added to anyone who tries amounts on
a file like it. A band is wide enough for a factor of two or more. But bands add up: twenty of them
end in twenty places, and together they tell k = 6 from k = 7. So strangers are shown two figures,
the strongest rate and one loss, and of everything else on which side of its limit it lies.
"""

from __future__ import annotations

import math

from tacit.report.words import NONE, THIN

STEPS = (1.0, 2.0, 5.0)
"""Where bands begin and end, in every power of ten: as coins do."""
LEAST = 0.001
"""What is smaller is not told apart."""


def ends(value: float) -> tuple[float, float]:
    """The band that a value above 0 lies in.

    >>> ends(0.077), ends(0.05), ends(30)
    ((0.05, 0.1), (0.05, 0.1), (20.0, 50.0))
    """
    power = 10.0 ** math.floor(math.log10(value) + 1e-9)
    places = [step * power for step in (*STEPS, 10.0)]
    # a hair of slack: 0.05 is no exact number in binary
    low = max(place for place in places if place <= value * (1 + 1e-9))
    high = min(place for place in places if place > low * (1 + 1e-9))
    return float(f"{low:.6g}"), float(f"{high:.6g}")


def share_band(share: float | None, digits: int | None = None) -> str:
    """A share of 1 as a band of percent; nobody and hardly anybody are one band."""
    if share is None or not math.isfinite(share):
        return NONE
    if share < LEAST:
        return f"under {100 * LEAST:g}{THIN}%"
    if share >= STEPS[-1] / 10:
        return f"over {10 * STEPS[-1]:g}{THIN}%"
    low, high = ends(share)
    return f"{100 * low:g} to {100 * high:g}{THIN}%"


def decade(value: float | None) -> str:
    """A loss as its power of ten: beside a rate in a band, a narrower one would say too much.

    What is above 1 is one band: of such a file hardly anything is left, and how much noise did
    that is nobody's business.

    >>> decade(0.0842), decade(3e7), decade(0.0)
    ('0.01 to 0.1', 'over 1', 'under 0.001')
    """
    if value is None or not math.isfinite(value):
        return NONE
    if abs(value) < LEAST:
        return f"under {LEAST:g}"
    if value > 1:
        return "over 1"
    low = 10.0 ** math.floor(math.log10(abs(value)) + 1e-9)
    sign = "−" if value < 0 else ""
    return f"{sign}{low:g} to {sign}{10 * low:g}"


def band(value: float | None) -> str:
    """A figure that is no share, as a band."""
    if value is None or not math.isfinite(value):
        return NONE
    if abs(value) < LEAST:
        return f"under {LEAST:g}"
    low, high = ends(abs(value))
    sign = "−" if value < 0 else ""
    return f"{sign}{low:g} to {sign}{high:g}"
