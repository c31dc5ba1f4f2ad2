"""Everyone can use it: axe-core finds nothing serious; the keyboard alone is enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.conftest import PATIENCE, choose, load_demo, wait_for_runs

pytestmark = pytest.mark.needs("chromium")
AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")


def serious(page) -> list[str]:
    """Serious and critical violations. `evaluate` runs outside the page's policy."""
    page.evaluate(AXE)
    violations = page.evaluate("async () => (await axe.run(document)).violations")
    sentences = []
    for one in violations:
        if one["impact"] in ("serious", "critical"):
            places = [node["target"] for node in one["nodes"]][:4]
            sentences.append(f"{one['id']}: {one['help']}: {places}")
    return sentences


# every size in every theme, on one walk two of them: a walk takes longer than a look
LOOKS = {
    "bright desk, dark telephone": ((1440, "light"), (390, "dark")),
    "dark desk, bright telephone": ((1440, "dark"), (390, "light")),
}


def seen(page, looks: tuple[tuple[int, str], ...]) -> list[str]:
    """What is wrong with a page at these sizes and in these themes."""
    wrong = []
    for width, scheme in looks:
        page.set_viewport_size({"width": width, "height": 860})
        page.emulate_media(color_scheme=scheme)
        wrong += [f"{width} {scheme} {one}" for one in serious(page)]
    page.set_viewport_size({"width": 1280, "height": 860})
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize(
    "looks",
    [
        "bright desk, dark telephone",
        pytest.param("dark desk, bright telephone", marks=pytest.mark.slow),
    ],
)
def test_axe_finds_nothing_serious(browser, server, looks: str, tmp_path: Path) -> None:
    """On every page, with an error shown, and in the report."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 860}, bypass_csp=True
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(server.address)
    problems = {"home": seen(page, LOOKS[looks])}
    address = load_demo(page)
    page.goto(f"{address}/protect")
    page.wait_for_selector("#preview .figures")
    page.wait_for_selector("#preview:not(.stale)")
    problems["protect"] = seen(page, LOOKS[looks])
    page.fill("[name='s0.p.k']", "-1")
    page.wait_for_selector("#preview .notice.bad")
    page.wait_for_selector("#preview:not(.stale)")
    problems["error"] = seen(page, LOOKS[looks])
    page.fill("[name='s0.p.k']", "5")
    page.wait_for_selector("#preview .figures")
    page.click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    problems["compare"] = seen(page, LOOKS[looks])
    choose(page)
    for name in ("data", "roles", "release", "records", "record", "history"):
        page.goto(f"{address}/{name}")
        if name == "roles":
            page.wait_for_selector("#strip .figures")
        problems[name] = seen(page, LOOKS[looks])
    page.goto(f"{address}/classes?column=AGI")
    page.wait_for_selector("#standing table")
    problems["classes"] = seen(page, LOOKS[looks])
    page.click("#keep")
    page.wait_for_selector("#drop")
    page.goto(f"{address}/lattice")
    page.wait_for_selector("#best")
    problems["lattice"] = seen(page, LOOKS[looks])
    page.goto(f"{address}/release")
    with page.expect_download() as waiting:
        page.click("#get-report")
    waiting.value.save_as(tmp_path / "report.html")
    page.goto(f"{server.base}stream")
    problems["stream"] = seen(page, LOOKS[looks])
    page.goto((tmp_path / "report.html").as_uri())
    problems["report"] = seen(page, LOOKS[looks])
    context.close()
    assert {name: found for name, found in problems.items() if found} == {}


def tab_to(page, selector: str, most: int = 120) -> None:
    """Press Tab until the element has the focus, as someone without a mouse does."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(
            "s => document.activeElement && document.activeElement.matches(s)", selector
        ):
            return
    raise AssertionError(f"{selector} cannot be reached with Tab on {page.url}")


@pytest.mark.slow
def test_the_keyboard_alone_is_enough(page) -> None:
    """From the start page to the download, without a mouse."""
    tab_to(page, "#demo")
    page.keyboard.press("Enter")
    page.wait_for_selector("table.raw")
    tab_to(page, "a[href='roles']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/roles")
    tab_to(page, "[aria-label='Role of AFNLWGT']")
    page.keyboard.type("weight")
    page.keyboard.press("Tab")
    page.wait_for_selector("#undo:not([disabled])")
    tab_to(page, "a[href='protect']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#preview .figures")
    tab_to(page, "[name='s0.p.k']")
    page.keyboard.press("Control+a")
    page.keyboard.type("8")
    page.wait_for_selector("#preview:not(.stale)")
    tab_to(page, "#run")
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    tab_to(page, "#sweep")
    page.keyboard.press("Enter")
    wait_for_runs(page, 4)
    page.focus("body")
    tab_to(page, ".pick:not(.chosen)")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Enter")
    page.wait_for_selector(f".pick.chosen[aria-label='{label}']")
    tab_to(page, "a[href='release']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/release")
    with page.expect_download():
        tab_to(page, "#get-masked")
        page.keyboard.press("Enter")
