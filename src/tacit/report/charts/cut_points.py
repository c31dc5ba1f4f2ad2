"""A histogram with cut points that can be moved: where one class ends and the next begins."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tacit.report.charts.axes import Scale, bottom_axis
from tacit.report.charts.svg import Drawing
from tacit.report.words import number, percent

# Keeps a scale from having no width when all shares are zero.
LEAST = 1e-12
# Places that an arrow key moves through from end to end, where values are no whole numbers.
STEPS = 200
LEFT, TOP, BELOW = 14.0, 26.0, 26.0
"""Margins in pixels; above the bars stand the values of the cut points."""


def step_of(low: float, high: float, *, is_whole: bool) -> float:
    """How far an arrow key moves a cut point: one, or a round part of the range.

    >>> step_of(0, 100, is_whole=True), step_of(0, 10, is_whole=False)
    (1.0, 0.05)
    """
    if is_whole:
        return 1.0
    raw = (high - low) / STEPS
    power = 10.0 ** float(f"{raw:e}".partition("e")[2])
    fitting = [m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999]
    return float(f"{fitting[0]:.3g}")


def cut_points(
    name: str,
    edges: Sequence[float],
    shares: Sequence[float],
    cuts: Sequence[float],
    *,
    is_whole: bool,
    width: float = 720,
    height: float = 230,
) -> Drawing:
    """Shares per interval of a column, and its cut points as sliders.

    Parameters
    ----------
    name : str
        The column.
    edges : sequence of float
        Ends of the intervals, one more than there are shares.
    shares : sequence of float
        Share of the records in each interval.
    cuts : sequence of float
        The cut points, in rising order.
    is_whole : bool
        The values are whole numbers, and so are the cut points.
    width, height : float
        Size of the drawing.
    """
    title = f"Distribution of {name} with {len(cuts)} cut points"
    d = Drawing(width, height, title, kind="cuts", live=True)
    right, bottom = width - LEFT, height - BELOW
    x = Scale(edges[0], edges[-1], LEFT, right)
    y = Scale(0, max([*shares, LEAST]), bottom, TOP)
    for (low, high), share in zip(pairwise(edges), shares, strict=True):
        if share > 0:
            tall = max(bottom - y(share), 1.5)
            tip = f"{number(low)} to {number(high)}: {percent(share)}"
            d.rect(
                x(low) + 0.5,
                bottom - tall,
                x(high) - x(low) - 1,
                tall,
                "masked",
                tip,
            )
    bottom_axis(d, x, bottom, 8)
    for place, cut in enumerate(cuts):
        _slider(d, name, place, cut, edges, x(cut), bottom)
    return d


def _slider(
    d: Drawing,
    name: str,
    place: int,
    cut: float,
    edges: Sequence[float],
    x: float,
    bottom: float,
) -> None:
    """One cut point: a line and a handle that keys and pointers move."""
    shown = f"{cut:.15g}"
    d.open(
        "g",
        class_="cut",
        role="slider",
        tabindex="0",
        transform=f"translate({x:.2f} 0)",
        data_cut=shown,
        aria_label=f"Cut point {place + 1} of {name}",
        aria_valuemin=f"{edges[0]:.15g}",
        aria_valuemax=f"{edges[-1]:.15g}",
        aria_valuenow=shown,
        aria_orientation="horizontal",
    )
    # wide enough for a finger, and not seen
    d.rect(-12, 0, 24, bottom, "reach")
    d.line(0, TOP - 6, 0, bottom, "knife")
    d.rect(-5, TOP - 10, 10, 16, "grip", rx=3)
    d.text(0, 11, shown, "label", "middle")
    d.close("g")
