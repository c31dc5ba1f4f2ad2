"""A line chart that stands alone as one SVG text: axes, points, intervals, legend.

Kept this small on purpose: the figures of the papers are lines and points over one parameter,
and an SVG in a results folder must open anywhere and compare in version control. It is drawn
with the `Drawing` of all charts, but brings its own short style, because a page of fifty
figures should not hold the style sheet of the report fifty times.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from textwrap import wrap

from tacit.report.charts.axes import LogScale, Scale, bottom_axis, left_axis
from tacit.report.charts.svg import Drawing

# Colours that stay apart for colour-blind readers (Okabe and Ito 2008; grey and olive stand
# for black and light grey).
COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#777777",
    "#B09C00",
)
_SERIES = "".join(
    f".series-{place}{{stroke:{colour};fill:{colour}}}"
    for place, colour in enumerate(COLOURS, 1)
)
# Light and dark, as the page around the picture. The rules after the series overrule them.
STYLE = (
    "<style>svg{font-family:system-ui,sans-serif;font-size:12px}"
    "text{fill:#222}.note{fill:#666}.paper{fill:#fff}.grid{stroke:#e5e5e5}"
    ".axis{stroke:#333;fill:none}.heading{font-size:14px;font-weight:600}"
    f".small{{font-size:10px}}{_SERIES}.trace{{fill:none;stroke-width:2}}"
    ".dashed{stroke-dasharray:5 3}.spread{stroke-width:4;stroke-opacity:.3}"
    ".dot{stroke:none}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.note{fill:#aaa}"
    ".paper{fill:#1e2129}.grid{stroke:#3a3f4b}.axis{stroke:#bbb}}</style>"
)
_WIDTH, _HEIGHT = 720, 440
# The margins hold the numbers at the left, the legend at the right, the title and the names.
_LEFT, _RIGHT = 76, _WIDTH - 200
_TOP, _BOTTOM = 40, _HEIGHT - 56
# So many letters of a name fit into one line of the legend.
_LETTERS = 25


@dataclass
class Line:
    """One series: points (x, y), and where known the interval (low, high) at each point."""

    name: str
    points: list[tuple[float, float]]
    interval: list[tuple[float, float]] = field(default_factory=list)
    dashed: bool = False
    scatter: bool = False


def chart(
    title: str,
    x: str,
    y: str,
    lines: list[Line],
    *,
    log_x: bool = False,
    log_y: bool = False,
    note: str = "",
) -> str:
    """Draw the lines and return the SVG document.

    Parameters
    ----------
    title : str
        The heading.
    x, y : str
        Names of the axes.
    lines : list of Line
        The series, in the order of the legend.
    log_x, log_y : bool
        Logarithmic axes; what is not positive is left out there.
    note : str
        A line of small print at the foot.
    """
    points = [point for line in lines for point in line.points]
    ends = [end for line in lines for interval in line.interval for end in interval]
    across = _axis((p[0] for p in points), log_x, _LEFT, _RIGHT)
    up = _axis([*(p[1] for p in points), *ends], log_y, _BOTTOM, _TOP)
    d = Drawing(_WIDTH, _HEIGHT, title, kind="lines")
    d.rect(
        0,
        0,
        _WIDTH,
        _HEIGHT,
        "paper",
    )
    d.text(_LEFT, 22, title, "heading")
    left_axis(
        d,
        up,
        _LEFT,
        _RIGHT,
        5,
    )
    bottom_axis(d, across, _BOTTOM, 5)
    d.line(
        _LEFT,
        _TOP,
        _LEFT,
        _BOTTOM,
        "axis",
    )
    d.text(
        (_LEFT + _RIGHT) / 2,
        _HEIGHT - 16,
        x,
        "label",
        "middle",
    )
    d.upright(16, (_TOP + _BOTTOM) / 2, y)
    legend: float = _TOP + 8
    for place, line in enumerate(lines):
        look = f"series-{place % len(COLOURS) + 1}"
        _draw(
            d,
            line,
            look,
            across,
            up,
        )
        legend = _key(d, line, look, legend)
    if note:
        d.text(_LEFT, _HEIGHT - 3, note, "note small")
    return d.document(STYLE)


def _axis(values: Iterable[float], log: bool, start: float, end: float) -> Scale:
    """A scale on which all values have room."""
    drawn = [v for v in values if math.isfinite(v) and (v > 0 or not log)]
    # without a value any axis will do, as long as it can be logarithmic
    drawn = drawn or [0.1, 1.0]
    low, high = min(drawn), max(drawn)
    if log:
        return LogScale(low / 1.15, high * 1.15, start, end)
    # one twentieth of air; a single value gets a twentieth of itself
    pad = (high - low) * 0.05 or abs(high) * 0.05 or 0.5
    # an axis that nearly reaches zero starts there, so that heights compare
    near_zero = 0 <= low <= 0.4 * high
    return Scale(0.0 if near_zero else low - pad, high + pad, start, end)


def _key(d: Drawing, line: Line, look: str, top: float) -> float:
    """The entry of a series in the legend; returns where the next one starts."""
    start = _RIGHT + 12
    dashed = " dashed" if line.dashed else ""
    # points are shown as a point, lines as a line
    if line.scatter:
        d.mark(start + 10, top, "circle", f"{look} dot", 3.5)
    else:
        d.line(
            start,
            top,
            start + 20,
            top,
            f"{look} trace{dashed}",
        )
    for part in wrap(line.name, _LETTERS) or [""]:
        d.text(start + 26, top + 4, part)
        top += 15
    return top + 4


def _draw(d: Drawing, line: Line, look: str, across: Scale, up: Scale) -> None:
    """The line of a series, the intervals at its points, and the points."""

    def drawable(value: float) -> bool:
        positive = value > 0 or not isinstance(up, LogScale)
        return math.isfinite(value) and positive

    placed = [(across(x), up(y)) for x, y in line.points if drawable(y)]
    if len(placed) > 1 and not line.scatter:
        d.path(placed, f"{look} trace" + (" dashed" if line.dashed else ""))
    # a series without intervals has an empty list
    for (x, _), (low, high) in zip(line.points, line.interval, strict=False):
        if drawable(low) and math.isfinite(high):
            d.line(
                across(x),
                up(low),
                across(x),
                up(high),
                f"{look} spread",
            )
    for x, y in placed:
        d.mark(
            x,
            y,
            "circle",
            f"{look} dot",
            2.7,
        )
