"""The pages of the results: what they say of values that agree, are artefacts, or differ."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tacit.reproduce import unit_runs as work
from tacit.reproduce.judgement import Judged
from tacit.reproduce.model import Experiment, Outcome, Target
from tacit.reproduce.pages import summary, write_pages
from tacit.reproduce.papers import PAPERS, of_paper
from tacit.reproduce.store import Store
from tacit.reproduce.target_result import Result
from tacit.reproduce.targets import targets

DOCS = Path(__file__).parents[2] / "docs"


def result(name: str, **verdicts: int) -> Result:
    """A table with so many values of each verdict."""
    target = Target(
        name,
        "a paper, Table 1",
        "a table",
        Experiment(name, lambda params, seed, context: Outcome({})),
        explained="literature.md#percent-that-is-not-percent",
    )
    found = Result(target)
    for verdict, many in verdicts.items():
        for place in range(many):
            p = {"agrees": 0.5, "outside": 0.03}.get(verdict, 0.00001)
            judged = Judged(
                verdict,
                "10",
                10.0 if verdict == "agrees" else 20.0,
                (9.0, 11.0),
                fault=10.0 if verdict == "artefact" else None,
                fault_p=0.7 if verdict == "artefact" else None,
                p=p,
                errors=-2.5,
            )
            cell = f"filter=x k={place} {verdict}=1"
            found.lines.append((cell, "risk", judged))
            found.values[cell] = {"risk": [10.0, 11.0]}
    return found


def test_the_summary_has_one_line_per_paper_and_names_what_differs() -> None:
    results = [
        result("stream-A.5", agrees=30, artefact=6, outside=3, differs=1),
        result("orthtree-3.2", agrees=2),
    ]
    page = summary(results, quick=False)
    assert "**1 of 2 tables and figures of five papers are reproduced**" in page
    # 42 values, of which the artefact's fault was tested; 4 outside, 1 beyond chance
    assert "4 of 42 values that depend on a draw lie outside" in page
    assert "chance alone puts up to 2.1; 1 of them" in page
    rows = [line for line in page.splitlines() if line.startswith("| [")]
    assert len(rows) == 2
    assert "2 values | none | nothing |" in rows[0]
    assert "percent that is not percent](../../explanation/literature.md#" in rows[1]
    assert "**1 value**, 3 outside within chance" in rows[1]
    assert "- **stream-A.5**, a table: 1 value. Not explained." in page
    assert "other code" not in page


def test_a_page_shows_p_and_how_far_the_means_are(tmp_path: Path) -> None:
    write_pages([result("stream-A.5", agrees=1, artefact=1)], tmp_path, quick=True)
    page = (tmp_path / "stream.md").read_text()
    assert (tmp_path / "stream.svg").read_text().startswith("<svg")
    picture, sentences = page.index("](stream.svg)"), page.index("Of 2 judged values")
    assert picture < sentences < page.index("## Tables and figures")
    explained = "../../explanation/literature.md#percent-that-is-not-percent"
    assert f"| <0.0001 | +10 | -2.5 | 10 | 0.7 | [artefact]({explained}) |" in page
    # what all cells share is not said in each
    assert "filter=x" not in page
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "index.md",
        "stream.md",
        "stream.svg",
    ]


def test_every_target_is_on_a_page_and_every_page_in_the_menu() -> None:
    every = [Result(target) for target in targets().values()]
    assert sum(len(of_paper(every, paper)) for paper in PAPERS) == len(every)
    menu = (DOCS.parent / "mkdocs.yml").read_text()
    for paper in PAPERS:
        assert f"reference/reproduced/{paper.key}.md" in menu
        assert (DOCS / "reference" / "reproduced" / f"{paper.key}.md").exists()


def test_every_artefact_is_explained_where_it_links_to() -> None:
    page = (DOCS / "explanation" / "literature.md").read_text()
    places = {
        re.sub(r"[^a-z0-9 -]", "", title.lower()).strip().replace(" ", "-")
        for title in re.findall(r"^## (.*)$", page, re.MULTILINE)
    }
    for target in targets().values():
        if target.explained:
            assert target.explained.partition("#")[2] in places, target.name


def test_long_units_are_started_first(monkeypatch, tmp_path: Path) -> None:
    started: list[str] = []

    def run(params, seed, context):
        started.append(params["n"])
        return Outcome({"x": 1.0})

    known = {"e": Experiment("e", run, long=lambda p: p["n"] == "9")}
    monkeypatch.setattr(work, "experiments", lambda: known)
    units = [work.Unit("e", f"n={n}", 0, True, None) for n in (1, 9, 2)]
    ended: list[str] = []
    store = Store(tmp_path / "x.jsonl")
    work.compute_all(units, store, 1, lambda unit, error: ended.append(unit.cell))
    assert started == ["9", "1", "2"]
    assert ended == ["n=9", "n=1", "n=2"]


def test_workers_have_one_thread_and_the_parent_keeps_its_own(monkeypatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    with work.one_thread_each():
        assert {os.environ[name] for name in work.THREADS} == {"1"}
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "NUMBA_NUM_THREADS" not in os.environ


@pytest.mark.parametrize("name", ["js/values.js", "css/values.css"])
def test_the_site_loads_what_the_tables_need(name: str) -> None:
    assert (DOCS / name).exists()
    assert name in (DOCS.parent / "mkdocs.yml").read_text()
