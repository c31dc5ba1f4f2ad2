"""Every step of the page in every size and theme, to be looked at: `python -m tools.page_shots`.

Two files go the whole way: a household survey (categories, households, a weight) and the census of
the demo. At each step four pictures are kept in /tmp/shots (or in the folder that is named): 1440
and 390 pixels wide, light and dark. A page that is wider than its screen is printed at the end, and
so is a script error.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import tacit as tc

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]
SIZES = {1440: 900, 390: 844}
THEMES = ("light", "dark")
HIGHEST = 12_000
"""Pixels of the longest picture."""
DROPPED = ("member", "relation", "dwelling", "education", "household")
ROLES = {
    **dict.fromkeys(DROPPED, "identifier"),
    **dict.fromkeys(("region", "urban", "sex", "age", "water"), "quasi"),
    **dict.fromkeys(("household_income", "expenditure"), "confidential"),
    "weight": "weight",
}


class Looker:
    """A tab, and the pictures that are taken of it."""

    def __init__(self, page: Any, folder: Path, address: str) -> None:
        self.page = page
        self.folder = folder
        self.base = address.partition("?")[0]
        self.story = ""
        self.number = 0
        self.wrong: list[str] = []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))

    def keep(self, name: str, whole: bool = True) -> None:
        """Four pictures of what is there now."""
        self.number += 1
        for width, height in SIZES.items():
            self.page.set_viewport_size({"width": width, "height": height})
            for theme in THEMES:
                self.page.emulate_media(color_scheme=theme)
                self.page.wait_for_timeout(60)
                target = f"{self.story}-{self.number:02}-{name}-{width}-{theme}.png"
                if whole:
                    self._grow(width, height)
                self.page.screenshot(path=self.folder / target)
            wide = self.page.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                self.wrong.append(f"{self.story} {name}: {wide} wide on {width}")
        self.page.set_viewport_size({"width": 1440, "height": SIZES[1440]})
        print(self.story, self.number, name, flush=True)

    def _grow(self, width: int, height: int) -> None:
        """A screen as high as the page: what sticks to its edge then covers nothing."""
        full = self.page.evaluate("document.documentElement.scrollHeight")
        size = {"width": width, "height": min(max(full, height), HIGHEST)}
        self.page.set_viewport_size(size)
        self.page.wait_for_timeout(60)

    @contextmanager
    def held(self, pattern: str) -> Iterator[None]:
        """While the answer to a request is held back, so that the waiting can be looked at."""
        waiting: list[Any] = []

        def hold(route: Any) -> None:
            waiting.append(route)

        self.page.route(pattern, hold)
        yield
        # what is let go must not be caught again
        self.page.unroute(pattern, hold)
        for route in waiting:
            with suppress(Exception):
                route.continue_()

    def runs(self, number: int) -> None:
        """Wait for so many plans, and until nothing runs."""
        self.page.wait_for_selector(f"#live tbody tr:nth-child({number})")
        self.page.wait_for_selector("#progress", state="hidden")

    def add(self, method: str, place: int) -> None:
        """Add a step to the plan."""
        self.page.select_option("#add", method)
        self.page.click("text=Add a step")
        self.page.wait_for_selector(f"[name='s{place}.method']")

    def calm(self) -> None:
        """Wait for the newest preview."""
        self.page.wait_for_timeout(400)
        self.page.wait_for_selector("#preview:not(.stale)")

    def downloaded(self, selector: str, name: str) -> None:
        """A report that is downloaded and opened as a file, then back."""
        here = self.page.url
        with self.page.expect_download() as waiting:
            self.page.click(selector)
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "report.html")
            waiting.value.save_as(report)
            self.page.goto(report.as_uri())
            self.keep(name)
        self.page.goto(here)


def doors(see: Looker, folder: Path) -> None:
    """The start page, what is refused, and what waits."""
    page = see.page
    see.story = "doors"
    see.keep("start")
    bad = folder / "holiday.csv"
    bad.write_bytes(b"\x00\x01\x02 not a table")
    page.set_input_files("#file", bad)
    page.wait_for_selector(".notice.bad")
    see.keep("refused-file")
    page.goto(f"{see.base}p/gone/data")
    see.keep("not-open-any-more")
    page.goto(see.base)
    page.select_option("#records", "20000")
    page.click("#demo", no_wait_after=True)
    page.wait_for_selector("progress, table.raw")
    see.keep("reading")
    page.wait_for_selector("table.raw")
    page.goto(see.base)
    see.keep("start-with-files")
    page.goto(f"{see.base}stream")
    see.keep("stream-empty")
    page.select_option("#filter", "microaggregation")
    page.wait_for_load_state()
    page.select_option("#pace", "2000")
    page.click("#start")
    page.wait_for_selector("#live svg[aria-label^='Risk']")
    page.wait_for_timeout(5000)
    see.keep("stream-running")
    # on a busy machine the stream has ended by then, and a button that is off is waited for
    if page.is_enabled("#stop"):
        page.click("#stop")


def census(see: Looker) -> None:
    """The demo's census: numbers, a plan that is not safe, then one that is."""
    page = see.page
    see.story = "census"
    see.number = 0
    page.goto(see.base)
    page.click("#demo")
    page.wait_for_selector("table.raw")
    address = page.url.rpartition("/")[0]
    see.keep("data")
    with see.held("**/look"):
        page.click("text=Next: roles")
        page.wait_for_selector("#strip .figures")
        page.wait_for_timeout(300)
        see.keep("roles-counting")
    page.goto(f"{address}/roles")
    page.wait_for_selector("#look .figures")
    page.select_option("[aria-label='Role of AFNLWGT']", "weight")
    page.wait_for_selector("#undo:not([disabled])")
    page.wait_for_selector("#look:not(.stale) .figures")
    see.keep("roles")
    page.goto(f"{address}/release")
    see.keep("release-before-any-run")
    page.goto(f"{address}/compare")
    see.keep("compare-before-any-run")
    page.goto(f"{address}/changes")
    see.keep("changes-before-any-run")
    with see.held("**/preview"):
        page.goto(f"{address}/protect")
        page.wait_for_timeout(500)
        see.keep("protect-waiting")
    page.goto(f"{address}/protect")
    page.wait_for_selector("#preview .figures")
    see.calm()
    see.keep("protect")
    page.fill("[name='s0.p.k']", "1")
    see.calm()
    see.keep("protect-wrong-k")
    page.fill("[name='s0.p.k']", "5")
    for summary in page.query_selector_all("details summary"):
        summary.click()
    see.calm()
    see.keep("protect-unfolded")
    page.click("#run")
    page.wait_for_url("**/compare")
    page.wait_for_timeout(600)
    see.keep("compare-running")
    see.runs(1)
    see.keep("compare-none-safe")
    page.goto(f"{address}/release")
    see.keep("release-none-safe")
    page.goto(f"{address}/compare")
    page.fill("#values", "6 12 20 40")
    page.click("#sweep")
    see.runs(5)
    page.click("#make-safe-plan")
    page.wait_for_timeout(1500)
    see.keep("compare-making-safe")
    page.wait_for_selector("tr.chosen")
    page.wait_for_selector("#progress", state="hidden")
    see.keep("compare-safe")
    ends(see, address, "AGI")


def survey(see: Looker, folder: Path) -> None:
    """A household survey: categories in classes, levels, gaps, borderline, safe."""
    page = see.page
    see.story = "survey"
    see.number = 0
    path = folder / "survey.csv"
    tc.write(tc.datasets.make_households(300, seed=1), path)
    page.goto(see.base)
    page.set_input_files("#file", path)
    page.wait_for_selector("table.raw")
    address = page.url.rpartition("/")[0]
    see.keep("data")
    page.goto(f"{address}/roles")
    page.wait_for_selector("#look .figures")
    see.keep("roles-guessed")
    for column, role in ROLES.items():
        with page.expect_response(lambda answer: answer.url.endswith("/roles")):
            page.select_option(f"[aria-label='Role of {column}']", role)
    page.wait_for_timeout(500)
    page.wait_for_selector("#look:not(.stale) .figures")
    see.keep("roles")
    page.goto(f"{address}/protect")
    while page.query_selector("[name='s0.method']") is not None:
        page.click("[aria-label='Remove step 1']")
        page.wait_for_load_state()
    see.calm()
    see.keep("protect-no-steps")
    page.goto(f"{address}/classes?column=age")
    page.wait_for_selector("#standing table")
    see.keep("classes-age")
    page.select_option("#sort", "cuts")
    page.fill("#cuts", "20, 40, 60")
    page.wait_for_selector("#bars:has-text('under 20')")
    page.wait_for_selector("#tried:not(.stale)")
    see.keep("classes-age-cuts")
    page.fill("#cuts", "20, 40, sixty")
    page.wait_for_selector("#rule .notice.bad")
    see.keep("classes-wrong")
    page.fill("#cuts", "20, 40, 60")
    page.wait_for_selector("#bars:has-text('under 20')")
    page.click("#keep")
    page.wait_for_selector(".tag.good")
    page.goto(f"{address}/classes?column=region")
    page.wait_for_selector("#standing table")
    page.wait_for_selector("#tried:not(.stale)")
    see.keep("classes-region")
    page.click("#keep")
    page.wait_for_selector(".tag.good")
    page.goto(f"{address}/lattice")
    page.wait_for_selector("#best")
    see.keep("lattice")
    page.goto(f"{address}/protect")
    see.calm()
    see.keep("protect-generalisation")
    page.click("#run")
    page.wait_for_url("**/compare")
    see.runs(1)
    see.keep("compare-none-safe")
    page.goto(f"{address}/protect")
    see.add("microaggregation", 1)
    page.fill("[name='s1.p.k']", "5")
    see.add("rounding", 2)
    page.fill("[name='s2.p.base']", "50")
    see.calm()
    see.keep("protect-three-steps")
    page.click("#run")
    page.wait_for_url("**/compare")
    see.runs(2)
    see.keep("compare-two")
    page.click("button:has-text('Make it the release') >> nth=0")
    page.wait_for_selector("tr.chosen")
    page.goto(f"{address}/release")
    page.wait_for_selector(".verdict")
    see.keep("release-not-safe-yet")
    page.goto(f"{address}/compare")
    page.click("#make-safe-plan")
    page.wait_for_selector("#progress:not(.hidden)")
    page.wait_for_selector("#progress", state="hidden", timeout=600_000)
    page.click("#defaults")
    page.wait_for_timeout(1500)
    page.wait_for_selector("#progress", state="hidden", timeout=600_000)
    see.keep("compare-all-methods")
    ends(see, address, "age")


def ends(see: Looker, address: str, column: str) -> None:
    """What both files share: release, report, records, changes, history, thresholds."""
    page = see.page
    page.goto(f"{address}/release")
    page.wait_for_selector(".verdict")
    see.keep("release")
    see.downloaded("#get-report", "report")
    see.downloaded("#get-external", "report-external")
    page.goto(f"{address}/changes?column={column}")
    see.keep("changes")
    page.goto(f"{address}/records?sort=alike")
    see.keep("records", whole=False)
    page.click("table.records tbody tr:first-child a")
    page.wait_for_selector("#rivals")
    see.keep("record")
    page.goto(f"{address}/records?search=nothing+like+this")
    see.keep("records-none")
    page.goto(f"{address}/history")
    see.keep("history")
    page.goto(f"{address}/protect")
    page.select_option("#preset", "secure")
    page.wait_for_selector("#bound[value='20']")
    page.click("#limits summary")
    see.calm()
    see.keep("protect-thresholds")
    page.goto(f"{address}/compare")
    see.keep("compare-other-thresholds")
    page.goto(f"{address}/release")
    see.keep("release-other-thresholds")


def main(folder: Path, stories: list[str]) -> int:
    """Start the page, go through the stories; 1 where something is wrong by itself."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    source = str(Path(__file__).parents[1] / "src")
    environment = {**os.environ, "PYTHONPATH": source, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "tacit", "app", "--port", "0", "--no-browser"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found
        try:
            with sync_playwright() as playwright, tempfile.TemporaryDirectory() as made:
                browser = playwright.chromium.launch(
                    executable_path=shutil.which("chromium"), args=FLAGS
                )
                page = browser.new_page(viewport={"width": 1440, "height": 900})
                page.set_default_timeout(400_000)
                reach(page, found.group())
                see = Looker(page, folder, found.group())
                if "doors" in stories:
                    doors(see, Path(made))
                if "census" in stories:
                    census(see)
                if "survey" in stories:
                    survey(see, Path(made))
                browser.close()
        finally:
            server.send_signal(signal.SIGINT)
    for line in see.wrong:
        print("WRONG:", line)
    return 1 if see.wrong else 0


def reach(page: Any, address: str) -> None:
    """Ask until the server answers."""
    for _ in range(100):
        try:
            page.goto(address)
            return
        except Exception:
            page.wait_for_timeout(200)


if __name__ == "__main__":
    asked = sys.argv[1:]
    place = Path(asked[0]) if asked else Path("/tmp/shots")
    sys.exit(main(place, asked[1:] or ["doors", "census", "survey"]))
