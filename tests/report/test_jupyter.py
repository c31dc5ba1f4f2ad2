"""Results show themselves in a notebook: figures, escaped names, nothing fetched."""

from __future__ import annotations

import numpy as np

import tacit as tc


def test_linkage(assessment: tc.Assessment) -> None:
    link = next(iter(assessment.linkages.values()))
    html = link._repr_html_()
    assert f"{100 * link.rate:.1f}\u00a0%" in html
    assert link.knows[:20] in html
    assert "<script" not in html


def test_assessment(assessment: tc.Assessment) -> None:
    html = assessment._repr_html_()
    assert "safe" in html.lower() or "accepted" in html.lower()
    assert "Probabilistic information loss" in html
    assert "src=" not in html


def test_fitted_protector() -> None:
    protector = tc.protect.Microaggregation(k=3)
    assert "not fitted" in protector._repr_html_()
    protector.fit(np.random.default_rng(0).normal(size=(20, 2)))
    html = protector._repr_html_()
    assert "Microaggregation" in html
    assert "not fitted" not in html
    assert "text/html" in protector._repr_mimebundle_()


def test_frontier_and_its_report(survey: tc.Microdata, tmp_path: object) -> None:
    from tacit.report import write_comparison

    plans = [tc.Plan((tc.Step("noise", {"percent": p}, seed=1),)) for p in (5.0, 60.0)]
    found = tc.compare(survey, plans, seeds=1, workers=1)
    html = found._repr_html_()
    assert "<svg" in html
    assert found.plot().svg.startswith("<svg")
    inside = write_comparison(found, f"{tmp_path}/c.html").read_text("utf-8")
    assert "percent=60" in inside
    outside = write_comparison(found, f"{tmp_path}/e.html", external=True).read_text(
        "utf-8"
    )
    assert "percent=60" not in outside
    assert "Noise" in outside
