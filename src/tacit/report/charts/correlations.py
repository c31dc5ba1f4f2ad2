"""A correlation matrix as squares: size and sign are readable without colour.

The area of a square is the strength; a hollow square is negative.
"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.report.charts.svg import Drawing

# Longer names are cut; the tip of each square has them whole.
LONGEST = 14


def matrix(
    title: str,
    names: Sequence[str],
    values: Sequence[Sequence[float]],
    *,
    width: float = 340,
    span: float = 1.0,
) -> Drawing:
    """A square per pair of columns; NaN (a constant column) is drawn as a dot.

    Parameters
    ----------
    title : str
        What a screen reader says.
    names : sequence of str
        Names of the columns.
    values : sequence of sequences of float
        The matrix, row by row, in [-span, span].
    width : float
        Width of the drawing; its height follows.
    span : float
        The value whose square fills its cell.
    """
    n = max(len(names), 1)
    # about 6 pixels per small letter
    longest = max((len(name) for name in names), default=1)
    room = min(96.0, 10 + 6.0 * longest)
    cell = (width - room - 4) / n
    height = cell * n + 8 + min(room, 70)
    d = Drawing(width, height, title, kind="matrix")
    for i, name in enumerate(names):
        middle = 4 + (i + 0.5) * cell
        _names(
            d,
            name,
            room,
            middle,
            room + (i + 0.5) * cell + 3,
            cell * n + 12,
        )
        for j, value in enumerate(values[i]):
            x = room + (j + 0.5) * cell
            # only NaN differs from itself
            if value != value:
                d.add(
                    "circle",
                    cx=x,
                    cy=middle,
                    r=1,
                    class_="axis",
                )
                continue
            tip = f"{name} and {names[j]}: {value:+.2f}"
            _square(
                d,
                x,
                middle,
                cell,
                value / span,
                tip,
            )
    return d


def _names(
    d: Drawing, name: str, room: float, middle: float, x: float, y: float
) -> None:
    """The name of a column beside its row and, slanted, below its column."""
    shown = name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
    d.text(
        room - 5,
        middle + 3.5,
        shown,
        "tick small",
        "end",
    )
    d.add(
        "text",
        shown,
        x=x,
        y=y,
        class_="tick small",
        text_anchor="end",
        transform=f"rotate(-60 {x:.1f} {y:.1f})",
    )


def _square(
    d: Drawing, x: float, y: float, cell: float, strength: float, tip: str
) -> None:
    """The cell, and in it a square whose area is the strength."""
    # half a pixel on each side keeps neighbouring cells apart
    left, top = x - cell / 2 + 0.5, y - cell / 2 + 0.5
    d.rect(
        left,
        top,
        cell - 1,
        cell - 1,
        "track",
        tip,
    )
    side = (cell - 2) * min(abs(strength), 1.0) ** 0.5
    # below 0.8 pixels a square would only be dirt on the screen
    if side > 0.8:
        sign = "minus" if strength < 0 else "plus"
        d.rect(
            x - side / 2,
            y - side / 2,
            side,
            side,
            sign,
            tip,
            1,
        )
