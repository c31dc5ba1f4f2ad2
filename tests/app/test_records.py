"""The table of records: sorted, searched, filtered in pages of the server; what became of each."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import tacit as tc
from app.conftest import choose, keep_steps, wait_for_runs
from app.test_classes import KEYS, opened, survey  # noqa: F401  a fixture
from tacit.app.look import counts_of, look_of
from tacit.app.messages import RecordsOrder
from tacit.app.one_record import one_record
from tacit.app.records import PAGE, Known, records_of
from tacit.base.errors import InputError

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
def people() -> Known:
    table = {
        "town": ["Ulm", "Kiel", None, "Ulm"] * 40 + ["Aalen"],
        "sex": ["f", "m"] * 80 + ["m"],
        "income": [float(i % 37) for i in range(161)],
    }
    data = tc.Microdata.of(table, quasi=["town", "sex"], confidential=["income"])
    return Known("people", data)


def test_pages_hold_every_record_once(people: Known) -> None:
    rows: list[str] = []
    view = records_of(people, ORDER)
    for page in range(1, view["pages"] + 1):
        shown = records_of(people, {**ORDER, "page": page})["rows"]
        assert len(shown) <= PAGE
        rows += [one["row"] for one in shown]
    assert rows == [str(i + 1) for i in range(161)]
    # a page that is not there is the last one
    assert records_of(people, {**ORDER, "page": 99})["page"] == view["pages"]


def test_sorted_by_value_and_by_group(people: Known) -> None:
    falling = records_of(people, {**ORDER, "sort": "income", "falling": True})
    values = [float(one["cells"][2]["before"]) for one in falling["rows"]]
    assert values == sorted(values, reverse=True)
    assert values[0] == 36
    lonely = records_of(people, {**ORDER, "sort": "alike"})["rows"]
    assert lonely[0]["alone"]
    assert lonely[0]["row"] == "161"
    towns = people.data.table["town"].to_pylist()
    groups = Counter(zip(towns, people.data.table["sex"].to_pylist(), strict=True))
    assert [int(one["alike"]) for one in lonely[1:3]] == [
        min(groups[k] for k in groups if groups[k] > 1)
    ] * 2
    # gaps come last, whichever way one sorts
    for way in (False, True):
        last = records_of(people, {**ORDER, "sort": "town", "falling": way, "page": 4})
        assert last["rows"][-1]["cells"][0]["before"] == ""


def test_searched_and_filtered(people: Known) -> None:
    found = records_of(people, {**ORDER, "search": "AALEN"})
    assert found["found"] == "1"
    assert [one["row"] for one in found["rows"]] == ["161"]
    assert records_of(people, {**ORDER, "search": "nowhere"})["rows"] == []
    assert records_of(people, {**ORDER, "below": 2})["found"] == "1"
    # a search is text and no pattern
    assert records_of(people, {**ORDER, "search": ".*"})["found"] == "0"


@pytest.mark.needs("chromium")
def test_one_record_with_its_group_and_its_competitors(tmp_path: Path) -> None:
    """By hand: 0 and 2 share their keys; the release blurs 1 into 10, nearest to 1 and then 0."""
    source, masked = tmp_path / "in.csv", tmp_path / "out.csv"
    rows = [("a", 1, "x"), ("b", 2, "x"), ("a", 1, "y"), ("b", 9, "y")]
    lines = "\n".join(f"{t},{n},{h}" for t, n, h in rows)
    source.write_text(f"town,number,home\n{lines}\n", encoding="utf-8")
    roles = {"quasi": ["town", "number"], "household": ["home"]}
    plan = tc.Plan((tc.Step("rounding", {"base": 5, "columns": ["number"]}),))
    tc.release(plan, source, masked, release_as_is=["town"], **roles)
    order = ORDER | {
        "masked": str(masked),
        "manifest": f"{masked}.manifest.json",
    }
    known = Known("one record", tc.read(source, **roles))
    view = one_record(known, order, 1)
    assert [one["place"] for one in view["group"]] == [1, 3]
    assert [one["place"] for one in view["home"]] == [1, 2]
    assert view["record"]["alike"] == "2"
    # somebody of the household, record 2, is alone with his keys
    assert view["record"]["together"] == "100\u00a0%"
    first = view["rivals"][0]
    assert first["values"] == ["town = a", "number = 0"]
    assert (first["identical"], first["own"], first["same"]) == ("2", True, "town")
    assert not any(one["own"] for one in view["rivals"][1:])
    with pytest.raises(InputError, match="no record 5"):
        one_record(known, order, 5)


@pytest.mark.parametrize("person", [False, True])
def test_figures_at_once_are_those_of_the_look(person: bool) -> None:
    """Nothing jumps when the whole look arrives; persons are counted, not rows."""
    table = tc.datasets.make_households(60, seed=1)
    roles = {"person": "household"} if person else {"household": "household"}
    keys = ["region", "sex", "age"]
    data = tc.Microdata.of(table, quasi=keys, weight="weight", **roles)
    whole = {one["label"]: one["value"] for one in look_of(data)["figures"]}
    for one in counts_of(data):
        assert whole[one["label"]] == one["value"], one["label"]


@pytest.mark.slow
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
    keep_steps(page, 1)
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
