"""``tacit schema`` marks what a person must decide."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from tacit.cli import app


def _file(path: Path) -> Path:
    rng = np.random.default_rng(2)
    lines = ["person_id,visit,v7,age"]
    for row in range(200):
        day, month = rng.integers(1, 13, 2)
        visit = f"{day:02d}/{month:02d}/2020"
        code = rng.choice([1, 2, 4, 9])
        lines.append(f"{row // 2},{visit},{code},{rng.integers(18, 90)}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_questions_are_marked_and_asked(tmp_path: Path) -> None:
    source = _file(tmp_path / "in.csv")
    out = CliRunner().invoke(app, ["schema", str(source)])
    assert out.exit_code == 0
    assert "To decide (2)" in out.output
    assert "visit (nominal): is" in out.output
    assert "date_format = '%d/%m/%Y' or '%m/%d/%Y'" in out.output
    columns = json.loads(
        CliRunner().invoke(app, ["schema", str(source), "--json"]).output
    )["columns"]
    assert columns["v7"]["confidence"] == "unsure"
    assert columns["person_id"]["role"] == "person"


def test_a_decision_in_the_file_is_kept(tmp_path: Path) -> None:
    source, written = _file(tmp_path / "in.csv"), tmp_path / "in.toml"
    told = ["schema", str(source), "--nominal", "v7", "-o", str(written)]
    out = CliRunner().invoke(app, told)
    assert "To decide (1)" in out.output
    assert "v7 (nominal)" not in out.output
