"""The bench framework: ratios, growth, a module that fails says so, the page and its plots."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.growth import fit, slope  # noqa: E402
from bench.page import write  # noqa: E402
from bench.row import Row, best, peak_memory_mb  # noqa: E402


def test_ratio_is_peer_over_ours():
    assert Row("a", 2.0, "peer", 6.0).ratio == 3.0
    assert Row("a", 2.0).ratio is None
    assert Row("a", None, "peer", 6.0).ratio is None


def test_growth_exponent_is_found():
    assert slope([(n, 3e-6 * n**1.5) for n in (100, 1000, 5000)]) == pytest.approx(1.5)
    assert slope([(100, 1.0), (100, 1.1)]) is None
    rows = [Row("x", n * 1e-6, "peer", n * n * 1e-9, size=n, series="link") for n in (1000, 2000, 4000)]
    assert fit(rows) == {"link": {"tacit": pytest.approx(1.0), "peer": pytest.approx(2.0)}}


def test_best_does_not_count_the_first_call():
    calls = []
    best(lambda: calls.append(1), repeat=3)
    assert len(calls) == 4


def test_memory_is_measured_in_a_process_of_its_own():
    import numpy as np

    assert peak_memory_mb(lambda: np.ones(8_000_000).sum()) > 40
    assert peak_memory_mb(lambda: None) < 20


def test_page_shows_rows_failures_and_plots(tmp_path):
    rows = [Row("x", n * 1e-6, "peer", n * n * 1e-9, size=n, series="link").to_dict() for n in (1000, 2000)]
    report = {
        "when": "now",
        "full": False,
        "machine": {"cores": 2, "python": "3", "os": "x"},
        "growth": {"link": {"tacit": 1.0}},
        "modules": [
            {"module": "linkage", "status": "ok", "rows": rows},
            {"module": "large", "status": "failed", "rows": [], "error": "ValueError: no"},
            {"module": "stream", "status": "not available", "rows": [], "error": "no bench/stream.py"},
        ],
    }
    write(report, tmp_path)
    text = (tmp_path / "bench.md").read_text()
    assert "**failed**: ValueError: no" in text
    assert "**not available**" in text
    assert (tmp_path / "img" / "bench-link.svg").read_text().startswith("<svg")
