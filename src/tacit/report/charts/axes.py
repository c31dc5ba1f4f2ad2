"""Scales and axes: where a value lies on a drawing, and which round values are marked."""

from __future__ import annotations

import math

from tacit.report.charts.svg import Drawing
from tacit.report.words import number


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round positions between low and high: steps of 1, 2, 2.5 or 5 times a power of ten."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low] if math.isfinite(low) else []
    raw = (high - low) / max(about, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    # a thousandth of slack: a step that is right but for rounding is not skipped
    fitting = (m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.999)
    step = next(fitting, 10 * power)
    # the ends belong to the axis even where a division leaves them a hair outside
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


class Scale:
    """A straight map from the values low to high to the positions start to end."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.high = low, high
        self.start, self.end = start, end

    def __call__(self, value: float) -> float:
        width = self.high - self.low
        # a constant column has no width: its only value stands in the middle
        share = (value - self.low) / width if width else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        """Round values on the scale."""
        return ticks(self.low, self.high, about)


class LogScale(Scale):
    """A map on which equal factors are equal distances; values below `low` are drawn at it."""

    def __call__(self, value: float) -> float:
        width = math.log10(self.high / self.low)
        share = math.log10(max(value, self.low) / self.low) / width if width else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self, about: int = 6) -> list[float]:
        """Powers of ten; where fewer than two are on the scale, its ends."""
        first = math.floor(math.log10(self.low))
        last = math.ceil(math.log10(self.high))
        every = max(1, (last - first) // about)
        powers = [10.0**power for power in range(first, last + 1, every)]
        # a thousandth of slack for powers that rounding puts beside the ends
        inside = [p for p in powers if self.low * 0.999 <= p <= self.high * 1.001]
        return inside if len(inside) > 1 else [self.low, self.high]


def _tick(value: float, percent: bool) -> str:
    return f"{100 * value:g} %" if percent else number(value)


def bottom_axis(
    d: Drawing, x: Scale, y: float, about: int = 5, percent: bool = False
) -> None:
    """The lower axis at height `y`: a line, ticks and their values."""
    d.line(
        x.start,
        y,
        x.end,
        y,
        "axis",
    )
    for value in x.ticks(about):
        place = x(value)
        d.line(
            place,
            y,
            place,
            y + 4,
            "axis",
        )
        d.text(
            place,
            y + 16,
            _tick(value, percent),
            "tick",
            "middle",
        )


def left_axis(
    d: Drawing,
    y: Scale,
    x: float,
    to: float,
    about: int = 4,
    percent: bool = False,
    gap: float = 6,
) -> None:
    """The left axis at `x`: a grid line to `to` and the value at each tick."""
    for value in y.ticks(about):
        place = y(value)
        d.line(
            x,
            place,
            to,
            place,
            "grid",
        )
        # 4 below: the middle of a digit of 12 pixels lies on the line
        d.text(
            x - gap,
            place + 4,
            _tick(value, percent),
            "tick",
            "end",
        )
