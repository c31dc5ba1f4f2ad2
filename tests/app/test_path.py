"""The whole path in a real browser: load, roles, protect, run, compare, release, downloads."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import tacit as tc
from app.conftest import choose, load_demo, wait_for_runs
from tacit.plan.manifest import order_of

pytestmark = pytest.mark.needs("chromium")


def download(page, selector: str, folder: Path) -> Path:
    """Click, and keep the file under the name that the page gives it."""
    with page.expect_download() as waiting:
        page.click(selector)
    target = folder / waiting.value.suggested_filename
    waiting.value.save_as(target)
    return target


def test_demo_from_start_to_downloads(page, tmp_path: Path) -> None:
    """What is shown, downloaded and repeated is one thing."""
    load_demo(page)
    page.click("text=Next: roles")
    page.select_option("[aria-label='Role of AFNLWGT']", "weight")
    page.wait_for_selector("#undo:not([disabled])")
    page.click("text=Next: protect")
    page.wait_for_selector("#preview .figures")
    before = page.inner_text("#preview .figures dd >> nth=0")
    page.fill("[name='s0.p.k']", "12")
    page.wait_for_selector(
        f"#preview .figures div:first-child dd:not(:has-text('{before}'))"
    )
    after = page.inner_text("#preview .figures dd >> nth=0")
    assert float(after.rstrip("\u00a0%")) < float(before.rstrip("\u00a0%"))
    page.click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    page.fill("#values", "30")
    page.click("#sweep")
    wait_for_runs(page, 2)
    # click a point on the map: it becomes the release
    for k in (12, 30):
        page.click(f".pick:not(.chosen)[aria-label*='k={k}']")
        page.wait_for_selector(f"tr.chosen:has-text('k={k}')")
    page.click("text=Next: release")
    verdict = page.inner_text(".verdict")
    assert "strongest intruder" in verdict

    masked = download(page, "#get-masked", tmp_path)
    table = pa.csv.read_csv(masked)
    assert table.num_rows == 2000
    assert table.column_names[0] == "AFNLWGT"
    plan_file = download(page, "#get-plan", tmp_path)
    plan = tomllib.loads(plan_file.read_text())
    assert plan["steps"][0] == {"method": "microaggregation", "k": 30}
    manifest = json.loads(download(page, "#get-manifest", tmp_path).read_text())
    assert manifest["output"]["records"] == 2000
    internal = download(page, "#get-report", tmp_path).read_text()
    external = download(page, "#get-external", tmp_path).read_text()
    assert "k = 30" in internal
    assert "k = 30" not in external
    # what was downloaded repeats what was shown: the plan on the same data gives the same bytes,
    # in the order that only the manifest knows
    data = tc.Microdata.of(tc.datasets.make_census(2000, seed=1), weight=["AFNLWGT"])
    rows = order_of(manifest, "manifest").arranged
    tc.write(rows(tc.Plan.load(plan_file).apply(data)), tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == masked.read_bytes()
    # and the Python shown does run
    python = page.inner_text("#python")
    assert "tc.Step('microaggregation'" in python
    compile(python, "shown", "exec")
    assert page.inner_text("#command").startswith("tacit protect demo.csv")


def test_a_dropped_file(page) -> None:
    """Dropping a file loads it."""
    handle = page.evaluate_handle(
        """() => { const data = new DataTransfer();
        const text = "a,b\\n" + "1,2\\n3,5\\n".repeat(40);
        data.items.add(new File([text], "dropped.csv")); return data; }"""
    )
    page.dispatch_event("[data-drop]", "dragover", {"dataTransfer": handle})
    page.dispatch_event("[data-drop]", "drop", {"dataTransfer": handle})
    page.wait_for_selector("table.raw")
    assert page.inner_text("h1") == "dropped.csv"
    assert "80 records, 2 columns" in page.inner_text(".head")


@pytest.mark.slow
def test_undo_and_redo(page) -> None:
    """By button and by key."""
    load_demo(page)
    page.click("text=Next: roles")
    select = "[aria-label='Role of AGI']"
    page.select_option(select, "confidential")
    page.wait_for_selector("#undo:not([disabled])")
    assert page.input_value(select) == "confidential"
    page.click("#undo")
    page.wait_for_selector("#redo:not([disabled])")
    assert page.input_value(select) == "quasi"
    page.click("#redo")
    page.wait_for_selector("#redo[disabled]")
    assert page.input_value(select) == "confidential"
    page.keyboard.press("Escape")
    page.focus("main")
    page.keyboard.press("Control+z")
    page.wait_for_selector("#redo:not([disabled])")
    assert page.input_value(select) == "quasi"


@pytest.mark.slow
def test_a_bad_parameter_is_one_sentence(page) -> None:
    """The preview says what is wrong, and goes on when it is mended."""
    address = load_demo(page)
    page.goto(f"{address}/protect")
    page.wait_for_selector("#preview .figures")
    page.fill("[name='s0.p.k']", "many")
    page.wait_for_selector("#preview .notice.bad")
    text = page.inner_text("#preview .notice.bad")
    assert "k='many'" in text
    assert "Traceback" not in text
    page.fill("[name='s0.p.k']", "4")
    page.wait_for_selector("#preview .figures")


@pytest.mark.slow
def test_steps_are_added_moved_and_removed(page) -> None:
    """The buttons of the plan."""
    address = load_demo(page)
    page.goto(f"{address}/protect")
    page.select_option("#add", "noise")
    page.click("text=Add a step")
    page.wait_for_selector("[name='s1.p.percent']")
    page.click("[aria-label='Move step 2 up']")
    page.wait_for_selector("[name='s0.p.percent']")
    page.click("[aria-label='Remove step 2']")
    page.wait_for_selector("[name='s1.method']", state="detached")
    assert page.input_value("[name='s0.method']") == "noise"
    page.select_option("[name='s0.method']", "rank_swapping")
    page.wait_for_selector("[name='s0.p.p']")
    page.wait_for_selector("#preview .figures")


@pytest.mark.slow
def test_columns_that_nobody_decided_about_stay_here(page, tmp_path: Path) -> None:
    """The masked file is held back until they are accepted, and the manifest says by whom."""
    rng = np.random.default_rng(5)
    n = 200
    source = tmp_path / "people.csv"
    table = {
        "age": rng.integers(18, 90, n),
        "income": np.round(rng.lognormal(10, 1, n)),
        "region": rng.choice(["north", "south", "east"], n),
        "serial": np.arange(n) + 1,
    }
    pa.csv.write_csv(pa.table(table), source)
    page.set_input_files("#file", source)
    page.wait_for_selector("table.raw")
    address = page.url.rpartition("/")[0]
    page.goto(f"{address}/roles")
    for name in ("serial", "age", "income"):
        role = "other" if name == "serial" else "quasi"
        page.select_option(f"[aria-label='Role of {name}']", role)
        page.wait_for_load_state("networkidle")
    page.goto(f"{address}/protect")
    if page.query_selector("[name='s0.method']") is None:
        page.select_option("#add", "microaggregation")
        page.click("text=Add a step")
    page.wait_for_selector("[name='s0.p.k']")
    for name in ("age", "income"):
        page.check(f"[name='s0.p.columns'][value='{name}']")
    page.wait_for_selector("#preview .figures")
    page.click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    choose(page)
    page.goto(f"{address}/release")
    held = page.inner_text("#leaving")
    assert "a quasi-identifier that no step touches" in held
    assert "it numbers the records" in held
    assert page.is_disabled("#get-masked")
    refused = page.request.get(f"{address}/download/masked")
    assert refused.status == 409
    assert "(it numbers the records). Accept them first" in refused.text()
    page.check("[name=as_is][value=region]")
    with page.expect_navigation():
        page.click("#accept")
    assert page.is_disabled("#get-masked")
    page.check("[name=as_is][value=serial]")
    page.click("#accept")
    page.wait_for_selector("#get-masked:not([disabled])")
    assert pa.csv.read_csv(download(page, "#get-masked", tmp_path)).num_rows == n
    manifest = json.loads(download(page, "#get-manifest", tmp_path).read_text())
    assert manifest["plan"]["release_as_is"] == ["region", "serial"]
    assert all(one["accepted"] for one in manifest["leaving"])
    plan = tomllib.loads(download(page, "#get-plan", tmp_path).read_text())
    assert plan["release_as_is"] == ["region", "serial"]


@pytest.fixture
def hundred_thousand(tmp_path: Path) -> Path:
    """A large file with a hostile name and hostile cells."""
    rng = np.random.default_rng(3)
    n = 100_000
    base = rng.normal(size=(n, 3))
    numbers = {
        f"v{j}": np.round(base[:, j % 3] * 10 + rng.normal(0, 3, n), 2)
        for j in range(8)
    }
    words = {
        "region": rng.choice(["north", "south", "=1+1", "<b>east</b>"], n),
        "sex": rng.integers(1, 3, n),
    }
    path = tmp_path / "hundred <i>thousand & more.csv"
    pa.csv.write_csv(pa.table({**numbers, **words}), path)
    return path


@pytest.mark.slow
def test_a_csv_of_100000_rows(page, hundred_thousand: Path, tmp_path: Path) -> None:
    """Upload, correct roles, preview, run, reload in the middle, release, neutralised export."""
    page.set_input_files("#file", hundred_thousand)
    page.wait_for_selector("table.raw")
    assert "100,000 records, 10 columns" in page.inner_text(".head")
    address = page.url.rpartition("/")[0]
    # the hostile name is text, here and everywhere
    assert page.inner_text("h1") == "hundred <i>thousand & more.csv"
    page.click("text=Next: roles")
    changes = {f"v{j}": "other" for j in range(2, 8)} | {
        "region": "confidential",
        "sex": "confidential",
    }
    for name, role in changes.items():
        page.select_option(f"[aria-label='Role of {name}']", role)
        page.wait_for_selector(
            f"#said:has-text('Role of {name} is {role}')", state="attached"
        )
    page.reload()
    assert page.input_value("[aria-label='Role of sex']") == "confidential"
    page.goto(f"{address}/protect")
    page.wait_for_selector("#preview .figures")
    assert "on 500 of 100,000 records" in page.inner_text("#preview")
    page.select_option("[name='s0.method']", "rounding")
    page.wait_for_selector("[name='s0.p.base']")
    page.fill("[name='s0.p.base']", "2")
    page.wait_for_selector("#preview .figures")
    page.wait_for_selector("#preview:not(.stale)")
    page.click("#run")
    page.wait_for_url("**/compare")
    page.reload()
    wait_for_runs(page, 1)
    choose(page)
    page.goto(f"{address}/release")
    assert "strongest intruder" in page.inner_text(".verdict")
    safe = download(page, "#get-masked", tmp_path)
    assert "\n" in safe.read_text()[:2000]
    column = pa.csv.read_csv(safe).column("region").to_pylist()
    assert "=1+1" not in column
    assert column.count("'=1+1") > 20_000
    page.check("[name=raw]")
    raw = download(page, "#get-masked", tmp_path)
    assert pa.csv.read_csv(raw).column("region").to_pylist().count("=1+1") > 20_000
    report = download(page, "#get-report", tmp_path)
    assert report.stat().st_size < 5_000_000
    assert not re.search("<b>east", report.read_text())
