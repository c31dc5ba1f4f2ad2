"""The notebook that the documentation offers runs, and is what its source says."""

from __future__ import annotations

import ast
import importlib.util
import json
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def source():
    spec = importlib.util.spec_from_file_location(
        "notebook_source", DOCS / "plots" / "notebook.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_cell_runs_and_the_last_ones_show_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    book = json.loads((DOCS / "notebooks" / "first-release.ipynb").read_text())
    assert book == source().notebook(), "run python docs/plots/notebook.py"
    space: dict[str, object] = {}
    shown: list[object] = []
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            tree = ast.parse("".join(cell["source"]))
            last = tree.body.pop()
            assert isinstance(last, ast.Expr)
            exec(compile(tree, "cell", "exec"), space)
            shown.append(
                eval(compile(ast.Expression(last.value), "cell", "eval"), space)
            )
    result = shown[3]
    card = result._repr_html_()
    state, next_step = shown[4]
    assert state in ("safe", "borderline", "not safe", "not assessed")
    # the card says what to do, as every face does
    assert next_step in card
    assert (tmp_path / "report.html").is_file()
    assert book["nbformat"] == 4


def test_the_home_page_has_a_picture_and_three_doors() -> None:
    home = (DOCS / "index.md").read_text()
    before, _, doors = home.partition("## Three doors")
    assert "](img/app-compare.png)" in before
    doors = doors.partition("\n## ")[0]
    assert [line for line in doors.splitlines() if line.startswith("### ")] == [
        "### The page",
        "### The terminal",
        "### Python",
    ]
    for target in ("how-to/the-page.md", "reference/command-line.md"):
        assert target in doors
        assert (DOCS / target).is_file()
