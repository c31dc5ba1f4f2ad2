"""The editor of hierarchies in a real browser: keys, pointer, bars, files; the plan is exact."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest

import tacit as tc
from app.conftest import choose, keep_steps, wait_for_runs
from app.test_household import say_roles
from app.test_path import download
from tacit.plan import manifest

pytestmark = pytest.mark.needs("chromium")

KEYS = ("region", "sex", "age")
ROLES = {
    **dict.fromkeys(
        ("household", "member", "relation", "dwelling", "water"), "identifier"
    ),
    **dict.fromkeys(("urban", "education", "weight", "expenditure"), "identifier"),
    "household_income": "confidential",
    **dict.fromkeys(KEYS, "quasi"),
}
SEA = ("south", "west", "coast", "islands")


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "survey.csv"
    tc.write(tc.datasets.make_households(200, seed=1), path)
    return path


def opened(page, survey: Path) -> str:
    """The survey with its roles; the address of the project."""
    page.set_input_files("#file", survey)
    page.wait_for_selector("table.raw")
    address = page.url.rpartition("/")[0]
    page.goto(f"{address}/roles")
    say_roles(page, ROLES)
    return address


def edit(page, address: str, column: str) -> None:
    """Open the editor of one key."""
    page.goto(f"{address}/classes?column={column}")
    page.wait_for_selector("#standing table")


def below(page, level: int, k: int) -> int:
    """The number in the table of who stands out."""
    return int(page.inner_text(f"[data-below='{level}.{k}']").replace(",", ""))


@pytest.mark.slow
def test_from_keys_to_a_release(page, survey: Path, tmp_path: Path) -> None:
    """Cut points by key and pointer, merged bars, a table; the release is what the plan says."""
    address = opened(page, survey)
    edit(page, address, "age")
    page.select_option("#sort", "cuts")
    page.fill("#cuts", "18, 40, 60")
    page.wait_for_selector(".cut[aria-valuenow='18']")
    before = below(page, 1, 5)
    # the keyboard moves a cut point, and the counts follow without a button
    page.focus(".cut[aria-valuenow='60']")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.input_value("#cuts") == "18, 40, 81"
    page.wait_for_function(
        "old => document.querySelector(\"[data-below='1.5']\").textContent !== old",
        arg=f"{before}",
    )
    assert below(page, 1, 5) != before
    # a pointer drags one, and the counts change before it is let go
    grip = page.locator(".cut[aria-valuenow='81'] .grip").bounding_box()
    page.mouse.move(grip["x"] + 5, grip["y"] + 8)
    page.mouse.down()
    while_held = below(page, 1, 5)
    page.mouse.move(grip["x"] - 120, grip["y"] + 30, steps=6)
    page.wait_for_function(
        "old => document.querySelector(\"[data-below='1.5']\").textContent !== old",
        arg=f"{while_held}",
    )
    page.mouse.up()
    page.fill("#cuts", "18, 40, 65")
    page.wait_for_selector(".cut[aria-valuenow='65']")
    page.check("[name=publish][value='1']")
    page.click("#keep")
    page.wait_for_selector("#drop")
    # bars are chosen and merged; what that would do is shown before
    edit(page, address, "region")
    for name in SEA:
        page.check(f"[name=pick][value={name}]")
    page.wait_for_selector("#standing tr:nth-child(2) td:has-text('5')")
    page.fill("#label", "sea side")
    page.keyboard.press("Enter")
    page.wait_for_selector(".parent.joined:has-text('sea side')")
    # an ARX table for the third key
    table = tmp_path / "sex.csv"
    table.write_text("female;person\nmale;person\n")
    edit(page, address, "sex")
    values = page.locator(".pick-row .what").all_inner_texts()
    table.write_text("".join(f"{value};person\n" for value in values))
    page.click("text=Load a table (ARX)")
    page.set_input_files("#table-file", table)
    page.click("#load-table")
    page.wait_for_selector("#drop")
    saved = download(page, "#save-table", tmp_path)
    assert saved.read_text() == table.read_text()

    page.goto(f"{address}/protect")
    page.wait_for_selector("#preview .figures")
    assert "cut at 18, 40, 65" in page.inner_text("main")
    keep_steps(page, 1)
    page.fill("[name='s0.p.k']", "3")
    page.fill("[name='s0.p.suppression_limit']", "0.2")
    page.wait_for_selector("#preview:not(.stale) .figures")
    page.click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    choose(page)
    page.goto(f"{address}/release")
    if page.query_selector("[name=as_is]"):
        page.check("[name=as_is]")
        page.click("#accept")
    masked = download(page, "#get-masked", tmp_path)
    plan_file = download(page, "#get-plan", tmp_path)
    record_file = download(page, "#get-manifest", tmp_path)
    released = pa.csv.read_csv(masked)
    ages = {value for value in released["age"].to_pylist() if value}
    # open classes are words, and no number that looks like an age
    assert ages <= {"under 18", "[18, 40)", "[40, 65)", "65 and more"}
    assert "under 18" in ages
    held = tomllib.loads(plan_file.read_text())["steps"][0]
    assert held["hierarchies"]["age"] == {"cuts": [[18.0, 40.0, 65.0]]}
    assert held["levels"] == {"age": 1}
    # the plan makes the same bytes again, in the order that the manifest knows
    roles: dict[str, list[str]] = {}
    for name, role in ROLES.items():
        roles.setdefault(role, []).append(name)
    data = tc.read(survey, **roles)
    record = manifest.load(record_file)
    again = tmp_path / "again.csv"
    rows = manifest.order_of(record, "manifest").arranged
    tc.write(rows(tc.Plan.load(plan_file).apply(data)), again)
    assert again.read_bytes() == masked.read_bytes()


@pytest.mark.slow
def test_what_is_wrong_is_said_and_nothing_is_kept(page, survey: Path) -> None:
    """A value without a class, a class with two parents: one sentence, and undo takes back."""
    address = opened(page, survey)
    edit(page, address, "region")
    page.select_option("#sort", "table")
    page.fill("#rows", "south;sea;*\nwest;sea;all\n")
    page.wait_for_selector(".notice.bad:has-text('two parents')")
    page.fill("#rows", "south;sea;*\nwest;sea;*\n")
    page.wait_for_selector(".notice.bad:has-text('does not cover')")
    # the values stay in view, so that one sees what is missing
    assert page.locator(".pick-row").count() == 8
    page.click("#keep")
    page.wait_for_selector("[role=alert]:has-text('does not cover')")
    assert page.locator("#drop").count() == 0
    edit(page, address, "region")
    page.select_option("#sort", "prefix")
    page.fill("#numbers", "1")
    page.click("#keep")
    page.wait_for_selector("#drop")
    page.click("#undo")
    page.wait_for_selector(".tag:has-text('not in the plan yet')")
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_selector("#standing table")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
