"""Thresholds on the page, one verdict by them, Make it safe, and the file before protection."""

from __future__ import annotations

import pytest

from app.conftest import load_demo, wait_for_runs

pytestmark = pytest.mark.needs("chromium")


def protect(page, address: str) -> None:
    """Open the plan, with its preview."""
    page.goto(f"{address}/protect")
    page.wait_for_selector("#preview .figures")


@pytest.mark.slow
def test_presets_are_thresholds_and_other_ones_are_not_called_safe(page) -> None:
    """A preset sets every threshold; undo takes it back; older verdicts do not stand."""
    address = load_demo(page)
    protect(page, address)
    assert page.input_value("#preset") == "public"
    assert page.input_value("#bound") == "5"
    page.fill("[name='s0.p.k']", "15")
    page.wait_for_selector("#preview:not(.stale)")
    page.select_option("#preset", "scientific")
    page.wait_for_selector("#bound[value='9']")
    assert page.input_value("[name='limit.worst_off']") == "0.01"
    page.click("#limits summary")
    # saved with the preview, a moment after the last key
    with page.expect_response(
        lambda answer: "limit.worst_off=0.02" in (answer.request.post_data or "")
    ):
        page.fill("[name='limit.worst_off']", "0.02")
    page.reload()
    assert page.input_value("#preset") == "own"
    assert page.input_value("[name='limit.worst_off']") == "0.02"
    page.select_option("#preset", "scientific")
    page.wait_for_selector("[name='limit.worst_off'][value='0.01']", state="attached")
    # 15 alike: one in fifteen is found, within 9 %
    page.click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    assert "Safe by these thresholds" in page.inner_text("tr.chosen")
    # the file as it is stands on the map and below the table, and cannot be chosen
    before = page.inner_text("#before")
    assert "100\u00a0%" in before
    assert "Not safe" in before
    assert (
        page.locator("#live svg.map.for-screen text:has-text('as it is')").count() == 1
    )
    assert page.locator("#before button").count() == 0
    page.goto(f"{address}/release")
    assert "Before" in page.inner_text("th:has-text('Before')")
    assert "within the 9\u00a0% that is accepted" in page.inner_text(".verdict")
    # by stricter thresholds nobody has judged it
    protect(page, address)
    page.select_option("#preset", "public")
    page.wait_for_selector("#bound[value='5']")
    page.goto(f"{address}/compare")
    row = page.inner_text("#live tbody tr")
    assert "Safe" not in row
    assert "other thresholds" in row
    assert "recommended" not in row


@pytest.mark.slow
def test_make_it_safe(page) -> None:
    """From a plan that is not safe to one that is, with progress; bars go from 0 to 100 %."""
    address = load_demo(page)
    protect(page, address)
    # attack bars stand on one scale, so that 17 % does not look like 95 %
    assert "100 %" in page.locator("#preview svg.chart").first.text_content()
    page.fill("[name='s0.p.k']", "20")
    page.select_option("#preset", "scientific")
    page.wait_for_selector("#bound[value='9']")
    page.fill("[name='s0.p.k']", "8")
    page.wait_for_selector("#preview:not(.stale) .figures")
    page.click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    assert page.locator("tr.chosen").count() == 0
    page.click("#make-safe")
    page.wait_for_selector("#progress:has-text('Try 1')")
    page.wait_for_selector("tr.chosen:has-text('Safe by these thresholds')")
    page.wait_for_selector("#progress", state="hidden")
    # the plan that was found is the plan now, and undo takes it back
    protect(page, address)
    assert 9 <= int(page.input_value("[name='s0.p.k']")) <= 16
    page.goto(f"{address}/release")
    assert page.inner_text("#get-masked.primary") == "Masked file"
