"""Lines that move: a word-sized sparkline, and the live charts of a stream."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tacit.report.svg import Drawing, Scale, bottom_axis, left_axis
from tacit.report.words import number, percent


def sparkline(values: Sequence[float], *, title: str = "", width: float = 96, height: float = 22) -> Drawing:
    """The shape of a column or of a history, in the height of a line of text; values are bar heights."""
    d = Drawing(width, height, title or "distribution", kind="spark")
    most = max([v for v in values if math.isfinite(v)], default=0.0)
    if most <= 0:
        return d
    step = width / max(len(values), 1)
    for i, v in enumerate(values):
        if v > 0:
            h = max((height - 2) * v / most, 1.0)
            d.rect(i * step + 0.4, height - h, step - 0.8, h, "masked")
    return d


def lines(
    title: str, x: Sequence[float], y: Sequence[float], *, chance: Sequence[float] | float | None = None,
    bound: float | None = None, shares: bool = False, width: float = 420, height: float = 170, y_name: str = "",
) -> Drawing:  # fmt: skip
    """One measure over the stream: the line, its last value, chance as a dotted line, a bound as a dashed one."""
    d = Drawing(width, height, f"{title}: now {(percent if shares else number)(y[-1] if len(y) else None)}")
    left, right, top, bottom = 52.0, width - 14, 20.0, height - 24
    level = chance if isinstance(chance, (int, float)) else max(chance, default=0.0) if chance else 0.0
    good = [v for v in y if math.isfinite(v)]
    most = max([*good, bound or 0.0, float(level)], default=0.0) or 1.0
    sx = Scale(x[0] if len(x) else 0, x[-1] if len(x) > 1 else (x[0] + 1 if len(x) else 1), left, right)
    sy = Scale(0, most * 1.1, bottom, top)
    left_axis(d, sy, left, right, 3, percent=shares)
    bottom_axis(d, sx, bottom, 4)
    if y_name:
        d.text(left, 11, f"↑ {y_name}", "note")
    if bound is not None:
        d.line(left, sy(bound), right, sy(bound), "bound")
    if isinstance(chance, (int, float)):
        d.line(left, sy(chance), right, sy(chance), "chance dotted")
    elif chance:
        d.path([(sx(a), sy(b)) for a, b in zip(x, chance, strict=True)], "chance dotted")
    seen = [(sx(a), sy(b)) for a, b in zip(x, y, strict=True) if math.isfinite(b)]
    if seen:
        d.path(seen, "line")
        d.mark(*seen[-1], "circle", "point series-1", 3)
    return d
