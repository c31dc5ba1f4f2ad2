"""What protection changed: cells by column, the pattern of gaps, crosses of two columns.

Counts and drawings for the report and the page; both files are aligned, row by row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.typing import Bools, Floats, Ints
from tacit.data.microdata import Microdata
from tacit.report.charts.gaps import gaps
from tacit.report.charts.heatmap import heatmap
from tacit.report.content import Row
from tacit.report.words import count, percent

PATTERNS = 12
"""Patterns that are drawn, the commonest first; the others are counted in one sentence."""
CATEGORIES = 8
"""Values of each column in a cross; what is rarer is taken together."""
CLASSES = 6
"""Intervals of a number in a cross, each with about as many originals."""
SHOWN = 0.05
"""Points of percent that round to something else than zero."""
OTHERS, MISSING = "(others)", "(missing)"


@dataclass(frozen=True)
class Changed:
    """What became of one column: shares of the cells."""

    column: str
    changed: float
    """Other values than before, gaps apart."""
    blanked: float
    values_before: int
    values_after: int


def by_column(original: Microdata, masked: Microdata) -> list[Changed]:
    """Every column of both files, row by row."""
    out = []
    for name in original.names:
        if name not in masked.names:
            continue
        first, second = _text(original, name), _text(masked, name)
        gone = pc.and_(pc.is_valid(first), pc.is_null(second))
        other = pc.fill_null(pc.not_equal(first, second), False)
        records = max(len(first), 1)
        out.append(
            Changed(
                name,
                (pc.sum(other).as_py() or 0) / records,
                (pc.sum(gone).as_py() or 0) / records,
                pc.count_distinct(first).as_py(),
                pc.count_distinct(second).as_py(),
            )
        )
    return out


def _text(data: Microdata, name: str) -> pa.ChunkedArray:
    """A column as text: 3 and 3.0 are one value, whichever file they stand in."""
    column = data.table.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_integer(column.type):
        column = column.cast(pa.float64(), safe=False)
    return column.cast(pa.string())


def blank_pattern(original: Microdata, masked: Microdata) -> Row | None:
    """Which columns are blank together; None where the release has no more gaps than before.

    Rows need not be aligned: gaps are those of the release, in columns that gained some.
    """
    names = [
        name
        for name in masked.names
        if name in original.names
        and masked.missing(name).sum() > original.missing(name).sum()
    ]
    if not names or masked.n == 0:
        return None
    blank = np.column_stack([masked.missing(name) for name in names])
    rows, counts = np.unique(blank, axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    shown = order[:PATTERNS]
    cells = int(blank.sum())
    lead = (
        f"{count(cells)} cells of {len(names)} columns are blank in the release, in "
        f"{count(int(blank.any(axis=1).sum()))} of {count(masked.n)} records. Each row is a "
        "pattern: a filled cell is a gap."
    )
    drawing = gaps(
        "Which columns are blank together",
        names,
        rows[shown].tolist(),
        counts[shown].tolist(),
        masked.n,
    )
    rest = len(order) - len(shown)
    caption = "The bars are records with that pattern."
    if rest > 0:
        left = int(counts[order[PATTERNS:]].sum())
        caption += f" {rest} rarer patterns have {count(left)} records together."
    return {"lead": lead, "chart": str(drawing), "caption": caption}


def cross(original: Microdata, masked: Microdata, down: str, across: str) -> list[Row]:
    """Two columns crossed, before, after, and the difference, as heatmaps of shares."""
    rows, first_down, second_down = _coded(original, masked, down)
    columns, first_across, second_across = _coded(original, masked, across)
    shape = (len(rows), len(columns))
    before = _table(first_down, first_across, shape)
    after = _table(second_down, second_across, shape)
    change = after - before
    # an empty class says nothing
    most = max(float(before.max()), float(after.max()), 1e-12)
    largest = max(float(np.abs(change).max()), 1e-12)

    def signed(value: float | None) -> str:
        points = 0.0 if value is None else 100 * value
        return f"{points:+.1f}" if abs(points) >= SHOWN else "0"

    drawn: list[tuple[str, Floats, float, Callable[[float | None], str]]] = [
        ("Original", before, most, percent),
        ("Masked", after, most, percent),
        ("Change in points of percent", change, largest, signed),
    ]
    return [
        {
            "title": heading,
            "chart": str(
                heatmap(
                    f"{down} by {across}: {heading.lower()}",
                    rows,
                    columns,
                    values.tolist(),
                    width=560,
                    most=top,
                    write=write,
                )
            ),
        }
        for heading, values, top, write in drawn
    ]


def _table(down: Ints, across: Ints, shape: tuple[int, int]) -> Floats:
    """Shares of the records by both codes."""
    cells = np.bincount(down * shape[1] + across, minlength=shape[0] * shape[1])
    return cells.reshape(shape) / max(len(down), 1)


def _coded(
    original: Microdata, masked: Microdata, name: str
) -> tuple[list[str], Ints, Ints]:
    """Labels of a column, and the code of each cell of both files."""
    if _is_number(original, name):
        kind = masked.table.column(name).type
        # a column that is blank throughout has no kind at all
        if pa.types.is_null(kind):
            nothing = np.full(masked.n, np.nan)
            return _classes(original.column(name), nothing)
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            return _classes(original.column(name), masked.column(name))
    first, second = (_labels(data, name) for data in (original, masked))
    values, counts = np.unique(np.concatenate([first, second]), return_counts=True)
    order = values[np.argsort(-counts, kind="stable")]
    kept = sorted(
        order[:CATEGORIES].tolist(), key=lambda label: (label == MISSING, label)
    )
    labels = [*kept, OTHERS] if len(order) > CATEGORIES else kept
    places = {label: place for place, label in enumerate(kept)}

    def codes(column: np.ndarray) -> Ints:
        distinct, inverse = np.unique(column, return_inverse=True)
        known = np.array([places.get(label, len(kept)) for label in distinct.tolist()])
        return np.asarray(known[inverse], np.int64)

    return labels, codes(first), codes(second)


def _is_number(data: Microdata, name: str) -> bool:
    """Numbers of many values; few are categories that happen to be written in digits."""
    kind = data.table.column(name).type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return False
    return bool(pc.count_distinct(data.table.column(name)).as_py() > CATEGORIES)


def _labels(data: Microdata, name: str) -> np.ndarray:
    return np.asarray(pc.fill_null(_text(data, name), MISSING).to_pylist(), dtype=str)


def _classes(before: Floats, after: Floats) -> tuple[list[str], Ints, Ints]:
    """A number in intervals with about as many originals each, and the gaps."""
    seen = before[np.isfinite(before)]
    cuts = np.unique(np.quantile(seen, np.linspace(0, 1, CLASSES + 1)[1:-1]))
    # four digits, and no powers of ten: 23,750
    ends = [f"{float(f'{cut:.4g}'):,.10g}" for cut in cuts.tolist()]
    labels = [f"under {ends[0]}"]
    labels += [f"{low} to {high}" for low, high in pairwise(ends)]
    labels.append(f"{ends[-1]} and more")
    gap: Bools = ~np.isfinite(np.concatenate([before, after]))
    if gap.any():
        labels.append(MISSING)

    def codes(values: Floats) -> Ints:
        inside = np.searchsorted(cuts, values, side="right")
        return np.where(np.isfinite(values), inside, len(cuts) + 1).astype(np.int64)

    return labels, codes(before), codes(after)
