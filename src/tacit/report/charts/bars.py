"""Bars with what a fair reader needs beside them: the interval as a whisker and chance as a tick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacit.report.svg import Drawing, Scale, wide
from tacit.report.words import limit, number, percent


@dataclass(frozen=True)
class Bar:
    label: str
    value: float
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    strong: bool = False


def bars(
    title: str, rows: Sequence[Bar], *, width: float = 720, row: float = 30, bound: float | None = None,
    shares: bool = True, most: float | None = None,
) -> Drawing:  # fmt: skip
    """Horizontal bars. `shares`: values are shares of 1, written as percent. `bound`: a dashed limit."""
    write = percent if shares else number
    height = row * len(rows) + (20 if bound is not None else 8)
    d = Drawing(width, height, f"{title}. " + "; ".join(f"{r.label}: {write(r.value)}" for r in rows[:20]))
    room = min(width * 0.4, 18 + max((1.06 * wide(r.label) for r in rows), default=30))
    ends = [v for r in rows for v in (r.value, r.high, r.chance) if v is not None]
    x = Scale(0, most or max([*ends, (bound or 0) * 1.15, 1e-12]), room, width - 70)
    top = 18 if bound is not None else 4
    for i, r in enumerate(rows):
        y = top + i * row
        middle = y + row / 2
        d.text(room - 10, middle + 4, _cut(r.label, room - 12), "label strong" if r.strong else "label", "end")
        d.rect(room, y + 6, x.end - room, row - 12, "track")
        tip = f"{r.label}: {write(r.value)}" + (f", chance {write(r.chance)}" if r.chance is not None else "")
        d.rect(room, y + 6, x(r.value) - room, row - 12, "masked strong" if r.strong else "masked", tip)
        if r.low is not None and r.high is not None and r.high > r.low:
            d.line(x(r.low), middle, x(r.high), middle, "whisker")
            for end in (r.low, r.high):
                d.line(x(end), middle - 4, x(end), middle + 4, "whisker")
        if r.chance is not None:
            d.line(x(r.chance), y + 2, x(r.chance), y + row - 2, "chance")
        d.text(x.end + 8, middle + 4, write(r.value), "label strong" if r.strong else "label")
    if bound is not None:
        d.line(x(bound), 14, x(bound), height, "bound")
        d.text(x(bound) + 4, 12, f"accepted up to {limit(bound) if shares else number(bound)}", "note")
    return d


def _cut(text: str, room: float) -> str:
    """As much of the text as fits; all of it is in the tip."""
    if wide(text) <= room:
        return text
    keep = len(text)
    while keep > 1 and wide(text[:keep]) + 10 > room:
        keep -= 1
    return text[:keep] + "…"
