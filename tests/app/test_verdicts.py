"""What the page recommends and chooses is safe; a plan that fails is a row, not an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.conftest import load_demo, wait_for_runs

pytestmark = pytest.mark.needs("chromium")


@pytest.mark.slow
def test_nothing_unsafe_is_recommended_or_chosen(page) -> None:
    """One plan that is not safe, one that fails, then one that is safe."""
    address = load_demo(page)
    page.goto(f"{address}/compare")
    page.fill("#values", "3 -1")
    page.click("#sweep")
    wait_for_runs(page, 2)
    page.reload()
    table = page.inner_text("#live table")
    assert "k=-1" in table
    assert "Not safe" in table
    assert page.locator("#live tr.chosen").count() == 0
    assert "recommended" not in table
    notice = page.inner_text("#none-safe")
    assert notice.startswith("No safe plan yet.")
    assert "comes closest" in notice
    page.goto(f"{address}/release")
    assert "No safe plan yet" in page.inner_text("main")
    assert page.locator("#get-masked").count() == 0

    # what is not safe is only chosen by hand, and is not the button to press
    page.goto(f"{address}/compare")
    page.click("button[aria-label*='k=3']:has-text('Make it the release')")
    page.wait_for_selector("tr.chosen:has-text('k=3')")
    page.goto(f"{address}/release")
    assert "not called safe" in page.inner_text("#get-masked")
    assert page.locator("#get-masked.primary").count() == 0
    page.goto(f"{address}/compare")
    page.click("[aria-label='Remove Microaggregation k=3']")
    page.wait_for_selector("tr.chosen", state="detached")

    page.fill("#values", "30")
    page.click("#sweep")
    wait_for_runs(page, 2)
    chosen = page.inner_text("tr.chosen")
    assert "k=30" in chosen
    assert "recommended" in chosen
    assert page.locator("#none-safe").count() == 0
    page.set_viewport_size({"width": 390, "height": 800})
    # on a telephone tables scroll, and the page does not
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.set_viewport_size({"width": 1280, "height": 860})
    page.goto(f"{address}/release")
    assert page.inner_text("#get-masked.primary") == "Masked file"


def test_guesses_say_how_sure_they_are(page, tmp_path: Path) -> None:
    """The roles step marks what needs a decision, and no longer once somebody said it."""
    source = tmp_path / "people.csv"
    rows = [
        f"{1 + i % 12:02d}/{1 + i % 11:02d}/19{30 + i % 60},{i * 7 % 50},m"
        for i in range(90)
    ]
    source.write_text("\n".join(["born,age,sex", *rows]))
    page.set_input_files("#file", source)
    page.wait_for_selector("table.raw")
    page.goto(f"{page.url.rpartition('/')[0]}/roles")
    born = page.locator(".roles tbody tr").nth(0)
    assert "needs a decision" in born.inner_text()
    assert "day and month cannot be told apart" in born.inner_text()
    assert "date_format" in born.locator(".ask").inner_text()
    assert born.locator(".tag").first.inner_text() == "unsure"
    assert page.inner_text("#to-decide").startswith("1 column needs a decision: born.")
    assert page.locator(".roles tbody tr").nth(2).locator(".tag").inner_text() in (
        "sure",
        "likely",
    )
    page.select_option("[aria-label='Kind of born']", "text")
    page.wait_for_selector("#guess-0:has-text('you said so')")
    assert page.inner_text("#to-decide") == ""
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
