"""The pattern of suppression: which columns are blank together, and in how many records."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.report.charts.svg import Drawing, wide
from tacit.report.words import count, percent

ROW = 22.0
HEAD = 14.0
# Longer names are cut; the tip has them whole.
LONGEST = 20
BARS = 220.0
"""Width of the bars that say how many records have a pattern."""


def gaps(
    title: str,
    columns: Sequence[str],
    patterns: Sequence[Sequence[bool]],
    counts: Sequence[int],
    records: int,
    *,
    width: float = 720,
) -> Drawing:
    """A row per pattern: a filled cell is a gap; the bar is the number of records.

    Parameters
    ----------
    title : str
        What a screen reader says.
    columns : sequence of str
        The columns that have gaps.
    patterns : sequence of sequences of bool
        Which of them are blank, pattern by pattern.
    counts : sequence of int
        Records of each pattern.
    records : int
        All records, of which the bars are shares.
    width : float
        Width of the drawing; its height follows.
    """
    short = [_short(name) for name in columns]
    tall = HEAD + 0.66 * max((wide(name, 11) for name in short), default=0)
    room = width - BARS - 120
    cell = min(46.0, room / max(len(columns), 1))
    d = Drawing(width, tall + ROW * len(patterns) + 6, title, kind="heat")
    for j, name in enumerate(short):
        x = 6 + (j + 0.5) * cell
        d.add(
            "text",
            name,
            tip=columns[j],
            x=x,
            y=tall - 5,
            class_="tick",
            transform=f"rotate(-40 {x:.1f} {tall - 5:.1f})",
        )
    start = 6 + cell * len(columns) + 40
    most = max([*counts, 1])
    for i, pattern in enumerate(patterns):
        top = tall + i * ROW
        blank = [name for name, gap in zip(columns, pattern, strict=True) if gap]
        said = f"blank: {', '.join(blank) or 'nothing'}; {count(counts[i])} records"
        for j, gap in enumerate(pattern):
            kind = "blank" if gap else "track"
            d.rect(6 + j * cell + 1, top + 1, cell - 2, ROW - 2, kind, said, 2)
        long = BARS * counts[i] / most
        d.rect(start, top + 5, max(long, 1.0), ROW - 10, "masked", said)
        share = percent(counts[i] / max(records, 1))
        text = f"{count(counts[i])} ({share})"
        d.text(start + long + 6, top + ROW / 2 + 4, text, "tick")
    return d


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
