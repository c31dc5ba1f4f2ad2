"""The risk-utility map: each release a point, loss to the right, risk upwards.

The lower left is better. There is one map for the report, the web page, the notebook and the
SVG file of a comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tacit.report.charts.axes import Scale, bottom_axis, left_axis
from tacit.report.charts.map_labels import Box, Names, meet, without_the_shared
from tacit.report.charts.svg import SHAPES, Drawing, wide
from tacit.report.words import limit, number, percent

# A screen reader is told so many releases, and so many points all get a label.
FEW = 12
# Pixels between the upright axis and its figures: the mark of a plan without loss lies there.
MARK = 12
# A map that is narrower, on a telephone, has fewer words.
NARROW = 480
# The style sheet has so many colours; shapes tell apart what shares one.
COLOURS = 6


@dataclass(frozen=True)
class Point:
    """One release on the map.

    `family` gives the shape, `id` makes the point something to click, `interval` is that of
    the risk.
    """

    label: str
    risk: float
    loss: float
    family: str = ""
    chosen: bool = False
    frontier: bool = False
    id: str | None = None
    interval: tuple[float, float] | None = None
    short: str = ""
    """What stands beside the point; the label unless given."""

    @property
    def highest(self) -> float:
        """The risk, or the upper end of its interval."""
        if not self.interval:
            return self.risk
        return max(self.risk, self.interval[1])

    @property
    def words(self) -> str:
        """The release in one phrase."""
        return f"{self.label}: risk {percent(self.risk)}, loss {number(self.loss)}"


def risk_utility_map(
    points: Sequence[Point],
    *,
    bound: float | None = None,
    width: float = 720,
    height: float = 400,
    risk_name: str = "risk",
    loss_name: str = "loss",
    legend: bool = True,
) -> Drawing:
    """Draw the map.

    Parameters
    ----------
    points : sequence of Point
        The releases.
    bound : float, optional
        The highest risk that the verdict accepts; the band below it is shaded and named.
    width, height : float
        Size of the drawing.
    risk_name, loss_name : str
        What risk and loss are, in words.
    legend : bool
        Say which shape is which family.
    """
    taken: list[Box] = []
    live = any(point.id is not None for point in points)
    spoken = _spoken(points, bound)
    d = Drawing(width, height, spoken, kind="map", live=live)
    # room for the figures of the upright axis, and for those of the lower one and its name
    left = 58.0
    right = width - 24
    top = 18.0
    bottom = height - 46
    x, y = _scales(points, bound, (left, top, right, bottom))
    # the shaded band lies below the grid, the dashed line above it
    if bound is not None:
        d.rect(left, y(bound), right - left, bottom - y(bound), "accept")
    left_axis(d, y, left, right, 5, percent=True, gap=MARK)
    bottom_axis(d, x, bottom, 3 if width < NARROW else 6)
    if bound is not None:
        d.line(left, y(bound), right, y(bound), "bound")
        accepted = f"accepted up to {limit(bound)}"
        _name_bound(d, accepted, y(bound), (left, right), taken, (x, y), points)
    narrow = width < NARROW
    costs = f"{loss_name} →" + ("" if narrow else " worse for the user of the data")
    d.text(right, height - 8, costs, "note", "end")
    worse = "" if narrow else ", worse for the people in the data"
    d.text(left, 11, f"↑ {risk_name}{worse}", "note")
    edge = [point for point in points if point.frontier]
    edge.sort(key=lambda point: (point.loss, point.risk))
    corners = [(x(point.loss), y(point.risk)) for point in edge]
    if len(edge) > 1:
        d.path(corners, "frontier")
    families = list(dict.fromkeys(point.family for point in points))
    if legend and len(families) > 1:
        _legend(d, families, right)
    # the chosen point is drawn last, on top of the others ...
    for point in sorted(points, key=lambda p: (p.chosen, p.frontier)):
        cx = x(point.loss)
        cy = y(point.risk)
        _whisker(d, point, cx, y)
        _draw(d, point, cx, cy, families.index(point.family))
        taken.append((cx - 8, cy - 8, cx + 8, cy + 8))
    # ... and labelled first, while there is room; what was run twice is named once
    lines = list(pairwise(corners))
    names = Names(d, taken, lines, (right, bottom))
    named: set[tuple[str, int, int]] = set()
    shorter = without_the_shared([point.short or point.label for point in points])
    order = sorted(
        zip(points, shorter, strict=True),
        key=lambda pair: (not pair[0].chosen, not pair[0].frontier),
    )
    for point, text in order:
        cx = x(point.loss)
        cy = y(point.risk)
        name = (text, round(cx), round(cy))
        wanted = point.chosen or point.frontier or len(points) <= FEW
        if wanted and name not in named:
            named.add(name)
            names.put(text, cx, cy, point.chosen)
    return d


def _scales(
    points: Sequence[Point],
    bound: float | None,
    frame: Box,
) -> tuple[Scale, Scale]:
    """Both axes, with 12 % of air; the upright one ends just above a risk of 1."""
    left, top, right, bottom = frame
    losses = [point.loss for point in points]
    # where nothing is lost an axis from 0 to 0 would have no length
    most_loss = max(losses, default=1.0) or 1.0
    highest = [point.highest for point in points]
    most_risk = max([*highest, bound or 0.0], default=1.0) or 1.0
    end = min(most_risk * 1.12, 1.04)
    x = Scale(0, most_loss * 1.12, left, right)
    y = Scale(0, end, bottom, top)
    return x, y


def _name_bound(
    d: Drawing,
    text: str,
    height: float,
    ends: tuple[float, float],
    taken: list[Box],
    scales: tuple[Scale, Scale],
    points: Sequence[Point],
) -> None:
    """The words on the dashed line: at its right end, else its left, else beside a point on it."""
    x, y = scales
    span = wide(text)
    marks = [(x(point.loss), y(point.risk)) for point in points]
    boxes = [(cx - 14, cy - 14, cx + 14, cy + 14) for cx, cy in marks]
    last = ends[1] - 4 - span
    beside = sorted(cx + 16 for cx, _ in marks if cx + 16 < last)
    # the left end comes again: it is kept where no place is free
    for start in (last, ends[0] + 8, *beside, ends[0] + 8):
        box = (start, height - 16, start + span, height)
        if not any(meet(box, other) for other in boxes):
            break
    d.text(start, height - 5, text, "note")
    taken.append(box)


def _legend(
    d: Drawing,
    families: list[str],
    right: float,
) -> None:
    """Which shape is which method, from the right end of the first line.

    What does not fit is in the table below the map.
    """
    x = right
    for place, name in reversed(list(enumerate(families))):
        text = name.replace("_", " ")
        x -= 6.4 * len(text) + 28
        # the name of the upright axis ends about here
        if x < 260:
            return
        shape, colour = look_of(place)
        d.mark(x + 8, 7, shape, f"point edge {colour}", 4)
        d.text(x + 17, 11, text, "note")


def look_of(family: int) -> tuple[str, str]:
    """The shape and the colour of a family: no pair comes twice among the first 36.

    Both change with each family; after a round of shapes the colours are one further on.
    """
    round_, place = divmod(family, len(SHAPES))
    return SHAPES[place], f"series-{(place + round_) % COLOURS + 1}"


def _whisker(
    d: Drawing,
    point: Point,
    cx: float,
    y: Scale,
) -> None:
    """The interval of the risk over seeds, where it is wider than rounding."""
    if point.interval is None:
        return
    low, high = point.interval
    if high - low > 1e-12:
        upper = min(high, y.high)
        d.line(cx, y(low), cx, y(upper), "whisker")


def _draw(
    d: Drawing,
    point: Point,
    cx: float,
    cy: float,
    family: int,
) -> None:
    """The mark of a release, in a button when it can be chosen."""
    state = " chosen" if point.chosen else ""
    state += " edge" if point.frontier else ""
    if point.id is not None:
        d.open(
            "g",
            role="button",
            tabindex=0,
            class_="pick" + state,
            data_choose=point.id,
            aria_label=point.words,
        )
        # fingers need more than the mark itself: a target of 28 pixels
        d.add("circle", cx=cx, cy=cy, r=14, class_="reach")
    if point.chosen:
        d.add("circle", cx=cx, cy=cy, r=12, class_="ring")
    shape, colour = look_of(family)
    d.mark(cx, cy, shape, f"point {colour}{state}", 5.5, point.words)
    if point.id is not None:
        d.close("g")


def _spoken(points: Sequence[Point], bound: float | None) -> str:
    """The map in words, for a screen reader."""
    releases = "; ".join(point.words for point in points[:FEW])
    more = f" and {len(points) - FEW} more" if len(points) > FEW else ""
    accepted = f" Accepted risk: up to {limit(bound)}." if bound is not None else ""
    return f"Risk-utility map of {len(points)} releases. {releases}{more}.{accepted}"
