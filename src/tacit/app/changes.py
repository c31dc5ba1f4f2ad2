"""What the chosen release changed, for the page: cells, gaps, frequencies, crosses, correlations.

Only workers import this module: it holds both files. Counts and drawings are those of
`tacit.report`, which the report shows too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypedDict

import numpy as np
import pyarrow as pa

from tacit.app.records import Known, released
from tacit.data.microdata import Microdata
from tacit.data.pair import read_as
from tacit.report import changes, record_parts
from tacit.report.charts.spark import share_bar
from tacit.report.charts.svg import Drawing, for_both
from tacit.report.content import Row
from tacit.report.words import count, percent

PAGE = 25
"""Records of one page of the grid: two tables of them stand side by side."""


class ChangesOrder(TypedDict):
    """What is asked for: the release, a column, two to cross, and a page of the grid."""

    masked: str
    manifest: str
    column: str
    down: str
    across: str
    page: int


class GridCell(TypedDict):
    """A value and whether it is another one than before."""

    text: str
    change: str


class ChangesView(TypedDict):
    """The page; `columns` is empty where there is no release whose rows are known."""

    columns: list[Row]
    names: list[str]
    column: str
    down: str
    across: str
    frequency: str
    cross: list[Row]
    gaps: Row | None
    correlations: Row | None
    before: list[list[GridCell]]
    after: list[list[GridCell]]
    rows: list[str]
    page: int
    pages: int


class _Both:
    """Both files, row by row, and what was counted on them once."""

    def __init__(self, original: Microdata, masked: Microdata) -> None:
        self.original, self.masked = original, masked
        self.changed = changes.by_column(original, masked)
        self.gaps = changes.blank_pattern(original, masked)
        self.correlations = record_parts.correlations(original, masked)


@lru_cache(maxsize=1)
def _both(known: Known, masked: str, record: str) -> _Both | None:
    """A release never changes once it is written, so it is compared once."""
    found = released(known.data, masked, record)
    if found is None:
        return None
    kept = np.flatnonzero(found.truth >= 0)
    original = known.data.take(kept)
    rows = found.data.table.take(pa.array(found.truth[kept]))
    return _Both(original, read_as(original, rows))


def changes_of(known: Known, order: ChangesOrder) -> ChangesView:
    """Everything that the page shows, for the columns and the page that were asked for."""
    both = _both(known, order["masked"], order["manifest"]) if order["masked"] else None
    if both is None:
        return _nothing()
    names = [one.column for one in both.changed]
    touched = sorted(both.changed, key=lambda one: -(one.changed + one.blanked))
    first = [one.column for one in touched]
    column = _one_of(order["column"], names, first[0])
    down = _one_of(order["down"], names, first[0])
    across = _one_of(order["across"], names, first[min(1, len(first) - 1)])
    pages = max(-(-both.original.n // PAGE), 1)
    page = min(max(order["page"], 1), pages)
    start = (page - 1) * PAGE
    before, after = _grid(both, names, start)
    return {
        "columns": [_row(one) for one in both.changed],
        "names": names,
        "column": column,
        "down": down,
        "across": across,
        "frequency": _frequency(both, column),
        "cross": changes.cross(both.original, both.masked, down, across),
        "gaps": both.gaps,
        "correlations": both.correlations,
        "before": before,
        "after": after,
        "rows": [count(start + place + 1) for place in range(len(before))],
        "page": page,
        "pages": pages,
    }


def _frequency(both: _Both, column: str) -> str:
    """The column before and after; empty where it holds no value."""
    if record_parts.distribution(both.original, both.masked, column, 560) is None:
        return ""

    def draw(width: float) -> Drawing:
        drawn = record_parts.distribution(both.original, both.masked, column, width)
        assert drawn is not None
        return drawn[0]

    return for_both(draw, 560)


def _nothing() -> ChangesView:
    """Without a release, or where nobody can say whose row is whose."""
    return {
        "columns": [],
        "names": [],
        "column": "",
        "down": "",
        "across": "",
        "frequency": "",
        "cross": [],
        "gaps": None,
        "correlations": None,
        "before": [],
        "after": [],
        "rows": [],
        "page": 1,
        "pages": 1,
    }


def _one_of(asked: str, names: Sequence[str], usual: str) -> str:
    return asked if asked in names else usual


def _row(one: changes.Changed) -> Row:
    return {
        "name": one.column,
        "changed": percent(one.changed),
        "changed_bar": str(share_bar(one.changed)),
        "blanked": percent(one.blanked),
        "blanked_bar": str(share_bar(one.blanked)),
        "before": count(one.values_before),
        "after": count(one.values_after),
    }


def _grid(
    both: _Both, names: Sequence[str], start: int
) -> tuple[list[list[GridCell]], list[list[GridCell]]]:
    """A page of both files; what is not as it was is marked in both."""
    ours = both.original.table.select(names).slice(start, PAGE).to_pylist()
    theirs = both.masked.table.select(names).slice(start, PAGE).to_pylist()
    before, after = [], []
    for mine, other in zip(ours, theirs, strict=True):
        pairs = [(_text(mine[name]), _text(other[name])) for name in names]
        states = [
            "" if old == new else "blanked" if new == "" else "changed"
            for old, new in pairs
        ]
        before.append(
            [
                GridCell(text=old, change=state)
                for (old, _), state in zip(pairs, states, strict=True)
            ]
        )
        after.append(
            [
                GridCell(text=new or "blank" if state else new, change=state)
                for (_, new), state in zip(pairs, states, strict=True)
            ]
        )
    return before, after


def _text(value: object) -> str:
    if value is None or value != value:
        return ""
    # 3.0 and 3 are one value, whichever file it stands in
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:.15g}" if is_number else str(value)
