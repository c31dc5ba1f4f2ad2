"""Plans, schemas and options that nobody writes are one sentence, and no defect of ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.test_bad_input import GOOD, run

DEEP, LONG = "[" * 5000 + "]" * 5000, "9" * 5000
FILES = {
    "plan": (["--plan", "{file}"], '[[steps]]\nmethod = "noise"\npercent = {odd}\n'),
    "schema": (
        ["--schema", "{file}", "--method", "noise"],
        '[columns.age]\nkind = "count"\ndecimals = {odd}\n',
    ),
}


@pytest.mark.parametrize("odd", [DEEP, LONG], ids=["deep", "long"])
@pytest.mark.parametrize("name", list(FILES))
def test_a_file_that_nobody_writes_is_one_sentence(
    tmp_path: Path, name: str, odd: str
) -> None:
    (tmp_path / "in.csv").write_text(GOOD)
    words, text = FILES[name]
    file = tmp_path / f"{name}.toml"
    file.write_text(text.replace("{odd}", odd))
    given = [word.replace("{file}", str(file)) for word in words]
    done = run("protect", tmp_path / "in.csv", tmp_path / "out.csv", *given)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("Error: ") == 1
    assert "too deeply" in done.stderr or "too many figures" in done.stderr
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("odd", [DEEP, LONG], ids=["deep", "long"])
def test_an_option_that_nobody_writes_is_one_sentence(tmp_path: Path, odd: str) -> None:
    (tmp_path / "in.csv").write_text(GOOD)
    words = ["--method", "microaggregation", "--set", f"k={odd}"]
    done = run("protect", tmp_path / "in.csv", tmp_path / "out.csv", *words)
    assert done.returncode == 2, done.stderr
    assert "parameter k=" in done.stderr
    assert len(done.stderr) < 1000


@pytest.mark.parametrize("text", ["[" * 99_999, json.dumps({"input": 1}), LONG])
def test_a_manifest_that_nobody_writes_is_one_sentence(
    tmp_path: Path, text: str
) -> None:
    file = tmp_path / "a.manifest.json"
    file.write_text(text)
    done = run("verify", file)
    assert done.returncode == 2, done.stderr
    assert "is not a manifest" in done.stderr
