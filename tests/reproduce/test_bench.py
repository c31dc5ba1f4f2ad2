"""The bench framework: ratios, growth, failures that say so, the page and its plots."""

import importlib.util
import os
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench import __main__ as runner  # noqa: E402
from bench import collect, row, venvs  # noqa: E402
from bench.bars import bars  # noqa: E402
from bench.growth import fit, slope  # noqa: E402
from bench.page import write  # noqa: E402
from bench.row import Row, best, measure, peak_memory_mb, side_by_side  # noqa: E402
from bench.solvers import ON_GRAPH, Graph  # noqa: E402


def test_ratio_is_peer_over_ours():
    assert Row("a", 2.0, "peer", 6.0).ratio == 3.0
    assert Row("a", 2.0).ratio is None
    assert Row("a", None, "peer", 6.0).ratio is None


def test_growth_exponent_is_found():
    assert slope({n: 3e-6 * n**1.5 for n in (100, 1000, 5000)}) == pytest.approx(1.5)
    assert slope({100: 1.0}) is None
    rows = [
        Row("x", n * 1e-6, "peer", n * n * 1e-9, size=n, series="link")
        for n in (1000, 2000, 4000)
    ]
    assert fit(rows) == {
        "link": {"tacit": pytest.approx(1.0), "peer": pytest.approx(2.0)}
    }


def test_best_is_the_fastest_of_several_calls_within_a_budget(monkeypatch):
    calls = []
    # short calls go on for a while
    best(lambda: calls.append(1), repeat=3)
    assert len(calls) > 4
    calls.clear()
    monkeypatch.setattr(row, "SHORT", 0.0)
    best(lambda: calls.append(1), repeat=3)
    assert len(calls) == 4
    assert (
        measure(lambda: time.sleep(0.05) or os.getpid(), repeat=100, budget=0.01).answer
        != os.getpid()
    )


def test_memory_is_measured_in_a_process_of_its_own():
    assert peak_memory_mb(lambda: np.ones(8_000_000).sum()) > 40
    assert peak_memory_mb(lambda: None) < 20


@pytest.mark.slow
def test_a_peer_that_raises_crashes_or_hangs_is_a_row_that_says_why(monkeypatch):
    # so that nothing but what hangs comes near the limit
    monkeypatch.setattr(row, "SHORT", 0.0)
    peers = {
        "good": lambda: 3,
        "raises": lambda: 1 / 0,
        "crashes": lambda: os.kill(os.getpid(), 9),
        "hangs": lambda: time.sleep(60),
    }
    rows = side_by_side(
        "x", lambda: 2, peers, lambda a, b: f"{a} and {b}", size=1, limit=5
    )
    notes = {row.peer: row.note for row in rows}
    assert notes["good"] == "2 and 3"
    assert "ZeroDivisionError" in notes["raises"]
    assert "signal 9" in notes["crashes"]
    assert "stopped after 5 s" in notes["hangs"]
    assert [row.ratio is None for row in rows] == [False, True, True, True]
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):  # ours may not fail
        side_by_side("x", lambda: 1 / 0, {}, lambda a, b: "", size=1)


@pytest.mark.slow
def test_a_peer_whose_environment_fails_is_an_error_with_its_reason(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(venvs, "FOLDER", tmp_path)
    monkeypatch.setitem(venvs.PEERS, "nothing", [str(tmp_path / "no-such-package")])
    with pytest.raises(RuntimeError, match="nothing cannot be installed"):
        venvs.Peer("nothing", {})("what")()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("yield Row('a', 1.0)\n    raise ValueError('no')", "failed"),
        ("yield Row('a', 1.0)\n    time.sleep(60)", "stopped"),
        ("yield Row('a', 1.0)", "ok"),
    ],
)
def test_rows_measured_before_a_failure_are_kept(monkeypatch, body, status):
    name = f"try_{status}_{os.getpid()}"
    source = collect.ROOT / f"{name}.py"
    source.write_text(
        f'"""About."""\nimport time\nfrom bench.row import Row\n\n\ndef run(full):\n    {body}\n'
    )
    try:
        part = collect.collect(name, False, budget=8)
    finally:
        source.unlink()
    assert (part["status"], part["about"], len(part["rows"])) == (status, "About.", 1)
    assert ("ValueError: no" in part["error"]) == (status == "failed")


def test_modules_that_were_not_run_keep_their_figures(tmp_path):
    before = tmp_path / "quick.json"
    before.write_text('{"modules": [{"module": "risk", "status": "ok", "rows": [1]}]}')
    parts = runner._whole([{"module": "large", "status": "ok", "rows": [2]}], before)
    assert [p["module"] for p in parts] == list(runner.MODULES)
    assert {p["module"]: p["rows"] for p in parts if p["rows"]} == {
        "risk": [1],
        "large": [2],
    }


def test_solvers_on_a_graph_find_the_same_optimum_with_capacities():
    graph = Graph(
        np.array([0, 2, 4, 6]),
        np.array([0, 1, 0, 1, 0, 1]),
        np.array([1.0, 5, 2, 3, 1, 9]),
        np.array([2, 1]),
    )
    tried = 0
    for name, solve in ON_GRAPH.items():
        if importlib.util.find_spec(
            {"lapx": "lap"}.get(name.split()[0], name.split()[0])
        ):  # peers of the extra bench
            tried += 1
            assert solve(graph) == pytest.approx(5.0, abs=1e-6), name
    assert tried


def test_bars_are_drawn_on_the_side_of_the_faster():
    svg = bars("T", {"slow & old": [10.0, 1000.0], "fast": [0.5]})
    ElementTree.fromstring(svg)
    assert svg.index("fast") < svg.index("slow &amp; old")
    assert ">100<" in svg  # the geometric mean


def test_page_shows_rows_failures_and_plots(tmp_path):
    rows = [
        Row(
            "x", n * 1e-6, "peer", n * n * 1e-9, size=n, series="link", note="a | b"
        ).to_dict()
        for n in (1000, 2000, 4000)
    ]
    alone = [
        Row("y", n * 1e-6, size=n, series="y", memory_mb=1.0).to_dict()
        for n in (1000, 2000)
    ]
    run = {"when": "now", "seconds": 1.0, "about": "What.", "error": ""}
    report = {
        "when": "now",
        "full": False,
        "machine": {"cores": 2, "python": "3", "os": "x", "load": 0.1},
        "growth": {"link": {"tacit": 1.0, "peer": 2.0}},
        "modules": [
            {"module": "linkage", "status": "ok", "rows": rows, **run},
            {"module": "protect", "status": "ok", "rows": alone, **run},
            {
                "module": "large",
                "status": "failed",
                "rows": [],
                "error": "ValueError: no",
            },
            {
                "module": "stream",
                "status": "not available",
                "rows": [],
                "error": "no bench/stream.py",
            },
        ],
    }
    write(report, tmp_path)
    text = (tmp_path / "reference" / "bench.md").read_text()
    assert "**failed**: ValueError: no" in text
    assert "**not available**" in text
    assert "**X**" in text
    assert "| 4,000 | 0.004 | peer | 0.016 | **4** |  |  |\n\n- a | b" in text
    assert "| y | 0.001 | 0.002 | 1 | 1 |" in text
    assert "| link | 1.00 | peer 2.00 |" in text
    for name in ("bench-link.svg", "bench-ratios.svg"):
        ElementTree.fromstring((tmp_path / "img" / name).read_text())
