"""A table as a heatmap: a row per column of the file, a column per measure, darker is more.

Every cell has its figure, so that nothing rests on colour alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tacit.report.charts.svg import Drawing, wide
from tacit.report.words import NONE, percent

# Shades of the style sheet, from none to all.
SHADES = 6
# Longer names are cut; the tip has them whole. Names of measures differ at their ends.
LONGEST = {"beside": 20, "above": 36}
ROW = 24.0
HEAD = 12.0
"""Room above the first row; slanted names take more."""


def shade(value: float, most: float) -> int:
    """Which of the shades a value gets: 0 is nothing, the darkest is `most`."""
    share = value / most if most > 0 else 0.0
    return max(0, min(SHADES - 1, int(share * (SHADES - 1) + 0.5)))


def heatmap(
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float]],
    *,
    width: float = 720,
    most: float = 1.0,
    write: Callable[[float | None], str] = percent,
    tips: Sequence[Sequence[str]] | None = None,
) -> Drawing:
    """A cell per row and column, with its figure; NaN is an empty cell.

    Parameters
    ----------
    title : str
        What a screen reader says.
    rows, columns : sequence of str
        Names beside and above the cells.
    values : sequence of sequences of float
        The figures, row by row.
    width : float
        Width of the drawing; its height follows.
    most : float
        The value of the darkest shade; 0 is the lightest.
    write : function
        How a figure is written.
    tips : sequence of sequences of str, optional
        What is said where the pointer rests on a cell; row, column and figure unless given.
    """
    beside = [_short(name, LONGEST["beside"]) for name in rows]
    above = [_short(name, LONGEST["above"]) for name in columns]
    # 10 % of slack, because `wide` is a guess and the font may be another
    room = min(170.0, 14 + max((1.1 * wide(name, 11) for name in beside), default=30))
    # slanted by 40 degrees: 0.64 of the length goes up
    tall = HEAD + 0.66 * max((wide(name, 11) for name in above), default=0)
    # the last name leans out to the right
    lean = 0.77 * wide(above[-1], 11) if above else 0.0
    cell = min(70.0, (width - room - lean) / max(len(columns), 1))
    d = Drawing(width, tall + ROW * len(rows) + 6, title, kind="heat")
    for j, name in enumerate(above):
        x = room + (j + 0.5) * cell
        d.add(
            "text",
            name,
            tip=columns[j],
            x=x,
            y=tall - 5,
            class_="tick",
            transform=f"rotate(-40 {x:.1f} {tall - 5:.1f})",
        )
    for i, name in enumerate(beside):
        top = tall + i * ROW
        d.text(room - 8, top + ROW / 2 + 4, name, "tick", "end")
        for j, value in enumerate(values[i]):
            is_there = value == value
            # what was lost has a colour of its own
            level = shade(abs(value), most) if is_there else 0
            kind = "lost" if is_there and value < 0 and level else "heat"
            said = f"{rows[i]}, {columns[j]}: {write(value) if is_there else 'none'}"
            tip = said if tips is None else tips[i][j]
            left = room + j * cell
            d.rect(left + 1, top + 1, cell - 2, ROW - 2, f"{kind}-{level}", tip, 2)
            # on the two darkest shades letters are light
            dark = " on-dark" if kind == "heat" and level >= SHADES - 2 else ""
            figure = write(value).replace("\u00a0%", "") if is_there else NONE
            d.text(left + cell / 2, top + ROW / 2 + 4, figure, f"cell{dark}", "middle")
    return d


def _short(name: str, longest: int) -> str:
    return name if len(name) <= longest else name[: longest - 1] + "…"
