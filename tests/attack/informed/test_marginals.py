"""Marginals: against all permutations, calibrated, better than the assignment near the bound."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from tacit.attack.informed.evidence import Evidence, link_by
from tacit.attack.informed.marginals import link_by_marginals, sinkhorn
from tacit.attack.probabilistic.beliefs import reliability


def _noisy(n: int, d: int, size: float, seed: int) -> Evidence:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    z = x + size * rng.normal(size=x.shape)
    return Evidence(x / size, z / size)


def _exact(cost: np.ndarray) -> np.ndarray:
    """The probability of each link over all one-to-one links."""
    n = len(cost)
    out = np.zeros_like(cost)
    for p in permutations(range(n)):
        weight = np.exp(-cost[np.arange(n), list(p)].sum())
        out[np.arange(n), list(p)] += weight
    return out / out.sum(1, keepdims=True)


def test_scaling_is_near_the_exact_marginals() -> None:
    """Sinkhorn is no exact marginal, but it puts the same records first and sums to 1."""
    rng = np.random.default_rng(1)
    for _ in range(5):
        cost = rng.random((6, 6))
        found = sinkhorn(cost, np.ones(6), np.ones(6))
        np.testing.assert_allclose(found.sum(0), 1.0, atol=2e-3)
        np.testing.assert_allclose(found.sum(1), 1.0, atol=2e-3)
        np.testing.assert_allclose(found, _exact(cost), atol=0.05)


def test_copies_count_as_if_written_out() -> None:
    rng = np.random.default_rng(2)
    cost = rng.random((3, 2))
    ours, theirs = np.array([1.0, 2.0, 2.0]), np.array([2.0, 3.0])
    rows = np.repeat(np.arange(3), ours.astype(int))
    columns = np.repeat(np.arange(2), theirs.astype(int))
    whole = sinkhorn(cost[np.ix_(rows, columns)], np.ones(5), np.ones(5))
    short = sinkhorn(cost, ours, theirs)
    np.testing.assert_allclose(short[np.ix_(rows, columns)], whole, atol=1e-3)


@pytest.mark.parametrize(("n", "m"), [(3, 5), (5, 3)])
def test_files_of_different_length(n: int, m: int) -> None:
    found = sinkhorn(np.random.default_rng(3).random((n, m)), np.ones(n), np.ones(m))
    assert found.sum() == pytest.approx(min(n, m), abs=1e-2)
    assert (found.sum(0) < 1.01).all()
    assert (found.sum(1) < 1.01).all()


def test_impossible_pairs_have_no_probability() -> None:
    cost = np.array([[0.0, np.inf], [0.0, 0.0]])
    found = sinkhorn(cost, np.ones(2), np.ones(2))
    assert found[0, 1] == 0.0
    assert found[0, 0] > 0.9


def test_near_the_bound_they_find_more_than_the_assignment() -> None:
    """Noise at which the assignment finds some 5 %; twelve files of 250 records."""
    right = {"assignment": 0.0, "marginal": 0.0}
    for seed in range(12):
        evidence = _noisy(250, 6, 1.5, seed)
        truth = np.arange(250)
        by_assignment = link_by(evidence, "assignment").match
        right["assignment"] += float((by_assignment == truth).mean()) / 12
        by_marginals = link_by_marginals(evidence, sharp=False).match
        right["marginal"] += float((by_marginals == truth).mean()) / 12
    assert 0.03 < right["assignment"] < 0.12
    assert right["marginal"] > 1.04 * right["assignment"]


@pytest.mark.parametrize("size", [0.4, 0.8])
def test_the_score_is_a_calibrated_probability(size: float) -> None:
    stated, true = [], []
    for seed in range(4):
        named = link_by_marginals(_noisy(200, 5, size, seed))
        stated.append(named.score)
        true.append(named.match == np.arange(200))
    error = reliability(np.concatenate(stated), np.concatenate(true) * 1.0).error
    assert error < 0.05


def test_equal_records_share() -> None:
    x = np.repeat(np.random.default_rng(1).normal(size=(10, 2)), 3, axis=0)
    named = link_by_marginals(Evidence(900 * x, 900 * x))
    np.testing.assert_allclose(named.score, 1 / 3, atol=0.01)
