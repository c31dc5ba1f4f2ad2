"""Rank swapping in cycles: it keeps what pairs keep, and one link does not undo the others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tacit as tc
from tacit.attack.informed.plan_attackers import for_plan
from tacit.attack.informed.rank_swapping import AwareRankSwapping, swap_law
from tacit.protect.rank_swapping import swap_column


@given(
    st.integers(1, 80),
    st.floats(0.5, 100),
    st.integers(0, 10**6),
    st.booleans(),
)
def test_the_multiset_and_the_window_are_kept(
    n: int, p: float, seed: int, gaps: bool
) -> None:
    rng = np.random.default_rng(seed)
    values = rng.permutation(n).astype(float)
    if gaps:
        values[rng.random(n) < 0.3] = np.nan
    masked = swap_column(values, p, np.random.default_rng(seed), exchange="cycles")
    assert np.array_equal(np.isnan(masked), np.isnan(values))
    here = ~np.isnan(values)
    assert np.array_equal(np.sort(masked[here]), np.sort(values[here]))
    window = max(1, int(np.floor(p * here.sum() / 100 + 1e-9)))
    if here.any():
        moved = stats.rankdata(masked[here]) - stats.rankdata(values[here])
        assert np.abs(moved).max() <= window


@pytest.fixture(scope="module")
def people() -> np.ndarray:
    rng = np.random.default_rng(5)
    return rng.normal(size=(400, 6)) @ rng.normal(size=(6, 6))


def swapped(x: np.ndarray, p: float, exchange: str) -> np.ndarray:
    method = tc.protect.RankSwapping(p=p, exchange=exchange, random_state=1)
    return np.asarray(method.fit_transform(x))


def test_the_same_seed_gives_the_same_bytes(people) -> None:
    one = swapped(people, 20, "cycles")
    assert np.array_equal(one, swapped(people, 20, "cycles"))
    assert not np.array_equal(one, swapped(people, 20, "pairs"))


def test_values_move_as_far_as_in_pairs() -> None:
    values = np.arange(3000.0)
    far = {
        exchange: np.abs(
            swap_column(values, 10, np.random.default_rng(0), exchange=exchange)
            - values
        ).mean()
        for exchange in ("pairs", "cycles")
    }
    assert far["cycles"] == pytest.approx(150, rel=0.05)  # half the window
    assert far["cycles"] > 0.9 * far["pairs"]


@pytest.mark.parametrize("p", [50, 100])
def test_pairs_are_undone_and_cycles_are_not(people, p) -> None:
    assert tc.attack.Pairing().link(people, swapped(people, p, "pairs")).rate > 0.95
    masked = swapped(people, p, "cycles")
    assert tc.attack.Pairing().link(people, masked).rate < 0.05
    aware = AwareRankSwapping(p=p, exchange="cycles")
    assert aware.link(people, masked).rate < 0.08


def test_the_assessment_sees_the_difference(people) -> None:
    for exchange, state in (("pairs", "not safe"), ("cycles", "safe")):
        plan = tc.protect.RankSwapping(p=100, exchange=exchange, random_state=1)
        masked = swapped(people, 100, exchange)
        found = tc.assess(people, masked, plan=plan, risks=(), losses=(), truth="rows")
        assert found.attacked_verdict(0.05).state == state, exchange


def test_the_intruder_who_knows_the_plan_knows_the_law(people) -> None:
    plan = tc.protect.RankSwapping(p=10, exchange="cycles", random_state=1)
    masked = swapped(people, 10, "cycles")
    assert "exchange=cycles" in for_plan(plan)[0].link(people, masked).knows
    knowing = AwareRankSwapping.knowing(plan, tc.Microdata.of(people))
    assert knowing.exchange == "cycles"
    assert "in cycles" in knowing.knows
    # over the whole file nothing is known; in pairs neighbours are rarer than in cycles
    whole = swap_law(500, 500, cycles=True)
    assert np.ptp(whole[:-1]) < 0.5
    near = swap_law(2000, 100, cycles=True)
    assert np.ptp(near) < 0.3


def test_the_true_record_is_always_a_candidate(people) -> None:
    masked = swapped(people, 3, "cycles")
    link = AwareRankSwapping(p=3, exchange="cycles").link(people, masked)
    assert link.rate > 0.95
