"""Rates over released records, and how many links are likely: by hand, and on a raw sample."""

import json

import numpy as np
import pytest

import tacit as tc
from tacit.attack.linkage import wilson

X = {"v": [1.0, 2.0, 3.0, 4.0, 5.0]}


def test_rates_over_released_records_by_hand():
    # 1 and 2 look alike, 5 was given a value nearer to 4, 3 and 4 were not released
    z = {"v": [1.5, 1.5, 4.4]}
    link = tc.attack.Nearest(scale="none").link(X, z, truth=[0, 1, -1, -1, 2])
    assert link.success.tolist() == [0.5, 0.5, 0, 0, 1]
    assert (link.correct, link.rate) == (2, 0.4)
    assert (link.released, link.released_rate) == (3, pytest.approx(2 / 3))
    assert link.released_interval == wilson(2, 3)
    assert link.chance == pytest.approx(3 / 5 / 3), "over originals, as it always was"
    assert link.released_chance == pytest.approx(1 / 3)
    assert (link.likely(0.4), link.likely(), link.likely(0.9)) == (3, 1, 1)
    summary = json.loads(json.dumps(link.to_dict()))
    assert summary["rate"] == 0.4
    assert summary["released"] == 3
    assert summary["released_rate"] == pytest.approx(2 / 3)
    assert summary["likely"] == {"0.5": 1, "0.9": 1}


def test_a_raw_sample_is_found_whole(census_like):
    rows = np.arange(0, len(census_like), 25)
    truth = np.full(len(census_like), -1)
    truth[rows] = np.arange(len(rows))
    sample = census_like.iloc[rows].reset_index(drop=True)
    got = tc.assess(
        census_like,
        sample,
        truth=truth,
        attackers=["nearest"],
        risks=["strongest", "worst_off"],
        losses=[],
    )
    link = got.attacks["nearest"]
    assert link.rate == pytest.approx(0.04, abs=0.001)
    assert link.released_rate == 1
    assert got.risk["strongest"].value == 1
    assert got.risk["worst_off"].value == 1


def test_where_nobody_is_known_to_be_released_there_is_no_rate():
    link = tc.attack.Nearest().link(X, {"v": [1.0, 2.0]}, truth=[-1] * 5)
    assert link.released == 0
    assert np.isnan(link.released_rate)
    assert link.released_interval == (0, 1)
    assert link.to_dict()["released_rate"] is None


def test_a_stated_probability_is_the_attackers_own():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 2))
    z = x + 0.3 * rng.normal(size=x.shape)
    link = tc.attack.LinkProbabilities().link(x, z)
    assert link.stated is not None
    right = link.success > 0
    for at in (0.5, 0.9):
        assert link.likely(at) == np.count_nonzero(right & (link.score > at))
    assert 0 < link.likely(0.9) < link.likely(0.5) < np.count_nonzero(right)
    assert tc.attack.Nearest().link(x, z).stated is None
