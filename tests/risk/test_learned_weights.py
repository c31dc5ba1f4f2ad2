"""Learned weights as a measure: what it finds, its sample, and when it says that it cannot."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tacit as tc
from tacit import report
from tacit.risk.learned_weights import learned_weights


@pytest.fixture(scope="module")
def pair() -> tuple[tc.Microdata, tc.Microdata]:
    """One column is released nearly as it is, the other as noise."""
    rng = np.random.default_rng(3)
    original = rng.normal(size=(400, 2))
    masked = np.column_stack(
        [original[:, 0] + 1e-6 * rng.normal(size=400), rng.normal(size=400)]
    )
    return tc.Microdata.of(original), tc.Microdata.of(masked)


def test_the_column_that_leads_to_people_has_the_weight(
    pair: tuple[tc.Microdata, tc.Microdata],
) -> None:
    measure = learned_weights(*pair)
    weights = measure.per_column
    assert weights is not None
    assert sum(weights.values()) == pytest.approx(1)
    assert weights["x0"] > 0.99
    assert measure.value == 1
    assert measure.value > measure.details["equal weights"]
    assert measure.details["records"] == 150
    assert measure.details["alone"]["x0"] > 0.99
    assert measure.details["alone"]["x1"] < 0.1


def test_the_sample_does_not_depend_on_the_order_of_rows(
    pair: tuple[tc.Microdata, tc.Microdata],
) -> None:
    original, masked = pair
    order = np.random.default_rng(0).permutation(original.n)
    shuffled = learned_weights(original.take(order), masked.take(order))
    assert shuffled.to_dict() == learned_weights(original, masked).to_dict()


def test_what_cannot_be_learned_is_absent_with_its_reason() -> None:
    few = np.arange(20.0).reshape(10, 2)
    many = np.arange(80.0).reshape(40, 2)
    for original, masked, why in (
        (few, few, "fewer than 20 records"),
        (many, many[:30], "different numbers of records"),
    ):
        measure = learned_weights(original, masked)
        assert not measure.computed
        assert why in measure.details["not computed"]


def test_the_report_shows_what_the_assessment_computed(
    pair: tuple[tc.Microdata, tc.Microdata],
) -> None:
    result = tc.assess(
        *pair, attackers=["nearest"], risks=["learned_weights"], losses=["PIL"]
    )
    page = report.html(result)
    assert "Weights that an intruder would learn" in page
    # a column of the heatmap, with a figure for every column of the file
    alone = result.risk["learned_weights"].details["alone"]
    shown = dict(re.findall(r"(x\d), Found by it alone: ([\d.]+)", page))
    assert {name: float(text) for name, text in shown.items()} == {
        name: pytest.approx(100 * share, abs=0.06) for name, share in alone.items()
    }
    assert "with equal weights" in page
