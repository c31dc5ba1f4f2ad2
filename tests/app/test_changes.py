"""What the release changed: gaps, frequencies, crosses, correlations, both files side by side."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacit as tc
from app.conftest import PATIENCE, choose, keep_steps, wait_for_runs
from app.test_access import serious
from tacit.app.changes import PAGE
from tacit.report import changes

KEYS = {"region": "quasi", "dwelling": "quasi", "sex": "quasi"}


@pytest.fixture(scope="module")
def both() -> tuple[tc.Microdata, tc.Microdata]:
    town = ["Ulm", "Kiel", "Ulm", "Bonn"] * 30
    sex = ["f", "m"] * 60
    pay = np.arange(120.0)
    original = tc.Microdata.of(
        {"town": town, "sex": sex, "pay": pay}, quasi=["town", "sex"]
    )
    blank = [None if i % 10 == 0 else one for i, one in enumerate(town)]
    other = [None if i % 20 == 0 else one for i, one in enumerate(sex)]
    moved = np.where(np.arange(120) < 30, pay + 1, pay)
    masked = tc.Microdata.of(
        {"town": blank, "sex": other, "pay": moved}, quasi=["town", "sex"]
    )
    return original, masked


def test_cells_are_counted_by_column(both: tuple[tc.Microdata, tc.Microdata]) -> None:
    found = {one.column: one for one in changes.by_column(*both)}
    assert (found["town"].changed, found["town"].blanked) == (0, 12 / 120)
    assert (found["sex"].changed, found["sex"].blanked) == (0, 6 / 120)
    assert (found["pay"].changed, found["pay"].blanked) == (30 / 120, 0)
    assert found["town"].values_before == 3


def test_the_pattern_of_gaps_by_hand(both: tuple[tc.Microdata, tc.Microdata]) -> None:
    pattern = changes.blank_pattern(*both)
    assert pattern is not None
    assert (
        "18 cells of 2 columns are blank in the release, in 12 of 120"
        in pattern["lead"]
    )
    tips = set(re.findall(r"<title>blank: ([^<]*)</title>", pattern["chart"]))
    assert tips == {
        "nothing; 108 records",
        "town; 6 records",
        "town, sex; 6 records",
    }
    assert changes.blank_pattern(both[0], both[0]) is None


def test_a_cross_holds_every_record_once(
    both: tuple[tc.Microdata, tc.Microdata],
) -> None:
    original, masked = both
    before, after, change = changes.cross(original, masked, "town", "sex")
    pairs = Counter(
        zip(
            original.table["town"].to_pylist(),
            original.table["sex"].to_pylist(),
            strict=True,
        )
    )
    share = 100 * pairs["Ulm", "f"] / 120
    assert f"Ulm, f: {share:.1f}\u00a0%" in before["chart"]
    assert "(missing), (missing): 5.0\u00a0%" in after["chart"]
    assert "(missing), (missing): +5.0" in change["chart"]
    figures = re.findall(r"<title>[^<]*: ([\d.]+)\u00a0%</title>", after["chart"])
    assert sum(map(float, figures)) == pytest.approx(100, abs=1)
    # numbers are cut where the original has about as many in each class
    numbers = changes.cross(original, masked, "pay", "sex")[0]["chart"]
    assert "under 19.83, f" in numbers


def test_a_column_that_is_blank_throughout(
    both: tuple[tc.Microdata, tc.Microdata],
) -> None:
    original = both[0]
    gone = tc.Microdata.of(original.table.set_column(2, "pay", pa.nulls(120)))
    _, after, _ = changes.cross(original, gone, "pay", "sex")
    assert "(missing), f: 50.0\u00a0%" in after["chart"]
    assert "under " in after["chart"]
    found = {one.column: one for one in changes.by_column(original, gone)}
    assert (found["pay"].blanked, found["pay"].values_after) == (1, 0)


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_the_page_shows_what_changed(browser, server, tmp_path: Path) -> None:
    """From a file to its release, then every part; axe finds nothing, at both widths and themes."""
    path = tmp_path / "survey.csv"
    keep = ["region", "dwelling", "sex", "age", "expenditure"]
    tc.write(tc.datasets.make_households(60, seed=2).select(keep), path)
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, bypass_csp=True
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(server.address)
    page.set_input_files("input[type=file]", str(path))
    page.wait_for_selector("table.raw")
    address = page.url.rpartition("/")[0]
    page.goto(f"{address}/changes")
    assert "Choose a release first" in page.inner_text("main")
    page.goto(f"{address}/roles")
    for name, role in KEYS.items():
        select = f"[aria-label='Role of {name}']"
        if page.input_value(select) != role:
            page.select_option(select, role)
            said = f"#said:has-text('Role of {name} is {role}')"
            page.wait_for_selector(said, state="attached")
    page.goto(f"{address}/protect")
    keep_steps(page)
    page.select_option("#add", "local_suppression")
    page.click("text=Add a step")
    page.wait_for_selector("[name='s0.method']")
    page.fill("[name='s0.p.k']", "4")
    page.click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    choose(page)
    page.goto(f"{address}/release")
    page.click("#to-changes")
    page.wait_for_selector("#gaps svg")
    assert page.locator("#crossed svg").count() == 3
    assert page.locator(".grid-original tbody tr").count() == PAGE
    # marked cells are those that differ, in both tables
    before = page.locator(".grid-original tbody td").all_inner_texts()
    after = page.locator(".grid-release tbody td").all_inner_texts()
    marked = page.locator(".grid-release tbody td").evaluate_all(
        "cells => cells.map(one => one.querySelector('.mark') !== null)"
    )
    assert marked == [old != new for old, new in zip(before, after, strict=True)]
    page.select_option("#column", "sex")
    page.click("#show-column")
    page.wait_for_url("**column=sex**")
    assert "Categories of sex" in page.get_attribute(
        "#frequency figure svg", "aria-label"
    )
    page.click("#next-page")
    page.wait_for_url("**page=2**")
    page.wait_for_selector("#place:has-text('page 2 of')")
    for width in (1440, 390):
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            assert serious(page) == [], (width, scheme)
            assert page.evaluate("document.documentElement.scrollWidth") == width
    assert errors == []
    context.close()
