"""Lines that move: a word-sized sparkline, and the live charts of a stream."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tacit.report.charts.axes import Scale, bottom_axis, left_axis
from tacit.report.charts.svg import Drawing
from tacit.report.words import number, percent


def sparkline(
    values: Sequence[float], *, title: str = "", width: float = 96, height: float = 22
) -> Drawing:
    """The shape of a column or of a history, in the height of a line of text.

    Parameters
    ----------
    values : sequence of float
        Heights of the bars.
    title : str
        What a screen reader says.
    width, height : float
        Size of the drawing.
    """
    d = Drawing(width, height, title or "distribution", kind="spark")
    highest = max([v for v in values if math.isfinite(v)], default=0.0)
    if highest <= 0:
        return d
    step = width / max(len(values), 1)
    for place, value in enumerate(values):
        if value > 0:
            # something is never drawn as nothing: at least one pixel
            tall = max((height - 2) * value / highest, 1.0)
            d.rect(
                place * step + 0.4,
                height - tall,
                step - 0.8,
                tall,
                "masked",
            )
    return d


def share_bar(share: float, *, width: float = 96, height: float = 12) -> Drawing:
    """A share of a whole as a bar in a line of text; the number stands beside it."""
    d = Drawing(width, height, f"{100 * share:.1f} %", kind="spark")
    d.rect(0, 1, width, height - 2, "track", rx=2)
    if share > 0:
        # something is never drawn as nothing: at least one pixel
        wide = max(width * min(share, 1.0), 1.0)
        d.rect(0, 1, wide, height - 2, "masked", rx=2)
    return d


def over_time(
    title: str,
    x: Sequence[float],
    y: Sequence[float],
    *,
    chance: Sequence[float] | float | None = None,
    bound: float | None = None,
    shares: bool = False,
    width: float = 420,
    height: float = 170,
    y_name: str = "",
) -> Drawing:
    """One measure over the stream: the line and its last value.

    Parameters
    ----------
    title : str
        The measure; a screen reader says it with the last value.
    x, y : sequence of float
        Records seen, and the measure then; NaN leaves a gap.
    chance : float or sequence of float, optional
        What guessing gives, as a dotted line.
    bound : float, optional
        A limit, as a dashed line.
    shares : bool
        Values are shares of 1, written as percent.
    width, height : float
        Size of the drawing.
    y_name : str
        Name of the upright axis.
    """
    write = percent if shares else number
    # before the first report there is no value
    now = y[-1] if len(y) else None
    d = Drawing(width, height, f"{title}: now {write(now)}")
    left, right = 52.0, width - 14
    top, bottom = 20.0, height - 24
    across = _across(x, left, right)
    # a tenth of air above the highest line
    up = Scale(0, _highest(y, chance, bound) * 1.1, bottom, top)
    left_axis(
        d,
        up,
        left,
        right,
        3,
        percent=shares,
    )
    bottom_axis(d, across, bottom, 4)
    if y_name:
        d.text(left, 11, f"↑ {y_name}", "note")
    if bound is not None:
        d.line(
            left,
            up(bound),
            right,
            up(bound),
            "bound",
        )
    if isinstance(chance, (int, float)):
        d.line(
            left,
            up(chance),
            right,
            up(chance),
            "chance dotted",
        )
    elif chance:
        guessed = [(across(a), up(b)) for a, b in zip(x, chance, strict=True)]
        d.path(guessed, "chance dotted")
    points = zip(x, y, strict=True)
    seen = [(across(a), up(b)) for a, b in points if math.isfinite(b)]
    if seen:
        d.path(seen, "line")
        # where the stream is now
        d.mark(*seen[-1], "circle", "point series-1", 3)
    return d


def _across(x: Sequence[float], left: float, right: float) -> Scale:
    """The scale of the records seen; before the second report it is one record wide."""
    first = x[0] if len(x) else 0
    last = x[-1] if len(x) > 1 else first + 1
    return Scale(first, last, left, right)


def _highest(
    y: Sequence[float],
    chance: Sequence[float] | float | None,
    bound: float | None,
) -> float:
    """The highest of everything that is drawn; 1 when all of it is zero."""
    if isinstance(chance, (int, float)):
        guessing = float(chance)
    else:
        guessing = max(chance or (), default=0.0)
    finite = [value for value in y if math.isfinite(value)]
    return max([*finite, bound or 0.0, guessing]) or 1.0
