"""`assess --external --json` holds what the external report holds, and no more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tacit.cli import app


def test_an_external_json_tells_no_parameter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two files that differ in k alone say the same, and no exact figure."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(90, 3)), columns=list("abc")).to_csv(
        "in.csv", index=False
    )
    said = []
    for k in ("6", "7"):
        words = ["protect", "in.csv", f"{k}.csv", "--method", "microaggregation"]
        assert CliRunner().invoke(app, [*words, "--set", f"k={k}"]).exit_code == 0
        words = ["assess", "in.csv", f"{k}.csv", "--plan", f"{k}.csv.manifest.json"]
        words += ["--attackers", "nearest", "--json", f"{k}.json", "--external"]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
        said.append(json.loads((tmp_path / f"{k}.json").read_text()))
    assert said[0]["external"] is True
    assert said[0]["methods"] == ["Microaggregation"]
    assert {"plan", "next_step", "seconds"}.isdisjoint(said[0])
    assert said[0]["attacks"] == said[1]["attacks"]
    assert said[0]["verdict"] == said[1]["verdict"]
    assert "k=" not in str(said)
    numbers = [one for one in _leaves(said[0]) if isinstance(one, float)]
    assert numbers == []


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    else:
        yield value
