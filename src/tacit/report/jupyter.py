"""How results show themselves in a notebook. The classes call this lazily from `_repr_html_`."""

from __future__ import annotations

from typing import Any

from tacit.report import charts, parts
from tacit.report.assets import text
from tacit.report.render import environment
from tacit.report.words import count, number, percent, span, title


def _card(heading: str, **parts_: Any) -> str:
    given = {"state": "", "lead": "", "chart": "", "attacks": [], "rows": [], **parts_}
    style = text("tokens.css") + text("charts.css") + text("notebook.css")
    return environment().get_template("card.html.j2").render(heading=heading, style=style, **given)


def linkage(link: Any) -> str:
    """An attack: what it found beside chance, and how its success is spread over the records."""
    bar = charts.Bar(link.attacker, link.rate, link.interval[0], link.interval[1], chance=link.chance, strong=True)
    rows = [
        ("Correct links", f"{count(link.correct)} of {count(link.records)}"),
        ("95 % interval", span(link.interval)),
        ("Chance", percent(link.chance, 3 if link.chance < 0.0005 else None)),
        ("Knows", link.knows),
        ("Columns", ", ".join(link.columns)),
    ]
    if link.certified is not None:
        rows.append(("Optimal", "certified" if link.certified else f"not certified; cost {number(link.cost)}"))
    chart = str(charts.bars("Share found", [bar], most=1.0, width=640))
    return _card(f"{link.attacker} finds {percent(link.rate)} of the people", chart=chart, rows=rows)


def assessment(result: Any) -> str:
    """A release: the verdict, the attacks, the first risk and loss measures."""
    said = parts.verdict(result)
    rows = []
    for room, found in (("Risk", result.risk), ("Loss", result.loss)):
        kept = [row for row in parts.measure_rows(found) if not row["absent"]]
        rows += [(f"{room}: {row['title']}", row["value"]) for row in kept]
    return _card(
        said.word,
        state=said.state,
        lead=said.sentence,
        chart=parts.attack_chart(result, parts.bound_of(None), width=640),
        attacks=parts.attack_rows(result),
        rows=rows,
    )


def frontier(result: Any) -> str:
    """A comparison: the map and the recommended plan."""
    from tacit.report.comparison import _map, verdict

    said = verdict(result)
    return _card(said.word, state=said.state, lead=said.sentence, chart=str(_map(result)))


def protector(fitted: Any) -> str:
    """A fitted protector: parameters, and the figures that the fit learned (single numbers only, no data)."""
    rows = [(name, repr(value)) for name, value in fitted.get_params(deep=False).items()]
    for name, value in sorted(vars(fitted).items()):
        if (
            name.endswith("_")
            and not name.startswith("_")
            and isinstance(value, int | float)
            and name != "n_features_in_"
        ):
            rows.append((name, number(value)))
    labels = getattr(fitted, "labels_", None)
    chart = ""
    if labels is not None and getattr(labels, "ndim", 0) == 1 and len(labels):
        import numpy as np

        sizes = np.bincount(np.unique(labels, return_inverse=True)[1])
        rows.append(("groups", f"{count(len(sizes))}, of {int(sizes.min())} to {int(sizes.max())} records"))
    about = " ".join((type(fitted).__doc__ or "").split("\n\n")[0].split())
    state = "fitted" if hasattr(fitted, "_fitted_") else "not fitted yet"
    return _card(f"{title(type(fitted).__name__)}, {state}", lead=about, chart=chart, rows=rows)
