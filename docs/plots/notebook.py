"""Write the notebook that the documentation offers: python docs/plots/notebook.py.

Its cells are here, so that they are checked and formatted as code; a test runs them.
"""

from __future__ import annotations

import json
from pathlib import Path

TARGET = Path(__file__).parents[1] / "notebooks" / "first-release.ipynb"

CELLS: list[tuple[str, str]] = [
    (
        "markdown",
        "# A first release\n\nProtect a household survey, attack the release, and look at what it "
        "cost. The people in it do not exist. Install: `pip install tacit`.",
    ),
    (
        "code",
        """import tacit as tc

table = tc.datasets.make_households(120, seed=7)
table = table.drop_columns(["member", "relation", "water"])
survey = tc.Microdata.of(
    table,
    household="household",
    weight="weight",
    quasi=["region", "urban", "dwelling", "sex", "age"],
    confidential=["household_income", "expenditure", "education"],
)
survey.n""",
    ),
    ("markdown", "Who stands out before anything is done?"),
    ("code", "tc.risk.look(survey).verdict"),
    (
        "markdown",
        "A plan is a list of steps: age in classes, a few cells blanked, incomes averaged.",
    ),
    (
        "code",
        """plan = tc.Plan(
    (
        tc.Step("recoding", {"intervals": {"age": [0, 18, 40, 60, 100]}}),
        tc.Step("local_suppression", {"k": 5}),
        tc.Step("microaggregation", {"k": 10, "columns": ["household_income", "expenditure"]}),
    )
)
masked = plan.mask(survey)
masked.table.slice(0, 5).to_pylist()""",
    ),
    ("markdown", "Attack it as the best intruder would. The result shows itself."),
    (
        "code",
        """attackers = {name: tc.attack.registry[name]() for name in ("nearest", "assignment")}
result = tc.assess(survey, masked, plan=plan, attackers=attackers, truth="rows")
result""",
    ),
    (
        "markdown",
        "The verdict is one object; the report is one file that opens offline.",
    ),
    (
        "code",
        """result.to_html("report.html")
result.verdict.state, result.verdict.next_step""",
    ),
]


def notebook() -> dict[str, object]:
    """The notebook as its format has it."""
    cells: list[dict[str, object]] = []
    for place, (kind, text) in enumerate(CELLS):
        cell: dict[str, object] = {
            "cell_type": kind,
            "id": f"cell-{place}",
            "metadata": {},
            "source": text.splitlines(keepends=True),
        }
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        cells.append(cell)
    return {
        "cells": cells,
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def main() -> None:
    """Write it."""
    TARGET.parent.mkdir(exist_ok=True)
    text = json.dumps(notebook(), indent=1, ensure_ascii=False)
    TARGET.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
