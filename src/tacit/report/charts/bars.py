"""Bars with what a fair reader needs beside them: the interval as a whisker, chance as a tick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tacit.report.charts.axes import Scale, bottom_axis
from tacit.report.charts.svg import Drawing, wide
from tacit.report.words import limit, number, percent

# Drawings that are narrower have their labels above the bars, which takes so much height.
NARROW, ABOVE = 480, 14.0
# A screen reader is told the first rows only: nobody listens to more.
SPOKEN = 20


@dataclass(frozen=True)
class Bar:
    """One row: a value, its interval, and what chance would give."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    strong: bool = False

    @property
    def has_interval(self) -> bool:
        """There is an interval, and it is wider than a point."""
        return self.low is not None and self.high is not None and self.high > self.low


def bars(
    title: str,
    rows: Sequence[Bar],
    *,
    width: float = 720,
    row: float = 30,
    bound: float | None = None,
    shares: bool = True,
    most: float | None = None,
) -> Drawing:
    """Horizontal bars.

    Parameters
    ----------
    title : str
        What the bars show; a screen reader says it.
    rows : sequence of Bar
        The bars, from top to bottom.
    width : float
        Width of the drawing.
    row : float
        Height of one bar with the gap around it.
    bound : float, optional
        A limit, drawn as a dashed line.
    shares : bool
        Values are shares of 1 and written as percent.
    most : float, optional
        The value at the right end, with an axis from 0 to it; the largest one unless given.
    """
    write = percent if shares else number
    # on a telephone a label stands above its bar, which then has the whole width
    above = ABOVE if width < NARROW else 0.0
    row += above
    # the dashed limit needs a line of text above the bars
    top = 18 if bound is not None else 4
    bottom = row * len(rows) + (20 if bound is not None else 8)
    # a scale that is given is shown: the bars of several pictures can be compared
    height = bottom + (20 if most is not None else 0)
    spoken = "; ".join(f"{bar.label}: {write(bar.value)}" for bar in rows[:SPOKEN])
    d = Drawing(width, height, f"{title}. {spoken}")
    # labels may take nearly half of the width; 6 % of slack, because `wide` is a guess
    longest = max((1.06 * wide(bar.label) for bar in rows), default=30)
    room = 2.0 if above else min(width * 0.46, 18 + longest)
    x = Scale(0, most or _largest(rows, bound), room, width - (52 if above else 70))
    for place, bar in enumerate(rows):
        _draw(
            d,
            bar,
            x,
            top + place * row,
            row,
            write,
            above,
        )
    if bound is not None:
        d.line(
            x(bound),
            14,
            x(bound),
            bottom,
            "bound",
        )
        accepted = limit(bound) if shares else number(bound)
        d.text(x(bound) + 4, 12, f"accepted up to {accepted}", "note")
    # the dashed line goes behind a label that stands above its bar, not through it
    for place, bar in enumerate(rows if above else ()):
        kind = "label strong" if bar.strong else "label"
        d.text(room, top + place * row + above, _cut(bar.label, x.end), kind)
    if most is not None:
        bottom_axis(d, x, bottom, 4, percent=shares)
    return d


def _largest(rows: Sequence[Bar], bound: float | None) -> float:
    """The right end of the scale: every value, interval and tick is inside."""
    ends = [end for bar in rows for end in (bar.value, bar.high, bar.chance)]
    drawn = [end for end in ends if end is not None]
    # a limit needs room for its words; the tiny number keeps a scale of zeros from having none
    return max([*drawn, (bound or 0) * 1.15, 1e-12])


def _draw(
    d: Drawing,
    bar: Bar,
    x: Scale,
    y: float,
    row: float,
    write: Callable[[float | None], str],
    above: float,
) -> None:
    """One row: label, track, bar, whisker, tick of chance, value."""
    room = x.start
    strong = " strong" if bar.strong else ""
    if above:
        y, row = y + above, row - above
    middle = y + row / 2
    if not above:
        label = _cut(bar.label, room - 12)
        d.text(room - 10, middle + 4, label, "label" + strong, "end")
    d.rect(
        room,
        y + 6,
        x.end - room,
        row - 12,
        "track",
    )
    tip = f"{bar.label}: {write(bar.value)}"
    if bar.chance is not None:
        tip += f", chance {write(bar.chance)}"
    d.rect(
        room,
        y + 6,
        x(bar.value) - room,
        row - 12,
        "masked" + strong,
        tip,
    )
    if bar.has_interval and bar.low is not None and bar.high is not None:
        d.line(
            x(bar.low),
            middle,
            x(bar.high),
            middle,
            "whisker",
        )
        for end in (bar.low, bar.high):
            d.line(
                x(end),
                middle - 4,
                x(end),
                middle + 4,
                "whisker",
            )
    if bar.chance is not None:
        d.line(
            x(bar.chance),
            y + 2,
            x(bar.chance),
            y + row - 2,
            "chance",
        )
    d.text(x.end + 8, middle + 4, write(bar.value), "label" + strong)


def _cut(text: str, room: float) -> str:
    """As much of the text as fits; all of it is in the tip."""
    if wide(text) <= room:
        return text
    keep = len(text)
    # 10 pixels are for the ellipsis
    while keep > 1 and wide(text[:keep]) + 10 > room:
        keep -= 1
    return text[:keep] + "…"
