"""Belief propagation against exact permanents and against a chain on permutations."""

from __future__ import annotations

import numpy as np
import pytest

from attack.informed.oracles import exact_marginals, permanent, permutation_chain
from tacit.attack.probabilistic.beliefs import (
    dense_probabilities,
    link_probabilities,
    record_by_record,
    reliability,
)


def points(n, noise, seed, d=2):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    z = x + noise * rng.normal(size=(n, d))
    return ((x[:, None] - z[None]) ** 2).sum(2) / (2 * noise**2)


def test_the_exact_twin_agrees_with_ryser():
    phi = np.random.default_rng(0).random((6, 6))
    whole = permanent(phi)
    minor = np.delete(np.delete(phi, 2, 0), 4, 1)
    assert exact_marginals(phi)[2, 4] == pytest.approx(
        phi[2, 4] * permanent(minor) / whole
    )


@pytest.mark.parametrize("noise", [0.1, 0.25, 0.5, 1.0, 2.0])
def test_error_against_exact_permanents_is_small_and_half_of_record_by_record(noise):
    ours, alone = [], []
    for seed in range(20):
        cost = points(8, noise, seed)
        exact = exact_marginals(np.exp(cost.min(1, keepdims=True) - cost))
        ours.append(np.abs(dense_probabilities(cost) - exact).mean())
        alone.append(np.abs(record_by_record(cost) - exact).mean())
    assert np.mean(ours) < 0.03
    assert np.mean(ours) <= 0.5 * np.mean(alone)


def test_twelve_records_exactly():
    cost = points(12, 0.5, 3)
    exact = exact_marginals(np.exp(-cost))
    assert np.abs(dense_probabilities(cost) - exact).mean() < 0.03


def test_rows_and_columns_sum_to_one():
    p = dense_probabilities(points(60, 0.7, 1))
    assert np.allclose(p.sum(0), 1, atol=1e-4)
    assert np.allclose(p.sum(1), 1, atol=1e-4)


def test_copies_are_the_same_as_repeated_rows():
    rng = np.random.default_rng(2)
    cost = rng.exponential(2, (5, 4))
    rows_copies, column_copies = np.array([1, 2, 1, 3, 1]), np.array([2, 3, 1, 2])
    big = np.repeat(np.repeat(cost, rows_copies, 0), column_copies, 1)
    full = dense_probabilities(big)
    r, c = np.divmod(np.arange(20), 4)
    small = link_probabilities(
        r,
        c,
        cost.ravel(),
        (5, 4),
        row_copies=rows_copies.astype(float),
        column_copies=column_copies.astype(float),
    )
    firsts = np.ix_(np.cumsum(rows_copies) - 1, np.cumsum(column_copies) - 1)
    assert np.allclose(small.probability.reshape(5, 4), full[firsts], atol=1e-4)


def test_unmatched_records_take_part():
    # two originals, one masked record: matched to the first with odds exp(2) against the
    # second; a tree, so exact
    edges = np.array([0, 1]), np.array([0, 0]), np.array([0.0, 2.0])
    out = link_probabilities(*edges, (2, 1), row_free=np.zeros(2), fraction=1.0)
    want = np.exp(0) / (np.exp(0) + np.exp(-2))
    assert out.probability == pytest.approx([want, 1 - want], abs=1e-5)


def test_huge_cost_differences_neither_overflow_nor_lie():
    cost = points(30, 0.001, 5)
    p = dense_probabilities(cost)
    assert np.isfinite(p).all()
    assert np.diag(p).min() > 0.999


def test_order_of_edges_and_rows_does_not_matter():
    cost = points(25, 0.6, 8)
    rng = np.random.default_rng(1)
    a, b = rng.permutation(25), rng.permutation(25)
    assert np.allclose(
        dense_probabilities(cost)[np.ix_(a, b)],
        dense_probabilities(cost[np.ix_(a, b)]),
        atol=1e-5,
    )


@pytest.mark.slow
def test_against_a_chain_on_two_hundred_records():
    cost = points(200, 0.1, 4)
    chain = permutation_chain(-cost, 3000, np.random.default_rng(0))
    ours, alone = dense_probabilities(cost), record_by_record(cost)
    near = chain + ours > 0.01
    assert np.abs(ours - chain)[near].mean() < 0.5 * np.abs(alone - chain)[near].mean()
    assert np.abs(ours - chain)[near].mean() < 0.04


@pytest.mark.slow
def test_against_a_chain_on_a_thousand_records():
    cost = points(1000, 0.03, 4)
    chain = permutation_chain(-cost, 3000, np.random.default_rng(0))
    ours, alone = dense_probabilities(cost), record_by_record(cost)
    near = chain + ours > 0.01
    assert np.abs(ours - chain)[near].mean() < 0.5 * np.abs(alone - chain)[near].mean()


def test_reliability_of_honest_and_of_boastful_probabilities():
    rng = np.random.default_rng(0)
    p = rng.random(20000)
    true = rng.random(20000) < p
    assert reliability(p, true).error < 0.02
    assert reliability(np.sqrt(p), true).error > 0.1
