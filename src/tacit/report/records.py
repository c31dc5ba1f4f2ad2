"""Risk by record and by column, groups, before and after: parts that show records, for the internal report only."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.report import charts, shapes
from tacit.report.parts import measures, strongest
from tacit.report.words import count, inside, number, percent, title

WORST = 15
LEARN_FROM = 150
"""Records that the intruder is thought to know: learning is quick, and more would not change the order much."""
MOST_COLUMNS = 40


def by_record(assessment: Any) -> dict[str, Any] | None:
    """The distribution of the strongest intruder's success, and the records at most risk."""
    top = strongest(assessment)
    if top is None or not len(top[1].success):
        return None
    name, link = top
    edges = np.linspace(0, 1, 21)
    counts = np.histogram(np.clip(link.success, 0, 1), edges)[0]
    certain = int(np.sum(link.success > 0.999))
    never = int(np.sum(link.success <= 0))
    worst = sorted(np.argsort(-link.success, kind="stable")[:WORST].tolist())
    worst.sort(key=lambda i: (-link.success[i], i))
    original = assessment.original
    shown = [c for c in link.columns if c in original.names][:8]
    table = original.table.select(shown).take(worst).to_pydict()
    rows = [
        [str(i + 1), percent(float(link.success[i])), count(float(link.ties[i])), *(_cell(table[c][k]) for c in shown)]
        for k, i in enumerate(worst)
        if link.success[i] > 0
    ]
    head = [{"name": "Row", "n": 1}, {"name": "Risk", "n": 1}, {"name": "Alike", "n": 1}]
    head += [{"name": c, "n": 1 if str(original.schema[c].kind) == "continuous" else 0} for c in shown]
    chart = charts.histogram(
        "Records by their risk", edges.tolist(), counts.tolist(), x_name="probability to be found →", percent_x=True
    )
    return {
        "lead": f"How likely the strongest intruder ({inside(name)}) is to name each record's own masked record.",
        "chart": str(chart),
        "caption": f"{count(certain)} records are found for certain and {count(never)} are never found, "
        f"of {count(link.records)}.",
        "head": head,
        "rows": rows,
    }


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def by_column(assessment: Any) -> dict[str, Any] | None:
    """Every risk measure, and every attack with learned weights, that says something about single columns."""
    made: list[dict[str, Any]] = []
    for name, measure in measures(assessment.risk).items():
        if measure.per_column:
            made.append(_column_chart(title(name), measure.per_column, f"Higher: {measure.higher.rstrip('.')}."))
    made += _learned(assessment)
    if not made:
        return None
    return {"lead": "Which columns lead an intruder to people: the first to protect more strongly.", "charts": made}


def _learned(assessment: Any) -> list[dict[str, Any]]:
    """Weights of an intruder who knows some links and learns from them, and what each column links alone."""
    from tacit.attack.weights import learn_weights
    from tacit.errors import TacitError

    original, masked = assessment.original, assessment.masked
    if original.n != masked.n or original.n < 20:
        return []
    rows = np.sort(np.random.default_rng(0).permutation(original.n)[:LEARN_FROM])
    try:
        found = learn_weights(original.take(rows), masked.take(rows))
    except TacitError:
        return []
    alone = {name: links / found.records for name, links in found.single.items()}
    told = f"Learned from the true links of {count(found.records)} records, linked among themselves"
    return [
        _column_chart(
            "Weights that an intruder would learn",
            found.weights,
            f"{told}: {percent(found.rate)} found, against {percent(found.equal / found.records)} with equal weights.",
        ),
        _column_chart("People found by one column alone", alone, f"{told.replace('Learned', 'Counted')}."),
    ]


def _column_chart(name: str, values: dict[str, float], caption: str) -> dict[str, Any]:
    ranked = sorted(values.items(), key=lambda item: -item[1])[:MOST_COLUMNS]
    shares = all(0 <= v <= 1 for _, v in ranked)
    bars = [charts.Bar(column, max(float(v), 0.0)) for column, v in ranked if v == v]
    return {"title": name, "chart": str(charts.bars(name, bars, row=24, shares=shares)), "caption": caption}


def groups(assessment: Any) -> tuple[dict[str, Any], int] | None:
    """How many records of the release share all their quasi-identifiers; the part, and the smallest group."""
    masked, original = assessment.masked, assessment.original
    names = [c for c in original.quasi if c in masked.names]
    if not names or masked.n == 0:
        return None
    sizes = shapes.group_sizes(masked.numbers(names))
    smallest = int(sizes.min())
    largest = int(sizes.max())
    if largest <= 30:
        edges = (np.arange(largest + 1) + 0.5).tolist()
    else:
        edges = np.unique(np.round(np.geomspace(1, largest + 1, 24))).tolist()
        edges = [e - 0.5 for e in edges]
    counts = np.histogram(sizes, edges)[0].tolist()
    if largest > 30:
        # uneven intervals: even steps on the axis, so that the small sizes stay visible
        bars = [
            charts.Bar(_range(a, b), float(c)) for a, b, c in zip(edges[:-1], edges[1:], counts, strict=True) if c > 0
        ]
        chart = charts.bars("Records by the size of their group", bars, row=22, shares=False)
    else:
        chart = charts.histogram(
            "Records by the size of their group", edges, counts, x_name="records that look alike →", height=170
        )
    alone = int(np.sum(sizes == 1))
    distinct = float(np.sum(1.0 / sizes))
    lead = (
        f"The release has {count(round(distinct))} different combinations of its {len(names)} quasi-identifiers. "
        f"{count(alone)} of {count(masked.n)} records are the only one of their kind."
    )
    caption = (
        "How many records lie in groups of each size. A record that is alone in the release can still be safe, "
        "if its values were changed enough."
    )
    return {"lead": lead, "chart": str(chart), "caption": caption}, smallest


def _range(a: float, b: float) -> str:
    low, high = int(a + 0.5), int(b - 0.5)
    return number(low) if low == high else f"{number(low)} to {number(high)}"


def distributions(
    original: Any, masked: Any, names: list[str] | None = None, width: float = 340
) -> list[dict[str, Any]]:
    """Before and after, for the columns that changed first of all; a column in one file only is left out."""
    made: list[dict[str, Any]] = []
    for name in (names or [c for c in original.names if c in masked.names])[:MOST_COLUMNS]:
        if str(original.schema[name].kind) == "continuous" and str(masked.schema[name].kind) == "continuous":
            found = shapes.bins(original.column(name), masked.column(name))
            if found is None:
                continue
            chart = charts.pair(name, found.edges, found.before, found.after, width=width)
            note = f"{percent(found.cut)} beyond the ends" if found.cut > 0 else ""
        else:
            labels, before, after = shapes.shares(
                original.table.column(name).to_pylist(), masked.table.column(name).to_pylist()
            )
            chart = charts.categories(name, labels, before, after, width=width)
            note = ""
        made.append({"title": name, "note": note, "chart": str(chart)})
    return made


def correlations(assessment: Any) -> dict[str, Any] | None:
    """Correlation matrices of the continuous columns of both files, and their difference."""
    original, masked = assessment.original, assessment.masked
    names = [
        c
        for c in original.names
        if c in masked.names
        and str(original.schema[c].kind) == "continuous"
        and str(masked.schema[c].kind) == "continuous"
        and str(original.schema[c].role) not in ("identifier", "household")
    ][:MOST_COLUMNS]
    if len(names) < 2:
        return None
    before, after = shapes.correlations(original.numbers(names)), shapes.correlations(masked.numbers(names))
    change = after - before
    biggest = float(np.nanmax(np.abs(change))) if np.isfinite(change).any() else 0.0
    pairs = [("Original", before), ("Masked", after), ("Change (masked minus original)", change)]
    return {
        "lead": "The area of a square is the strength of the correlation; a hollow square is negative. "
        f"The largest change of any pair is {biggest:.2f}.",
        "charts": [{"title": t, "chart": str(charts.matrix(t, names, m.tolist()))} for t, m in pairs],
    }
