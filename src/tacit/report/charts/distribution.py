"""Distributions before and after: the masked file as bars, the original as an outline."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tacit.report.charts.axes import Scale, bottom_axis, left_axis
from tacit.report.charts.svg import Drawing, Position
from tacit.report.words import count, number, percent

# Keeps a scale from having no width when all shares are zero.
LEAST = 1e-12
# Longer labels of categories are cut; the tip has them whole.
LONGEST = 19


def pair(
    name: str,
    edges: Sequence[float],
    before: Sequence[float],
    after: Sequence[float],
    *,
    width: float = 340,
    height: float = 150,
) -> Drawing:
    """Shares per interval of one continuous column; filled is masked, outline is original.

    Parameters
    ----------
    name : str
        The column.
    edges : sequence of float
        Ends of the intervals, one more than there are shares.
    before, after : sequence of float
        Shares of the original and of the masked file.
    width, height : float
        Size of the drawing.
    """
    title = f"Distribution of {name}: original as outline, masked as filled bars"
    d = Drawing(width, height, title)
    left, right = 8.0, width - 8
    top, bottom = 8.0, height - 24
    x = Scale(edges[0], edges[-1], left, right)
    y = Scale(0, max([*before, *after, LEAST]), bottom, top)
    for (low, high), share in zip(pairwise(edges), after, strict=True):
        if share > 0:
            tip = f"{number(low)} to {number(high)}: masked {percent(share)}"
            d.rect(
                x(low),
                y(share),
                x(high) - x(low),
                bottom - y(share),
                "masked",
                tip,
            )
    # the outline climbs and falls at every edge, so each interval adds two corners
    outline: list[Position] = [(x(edges[0]), bottom)]
    for (low, high), share in zip(pairwise(edges), before, strict=True):
        outline += [(x(low), y(share)), (x(high), y(share))]
    d.path([*outline, (x(edges[-1]), bottom)], "original")
    bottom_axis(d, x, bottom, 4)
    return d


def categories(
    name: str,
    labels: Sequence[str],
    before: Sequence[float],
    after: Sequence[float],
    *,
    width: float = 340,
    row: float = 20,
) -> Drawing:
    """Shares per category of one column: a bar for the masked file, a tick for the original.

    Parameters
    ----------
    name : str
        The column.
    labels : sequence of str
        The categories, from top to bottom.
    before, after : sequence of float
        Shares of the original and of the masked file.
    width : float
        Width of the drawing.
    row : float
        Height of one category.
    """
    height = row * len(labels) + 10
    title = f"Categories of {name}: bar is masked, tick is original"
    d = Drawing(width, height, title)
    # about 7 pixels per letter of the ticks' font: m and w are wide
    longest = max((len(text) for text in labels), default=4)
    room = min(135.0, 10 + 7 * longest)
    x = Scale(0, max([*before, *after, LEAST]), room, width - 50)
    rows = zip(labels, before, after, strict=True)
    for place, (text, original, masked) in enumerate(rows):
        top = 6 + place * row
        line = top + row - 8
        shown = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        d.text(
            room - 6,
            line,
            shown,
            "tick",
            "end",
        )
        tip = f"{text}: masked {percent(masked)}, original {percent(original)}"
        d.rect(
            room,
            top + 3,
            x(masked) - room,
            row - 8,
            "masked",
            tip,
        )
        d.line(
            x(original),
            top,
            x(original),
            top + row - 2,
            "original",
        )
        d.text(width - 46, line, percent(masked), "tick")
    return d


def histogram(
    title: str,
    edges: Sequence[float],
    counts: Sequence[float],
    *,
    width: float = 720,
    height: float = 190,
    x_name: str = "",
    y_name: str = "records",
    percent_x: bool = False,
) -> Drawing:
    """One plain histogram with named axes.

    Parameters
    ----------
    title : str
        What a screen reader says.
    edges : sequence of float
        Ends of the intervals, one more than there are counts.
    counts : sequence of float
        How many in each interval.
    width, height : float
        Size of the drawing.
    x_name, y_name : str
        Names of the axes.
    percent_x : bool
        The values below are shares of 1, written as percent.
    """
    d = Drawing(width, height, title)
    left, right = 58.0, width - 24
    top, bottom = 20.0, height - (44 if x_name else 26)
    x = Scale(edges[0], edges[-1], left, right)
    # 4 % of air above the highest bar
    y = Scale(0, max([*counts, LEAST]) * 1.04, bottom, top)
    left_axis(
        d,
        y,
        left,
        right,
        3,
    )
    write = percent if percent_x else number
    for (low, high), records in zip(pairwise(edges), counts, strict=True):
        if records > 0:
            # a bar that stands for at least one record is never thinner than a hair
            tall = max(bottom - y(records), 1.5)
            tip = f"{write(low)} to {write(high)}: {count(records)} {y_name}"
            start, wide = x(low) + 0.5, x(high) - x(low) - 1
            d.rect(
                start,
                bottom - tall,
                wide,
                tall,
                "masked",
                tip,
            )
    bottom_axis(
        d,
        x,
        bottom,
        8,
        percent=percent_x,
    )
    if x_name:
        d.text(
            right,
            height - 6,
            x_name,
            "note",
            "end",
        )
    d.text(left, 11, f"↑ {y_name}", "note")
    return d
