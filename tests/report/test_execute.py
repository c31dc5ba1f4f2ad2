"""Documentation that runs: output is inserted, and a block that fails fails the build."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def execute() -> ModuleType:
    path = Path(__file__).parents[2] / "docs" / "execute.py"
    spec = importlib.util.spec_from_file_location("docs_execute", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["docs_execute"] = made
    spec.loader.exec_module(made)
    return made


def test_blocks_share_names_and_show_values(execute: ModuleType) -> None:
    page = execute.run(
        "a\n```python\nx = 20\n```\nb\n```python\nprint('hi')\nx + 1\n```\n", "p.md"
    )
    assert "```text\nhi\n21\n```" in page


def test_a_failing_block_fails_the_build(execute: ModuleType) -> None:
    with pytest.raises(execute.Failed, match="ZeroDivisionError"):
        execute.run("```python\n1 / 0\n```\n", "p.md")


def test_a_chart_is_shown_as_itself(execute: ModuleType) -> None:
    code = (
        "from tacit.report.charts import Bar, bars\n"
        "from tacit.report.figure import Figure\n"
        "Figure(bars('t', [Bar('a', 0.5)]))\n"
    )
    page = execute.run(f"```python\n{code}```\n", "p.md")
    shown = page.split("```\n", 2)[-1].strip()
    assert shown.startswith('<div class="tacit">')
    assert "\n" not in shown


def test_the_command_line_runs_and_errors_fail(execute: ModuleType) -> None:
    assert "tacit 0" in execute.run(
        "```console\n$ tacit --version\nold output\n```\n", "p.md"
    )
    with pytest.raises(execute.Failed, match="there is no such file"):
        execute.run("```console\n$ tacit schema nothing.csv\n```\n", "p.md")


HOUSEHOLDS = Path(__file__).parents[2] / "docs" / "how-to" / "household-survey.md"


def test_the_household_survey_takes_at_most_eight_commands() -> None:
    text = HOUSEHOLDS.read_text(encoding="utf-8")
    commands = [line.split()[2] for line in text.splitlines() if line[:7] == "$ tacit"]
    assert commands == ["schema", "risk", "protect", "assess", "verify", "assess"]


@pytest.mark.slow
def test_the_household_survey_ends_in_a_release(execute: ModuleType) -> None:
    """As the page is built: looked at, protected, attacked, verified."""
    page = execute.run(HOUSEHOLDS.read_text(encoding="utf-8"), "household-survey.md")
    assert "NOT SAFE as it is, before protection" in page
    assert "wrote release.csv and release.csv.manifest.json" in page
    assert "yes  verified" in page
    # as the page says: its plan is not enough against who reads everything
    assert "Verdict: not safe" in page
