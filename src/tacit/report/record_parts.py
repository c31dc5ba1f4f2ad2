"""Parts that show records, for the internal report only.

Risk by record and by column, groups, before and after.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tacit.assess.assessment import Assessment
from tacit.attack.linkage import Linkage
from tacit.base.measure import Measure
from tacit.data.buffers import array_of
from tacit.data.microdata import Kind, Microdata
from tacit.report import charts, shapes
from tacit.report.charts.svg import Drawing
from tacit.report.content import Row
from tacit.report.parts import measures, strongest
from tacit.report.words import NONE, count, inside, percent, title

# The records at most risk that are listed: the table sorts, and paper shows the first of them.
WORST = 200
# Rows of that table on paper; the style sheet hides the others.
ON_PAPER = 10
# Their columns that are shown: what fits beside the risk.
SHOWN = 8
# More columns than this are not drawn, so that the page opens quickly.
MOST_COLUMNS = 40
LEARNED = "learned_weights"
"""The risk measure that holds the weights which an intruder would learn."""
ALONE = "Found by it alone"
NAMES = ("identifier", "household", "person")
"""Roles of columns that say who it is and hold nothing to study."""


def by_record(assessment: Assessment) -> Row | None:
    """How the strongest intruder's success is spread, and the records at most risk."""
    top = strongest(assessment)
    if top is None or not len(top[1].success):
        return None
    name, link = top
    edges = np.linspace(0, 1, 21)
    success = np.clip(link.success, 0, 1)
    counts, _ = np.histogram(success, edges)
    # a hair below 1: the sum of shares such as 1/3 is not exact
    certain = int(np.sum(link.success > 0.999))
    never = int(np.sum(link.success <= 0))
    head, rows = _worst(assessment.original, link)
    chart = charts.for_both(
        lambda width: charts.histogram(
            "Records by their risk",
            edges.tolist(),
            counts.tolist(),
            x_name="probability to be found →",
            percent_x=True,
            width=width,
            height=170,
        ),
        720,
    )
    return {
        "lead": f"How likely the strongest intruder ({inside(name)}) is to name each "
        "record's own masked record.",
        "chart": chart,
        "caption": f"{count(certain)} records are found for certain and {count(never)} "
        f"are never found, of {count(link.records)}.",
        "head": head,
        "rows": rows,
        "more": f"The file on the screen lists {len(rows)} records, and sorts them."
        if len(rows) > ON_PAPER
        else "",
    }


def _worst(original: Microdata, link: Linkage) -> tuple[list[Row], list[list[Row]]]:
    """The head and the rows of the table of records at most risk."""
    # equal risks stay in the order of the file
    order = np.argsort(-link.success, kind="stable")
    worst = order[:WORST].tolist()
    shown = [name for name in link.columns if name in original.names][:SHOWN]
    # as an Arrow array: pyarrow would import pandas to look at a list
    places = array_of(order[:WORST])
    # column by column: a file may be larger than memory
    values = {
        name: original.table.column(name).take(places).to_pylist() for name in shown
    }
    rows: list[list[Row]] = []
    for place, record in enumerate(worst):
        if link.success[record] <= 0:
            continue
        risk = percent(float(link.success[record]))
        alike = count(float(link.ties[record]))
        cells = [_cell(values[name][place]) for name in shown]
        first = [
            {"text": str(record + 1), "order": record + 1},
            {"text": risk, "order": float(link.success[record])},
            {"text": alike, "order": float(link.ties[record])},
        ]
        rows.append([*first, *cells])
    head: list[Row] = [{"name": name, "n": 1} for name in ("Row", "Risk", "Alike")]
    # numbers are aligned at their right end
    head += [
        {"name": name, "n": int(original.schema[name].scale is Kind.continuous)}
        for name in shown
    ]
    return head, rows


def _cell(value: object) -> Row:
    """A value as text, and as the number that a table sorts by."""
    if value is None:
        return {"text": NONE, "order": None}
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    text = f"{value:,.6g}" if isinstance(value, float) else str(value)
    return {"text": text, "order": value if is_number else None}


def by_column(assessment: Assessment) -> Row | None:
    """Every risk measure that says something about single columns, as one heatmap.

    Columns of which no measure says anything are left out.
    """
    told: dict[str, dict[str, float]] = {}
    for name, measure in measures(assessment.risk).items():
        if not measure.per_column:
            continue
        told[title(name)] = _shares(measure.per_column)
        if name == LEARNED:
            told[ALONE] = _shares(measure.details["alone"])
    order = _by_risk(told)[:MOST_COLUMNS]
    if not order:
        return None
    heads = list(told)
    values = [
        [told[head].get(column, float("nan")) for head in heads] for column in order
    ]
    chart = charts.heatmap("Risk by column and measure", order, heads, values)
    lead = (
        "Which columns lead an intruder to people, the first to protect more strongly on top. "
        "For linkage: how much less is found without the column; for the others: the share of "
        "the column's values that are told."
    )
    caption = "Figures are percent; the darkest cells are 100 %. A dash: it says nothing there."
    learned = measures(assessment.risk).get(LEARNED)
    if learned is not None and learned.per_column:
        caption += f" {_gain(learned)}"
    return {"lead": lead, "chart": str(chart), "caption": caption}


def _gain(learned: Measure) -> str:
    """What the weights that an intruder would learn find more, and what they were learned from."""
    records = count(learned.details["records"])
    equal = percent(learned.details["equal weights"])
    return (
        f"Weights were learned from the true links of {records} records, linked among themselves: "
        f"{percent(learned.value)} found, against {equal} with equal weights."
    )


def _shares(values: Mapping[str, float]) -> dict[str, float]:
    """A measure can be below zero for a column, which is no risk."""
    return {
        column: min(max(float(value), 0.0), 1.0)
        for column, value in values.items()
        if value == value
    }


def _by_risk(told: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Columns by their mean over the measures, each relative to its largest."""
    total: dict[str, float] = {}
    for values in told.values():
        largest = max([*values.values(), 1e-12])
        for column, value in values.items():
            total[column] = total.get(column, 0.0) + value / largest
    return sorted(total, key=lambda column: -total[column])


def distributions(
    original: Microdata,
    masked: Microdata,
    names: list[str] | None = None,
    width: float = 340,
) -> list[Row]:
    """Before and after, column by column; a column in one file only is left out.

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    names : list of str, optional
        The columns; all that were changed unless given.
    width : float
        Width of each drawing.
    """
    chosen = touched(original, masked) if names is None else names
    drawn: list[Row] = []
    for name in chosen[:MOST_COLUMNS]:
        found = distribution(original, masked, name, width)
        if found is not None:
            chart, note = found
            drawn.append({"title": name, "note": note, "chart": str(chart)})
    return drawn


def distribution(
    original: Microdata, masked: Microdata, name: str, width: float
) -> tuple[Drawing, str] | None:
    """One column before and after, and what must be said of it; None without a value."""
    if not _continuous(name, original, masked):
        shares = shapes.shares(
            original.table.column(name).to_pylist(),
            masked.table.column(name).to_pylist(),
        )
        return charts.categories(name, *shares, width=width), ""
    bins = shapes.bins(original.column(name), masked.column(name))
    if bins is None:
        return None
    note = f"{percent(bins.cut)} beyond the ends" if bins.cut > 0 else ""
    chart = charts.pair(name, bins.edges, bins.before, bins.after, width=width)
    return chart, note


def touched(original: Microdata, masked: Microdata) -> list[str]:
    """Columns of both files whose values are distributed otherwise than before.

    Numbers that only name somebody have no distribution that matters.
    """
    common = [
        name
        for name in original.names
        if name in masked.names and str(original.schema[name].role) not in NAMES
    ]
    return [name for name in common if not _same(name, original, masked)]


def _same(name: str, original: Microdata, masked: Microdata) -> bool:
    """The same values, in whatever order: a release is shuffled."""
    first, second = original.table[name], masked.table[name]
    if first.type != second.type or len(first) != len(second):
        return False
    return bool(first.sort().equals(second.sort()))


def _continuous(name: str, *files: Microdata) -> bool:
    """A number in both files; coding can have turned it into intervals in one."""
    return all(data.schema[name].scale is Kind.continuous for data in files)


def correlations(original: Microdata, masked: Microdata) -> Row | None:
    """Correlation matrices of the continuous columns of both files, and their difference."""
    # numbers that only name somebody correlate with nothing that matters
    names = [
        name
        for name in original.names
        if name in masked.names
        and _continuous(name, original, masked)
        and str(original.schema[name].role) not in NAMES
    ][:MOST_COLUMNS]
    if len(names) < 2:
        return None
    before = shapes.correlations(original.numbers(names))
    after = shapes.correlations(masked.numbers(names))
    change = after - before
    biggest = float(np.nanmax(np.abs(change))) if np.isfinite(change).any() else 0.0
    matrices = {
        "Original": before,
        "Masked": after,
        "Change (masked minus original)": change,
    }
    drawn = [
        {"title": heading, "chart": str(charts.matrix(heading, names, matrix.tolist()))}
        for heading, matrix in matrices.items()
    ]
    # what cannot be computed any more is not a change of zero
    upper = np.triu(np.ones(change.shape, bool), 1)
    lost = int(np.sum(upper & np.isfinite(before) & ~np.isfinite(after)))
    lead = (
        "The area of a square is the strength of the correlation; a hollow square is "
    )
    lead += "negative, a dot could not be computed."
    if np.isfinite(change[upper]).any():
        lead += f" The largest change of any pair is {biggest:.2f}."
    if lost:
        pairs = "One pair has" if lost == 1 else f"{lost} pairs have"
        lead += (
            f" {pairs} no correlation in the masked file, where too few rows are left."
        )
    return {"lead": lead, "charts": drawn}
