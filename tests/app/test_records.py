"""The table of records: sorted, searched, filtered in pages of the server; what became of each."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import tacit as tc
from app.conftest import choose, wait_for_runs
from app.test_classes import KEYS, opened, survey  # noqa: F401  a fixture
from tacit.app.messages import RecordsOrder
from tacit.app.records import PAGE, records_of

ORDER: RecordsOrder = {
    "sort": "row",
    "falling": False,
    "search": "",
    "below": 0,
    "page": 1,
    "masked": "",
    "manifest": "",
}


@pytest.fixture(scope="module")
def people() -> tc.Microdata:
    table = {
        "town": ["Ulm", "Kiel", None, "Ulm"] * 40 + ["Aalen"],
        "sex": ["f", "m"] * 80 + ["m"],
        "income": [float(i % 37) for i in range(161)],
    }
    return tc.Microdata.of(table, quasi=["town", "sex"], confidential=["income"])


def test_pages_hold_every_record_once(people: tc.Microdata) -> None:
    rows: list[str] = []
    view = records_of(people, ORDER)
    for page in range(1, view["pages"] + 1):
        shown = records_of(people, {**ORDER, "page": page})["rows"]
        assert len(shown) <= PAGE
        rows += [one["row"] for one in shown]
    assert rows == [str(i + 1) for i in range(161)]
    # a page that is not there is the last one
    assert records_of(people, {**ORDER, "page": 99})["page"] == view["pages"]


def test_sorted_by_value_and_by_group(people: tc.Microdata) -> None:
    falling = records_of(people, {**ORDER, "sort": "income", "falling": True})
    values = [float(one["cells"][2]["before"]) for one in falling["rows"]]
    assert values == sorted(values, reverse=True)
    assert values[0] == 36
    lonely = records_of(people, {**ORDER, "sort": "alike"})["rows"]
    assert lonely[0]["alone"]
    assert lonely[0]["row"] == "161"
    towns = people.table["town"].to_pylist()
    groups = Counter(zip(towns, people.table["sex"].to_pylist(), strict=True))
    assert [int(one["alike"]) for one in lonely[1:3]] == [
        min(groups[k] for k in groups if groups[k] > 1)
    ] * 2
    # gaps come last, whichever way one sorts
    for way in (False, True):
        last = records_of(people, {**ORDER, "sort": "town", "falling": way, "page": 4})
        assert last["rows"][-1]["cells"][0]["before"] == ""


def test_searched_and_filtered(people: tc.Microdata) -> None:
    found = records_of(people, {**ORDER, "search": "AALEN"})
    assert found["found"] == "1"
    assert [one["row"] for one in found["rows"]] == ["161"]
    assert records_of(people, {**ORDER, "search": "nowhere"})["rows"] == []
    assert records_of(people, {**ORDER, "below": 2})["found"] == "1"
    # a search is text and no pattern
    assert records_of(people, {**ORDER, "search": ".*"})["found"] == "0"


@pytest.mark.needs("chromium")
def test_original_beside_masked(page, survey: Path) -> None:  # noqa: F811
    """Each record stands beside its own masked values, though the release is in another order."""
    address = opened(page, survey)
    page.goto(f"{address}/records")
    assert page.locator(".records tbody tr").count() == PAGE
    page.click("th a:has-text('Alike')")
    page.wait_for_url("**sort=alike**")
    page.click("#next-page")
    page.wait_for_url("**page=2**")
    page.fill("#search", "south")
    page.select_option("#below", "5")
    page.click("#find")
    page.wait_for_selector("#found:has-text('of')")
    assert all(
        "south" in row for row in page.locator(".records tbody tr").all_inner_texts()
    )
    page.goto(f"{address}/classes?column=age")
    page.wait_for_selector("#standing table")
    page.select_option("#sort", "cuts")
    page.fill("#cuts", "18, 65")
    page.wait_for_selector(".cut[aria-valuenow='18']")
    page.check("[name=publish][value='1']")
    page.click("#keep")
    page.wait_for_selector("#drop")
    page.goto(f"{address}/protect")
    page.fill("[name='s0.p.k']", "2")
    while page.locator("[aria-label='Remove step 2']").count():
        page.click("[aria-label='Remove step 2']")
        page.wait_for_load_state()
    page.click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    choose(page)
    page.goto(f"{address}/records?sort=age")
    at = page.locator(".records thead th").all_inner_texts().index("age ↑") + 1
    cells = page.locator(f".records tbody td:nth-child({at})").all_inner_texts()
    for cell in cells:
        age, label = cell.split("\n")
        assert label == ("under 18" if float(age) < 18 else "[18, 65)"), cell
    assert len(cells) == PAGE
    assert set(KEYS) <= set(page.locator(".records thead th").all_inner_texts()) | {
        "age"
    }
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
