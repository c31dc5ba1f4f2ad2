"""Parts that show records, for the internal report only.

Risk by record and by column, groups, before and after.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tacit.assess.assessment import Assessment
from tacit.attack.linkage import Linkage
from tacit.base.measure import Measure
from tacit.base.typing import Ints
from tacit.data.buffers import array_of
from tacit.data.microdata import Kind, Microdata
from tacit.report import charts, shapes
from tacit.report.charts.svg import Drawing
from tacit.report.content import Row
from tacit.report.parts import measures, strongest
from tacit.report.words import NONE, count, inside, number, percent, title

# The records at most risk that are listed: one screen.
WORST = 15
# Their columns that are shown: what fits beside the risk.
SHOWN = 8
# More columns than this are not drawn, so that the page opens quickly.
MOST_COLUMNS = 40
# Groups up to this size have a bar for every size.
EVERY_SIZE = 30
LEARNED = "learned_weights"
"""The risk measure that holds the weights which an intruder would learn."""


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
    chart = charts.histogram(
        "Records by their risk",
        edges.tolist(),
        counts.tolist(),
        x_name="probability to be found →",
        percent_x=True,
    )
    return {
        "lead": f"How likely the strongest intruder ({inside(name)}) is to name each "
        "record's own masked record.",
        "chart": str(chart),
        "caption": f"{count(certain)} records are found for certain and {count(never)} "
        f"are never found, of {count(link.records)}.",
        "head": head,
        "rows": rows,
    }


def _worst(original: Microdata, link: Linkage) -> tuple[list[Row], list[list[str]]]:
    """The head and the rows of the table of records at most risk."""
    # equal risks stay in the order of the file
    order = np.argsort(-link.success, kind="stable")
    worst = order[:WORST].tolist()
    shown = [name for name in link.columns if name in original.names][:SHOWN]
    cells_shown = original.table.select(shown)
    # as an Arrow array: pyarrow would import pandas to look at a list
    values = cells_shown.take(array_of(order[:WORST])).to_pydict()
    rows = []
    for place, record in enumerate(worst):
        if link.success[record] <= 0:
            continue
        risk = percent(float(link.success[record]))
        alike = count(float(link.ties[record]))
        cells = [_cell(values[name][place]) for name in shown]
        rows.append([str(record + 1), risk, alike, *cells])
    head: list[Row] = [{"name": name, "n": 1} for name in ("Row", "Risk", "Alike")]
    # numbers are aligned at their right end
    head += [
        {"name": name, "n": int(original.schema[name].scale is Kind.continuous)}
        for name in shown
    ]
    return head, rows


def _cell(value: object) -> str:
    if value is None:
        return NONE
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def by_column(assessment: Assessment) -> Row | None:
    """Every risk measure that says something about single columns."""
    drawn: list[Row] = []
    for name, measure in measures(assessment.risk).items():
        if not measure.per_column:
            continue
        if name == LEARNED:
            drawn += _learned(measure, measure.per_column)
        else:
            caption = f"Higher: {measure.higher.rstrip('.')}."
            drawn.append(_column_chart(title(name), measure.per_column, caption))
    if not drawn:
        return None
    lead = (
        "Which columns lead an intruder to people: the first to protect more strongly."
    )
    return {"lead": lead, "charts": drawn}


def _learned(measure: Measure, weights: Mapping[str, float]) -> list[Row]:
    """The weights that an intruder would learn, and what each column links alone."""
    records = count(measure.details["records"])
    source = f"from the true links of {records} records, linked among themselves"
    equal = percent(measure.details["equal weights"])
    gain = f"{percent(measure.value)} found, against {equal} with equal weights"
    alone = measure.details["alone"]
    return [
        _column_chart(title(LEARNED), weights, f"Learned {source}: {gain}."),
        _column_chart("People found by one column alone", alone, f"Counted {source}."),
    ]


def _column_chart(name: str, values: Mapping[str, float], caption: str) -> Row:
    """Columns as bars, the highest first."""
    ranked = sorted(values.items(), key=lambda item: -item[1])[:MOST_COLUMNS]
    shares = all(0 <= value <= 1 for _, value in ranked)
    # a measure can be NaN or below zero for a column; a bar cannot
    bars = [
        charts.Bar(column, max(float(value), 0.0))
        for column, value in ranked
        if value == value
    ]
    chart = charts.bars(name, bars, row=24, shares=shares)
    return {"title": name, "chart": str(chart), "caption": caption}


def groups(assessment: Assessment) -> tuple[Row, int] | None:
    """How many records of the release share all their quasi-identifiers.

    The part of the page, and the size of the smallest group.
    """
    masked, original = assessment.masked, assessment.original
    names = [name for name in original.quasi if name in masked.names]
    if not names or masked.n == 0:
        return None
    sizes = shapes.group_sizes(masked.numbers(names))
    alone = int(np.sum(sizes == 1))
    # a group of g records adds g times 1/g
    distinct = float(np.sum(1.0 / sizes))
    lead = (
        f"The release has {count(round(distinct))} different combinations of its "
        f"{len(names)} quasi-identifiers. {count(alone)} of {count(masked.n)} records "
        "are the only one of their kind."
    )
    caption = (
        "How many records lie in groups of each size. A record that is alone in the "
        "release can still be safe, if its values were changed enough."
    )
    chart = str(_sizes_chart(sizes))
    return {"lead": lead, "chart": chart, "caption": caption}, int(sizes.min())


def _sizes_chart(sizes: Ints) -> Drawing:
    """Records by the size of their group, as a histogram or, for large groups, as bars."""
    name = "Records by the size of their group"
    largest = int(sizes.max())
    if largest <= EVERY_SIZE:
        edges = (np.arange(largest + 1) + 0.5).tolist()
        counts = np.histogram(sizes, edges)[0].tolist()
        axis = "records that look alike →"
        return charts.histogram(
            name,
            edges,
            counts,
            x_name=axis,
            height=170,
        )
    # uneven intervals: even steps on the axis, so that the small sizes stay visible
    even = np.geomspace(1, largest + 1, 24)
    steps = np.unique(np.round(even))
    edges = (steps - 0.5).tolist()
    counts = np.histogram(sizes, edges)[0].tolist()
    bars = [
        charts.Bar(_range(low, high), float(records))
        for low, high, records in zip(edges[:-1], edges[1:], counts, strict=True)
        if records > 0
    ]
    return charts.bars(name, bars, row=22, shares=False)


def _range(low_edge: float, high_edge: float) -> str:
    """The whole numbers between two edges that lie half-way between whole numbers."""
    low, high = int(low_edge + 0.5), int(high_edge - 0.5)
    return number(low) if low == high else f"{number(low)} to {number(high)}"


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
        The columns; all that both files have unless given.
    width : float
        Width of each drawing.
    """
    common = [name for name in original.names if name in masked.names]
    drawn: list[Row] = []
    for name in (names or common)[:MOST_COLUMNS]:
        note = ""
        if _continuous(name, original, masked):
            bins = shapes.bins(original.column(name), masked.column(name))
            if bins is None:
                continue
            chart = charts.pair(
                name,
                bins.edges,
                bins.before,
                bins.after,
                width=width,
            )
            if bins.cut > 0:
                note = f"{percent(bins.cut)} beyond the ends"
        else:
            labels, before, after = shapes.shares(
                original.table.column(name).to_pylist(),
                masked.table.column(name).to_pylist(),
            )
            chart = charts.categories(
                name,
                labels,
                before,
                after,
                width=width,
            )
        drawn.append({"title": name, "note": note, "chart": str(chart)})
    return drawn


def _continuous(name: str, *files: Microdata) -> bool:
    """A number in both files; coding can have turned it into intervals in one."""
    return all(data.schema[name].scale is Kind.continuous for data in files)


def correlations(assessment: Assessment) -> Row | None:
    """Correlation matrices of the continuous columns of both files, and their difference."""
    original, masked = assessment.original, assessment.masked
    # numbers that only name somebody correlate with nothing that matters
    names = [
        name
        for name in original.names
        if name in masked.names
        and _continuous(name, original, masked)
        and str(original.schema[name].role) not in ("identifier", "household")
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
    lead = (
        "The area of a square is the strength of the correlation; a hollow square is "
        f"negative. The largest change of any pair is {biggest:.2f}."
    )
    return {"lead": lead, "charts": drawn}
