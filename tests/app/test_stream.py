"""The stream page in a real browser: start, watch it move, stop; a bad parameter is a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.needs("chromium")


def seen(page) -> int:
    """Records that the page says have come in."""
    return int(page.inner_text("#live .figures dd >> nth=0").replace(",", ""))


@pytest.mark.slow
def test_measures_move_while_the_stream_runs(page, server) -> None:
    """Start, watch the figures change, stop."""
    page.goto(f"{server.base}stream")
    with page.expect_navigation():
        page.select_option("#filter", "microaggregation")
    page.select_option("#pace", "500")
    page.fill("#count", "100000")
    page.click("#start")
    page.wait_for_selector("#live svg[aria-label^='Risk']")
    first = seen(page)
    page.wait_for_selector(
        f"#live .figures div:first-child dd:not(:text-is('{first:,}'))"
    )
    assert seen(page) > first
    for name in ("Risk", "Loss", "Delay"):
        assert page.locator(f"#live svg.for-screen[aria-label^='{name}']").count() == 1
    page.click("#stop")
    page.wait_for_selector("#live h2:has-text('stopped')")
    page.wait_for_selector("#stop[disabled]")


@pytest.mark.slow
def test_the_form_has_plain_labels(page, server) -> None:
    """As on the protect page: words with the name beside them, and the rest is folded."""
    page.goto(f"{server.base}stream")
    page.select_option("#filter", "rank_swapping")
    page.wait_for_selector("[name='p.p']")
    assert (
        page.inner_text("label[for='p.p']")
        == "How far values may move, in % of the ranks p"
    )
    assert not page.is_visible("[name='p.ordinal']")
    page.click(".advanced summary")
    assert page.is_visible("[name='p.ordinal']")
    filters = page.query_selector_all("#filter option")
    for name in [one.get_attribute("value") for one in filters]:
        page.select_option("#filter", name)
        page.wait_for_selector(
            f"#filter option[value='{name}'][selected]", state="attached"
        )
        bare = page.locator(
            "form .fields:not(.advanced *) label > code:only-child:not(.soft)"
        )
        assert bare.count() == 0, name


@pytest.mark.slow
def test_an_uploaded_stream_and_a_bad_parameter(page, server, tmp_path: Path) -> None:
    """A file streams to its end; a filter without its bounds says so."""
    path = tmp_path / "flow.csv"
    rows = np.random.default_rng(0).normal(size=(800, 3)).round(3)
    path.write_text(
        "a,b,c\n" + "\n".join(",".join(map(str, row)) for row in rows) + "\n"
    )
    page.goto(f"{server.base}stream")
    page.select_option("#filter", "noise")
    page.wait_for_selector("[name='p.percent']")
    page.set_input_files("#upload", path)
    page.select_option("#pace", "0")
    page.click("#start")
    page.wait_for_selector("#live h2:has-text('ended')")
    assert seen(page) == 800
    # what has ended cannot be stopped, although nobody has loaded the page again
    page.wait_for_selector("#stop[disabled]")
    page.select_option("#filter", "dp_microaggregation")
    page.wait_for_selector("[name='p.epsilon']")
    page.click("#start")
    page.wait_for_selector("#live .notice.bad")
    assert "bounds" in page.inner_text("#live .notice.bad")
