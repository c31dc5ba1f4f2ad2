"""Two files on the way to a safe release and its report: a survey, and a census by keyboard."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest

import tacit as tc
from app.conftest import wait_for_runs
from app.test_access import tab_to
from app.test_path import download
from app.test_points import add, opened, without_steps

pytestmark = pytest.mark.needs("chromium")

SAFE = ".verdict.good"


def finished(page, folder: Path) -> None:
    """The release is green, and what is taken away says so, too."""
    page.wait_for_selector(SAFE)
    assert page.inner_text(".verdict .word").lower() == "safe by these thresholds"
    assert page.inner_text("#next-step").startswith("Next: Release it")
    assert page.inner_text("#get-masked.primary") == "Masked file"
    report = download(page, "#get-report", folder).read_text()
    assert "Safe by these thresholds" in report
    said = json.loads(download(page, "#get-assessment", folder).read_text())
    assert said["verdict"]["state"] == "safe"


def test_a_household_survey_becomes_safe(page, tmp_path: Path) -> None:
    """Not safe, with a next step; that step; then what the page makes of it by itself."""
    survey = tmp_path / "survey.csv"
    tc.write(tc.datasets.make_households(300, seed=1), survey)
    address = opened(page, survey)
    page.wait_for_selector("#strip .figures")
    without_steps(page, address)
    add(page, "generalisation", 0)
    page.wait_for_selector("#preview .figures")
    page.click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    # what gives people away is not a key: exact sums that a household shares
    step = page.inner_text("#live tbody .judged .sub")
    assert step.startswith("Round or group column")
    assert "household_income" in step
    page.goto(f"{address}/protect")
    add(page, "microaggregation", 1)
    for name in ("household_income", "expenditure"):
        page.check(f"[name='s1.p.columns'][value='{name}']")
    page.fill("[name='s1.p.k']", "5")
    add(page, "rounding", 2)
    # it begins with the only key that is a number, which has classes already
    page.uncheck("[name='s2.p.columns'][value='age']")
    page.check("[name='s2.p.columns'][value='weight']")
    page.fill("[name='s2.p.base']", "50")
    page.click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 2)
    assert "Borderline" in page.inner_text("#live tbody tr:first-child")
    page.click("#make-safe-plan")
    page.wait_for_selector("tr.chosen")
    page.wait_for_selector("#progress", state="hidden")
    page.goto(f"{address}/release")
    finished(page, tmp_path)
    masked = pa.csv.read_csv(download(page, "#get-masked", tmp_path))
    assert {"household", "member", "relation"}.isdisjoint(masked.column_names)


def test_a_census_becomes_safe_by_keyboard_alone(page, tmp_path: Path) -> None:
    """From the start page to the report, without a mouse."""

    def press(selector: str, key: str = "Enter") -> None:
        page.evaluate("document.activeElement.blur()")
        tab_to(page, selector)
        page.keyboard.press(key)

    press("#demo")
    page.wait_for_selector("table.raw")
    press("a[href='roles']")
    page.wait_for_url("**/roles")
    tab_to(page, "[aria-label='Role of AFNLWGT']")
    page.keyboard.type("weight")
    page.keyboard.press("Tab")
    page.wait_for_selector("#undo:not([disabled])")
    press("a[href='protect']")
    page.wait_for_selector("#preview .figures")
    tab_to(page, "[name='s0.p.k']")
    page.keyboard.press("Control+a")
    page.keyboard.type("5")
    page.wait_for_selector("#preview:not(.stale)")
    press("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    press("#make-safe-plan")
    page.wait_for_selector("tr.chosen")
    page.wait_for_selector("#progress", state="hidden")
    press("a[href='release']")
    page.wait_for_url("**/release")
    with page.expect_download() as waiting:
        press("#get-report")
    assert waiting.value.suggested_filename == "demo-report.html"
    finished(page, tmp_path)


@pytest.mark.slow
def test_a_hundred_thousand_records_answer_at_once(page) -> None:
    """Every click is answered by the next page or by what is being done; times are printed."""
    page.select_option("#records", "100000")
    page.click("#demo")
    page.wait_for_selector("table.raw")
    address = page.url.rpartition("/")[0]
    log: list[tuple[str, float, float]] = []

    def clicked(what: str, act, done: str) -> None:
        start = time.perf_counter()
        act()
        # an answer: what is being done is said, or it is there already
        page.wait_for_selector(f"#doing:not(.hidden), {done}", state="attached")
        first = time.perf_counter() - start
        page.wait_for_selector(done)
        log.append((what, first, time.perf_counter() - start))

    clicked("roles", lambda: page.click("text=Next: roles"), "#look .figures")
    clicked("protect", lambda: page.click("text=Next: protect"), "#preview .figures")
    page.fill("[name='s0.p.k']", "7")
    page.wait_for_selector("#preview:not(.stale)")
    start = time.perf_counter()
    page.fill("[name='s0.p.k']", "9")
    page.wait_for_selector("#preview.stale")
    page.wait_for_selector("#preview:not(.stale)")
    log.append(("preview", 0.0, time.perf_counter() - start))
    page.goto(f"{address}/data")
    clicked("records", lambda: page.click("text=All records"), "table.records")
    clicked(
        "sort",
        lambda: page.click("th a:has-text('AGI')"),
        "th[aria-sort=ascending]:has-text('AGI')",
    )
    clicked("next page", lambda: page.click("#next-page"), "span:has-text('page 2 of')")
    page.fill("#search", "77")
    clicked(
        "search", lambda: page.click("#find"), "#found:not(:has-text('100,000 of'))"
    )
    clicked("record", lambda: page.click("table.records tbody a >> nth=0"), "#rivals")
    clicked("history", lambda: page.click("#history"), ".states")
    for what, first, last in log:
        print(
            f"100,000 records, {what}: answered after {first:.2f} s, done after {last:.2f} s"
        )
