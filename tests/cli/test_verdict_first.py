"""The terminal says the verdict before the tables that it rests on."""

from __future__ import annotations

from pathlib import Path

from cli.test_compare_command import folder, tacit

__all__ = ["folder"]


def test_assess_begins_with_its_verdict(folder: Path) -> None:
    """Verdict, what to do and why, score; then sixty lines of figures."""
    done = tacit("assess", "in.csv", "in.csv", "--aligned", "--attackers", "nearest")
    assert done.exit_code == 0, done.output
    said = done.stdout
    assert said.startswith("Verdict: not safe")
    assert said.count("Verdict:") == 1
    first_table = said.index("Attacks on 60 records")
    assert said.index("Score:") < first_table
    assert "is above" in said[:first_table]


def test_compare_begins_with_the_plan_to_take(folder: Path) -> None:
    """Or with the sentence that there is none."""
    words = ["compare", "in.csv", "--plans", "plans.toml", "--workers", "1"]
    words += ["--seeds", "1", "--attackers", "nearest", "--bound", "0.001"]
    done = tacit(*words)
    assert done.stdout.startswith("Why: NO plan keeps")
    assert done.stdout.count("NO plan keeps") == 1
