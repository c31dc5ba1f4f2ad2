"""Distributions before and after: the masked file as filled bars, the original as an outline over them."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.report.svg import Drawing, Scale, bottom_axis, left_axis
from tacit.report.words import count, number, percent


def pair(
    name: str, edges: Sequence[float], before: Sequence[float], after: Sequence[float],
    *, width: float = 340, height: float = 150,
) -> Drawing:  # fmt: skip
    """Shares per interval of one continuous column; filled = masked, outline = original."""
    d = Drawing(width, height, f"Distribution of {name}: original as outline, masked as filled bars")
    left, right, top, bottom = 8.0, width - 8, 8.0, height - 24
    most = max([*before, *after, 1e-12])
    x, y = Scale(edges[0], edges[-1], left, right), Scale(0, most, bottom, top)
    for a, b, share in zip(edges[:-1], edges[1:], after, strict=True):
        if share > 0:
            tip = f"{number(a)} to {number(b)}: masked {percent(share)}"
            d.rect(x(a), y(share), x(b) - x(a), bottom - y(share), "masked", tip)
    steps: list[tuple[float, float]] = [(x(edges[0]), bottom)]
    for a, b, share in zip(edges[:-1], edges[1:], before, strict=True):
        steps += [(x(a), y(share)), (x(b), y(share))]
    d.path([*steps, (x(edges[-1]), bottom)], "original")
    bottom_axis(d, x, bottom, 4)
    return d


def categories(
    name: str, labels: Sequence[str], before: Sequence[float], after: Sequence[float],
    *, width: float = 340, row: float = 20,
) -> Drawing:  # fmt: skip
    """Shares per category of one column: a bar for the masked file, a tick for the original."""
    height = row * len(labels) + 10
    d = Drawing(width, height, f"Categories of {name}: bar is masked, tick is original")
    wide = min(130.0, 8 + 6.4 * max((len(text) for text in labels), default=4))
    x = Scale(0, max([*before, *after, 1e-12]), wide, width - 50)
    for i, (text, b, a) in enumerate(zip(labels, before, after, strict=True)):
        top = 6 + i * row
        shown = text if len(text) <= 19 else text[:18] + "…"
        d.text(wide - 6, top + row - 8, shown, "tick", "end")
        d.rect(wide, top + 3, x(a) - wide, row - 8, "masked", f"{text}: masked {percent(a)}, original {percent(b)}")
        d.line(x(b), top, x(b), top + row - 2, "original")
        d.text(width - 46, top + row - 8, percent(a), "tick")
    return d


def histogram(
    title: str, edges: Sequence[float], counts: Sequence[float],
    *, width: float = 720, height: float = 190, x_name: str = "", y_name: str = "records", percent_x: bool = False,
) -> Drawing:  # fmt: skip
    """One plain histogram with named axes."""
    d = Drawing(width, height, title)
    left, right, top, bottom = 58.0, width - 24, 20.0, height - (44 if x_name else 26)
    x, y = Scale(edges[0], edges[-1], left, right), Scale(0, max([*counts, 1e-12]) * 1.04, bottom, top)
    left_axis(d, y, left, right, 3)
    for a, b, c in zip(edges[:-1], edges[1:], counts, strict=True):
        if c > 0:
            span = f"{percent(a)} to {percent(b)}" if percent_x else f"{number(a)} to {number(b)}"
            # a bar that stands for at least one record is never thinner than a hair
            h = max(bottom - y(c), 1.5)
            d.rect(x(a) + 0.5, bottom - h, x(b) - x(a) - 1, h, "masked", f"{span}: {count(c)} {y_name}")
    bottom_axis(d, x, bottom, 8, percent=percent_x)
    if x_name:
        d.text(right, height - 6, x_name, "note", "end")
    d.text(left, 11, f"↑ {y_name}", "note")
    return d
