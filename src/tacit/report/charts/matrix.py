"""A correlation matrix as squares: size and sign are readable without colour (area = strength, hollow = negative)."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.report.svg import Drawing


def matrix(
    title: str, names: Sequence[str], values: Sequence[Sequence[float]], *, width: float = 340, span: float = 1.0
) -> Drawing:
    """`values` in [-span, span]. NaN (a constant column) is drawn as a dot."""
    n = max(len(names), 1)
    room = min(96.0, 10 + 6.0 * max((len(name) for name in names), default=1))
    cell = (width - room - 4) / n
    height = cell * n + 8 + min(room, 70)
    d = Drawing(width, height, title, kind="matrix")
    for i, name in enumerate(names):
        middle = 4 + (i + 0.5) * cell
        shown = name if len(name) <= 14 else name[:13] + "…"
        d.text(room - 5, middle + 3.5, shown, "tick small", "end")
        x, y = room + (i + 0.5) * cell + 3, cell * n + 12
        d.add("text", shown, x=x, y=y, class_="tick small", text_anchor="end", transform=f"rotate(-60 {x:.1f} {y:.1f})")
        for j, value in enumerate(values[i]):
            cx = room + (j + 0.5) * cell
            if value != value:
                d.add("circle", cx=cx, cy=middle, r=1, class_="axis")
                continue
            side = (cell - 2) * min(abs(value) / span, 1.0) ** 0.5
            tip = f"{name} and {names[j]}: {value:+.2f}"
            d.rect(cx - cell / 2 + 0.5, middle - cell / 2 + 0.5, cell - 1, cell - 1, "track", tip)
            if side > 0.8:
                d.rect(cx - side / 2, middle - side / 2, side, side, "minus" if value < 0 else "plus", tip, 1)
    return d
