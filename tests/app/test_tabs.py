"""Two tabs, a reload in the middle of a run, cancel, and answers while the work goes on."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import tacit as tc
from app.conftest import load_demo, wait_for_runs

pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
def twenty_thousand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file on which all attacks and measures take long enough to be interrupted."""
    path = tmp_path_factory.mktemp("files") / "twenty thousand.csv"
    tc.write(tc.datasets.make_census(20_000, seed=3), path)
    return path


def load_file(page, path: Path) -> str:
    """Upload a file; the address of its project."""
    page.set_input_files("#file", path)
    page.wait_for_selector("table.raw")
    return page.url.rpartition("/")[0]


def start_long_run(page, address: str) -> None:
    """Every attack and measure."""
    page.goto(f"{address}/protect")
    page.wait_for_selector("#preview .figures")
    page.select_option("#depth", "all")
    page.wait_for_selector("#preview:not(.stale)")
    page.click("#run")
    page.wait_for_url("**/compare")
    page.wait_for_selector("#progress:not(.hidden)")


@pytest.mark.slow
def test_reload_in_the_middle_then_cancel(page, server, twenty_thousand: Path) -> None:
    """The run goes on without the page, and ends when asked to."""
    address = load_file(page, twenty_thousand)
    start_long_run(page, address)
    page.reload()
    page.wait_for_selector("#progress:not(.hidden)")
    assert page.locator("#cancel").count() == 1
    # the page answers while the run goes on: other pages, and a preview of another plan
    for name in ("data", "roles", "release", "compare"):
        assert page.request.get(f"{address}/{name}").ok
    page.goto(f"{address}/protect")
    page.wait_for_selector("#progress:not(.hidden)")
    page.select_option("#add", "noise")
    page.click("text=Add a step")
    page.wait_for_selector("[name='s1.p.percent']")
    page.wait_for_selector("#preview .figures")
    assert page.locator("#progress:not(.hidden)").count() == 1
    page.click("#cancel")
    page.wait_for_selector(".notice:has-text('Cancelled')")
    page.wait_for_selector("#progress", state="hidden")
    # and the worker is there for the next run
    page.select_option("#depth", "quick")
    page.wait_for_selector("#preview:not(.stale)")
    page.click("#run:not([disabled])")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)


@pytest.mark.slow
def test_two_tabs_on_two_files_do_not_mix(context, page, server) -> None:
    """Each tab keeps its own plan, and closing one file leaves the other."""
    first = load_demo(page)
    other = context.new_page()
    other.goto(server.base)
    second = load_demo(other)
    assert first != second
    for tab, k in ((page, "4"), (other, "9")):
        address = first if tab is page else second
        tab.goto(f"{address}/protect")
        tab.wait_for_selector("#preview .figures")
        tab.fill("[name='s0.p.k']", k)
        tab.wait_for_selector("#undo:not([disabled])")
    for tab, k in ((page, "4"), (other, "9")):
        tab.reload()
        assert tab.input_value("[name='s0.p.k']") == k
    other.click("text=tacit")
    form = f"form[action='{second.removeprefix(server.base.rstrip('/'))}/close']"
    with other.expect_navigation():
        other.click(f"{form} button")
    assert other.request.get(f"{second}/data").status == 404
    assert page.request.get(f"{first}/data").ok


@pytest.mark.slow
def test_two_tabs_on_one_file_see_each_other(context, page, server) -> None:
    """A tab that is behind is told so and cannot overwrite."""
    address = load_demo(page)
    page.goto(f"{address}/protect")
    page.wait_for_selector("#preview .figures")
    other = context.new_page()
    other.goto(f"{address}/protect")
    other.wait_for_selector("#preview .figures")
    other.fill("[name='s0.p.k']", "7")
    other.wait_for_selector("#undo:not([disabled])")
    # the first tab is told, and cannot overwrite what it has not seen
    page.bring_to_front()
    page.wait_for_selector("#behind:not(.hidden)")
    page.fill("[name='s0.p.k']", "5")
    page.wait_for_selector("#preview .notice:has-text('another tab')")
    page.click("text=Show the newest")
    page.wait_for_selector("#preview .figures")
    assert page.input_value("[name='s0.p.k']") == "7"


@pytest.mark.slow
def test_answers_are_quick_while_a_run_goes_on(
    page, server, twenty_thousand: Path
) -> None:
    """The page's process does no work of its own, so its answers do not wait for the run.

    What is checked is no bound in seconds, but that the run still goes on after the answers.
    """
    address = load_file(page, twenty_thousand)
    start_long_run(page, address)
    began = time.monotonic()
    for _ in range(5):
        assert page.request.get(f"{address}/compare").ok
    spent = time.monotonic() - began
    assert page.locator("#progress:not(.hidden)").count() == 1, (
        f"the run was over after {spent:.1f} s"
    )
    page.click("#cancel")
    page.wait_for_selector(".notice:has-text('Cancelled')")
