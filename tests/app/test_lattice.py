"""The explorer of a lattice in a real browser: the optimum, why a node fails, taking one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tacit as tc
from app.conftest import wait_for_runs
from app.test_classes import ROLES, edit, opened, survey  # noqa: F401  a fixture
from tacit.protect.generalisation import Generalisation

pytestmark = pytest.mark.needs("chromium")


@pytest.mark.slow
def test_a_node_becomes_the_levels_of_the_plan(page, survey: Path) -> None:  # noqa: F811
    """What the explorer calls best is what the method finds; another node can be taken."""
    address = opened(page, survey)
    for column, sort, text in (
        ("age", "ladder", "10, 20, 40"),
        ("region", "prefix", "1"),
    ):
        edit(page, address, column)
        page.select_option("#sort", sort)
        page.fill("#numbers", text)
        page.click("#keep")
        page.wait_for_selector("#drop")
    page.goto(f"{address}/lattice")
    page.wait_for_selector("#best")
    roles: dict[str, list[str]] = {}
    for name, role in ROLES.items():
        roles.setdefault(role, []).append(name)
    rules = {"age": {"ladder": [10, 20, 40]}, "region": {"prefix": [1]}}
    method = Generalisation(hierarchies=rules, columns=["region", "age"])
    method.fit(tc.read(survey, **roles))
    best = json.loads(page.get_attribute("tr.chosen", "data-node"))
    assert best == method.levels_
    assert "proven best" in page.inner_text("#best")
    # every node of this small lattice is there, and those that fail say why
    assert page.locator("[data-node]").count() == 5 * 3
    failing = page.locator("tr:has-text('broken')")
    assert failing.count() > 0
    assert "would have to be suppressed" in failing.first.inner_text()
    assert failing.first.locator("button").count() == 0
    # a point leads to its row, by key too
    page.focus(".pick >> nth=0")
    page.keyboard.press("Enter")
    page.wait_for_selector("tr.shown")
    other = page.locator("tr:has-text('kept') button").first
    levels = json.loads(
        other.locator("xpath=ancestor::tr").get_attribute("data-node") or ""
    )
    other.click()
    page.wait_for_selector("#search-again")
    page.wait_for_selector("td:has-text('in the plan')")
    page.goto(f"{address}/protect")
    assert json.loads(page.input_value("[name='s0.p.levels']")) == levels
    page.click("#run")
    page.wait_for_url("**/compare")
    wait_for_runs(page, 1)
    assert "failed" not in page.inner_text("#live")
    # and the plan can search again
    page.goto(f"{address}/lattice")
    page.click("#search-again")
    page.wait_for_selector("text=which is searched when it runs")
