"""Points 2, 7, 10, 11 and 13 of the page and the report, through the doors that users have.

Only the page, the command line and the written report are used, so that this file also runs on the
code from before (commit 049fb1b), with the fixtures of that code, where every test fails: copy it
into `tests/app` of that commit.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.conftest import load_demo, wait_for_runs

KEYS = ("region", "urban", "water", "sex", "age")
SUMS = ("income", "expenditure")
PLAN = """
[[steps]]
method = "recoding"
intervals = {age = [0, 30, 40, 50, 60, 100]}

[[steps]]
method = "local_suppression"
k = 3
seed = 5

[[steps]]
method = "microaggregation"
k = 5
columns = ["income", "expenditure"]
"""
MOST_PAGES = 8
SOURCE = Path(__file__).parents[2] / "src"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE), "COLUMNS": "100"}
# The command, with an optimal assignment that says that it runs and then waits for a signal.
WAITS = """
import sys, time
from tacit.attack.assignment import Assignment

def waiting(self, *args, **more):
    print("RUNS", file=sys.stderr, flush=True)
    while True:
        time.sleep(0.05)

Assignment.link = waiting
from tacit.cli import main
main()
"""


@dataclass(frozen=True)
class Written:
    """A survey, its release, what the terminal said, and both reports."""

    folder: Path
    said: str

    @property
    def words(self) -> list[str]:
        """The words that assess the release again."""
        release = self.folder / "release.csv"
        manifest = self.folder / "release.csv.manifest.json"
        files = ["assess", self.folder / "survey.csv", release, "--plan", manifest]
        return [*map(str, files), "--attackers", "nearest,assignment"]


def tacit(*words: str | Path) -> str:
    """What a command prints, which must end well."""
    command = [sys.executable, "-m", "tacit", *map(str, words)]
    done = subprocess.run(
        command, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def survey(path: Path) -> None:
    """Two hundred people: categories, an age, two sums."""
    draw = random.Random(3)
    lines = [",".join((*KEYS, *SUMS))]
    for _ in range(200):
        income = round(draw.lognormvariate(10, 1), 2)
        person = (
            f"r{draw.randrange(6)}",
            draw.choice(["city", "land"]),
            draw.choice(["tap", "well", "river", "tank"]),
            draw.choice("mf"),
            draw.randrange(20, 80),
            income,
            round(income * draw.uniform(0.5, 0.9), 2),
        )
        lines.append(",".join(map(str, person)))
    path.write_text("\n".join(lines) + "\n")


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Protected, attacked, and reported twice."""
    folder = tmp_path_factory.mktemp("survey")
    survey(folder / "survey.csv")
    (folder / "plan.toml").write_text(PLAN)
    roles = ["--quasi", ",".join(KEYS), "--confidential", ",".join(SUMS)]
    release = folder / "release.csv"
    plan = ["--plan", folder / "plan.toml"]
    tacit("protect", folder / "survey.csv", release, *plan, *roles)
    words = Written(folder, "").words
    said = tacit(*words, "--html", folder / "internal.html")
    tacit(*words, "--html", folder / "external.html", "--external")
    return Written(folder, said)


@pytest.fixture
def report(browser, written: Written) -> Iterator[object]:
    """The report for the office, opened as a file."""
    made = browser.new_page(viewport={"width": 1440, "height": 900})
    made.goto((written.folder / "internal.html").as_uri())
    yield made
    made.close()


@pytest.mark.needs("chromium")
def test_what_is_not_safe_is_neither_recommended_nor_the_release(page) -> None:
    """Point 2: with k = 1 all people are found; it was both, and its file the primary button."""
    address = load_demo(page)
    page.goto(f"{address}/protect")
    page.fill("[name='s0.p.k']", "1")
    page.wait_for_selector("#undo:not([disabled])")
    page.click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    tags = page.locator("#live tbody .tag").all_inner_texts()
    assert "recommended" not in tags
    assert "the release" not in tags
    assert page.locator("a.primary[href=release]").count() == 0
    page.goto(f"{address}/release")
    assert page.locator("#get-masked.primary").count() == 0


@pytest.mark.needs("chromium")
def test_a_gap_is_explained_beside_its_counts(report) -> None:
    """Point 7: by one count nobody is alone, by another many are; both stand there, and why."""
    counted = [
        part.inner_text()
        for part in report.locator("section").all()
        if "k-anonymity passes" in part.inner_text()
    ]
    assert counted, "no part says how k-anonymity is counted"
    plain = " ".join(" ".join(counted).split())
    assert "a gap agrees with every value" in plain
    assert re.search(r"\d+ records are the only one of their kind", plain)


@pytest.mark.needs("chromium")
def test_a_bar_is_as_long_as_its_rate(report) -> None:
    """Point 10: the axis ends at 100 %, not at the widest whisker."""
    drawn = report.locator("svg[aria-label^='Share of people found']").first
    rates = re.findall(r": ([\d.]+)\s%", drawn.get_attribute("aria-label"))

    def widths(kind: str) -> list[float]:
        found = drawn.locator(f"rect.{kind}").all()
        return [float(one.get_attribute("width")) for one in found]

    bars, tracks = widths("masked"), widths("track")
    assert len(rates) == len(bars) == len(tracks) >= 2
    for rate, bar, track in zip(rates, bars, tracks, strict=True):
        assert bar / track == pytest.approx(float(rate) / 100, abs=0.01)


@pytest.mark.needs("chromium")
def test_the_report_is_short_on_paper(report) -> None:
    """Point 11: thirteen pages for this survey, seventeen for a larger one."""
    printed = report.pdf(format="A4")
    pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", printed))
    print(f"a survey of 200 people: {pages} pages of A4")
    assert pages <= MOST_PAGES


@pytest.mark.needs("chromium")
def test_the_external_report_counts_no_links(browser, written: Written) -> None:
    """Point 11: correct links of so many records give k away."""
    page = browser.new_page()
    page.goto((written.folder / "external.html").as_uri())
    heads = [one.strip().lower() for one in page.locator("th").all_inner_texts()]
    body = page.inner_text("main")
    page.close()
    assert "correct links" not in heads
    assert not re.search(r"\d+(\.\d+)? correct links", body)


def test_the_terminal_begins_with_the_verdict(written: Written) -> None:
    """Point 13: it came after sixty lines."""
    first, second, *_ = written.said.splitlines()
    assert first == "Verdict: not safe"
    assert second.startswith("Next: ")


def test_ctrl_c_stops_the_whole_command_and_says_what_is_known(
    written: Written,
) -> None:
    """Point 13: it left without a word of what was known."""
    with subprocess.Popen(
        [sys.executable, "-c", WAITS, *written.words],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        heard = ""
        while "RUNS" not in heard:
            line = process.stderr.readline()
            assert line, heard
            heard += line
        process.send_signal(signal.SIGINT)
        said, more = process.communicate()
    assert process.returncode == 130, more
    assert "what was known by then" in more
    assert said.startswith("Verdict: not safe")
    assert "Nearest record (nearest)" in said
    assert "stopped by Ctrl-C" in said
