"""Tables that fit: from 60 to 200 columns, whole words, and what has no room is named.

Numbers are never broken. Where they do not fit, the least important columns are left out and a
line below says which; words wrap, and a word that is longer than its column goes on below itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

# Between two columns of a table, in letters.
GAP = 2
# The least room for a column of words: most words fit.
WORDS = 16


@dataclass(frozen=True)
class Head:
    """A column: its name, whether it holds numbers, and how soon it may be left out (0: never)."""

    name: str
    number: bool = False
    spare: int = 0


Cell = str | Text


def print_table(
    out: Console, title: str, heads: Sequence[Head], rows: Sequence[Sequence[Cell]]
) -> None:
    """Print the rows below their heads, as wide as the console and no wider."""
    shown = _fitting(out.width, heads, rows)
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, GAP, 0, 0),
        show_edge=False,
        pad_edge=False,
    )
    for place in shown:
        head = heads[place]
        table.add_column(
            head.name,
            justify="right" if head.number else "left",
            no_wrap=head.number,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(row[place] for place in shown))
    out.print(table)
    left = [head.name for place, head in enumerate(heads) if place not in shown]
    if left:
        out.print(f"No room for: {', '.join(left)} (widen the terminal)", style="dim")
    out.print()


def _fitting(
    width: int, heads: Sequence[Head], rows: Sequence[Sequence[Cell]]
) -> list[int]:
    """The places of the columns that fit; the sparest go first."""
    needs = [_least(place, head, rows) for place, head in enumerate(heads)]
    shown = list(range(len(heads)))
    while sum(needs[place] + GAP for place in shown) > width:
        spare = [place for place in shown if heads[place].spare]
        if not spare:
            break
        shown.remove(max(spare, key=lambda place: (heads[place].spare, place)))
    return shown


def _least(place: int, head: Head, rows: Sequence[Sequence[Cell]]) -> int:
    """The least room of a column: a number is whole, words may wrap."""
    texts = [head.name, *(str(row[place]) for row in rows)]
    if head.number:
        return max(len(text) for text in texts)
    words = [len(word) for text in texts for word in text.split()]
    return min(max([*words, 1]), WORDS)
