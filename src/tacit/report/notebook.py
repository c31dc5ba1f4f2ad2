"""How results show themselves in a notebook.

The classes name these functions in their `_repr_html_`; see `tacit.base.display`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.assess.assessment import Assessment
from tacit.attack.linkage import Linkage
from tacit.compare.frontier import Frontier
from tacit.protect.base import Protector
from tacit.report import charts, comparison, parts
from tacit.report.assets import text
from tacit.report.content import Row
from tacit.report.measured import measure_rows
from tacit.report.render import environment
from tacit.report.words import count, number, percent, span, title

# Cells of a notebook are narrower than a page.
WIDTH = 640


def _card(
    heading: str,
    *,
    state: str = "",
    lead: str = "",
    chart: str = "",
    attacks: Sequence[Row] = (),
    rows: Sequence[tuple[str, object]] = (),
) -> str:
    """One result: a heading, a sentence, a drawing and a table; what is empty is left out."""
    style = text("tokens.css") + text("charts.css") + text("notebook.css")
    template = environment().get_template("card.html.j2")
    return template.render(
        heading=heading,
        style=style,
        state=state,
        lead=lead,
        chart=chart,
        attacks=attacks,
        rows=rows,
    )


def linkage(link: Linkage) -> str:
    """An attack: what it found beside chance."""
    low, high = link.interval
    bar = charts.Bar(
        link.attacker, link.rate, low, high, chance=link.chance, strong=True
    )
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
    chart = str(charts.bars("Share found", [bar], most=1.0, width=WIDTH))
    heading = f"{link.attacker} finds {percent(link.rate)} of the people"
    return _card(heading, chart=chart, rows=rows)


def assessment(result: Assessment) -> str:
    """A release: the verdict, the attacks, the risk and loss measures that ran."""
    headline = parts.verdict(result)
    rows = []
    for room, measured in (("Risk", result.risk), ("Loss", result.loss)):
        ran = [row for row in measure_rows(measured) if not row["absent"]]
        rows += [(f"{room}: {row['title']}", row["value"]) for row in ran]
    return _card(
        headline.word,
        state=headline.state,
        lead=f"{headline.sentence} {headline.next_step}".strip(),
        chart=parts.attack_chart(result, parts.bound_of(None), width=WIDTH),
        attacks=parts.attack_rows(result),
        rows=rows,
    )


def frontier(result: Frontier) -> str:
    """A comparison: the map and the recommended plan."""
    # in a notebook of one's own nothing has to be left out
    headline = comparison.verdict(result)
    return _card(
        headline.word,
        state=headline.state,
        lead=headline.sentence,
        chart=str(comparison.map_of(result)),
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
        ends = f"{int(sizes.min())} to {int(sizes.max())}"
        rows.append(("groups", f"{count(len(sizes))}, of {ends} records"))
    # the first paragraph says what it does
    summary = (type(fitted).__doc__ or "").split("\n\n")[0]
    state = "fitted" if hasattr(fitted, "_fitted_") else "not fitted yet"
    heading = f"{title(type(fitted).__name__)}, {state}"
    return _card(heading, lead=" ".join(summary.split()), rows=rows)
