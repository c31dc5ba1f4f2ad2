"""A household survey from the raw file to its release, in a real browser, as the how-to does it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import tacit as tc
from app.conftest import choose, keep_steps, wait_for_runs
from app.test_path import download
from tacit.plan import manifest

pytestmark = pytest.mark.needs("chromium")

ROLES = {
    "household": "household",
    "weight": "weight",
    "household_income": "confidential",
    "expenditure": "confidential",
    **dict.fromkeys(
        ("member", "relation", "dwelling", "water", "education"), "identifier"
    ),
    **dict.fromkeys(("region", "urban", "sex", "age"), "quasi"),
}
INLAND, SEA = (
    ("north", "east", "centre", "hills"),
    ("south", "west", "coast", "islands"),
)
REGIONS = {name: ["inland"] for name in INLAND} | {name: ["sea side"] for name in SEA}
# method, then parameters as they are typed; a list is ticked
STEPS = [
    (
        "recoding",
        {
            "intervals": json.dumps({"age": [0, 18, 40, 60, 100]}),
            "hierarchies": json.dumps({"region": REGIONS}),
            "columns": ["age", "region"],
        },
    ),
    ("local_suppression", {"k": "5"}),
    ("microaggregation", {"k": "10", "columns": ["household_income", "expenditure"]}),
    ("rounding", {"base": "50", "columns": ["weight"]}),
]


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    """The survey of the how-to, a little smaller."""
    path = tmp_path / "survey.csv"
    tc.write(tc.datasets.make_households(300, seed=1), path)
    return path


def say_roles(page, roles: dict[str, str]) -> None:
    """Choose each role, and wait until the page has kept it."""
    for name, role in roles.items():
        select = f"[aria-label='Role of {name}']"
        if page.input_value(select) != role:
            page.select_option(select, role)
            said = f"#said:has-text('Role of {name} is {role}')"
            page.wait_for_selector(said, state="attached")


def build(page) -> None:
    """The steps of the plan, added one by one."""
    keep_steps(page)
    for place, (method, parameters) in enumerate(STEPS):
        page.select_option("#add", method)
        page.click("text=Add a step")
        page.wait_for_selector(f"[name='s{place}.method']")
        for name, value in parameters.items():
            field = f"[name='s{place}.p.{name}']"
            if isinstance(value, list):
                for column in value:
                    page.check(f"{field}[value='{column}']")
            else:
                page.fill(field, value)


@pytest.mark.slow
def test_from_the_raw_file_to_the_release(page, survey: Path, tmp_path: Path) -> None:
    """Look, protect, what leaves, downloads; the same release as the manifest tells."""
    page.set_input_files("#file", survey)
    page.wait_for_selector("table.raw")
    address = page.url.rpartition("/")[0]
    page.click("text=Next: roles")
    page.wait_for_selector("#look .figures")
    say_roles(page, ROLES)
    page.wait_for_selector("#look:not(.stale)")
    page.wait_for_selector("#look tbody tr:nth-child(4)")
    page.wait_for_selector("#look th:has-text('region')")
    look = page.inner_text("#look")
    assert "NOT SAFE as it is, before protection" in look
    assert page.inner_text("#look .figures div:has-text('households') dd") == "300"
    assert "age" in page.inner_text("#look tbody tr:first-child")
    # the household number is not for release
    say_roles(page, {"household": "identifier"})
    page.click("text=Next: protect")
    build(page)
    page.wait_for_selector("#preview .figures")
    page.wait_for_selector("#preview:not(.stale)")
    page.click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    choose(page)
    page.goto(f"{address}/release")
    assert page.is_enabled("#get-masked")
    assert page.query_selector("[name=as_is]") is None

    masked = pa.csv.read_csv(download(page, "#get-masked", tmp_path))
    original = pa.csv.read_csv(survey)
    released = [name for name in ROLES if name in masked.column_names]
    assert sorted(released) == sorted(masked.column_names)
    assert {"household", "member", "relation"}.isdisjoint(masked.column_names)
    assert set(masked["region"].to_pylist()) <= {"inland", "sea side", "", None}
    record = json.loads(download(page, "#get-manifest", tmp_path).read_text())
    truth = manifest.truth_of(record, original.num_rows, "manifest")
    urban = np.array(masked["urban"].to_pylist(), dtype=object)
    kept = np.array(original["urban"].to_pylist(), dtype=object)
    assert (urban[truth] == kept).mean() > 0.9
    assert (urban == kept).mean() < 0.9
    report = download(page, "#get-report", tmp_path).read_text()
    assert "Local suppression" in report
