"""Points 1, 3, 4, 5, 6, 8, 9, 12 and 14 of the page, through the page alone.

Like `test_old_points`, this file needs nothing that was not there at commit 049fb1b: copied into
`tests/app` of that commit, every test fails there, and each by an assertion on its point. What the
points became is tried in full in `test_points`.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.conftest import load_demo, wait_for_runs

# slow: `test_points` has the same points in every run
pytestmark = [pytest.mark.needs("chromium"), pytest.mark.slow]

SOURCE = Path(__file__).parents[2] / "src"
SAFE = "safe by these thresholds"
ROLES = {
    "id": "identifier",
    "hid": "household",
    "weight": "weight",
    "income": "confidential",
    **dict.fromkeys(("region", "water", "sex", "age"), "quasi"),
}


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    """Two hundred people in households: categories, an age, a weight, an income."""
    draw = random.Random(3)
    lines = [",".join(ROLES)]
    for person in range(200):
        told = {
            "id": 90_000 + 7 * person,
            "hid": 1000 + person // 3,
            "weight": draw.randrange(100, 400),
            "income": round(draw.lognormvariate(10, 1), 2),
            "region": f"r{draw.randrange(6)}",
            "water": draw.choice(["tap", "well", "river", "tank"]),
            "sex": draw.choice("mf"),
            "age": draw.randrange(20, 80),
        }
        lines.append(",".join(str(told[name]) for name in ROLES))
    path = tmp_path / "survey.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def opened(page, survey: Path) -> str:
    """The survey with its roles said; the address of the project."""
    page.set_input_files("#file", survey)
    page.wait_for_selector("table.raw")
    address = page.url.rpartition("/")[0]
    page.goto(f"{address}/roles")
    for name, role in ROLES.items():
        select = f"[aria-label='Role of {name}']"
        if page.input_value(select) != role:
            with page.expect_response(lambda answer: answer.url.endswith("/roles")):
                page.select_option(select, role)
    return address


def census_in_groups(page, k: int) -> str:
    """The demo in groups of k people, run; the address of the project."""
    address = load_demo(page)
    page.goto(f"{address}/protect")
    page.wait_for_selector("#preview .figures")
    if page.input_value("[name='s0.p.k']") != str(k):
        page.fill("[name='s0.p.k']", str(k))
        page.wait_for_selector("#undo:not([disabled])")
    page.click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    return address


def take(page) -> None:
    """Make the one plan the release, unless it is already."""
    if page.locator("tr.chosen").count() == 0:
        page.click("button:has-text('Make it the release') >> nth=0")
        page.wait_for_selector("tr.chosen")


def downloaded(page, selector: str, target: Path) -> Path:
    """What a link or a button gives, as a file."""
    with page.expect_download() as waiting:
        page.click(selector)
    waiting.value.save_as(target)
    return target


def one_step(page, address: str, method: str) -> None:
    """A plan of this one method."""
    page.goto(f"{address}/protect")
    while page.query_selector("[name='s0.method']") is not None:
        with page.expect_navigation():
            page.click("[aria-label='Remove step 1']")
    page.select_option("#add", method)
    page.click("text=Add a step")
    page.wait_for_selector("[name='s0.method']")


def test_1_the_page_answers_after_all_methods_were_run(page, survey: Path) -> None:
    """It was a 500 for good, because a plan that fails has no place on the map."""
    address = opened(page, survey)
    page.goto(f"{address}/compare")
    with page.expect_navigation():
        page.click("#defaults")
    while True:
        answer = page.context.request.get(f"{address}/compare")
        assert answer.status == 200
        if 'id="progress" class="card hidden"' in answer.text():
            break
        page.wait_for_timeout(1000)
    page.goto(f"{address}/compare")
    assert "did not run" in page.inner_text("#live table")


def test_3_what_is_recommended_is_safe_on_every_face(page, survey: Path) -> None:
    """Groups of 30 lay in the green band and were recommended, and were not safe."""
    address = opened(page, survey)
    one_step(page, address, "microaggregation")
    page.fill("[name='s0.p.k']", "30")
    page.select_option("#depth", "all")
    page.wait_for_timeout(1000)
    page.wait_for_selector("#preview:not(.stale) .figures")
    page.click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    row = page.locator("#live tbody tr").first
    recommended = row.locator(".tag:text-is('recommended')").count()
    green = row.locator(".tag.good").count()
    take(page)
    page.goto(f"{address}/release")
    released = page.locator(".verdict.good").count()
    assert recommended == green == released, page.inner_text(".verdict")


def test_3_thresholds_are_on_the_page(page) -> None:
    """Nothing but the share of people found could be changed."""
    address = load_demo(page)
    page.goto(f"{address}/protect")
    named = page.locator("#preset option").all_inner_texts()
    assert len(named) >= 3, "no thresholds by name"
    page.click("#limits summary")
    assert page.locator("#limits input[type=number]:visible").count() > 1


def test_4_classes_are_drawn_and_not_typed(page, survey: Path) -> None:
    """Recoding was a dictionary, typed by hand."""
    address = opened(page, survey)
    assert page.goto(f"{address}/classes?column=age").status == 200
    page.wait_for_selector("#standing table")
    page.select_option("#sort", "cuts")
    page.fill("#cuts", "30, 50")
    page.wait_for_selector(".cut[aria-valuenow='50']")
    page.wait_for_selector("#tried:not(.stale)")
    page.focus(".cut[aria-valuenow='50']")
    page.keyboard.press("ArrowRight")
    assert page.input_value("#cuts") == "30, 51"
    # who is in which class follows the hand, too
    page.wait_for_selector("#bars:has-text('51 and more')")


def test_5_the_file_before_protection_is_on_the_map(page) -> None:
    """Nowhere was the risk before."""
    census_in_groups(page, 5)
    assert "before protection" in page.inner_text("#live")
    assert page.inner_text("#before [data-what=found]").startswith("100")


def test_6_there_are_records_to_look_into(page, survey: Path) -> None:
    """Fifteen fixed rows of a report were all."""
    address = opened(page, survey)
    assert page.goto(f"{address}/records?sort=alike").status == 200
    assert page.locator("table.records tbody tr").count() == 50
    page.fill("#search", "river")
    page.click("#find")
    page.wait_for_selector("#found:not(:has-text('200 of'))")
    for row in page.locator("table.records tbody tr").all_inner_texts():
        assert "river" in row


def test_8_not_safe_has_a_next_step_and_a_button(page) -> None:
    """`--until` was not on the page, and 'not safe' was the end of it."""
    address = census_in_groups(page, 3)
    assert re.search(r"Try k = \d+", page.inner_text("#live"))
    assert page.locator("#make-safe-plan").count() == 1
    page.click("#make-safe-plan")
    page.wait_for_selector("tr.chosen")
    page.wait_for_selector("#progress", state="hidden")
    page.goto(f"{address}/release")
    assert SAFE in page.inner_text(".verdict").lower()


def test_9_a_label_is_words_and_only_what_fits_is_offered(page, survey: Path) -> None:
    """Labels were the names of parameters, and every method was there for every file."""
    address = opened(page, survey)
    one_step(page, address, "microaggregation")
    label = page.inner_text("label[for='s0.p.k']")
    assert len(label.split()) > 2, label
    offered = [one.get_attribute("value") for one in page.locator("#add option").all()]
    # no column is a date
    assert "date_shift" not in offered
    assert page.locator("#add optgroup").count() > 2


def test_9_a_plan_is_named_by_words(page, survey: Path) -> None:
    """Plans were named by their dictionaries."""
    address = opened(page, survey)
    one_step(page, address, "recoding")
    page.check("[name='s0.p.columns'][value='age']")
    page.fill("[name='s0.p.intervals']", '{"age": [0, 40, 60, 100]}')
    page.wait_for_selector("#undo:not([disabled])")
    page.wait_for_timeout(1000)
    page.click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    assert "{" not in page.inner_text("#live tbody th")


def test_12_the_script_makes_the_same_file(page, survey: Path, tmp_path: Path) -> None:
    """It forgot what had been said of a column, and guessed again."""
    address = opened(page, survey)
    page.goto(f"{address}/roles")
    with page.expect_response(lambda answer: answer.url.endswith("/roles")):
        page.select_option("[aria-label='Role of id']", "other")
    one_step(page, address, "microaggregation")
    page.wait_for_selector("#preview .figures")
    page.click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    take(page)
    page.goto(f"{address}/release")
    for box in page.query_selector_all("[name=as_is]"):
        box.check()
    if page.query_selector("#accept") is not None:
        page.click("#accept")
        page.wait_for_selector("#get-masked:not([disabled])")
    here = tmp_path / "again"
    here.mkdir()
    masked = downloaded(page, "#get-masked", tmp_path / "shown.csv").read_bytes()
    if page.locator("#get-private").count():
        downloaded(page, "#get-private", here / "survey-plan-private.toml")
    (here / "survey.csv").write_bytes(survey.read_bytes())
    # up to the assessment, which takes longer than the release
    script = re.split(r"\n(?:data = private|tc\.assess)", page.inner_text("#python"))[0]
    (here / "again.py").write_text(script, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    subprocess.run([sys.executable, "again.py"], cwd=here, env=environment, check=True)
    again = (here / "survey-release.csv").read_bytes()
    assert again.splitlines()[0] == masked.splitlines()[0]
    assert again == masked


def test_14_the_menu_of_a_telephone_is_small(page) -> None:
    """It took 40 % of the screen."""
    address = load_demo(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}/protect")
    assert page.locator("header.bar").bounding_box()["height"] < 0.15 * 844
