"""The contract of every registered attacker: honest ties, row order, chance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacit as tc
from contract import examples

NAMES = list(tc.attack.registry)


@pytest.fixture(params=NAMES)
def attacker(request: pytest.FixtureRequest) -> Any:
    return examples.attacker(request.param)


def _points(n: int = 40, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 3))


def test_unprotected_data_are_found_entirely(attacker: Any) -> None:
    x = _points()
    assert attacker.link(x, x.copy()).correct == pytest.approx(len(x))


def test_duplicates_share_their_links(attacker: Any) -> None:
    x = np.repeat(_points(10), 4, axis=0)
    link = attacker.link(x, x.copy())
    assert link.correct == pytest.approx(10)
    assert link.success == pytest.approx(np.full(40, 0.25))


def test_all_masked_records_identical_gives_chance(attacker: Any) -> None:
    x = _points()
    link = attacker.link(x, np.zeros_like(x))
    assert link.rate == pytest.approx(link.chance)


@pytest.mark.few(3)
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=st.integers(0, 2**31), grid=st.sampled_from([0.0, 0.5, 1.0]))
def test_row_order_is_not_knowledge(attacker: Any, seed: int, grid: float) -> None:
    """Permuting either file (and the truth with it) changes no result, ties included."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(24, 2))
    z = x + rng.normal(size=x.shape) * 0.5
    if grid:
        x, z = np.round(x / grid) * grid, np.round(z / grid) * grid  # heavy ties
    plain = attacker.link(x, z)
    rows, others = rng.permutation(24), rng.permutation(24)
    truth = np.empty(24, dtype=int)
    truth[others] = np.arange(24)
    shuffled = attacker.link(x[rows], z[others], truth=truth[rows])
    np.testing.assert_allclose(shuffled.success, plain.success[rows], atol=1e-12)
    np.testing.assert_allclose(shuffled.score, plain.score[rows], atol=1e-9)
    assert shuffled.correct == pytest.approx(plain.correct)


def test_result_says_who_the_intruder_is(attacker: Any) -> None:
    x = _points()
    found = attacker.link(x, x + 0.1).to_dict()
    assert {"correct", "rate", "interval", "chance", "seconds", "knows"} <= set(found)
    assert len(found["knows"]) > 10
    low, high = found["interval"]
    assert 0 <= low <= found["rate"] <= high <= 1


def test_files_of_different_length_need_the_truth(attacker: Any) -> None:
    x = _points()
    with pytest.raises(tc.errors.InputError, match="40 records and the masked file 30"):
        attacker.link(x, x[:30])


@pytest.mark.parametrize("k", [2, 3, 7])
def test_microaggregation_never_counts_more_than_n_over_k(k: int) -> None:
    x = _points(121)
    masked = tc.protect.Microaggregation(k=k).fit_transform(x)
    for name in ("nearest", "assignment"):
        assert tc.attack.registry[name]().link(x, masked).correct <= len(x) / k + 1e-9
