"""How results show themselves in a notebook.

The classes name these functions in their `_repr_html_`; see `tacit.base.display`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.assess.assessment import Assessment
from tacit.attack.linkage import Linkage
from tacit.compare.frontier import Frontier
from tacit.protect.base import Protector
from tacit.report import charts, comparison, parts
from tacit.report.assets import text
from tacit.report.content import Headline
from tacit.report.measured import measure_rows
from tacit.report.render import environment
from tacit.report.words import count, number, percent, span, title

# Cells of a notebook are narrower than a page.
WIDTH = 640
# Plans in the table of a comparison; `result.table` has all of them.
PLANS = 20
CAPTION = "Share of people found; the whisker is its 95 % interval, the upright tick is chance."


@dataclass(frozen=True)
class Table:
    """Figures below a heading that folds them away."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    open: bool = False


def _card(
    heading: str = "",
    *,
    verdict: Headline | None = None,
    lead: str = "",
    chart: str = "",
    caption: str = "",
    tables: Sequence[Table] = (),
    rows: Sequence[tuple[str, object]] = (),
) -> str:
    """One result: a verdict or a heading, a drawing, tables; what is empty is left out."""
    style = text("tokens.css") + text("charts.css") + text("notebook.css")
    template = environment().get_template("card.html.j2")
    return template.render(
        heading=heading,
        style=style,
        verdict=verdict,
        lead=lead,
        chart=chart,
        caption=caption,
        tables=[table for table in tables if table.rows],
        rows=rows,
    )


def linkage(link: Linkage) -> str:
    """An attack: what it found beside chance."""
    low, high = link.interval
    name = title(link.attacker)
    bar = charts.Bar(name, link.rate, low, high, chance=link.chance, strong=True)
    rows = [
        ("Correct links", f"{count(link.correct)} of {count(link.counted)}"),
        ("95 % interval", span(link.interval)),
        ("Chance", parts.chance_of(link)),
        ("Knows", link.knows),
        ("Columns", ", ".join(link.columns)),
    ]
    # None: the attacker solves no assignment, so there is nothing to certify
    if link.certified is not None:
        unsure = f"not certified; cost {number(link.cost)}"
        rows.append(("Optimal", "certified" if link.certified else unsure))
    chart = charts.for_both(
        lambda width: charts.bars("Share found", [bar], most=1.0, width=width), WIDTH
    )
    heading = f"{name} finds {percent(link.rate)} of the people"
    return _card(heading, chart=chart, caption=CAPTION, rows=rows)


def assessment(result: Assessment) -> str:
    """A release: the verdict with its next step, the attacks, the measures that ran."""
    attacks = [
        tuple(str(row[key]) for key in ("title", "rate", "interval", "chance"))
        for row in parts.attack_rows(result)
    ]
    heads = ("Intruder", "Rate", "95 % interval", "Chance")
    tables = [Table("Attacks", heads, attacks, open=True)]
    for name, measured in (("Risk", result.risk), ("Loss", result.loss)):
        ran = [row for row in measure_rows(measured) if not row["absent"]]
        values = [(str(row["title"]), str(row["value"])) for row in ran]
        tables.append(
            Table(f"{name}: {len(ran)} measures", ("Measure", "Value"), values)
        )
    return _card(
        verdict=parts.verdict(result),
        chart=parts.attack_chart(result, parts.bound_of(None), width=WIDTH),
        caption=CAPTION,
        tables=tables,
    )


def frontier(result: Frontier) -> str:
    """A comparison: which plan to take, the map, and every plan with its verdict."""
    plans = [
        (
            row["name"],
            percent(row["risk"]),
            number(row["loss"]),
            "recommended" if row["recommended"] else row["verdict"],
        )
        for row in result.table[:PLANS]
    ]
    left = len(result.table) - len(plans)
    name = f"{len(result.table)} plans" + (f", {left} not shown" if left else "")
    return _card(
        # in a notebook of one's own nothing has to be left out
        verdict=comparison.verdict(result),
        chart=str(comparison.map_of(result)),
        tables=[Table(name, ("Plan", "Risk", "Loss", "Verdict"), plans)],
    )


def protector(fitted: Protector) -> str:
    """A protector: its parameters, and what the fit learned (single numbers, no data)."""
    rows = [
        (name, repr(value)) for name, value in fitted.get_params(deep=False).items()
    ]
    for name, value in sorted(vars(fitted).items()):
        # by scikit-learn's convention a fit leaves names that end with an underscore
        is_learned = name.endswith("_") and not name.startswith("_")
        is_count_of_columns = name == "n_features_in_"
        if is_learned and isinstance(value, int | float) and not is_count_of_columns:
            rows.append((name, number(value)))
    labels = getattr(fitted, "labels_", None)
    if isinstance(labels, np.ndarray) and labels.ndim == 1 and len(labels):
        _, group = np.unique(labels, return_inverse=True)
        sizes = np.bincount(group)
        least, most = int(sizes.min()), int(sizes.max())
        size = f"{least}" if least == most else f"{least} to {most}"
        rows.append(("groups", f"{count(len(sizes))}, of {size} records"))
    # the first paragraph says what it does
    summary = (type(fitted).__doc__ or "").split("\n\n")[0]
    state = "fitted" if hasattr(fitted, "_fitted_") else "not fitted yet"
    heading = f"{title(type(fitted).__name__)}, {state}"
    return _card(heading, lead=" ".join(summary.split()), rows=rows)
