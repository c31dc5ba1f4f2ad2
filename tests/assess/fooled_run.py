"""One row of the table through the command line: its exit code and what was found."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from assess.fooled_rows import Case, Row
from tacit.attack.linkage import wilson
from tacit.cli import main


@dataclass(frozen=True)
class Answer:
    """What ``tacit assess ORIGINAL MASKED --fail-above 0.05`` said."""

    code: int
    state: str
    reason: str
    found: float
    interval: tuple[float, float]
    by: str


def command(*words: str) -> tuple[int, str, str]:
    """Exit code, output and errors of the command, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(sys, "argv", ["tacit", *words])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
    return code, out.getvalue(), err.getvalue()


def assess(row: Row, case: Case, planned: bool, folder: Path) -> Answer:
    """The row's release as files, assessed."""
    files = [folder / "original.csv", folder / "masked.csv"]
    for frame, path in zip((case.original, case.masked), files, strict=True):
        frame.to_csv(path, index=False)
    words = [*map(str, files), *case.words, "--fail-above", "0.05", "--json", "-"]
    if planned:
        case.the_plan().save(folder / "plan.toml")
        words += ["--plan", str(folder / "plan.toml")]
    code, out, err = command("assess", *words)
    if not out:
        return Answer(code, "refused", err.strip(), 0.0, (0.0, 1.0), "")
    answer = json.loads(out)
    verdict = answer["verdict"]
    if row.figure == "largest":
        groups = answer["risk"]["subgroups"]["details"]["subgroups"]
        title = "largest over all columns"
        found, records = groups[title]["found"], groups[title]["records"]
        return Answer(
            code,
            verdict["state"],
            verdict["reason"],
            found / records,
            wilson(found, records),
            title,
        )
    ran = {
        name: attack for name, attack in answer["attacks"].items() if "rate" in attack
    }
    by = max(ran, key=lambda name: ran[name]["released_rate"], default="")
    if not by:
        return Answer(code, verdict["state"], verdict["reason"], 0.0, (0.0, 1.0), "")
    rate, interval = ran[by]["released_rate"], ran[by]["released_interval"]
    return Answer(code, verdict["state"], verdict["reason"], rate, tuple(interval), by)
