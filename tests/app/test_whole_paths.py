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


def ticked(page, step: int) -> list[str]:
    """The columns that a step masks."""
    boxes = page.query_selector_all(f"[name='s{step}.p.columns']:checked")
    return [box.get_attribute("value") for box in boxes]


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


@pytest.mark.slow
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
    # the keys have classes already: a new step begins with what no step touches
    assert ticked(page, 1) == ["household_income", "expenditure"]
    page.fill("[name='s1.p.k']", "5")
    add(page, "rounding", 2)
    assert ticked(page, 2) == ["weight"]
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
    # by other thresholds it was not judged, so it is not offered as safe
    page.goto(f"{address}/protect")
    page.select_option("#preset", "secure")
    page.wait_for_selector("#bound[value='20']")
    page.goto(f"{address}/release")
    assert page.locator("#get-masked.primary").count() == 0
    assert page.inner_text("#next-step").startswith("Next: Run the plan again")


@pytest.mark.slow
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


# The browser's own log: when something was clicked, and when the first picture with an answer was
# painted: what is being done is said, or the next page is there. Both survive the change of page.
HEARD = """
const log = sessionStorage;
const heard = () => requestAnimationFrame(() => {
  if (log.clicked && !log.heard) log.heard = Date.now();
});
addEventListener("click", () => { log.removeItem("heard"); log.clicked = Date.now(); }, true);
addEventListener("DOMContentLoaded", () => {
  heard();
  const doing = document.querySelector("#doing");
  // an answer that cannot be seen yet is none
  const look = () => {
    if (!doing || doing.classList.contains("hidden")) return;
    if (Number(getComputedStyle(doing).opacity) >= 0.5) heard();
    else requestAnimationFrame(look);
  };
  if (doing) new MutationObserver(look).observe(doing, { attributes: true });
});
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "records",
    [2_000, pytest.param(100_000, marks=pytest.mark.slow)],
    ids=["few", "a-hundred-thousand"],
)
def test_every_click_is_answered_at_once(page, records: int) -> None:
    """Each is answered by the next page or by what is being done; times are printed."""
    page.context.add_init_script(HEARD)
    page.select_option("#records", str(records))
    page.click("#demo")
    page.wait_for_selector("table.raw")
    address = page.url.rpartition("/")[0]

    def told(what: str, first: float, last: float) -> None:
        print(
            f"{records:,} records, {what}: answered after {first:.2f} s, done after {last:.2f} s",
            flush=True,
        )

    def clicked(what: str, act, done: str) -> None:
        act()
        page.wait_for_selector(done, state="attached")
        # what is there may not be painted yet: on a busy machine the next frame comes later
        page.wait_for_function("() => sessionStorage.heard")
        first, last = page.evaluate(
            "() => [sessionStorage.heard - sessionStorage.clicked,"
            " Date.now() - sessionStorage.clicked]"
        )
        # an answer was heard at all, and not after what it announces
        assert 0 <= first <= last, what
        told(what, first / 1000, last / 1000)

    click = page.click
    clicked("roles", lambda: click("text=Next: roles"), "#look .figures")
    clicked("protect", lambda: click("text=Next: protect"), "#preview .figures")
    page.wait_for_selector("#preview:not(.stale)")
    start = time.perf_counter()
    with page.expect_response(lambda answer: answer.url.endswith("/preview")):
        page.fill("[name='s0.p.k']", "9")
    page.wait_for_selector("#preview:not(.stale)")
    told("preview", 0.0, time.perf_counter() - start)
    page.goto(f"{address}/data")
    clicked("records", lambda: click("text=All records"), "table.records")
    clicked(
        "sort",
        lambda: click("th a:has-text('AGI')"),
        "th[aria-sort=ascending]:has-text('AGI')",
    )
    clicked("next page", lambda: click("#next-page"), "span:has-text('page 2 of')")
    page.fill("#search", "77")
    clicked(
        "search", lambda: click("#find"), f"#found:not(:has-text('{records:,} of'))"
    )
    clicked("record", lambda: click("table.records tbody a >> nth=0"), "#rivals")
    clicked("history", lambda: click("#history"), ".states")
    page.goto(f"{address}/protect")
    page.wait_for_selector("#preview:not(.stale) .figures")
    page.select_option("#add", "rounding")
    clicked("add a step", lambda: click("text=Add a step"), "[name='s1.method']")
    last = "[aria-label='Remove step 2']"
    clicked(
        "remove a step", lambda: click(last), "body:not(:has([name='s1.method'])) #add"
    )
    clicked("undo", lambda: click("#undo"), "[name='s1.method']")
    clicked("redo", lambda: click("#redo"), "#redo[disabled]")
    clicked("classes", lambda: click("text=make the classes"), "#standing table")
    page.goto(f"{address}/protect")
    page.wait_for_selector("#preview:not(.stale) .figures")
    clicked("run", lambda: click("#run"), "#progress:not(.hidden)")
    clicked("cancel", lambda: click("#cancel"), "#progress.hidden")
    page.goto(f"{address}/protect")
    click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    choose = "button:has-text('Make it the release') >> nth=0"
    clicked("choose", lambda: click(choose), "tr.chosen")
    clicked("release", lambda: click("nav a[href$='release']"), ".verdict")
    clicked("what changed", lambda: click("#to-changes"), "#cells")
    page.goto(f"{address}/release")
    clicked("records with it", lambda: click("#to-records"), "table.records .changed")
    clicked("worst first", lambda: click("th a:has-text('Alike')"), "th[aria-sort]")
