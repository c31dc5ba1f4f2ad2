"""Kernels of nearness beside plain ones: how many released numbers are as near."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.kernels import nearness

NUMBERS = st.lists(
    st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0, 7.0]), min_size=1, max_size=12
)


def plain_reach(shown: np.ndarray, said: float, count: int) -> float:
    apart = np.sort(np.abs(shown - said))
    return float(apart[count]) if count < len(apart) else np.inf


@given(NUMBERS, NUMBERS)
def test_the_reach_is_the_distance_to_the_next_nearest(
    shown: list[float], said: list[float]
) -> None:
    ordered, known = np.sort(np.array(shown)), np.array([*said, np.nan])
    counts = np.array([4, 2, 1])
    reach = nearness.reaches(ordered, known, counts)
    for i, number in enumerate(said):
        for b, count in enumerate(counts):
            assert reach[i, b] == plain_reach(ordered, number, count)
    assert np.isnan(reach[-1]).all()


@given(NUMBERS, NUMBERS, st.integers(1, 4))
def test_a_window_holds_the_nearest(
    shown: list[float], said: list[float], width: int
) -> None:
    ordered, known = np.sort(np.array(shown)), np.array(said)
    width = min(width, len(ordered))
    begin = nearness.windows(ordered, known, width)
    for i, number in enumerate(said):
        inside = np.sort(np.abs(ordered[begin[i] : begin[i] + width] - number))
        nearest = np.sort(np.abs(ordered - number))[:width]
        assert inside.tolist() == nearest.tolist()


def test_costs_of_all_pairs_are_those_of_listed_pairs_and_of_plain_code() -> None:
    rng = np.random.default_rng(1)
    said, shown = rng.normal(size=30), rng.normal(size=40).round(1)
    said[3], shown[5] = np.nan, np.nan
    ordered = np.sort(shown[~np.isnan(shown)])
    counts = np.array([20, 10, 5, 2, 1])
    reach = nearness.reaches(ordered, said, counts)
    gain = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0])
    cost = np.zeros((30, 40))
    nearness.add_nearness(cost, said, reach, shown, gain)
    for i in range(30):
        for j in range(40):
            if np.isnan(said[i] - shown[j]):
                assert cost[i, j] == 0.0
                continue
            # as near or nearer: the level allows so many
            level = sum(abs(shown[j] - said[i]) < reach[i, b] for b in range(5))
            assert cost[i, j] == -gain[level]
    rows, others = (part.ravel() for part in np.indices((30, 40)))
    listed = np.zeros(rows.size)
    nearness.add_nearness_of_pairs(listed, rows, others, said, reach, shown, gain)
    assert listed.tolist() == cost.ravel().tolist()


@pytest.mark.parametrize("way", ["same", "table"])
def test_labels(way: str) -> None:
    rng = np.random.default_rng(2)
    ours, theirs = rng.integers(0, 4, 20), rng.integers(0, 4, 25)
    cost = np.zeros((20, 25))
    if way == "same":
        ours[2], theirs[3] = -1, -1
        agree = np.array([1.0, 2.0, 3.0, 4.0])
        nearness.add_sameness(cost, ours, theirs, agree, -0.5)
        for i, j in np.ndindex(20, 25):
            if min(ours[i], theirs[j]) < 0:
                assert cost[i, j] == 0
            else:
                gain = agree[ours[i]] if ours[i] == theirs[j] else -0.5
                assert cost[i, j] == -gain
    else:
        gain = rng.normal(size=(4, 4))
        nearness.add_table(cost, ours, theirs, gain)
        assert np.array_equal(cost, -gain[ours][:, theirs])
