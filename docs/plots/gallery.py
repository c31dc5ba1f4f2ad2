"""Make the gallery: reports and pictures of a household survey that nobody answered.

python docs/plots/gallery.py
"""

from __future__ import annotations

from pathlib import Path

import tacit as tc
from tacit import report
from tacit.report import changes, charts, record_parts
from tacit.report.figure import Figure

HERE = Path(__file__).parents[1] / "gallery"
KEYS = ["region", "urban", "dwelling", "sex", "age"]
CONFIDENTIAL = ["household_income", "expenditure", "education"]
DROPPED = ["member", "relation", "water"]


def survey() -> tc.Microdata:
    """A household survey; all of it is generated."""
    table = tc.datasets.make_households(120, seed=7).drop_columns(DROPPED)
    return tc.Microdata.of(
        table,
        household="household",
        weight="weight",
        quasi=KEYS,
        confidential=CONFIDENTIAL,
    )


def plan() -> tc.Plan:
    """Classes of age, blanked cells, averaged incomes."""
    return tc.Plan(
        (
            tc.Step("recoding", {"intervals": {"age": [0, 18, 40, 60, 100]}}),
            tc.Step("local_suppression", {"k": 5}, 1),
            tc.Step("microaggregation", {"k": 10, "columns": CONFIDENTIAL[:2]}),
        )
    )


def main() -> None:
    """Write every piece of the gallery."""
    HERE.mkdir(exist_ok=True)
    data, how = survey(), plan()
    masked = how.mask(data)
    names = ("nearest", "assignment", "gap_pattern")
    attackers = {name: tc.attack.registry[name]() for name in names}
    result = tc.assess(data, masked, plan=how, attackers=attackers, truth="rows")
    report.write(result, HERE / "report.html", name="survey.csv")
    report.write(
        result, HERE / "report-external.html", name="survey.csv", external=True
    )
    _pictures(data, masked, result)


def _pictures(data: tc.Microdata, masked: tc.Microdata, result: tc.Assessment) -> None:
    bars = [
        charts.Bar(link.attacker, link.rate, *link.interval, chance=link.chance)
        for link in result.linkages.values()
    ]
    drawn = charts.bars("Share of people found", bars, most=1.0, bound=0.05)
    Figure(drawn).save(HERE / "attacks.svg")
    pieces = {
        "gaps": changes.blank_pattern(data, masked),
        "columns": record_parts.by_column(result),
    }
    for name, piece in pieces.items():
        assert piece is not None
        _save(name, str(piece["chart"]))
    for place, piece in enumerate(changes.cross(data, masked, "dwelling", "sex")[:3]):
        _save(f"cross-{place + 1}", str(piece["chart"]))


def _save(name: str, drawing: str) -> None:
    """A drawing of the report as a file that stands alone."""
    from tacit.report.assets import text

    style = f"<style>{text('tokens.css')}{text('charts.css')}</style>"
    inside = drawing.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    head, _, rest = inside.partition(">")
    (HERE / f"{name}.svg").write_text(f"{head}>{style}{rest}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
