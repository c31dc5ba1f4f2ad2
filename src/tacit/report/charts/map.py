"""The risk-utility map: each release a point, loss to the right, risk upwards; the lower left is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacit.report.svg import SHAPES, Drawing, Scale, bottom_axis, left_axis, wide
from tacit.report.words import limit, number, percent


@dataclass(frozen=True)
class Point:
    """One release on the map. `family` gives the shape; `id` makes the point something to click."""

    label: str
    risk: float
    loss: float
    family: str = ""
    chosen: bool = False
    frontier: bool = False
    id: str | None = None


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
    """`bound` is the highest risk that the verdict accepts; the band below it is shaded and named."""
    live = any(p.id is not None for p in points)
    d = Drawing(width, height, _spoken(points, bound), kind="map", live=live)
    left, right, top, bottom = 58.0, width - 24, 18.0, height - 46
    most_loss = max([p.loss for p in points], default=1.0) or 1.0
    most_risk = max([p.risk for p in points] + [bound or 0.0], default=1.0) or 1.0
    x = Scale(0, most_loss * 1.12, left, right)
    y = Scale(0, min(most_risk * 1.12, 1.04), bottom, top)
    if bound is not None:
        d.rect(left, y(bound), right - left, bottom - y(bound), "accept")
    left_axis(d, y, left, right, 5, percent=True)
    bottom_axis(d, x, bottom, 6)
    if bound is not None:
        d.line(left, y(bound), right, y(bound), "bound")
        d.text(right - 4, y(bound) - 5, f"accepted up to {limit(bound)}", "note", "end")
    d.text(right, height - 8, f"{loss_name} → worse for the user of the data", "note", "end")
    d.text(left, 11, f"↑ {risk_name}, worse for the people in the data", "note")
    edge = sorted((p for p in points if p.frontier), key=lambda p: (p.loss, p.risk))
    if len(edge) > 1:
        d.path([(x(p.loss), y(p.risk)) for p in edge], "frontier")
    families = list(dict.fromkeys(p.family for p in points))
    taken: list[tuple[float, float, float, float]] = []
    if legend and len(families) > 1:
        _legend(d, families, right)
    for p in sorted(points, key=lambda p: (p.chosen, p.frontier)):
        _draw(d, p, x(p.loss), y(p.risk), SHAPES[families.index(p.family) % len(SHAPES)], families)
        taken.append((x(p.loss) - 8, y(p.risk) - 8, x(p.loss) + 8, y(p.risk) + 8))
    for p in sorted(points, key=lambda p: (not p.chosen, not p.frontier)):
        if p.chosen or p.frontier or len(points) <= 12:
            _label(d, p, x(p.loss), y(p.risk), taken, right, bottom)
    return d


def _legend(d: Drawing, families: list[str], right: float) -> None:
    """Which shape is which method, from the right end of the first line; what does not fit is in the table."""
    x = right
    for i, name in reversed(list(enumerate(families))):
        text = name.replace("_", " ")
        x -= 6.4 * len(text) + 28
        if x < 260:
            return
        d.mark(x + 8, 7, SHAPES[i % len(SHAPES)], f"point edge series-{i % 6 + 1}", 4)
        d.text(x + 17, 11, text, "note")


def _draw(d: Drawing, p: Point, cx: float, cy: float, shape: str, families: list[str]) -> None:
    tip = f"{p.label}: risk {percent(p.risk)}, loss {number(p.loss)}"
    state = (" chosen" if p.chosen else "") + (" edge" if p.frontier else "")
    if p.id is not None:
        d.open("g", role="button", tabindex=0, class_="pick" + state, data_choose=p.id, aria_label=tip)
        d.add("circle", cx=cx, cy=cy, r=14, class_="reach")
    if p.chosen:
        d.add("circle", cx=cx, cy=cy, r=12, class_="ring")
    d.mark(cx, cy, shape, f"point series-{families.index(p.family) % 6 + 1}{state}", 5.5, tip)
    if p.id is not None:
        d.close("g")


def _label(
    d: Drawing,
    p: Point,
    cx: float,
    cy: float,
    taken: list[tuple[float, float, float, float]],
    right: float,
    bottom: float,
) -> None:
    """Try a few places around the point; a label that fits nowhere is left to the tip and the table."""
    span = wide(p.label)
    gap = 18 if p.chosen else 13
    places = (
        (gap, 4, "start"), (-gap, 4, "end"), (0, -gap, "middle"), (0, gap + 8, "middle"), (gap, 18, "start"),
        (gap, -10, "start"), (-gap, -10, "end"), (0, -gap - 14, "middle"),
    )  # fmt: skip
    for dx, dy, anchor in places:
        start = cx + dx - (span if anchor == "end" else span / 2 if anchor == "middle" else 0)
        box = (start, cy + dy - 11, start + span, cy + dy + 3)
        inside = box[0] > 60 and box[2] < right + 10 and box[1] > 14 and box[3] < bottom + 2
        if inside and not any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken):
            d.text(cx + dx, cy + dy, p.label, "label strong" if p.chosen else "label", anchor)
            taken.append(box)
            return


def _spoken(points: Sequence[Point], bound: float | None) -> str:
    said = "; ".join(f"{p.label}: risk {percent(p.risk)}, loss {number(p.loss)}" for p in points[:12])
    more = f" and {len(points) - 12} more" if len(points) > 12 else ""
    accepted = f" Accepted risk: up to {limit(bound)}." if bound is not None else ""
    return f"Risk-utility map of {len(points)} releases. {said}{more}.{accepted}"
