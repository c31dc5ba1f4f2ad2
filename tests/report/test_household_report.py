"""The report of a household survey: short on paper, both counts of gaps, tables that sort."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

import tacit as tc
from tacit import report
from tacit.assess.before import before
from tacit.report import measured, parts
from tacit.report.alike import Alike
from tacit.report.checks import gathered
from tacit.report.words import percent

KEYS = ["region", "urban", "dwelling", "water", "relation", "sex", "age"]
MOST_PAGES = 8


@pytest.fixture(scope="module")
def household() -> tc.Assessment:
    """A usual survey: categorical keys, local suppression, averaged incomes; all measures."""
    data = tc.Microdata.of(
        tc.datasets.make_households(60, seed=3).drop_columns(["member"]),
        household="household",
        weight="weight",
        quasi=KEYS,
        confidential=["household_income", "expenditure", "education"],
    )
    steps = (
        tc.Step("recoding", {"intervals": {"age": [0, 18, 40, 60, 100]}}),
        tc.Step("local_suppression", {"k": 3}, 5),
        tc.Step(
            "microaggregation", {"k": 5, "columns": ["household_income", "expenditure"]}
        ),
    )
    plan = tc.Plan(steps)
    names = ("nearest", "assignment", "groups", "gap_pattern")
    attackers = {name: tc.attack.registry[name]() for name in names}
    return tc.assess(
        data, plan.mask(data), plan=plan, attackers=attackers, truth="rows"
    )


@pytest.fixture(scope="module")
def written(household: tc.Assessment, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("report") / "survey.html"
    return report.write(household, path, name="survey.csv")


def text_of(path: Path) -> str:
    body = re.sub(r"<(style|script)[^>]*>.*?</\1>", "", path.read_text(), flags=re.S)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


@pytest.fixture(scope="module")
def page(browser, written: Path):
    made = browser.new_page(viewport={"width": 1440, "height": 900})
    made.goto(written.as_uri())
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_paper_takes_at_most_eight_pages(page) -> None:
    """Seventeen they were."""
    printed = page.pdf(format="A4")
    pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", printed))
    print(f"a household survey: {pages} pages of A4")
    assert 3 <= pages <= MOST_PAGES


@pytest.mark.needs("chromium")
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_verdict_reason_and_next_step_are_on_the_first_screen(
    page, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    for part in (".word", "p", ".next"):
        box = page.locator(f".verdict {part}").first.bounding_box()
        assert box["y"] + box["height"] <= height, part
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.needs("chromium")
def test_tables_sort_where_their_heads_are_pressed(page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    table = page.locator("#risk table")

    def shares() -> list[float]:
        cells = table.locator("tbody td:nth-child(2)")
        return [
            float(one) for one in cells.evaluate_all("c => c.map(x => x.dataset.o)")
        ]

    as_written = shares()
    # by keyboard: the head is a button
    table.locator("thead button", has_text="Release").focus()
    page.keyboard.press("Enter")
    assert shares() == sorted(as_written)
    assert table.locator("th[aria-sort=ascending]").inner_text() == "Release"
    page.keyboard.press("Enter")
    assert shares() == sorted(as_written, reverse=True)
    records = page.locator("#records table.sorts")
    assert records.locator("tbody tr").count() > 15
    records.locator("thead button", has_text="region").click()
    regions = records.locator("tbody td:nth-child(4)").all_inner_texts()
    assert regions == sorted(regions)


@pytest.mark.needs("chromium")
def test_only_the_script_of_the_report_runs(page) -> None:
    """The policy names it by its hash: what is slipped in beside it does not run."""
    ran = page.evaluate(
        "() => { const s = document.createElement('script');"
        " s.textContent = 'window.slipped = 1'; document.body.append(s);"
        " return window.slipped === undefined }"
    )
    assert ran


def test_a_gap_that_matches_anything_is_explained_beside_the_number(
    household: tc.Assessment, written: Path
) -> None:
    """k-anonymity passes, some are the only one of their kind: one sentence says why."""
    k_anonymity = household.risk["k_anonymity"]
    assert k_anonymity.value == 0
    alike = Alike.of(household)
    assert alike is not None
    assert alike.printed is not None
    assert alike.smallest == k_anonymity.details["smallest group"]
    alone = alike.printed.alone
    assert alone > 0
    said = f"where a gap is a value of its own, {alone} records are the only one"
    (row,) = [r for r in checks_of(household, alike) if r["name"] == "k_anonymity"]
    assert said in row["why"]
    text = text_of(written)
    assert said in text
    assert f"{alike.smallest} alike in the smallest group" in text.replace(
        "in the smallest group " + f"{alike.smallest} alike",
        f"{alike.smallest} alike in the smallest group",
    )


def checks_of(result: tc.Assessment, alike: Alike) -> list[dict[str, object]]:
    rates = {name: link.rate for name, link in result.linkages.items()}
    notes = {"k_anonymity": alike.explained}
    return gathered(parts.checks(result), rates, {}, notes)


def test_il_is_the_mean_of_the_five_beside_it(household: tc.Assessment) -> None:
    """Over categories too it has another name, and says what it is made of."""
    loss = household.loss
    rows = {row["title"]: row for row in measured.measure_rows(loss)}
    five = [loss[f"IL{i}"].value for i in range(1, 6)]
    assert rows[measured.NUMBERS]["order"] == pytest.approx(sum(five) / 5)
    everything = rows[measured.ALL_COLUMNS]
    assert everything["order"] == loss["IL"].value
    assert loss["IL"].value != pytest.approx(sum(five) / 5)
    assert "for each of 6 columns of categories" in everything["reading"]
    assert "Information loss (IL)" not in rows
    assert parts.loss_title("IL", loss["IL"]) == "information loss, all columns"


def test_risk_before_protection_stands_in_every_table(
    household: tc.Assessment, written: Path
) -> None:
    was = before(household)
    keys = household.original.table.select(KEYS).to_pylist()
    classes = {tuple(one.items()) for one in keys}
    # an intruder names one record of each class of identical ones
    assert was.attacks["nearest"] == pytest.approx(len(classes) / len(keys))
    assert was.risk["k_anonymity"] > 0
    # averaged linkages, too: less is known than all keys, so fewer are found
    assert 0 < was.risk["dld"] < was.attacks["nearest"]
    html = written.read_text()
    for section in ("summary", "attacks", "risk"):
        part = html[html.index(f'id="{section}"') :]
        part = part[: part.index("</section>")]
        assert ">Before</th>" in part, section
    shown = percent(was.risk["k_anonymity"]).replace("\u00a0", " ")
    assert shown in text_of(written)


def test_untouched_columns_are_left_out(
    household: tc.Assessment, written: Path
) -> None:
    html = written.read_text()
    part = html[html.index('id="distributions"') :]
    part = part[: part.index("</section>")]
    drawn = re.findall(r"<figcaption>(\w+)", part)
    assert "region" in drawn
    assert not {"education", "weight", "household"} & set(drawn)
    assert "education" in part


def test_one_heatmap_has_every_measure_by_column(written: Path) -> None:
    html = written.read_text()
    part = html[html.index('id="columns"') :]
    part = part[: part.index("</section>")]
    assert part.count("<svg") == 1
    assert "heat-" in part
