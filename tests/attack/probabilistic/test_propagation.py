"""Accelerated rounds in numpy against the kernel's plain ones."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import tacit as tc
from tacit.attack.base import distinct
from tacit.attack.probabilistic import beliefs, candidate_graph
from tacit.attack.probabilistic.beliefs import link_probabilities
from tacit.attack.probabilistic.candidate_graph import cheapest_matching
from tacit.attack.probabilistic.propagation import Side


def graph(rng, n, m, share=1.0):
    cost = rng.exponential(2.0, (n, m))
    # everybody has an own record, so that there is a matching
    kept = (rng.random((n, m)) < share) | np.eye(n, m, dtype=bool)
    rows, columns = np.nonzero(kept)
    return rows, columns, cost[rows, columns]


def both(monkeypatch, *edges, **options):
    """By numpy, and by the kernel."""
    fast = link_probabilities(*edges, rounds=3000, **options)
    monkeypatch.setattr(beliefs, "SMALL", 0)
    slow = link_probabilities(*edges, rounds=3000, **options)
    monkeypatch.undo()
    return fast, slow


@pytest.mark.few(6)
@pytest.mark.parametrize("fraction", [0.5, 0.85, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_same_beliefs_in_fewer_rounds(seed, fraction, monkeypatch):
    rng = np.random.default_rng(seed)
    edges = graph(rng, 40, 40, 0.3)
    fast, slow = both(monkeypatch, *edges, (40, 40), fraction=fraction)
    assert fast.settled
    np.testing.assert_allclose(fast.probability, slow.probability, atol=2e-3)
    if slow.rounds > 60:
        assert fast.rounds < slow.rounds


@pytest.mark.parametrize("seed", range(4))
def test_copies_free_places_and_those_left_out(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    rows, columns, cost = graph(rng, 12, 9)
    options = {
        "row_copies": rng.integers(1, 4, 12).astype(float),
        "column_copies": rng.integers(1, 4, 9).astype(float),
        "row_free": rng.normal(size=12) + 2,
        "column_free": rng.normal(size=9) + 2,
        "row_left": rng.normal(size=12) + 3,
        "column_left": rng.normal(size=9) + 3,
    }
    fast, slow = both(monkeypatch, rows, columns, cost, (12, 9), **options)
    assert fast.settled
    np.testing.assert_allclose(fast.probability, slow.probability, atol=1e-3)


def test_a_row_without_edges_and_huge_differences(monkeypatch):
    rows = np.array([0, 0, 2, 2])
    columns = np.array([0, 2, 0, 2])
    cost = np.array([0.0, 5000.0, 5000.0, 1.0])
    fast, slow = both(monkeypatch, rows, columns, cost, (3, 3))
    np.testing.assert_allclose(fast.probability, [1, 0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(slow.probability, [1, 0, 0, 1], atol=1e-6)


def test_a_file_that_plain_rounds_never_settle():
    """Averages of three: chains of rivals, and edges that are in hardly any matching."""
    original = tc.Microdata.of(tc.datasets.make_census(240, seed=4))
    method = tc.protect.Microaggregation(k=3)
    masked = method.fit_transform(original)
    attacker = tc.attack.LinkProbabilities(plan=method)
    candidates = attacker.risk(original, masked)
    assert candidates.settled
    assert candidates.rounds < 400
    # each original is somebody, up to what may be left when the rounds end
    mass = candidates.probability * candidates.copies
    total = np.bincount(candidates.original, mass)
    assert np.abs(total - 1).max() < 0.02


def test_the_cheapest_matching_is_kept_and_impossible_pairs_are_not():
    cost = np.array([[0.0, 9.0], [0.0, 30.0], [np.inf, 1.0]])
    rows, columns = cheapest_matching(cost, np.array([1, 1, 1]), np.array([1, 2]))
    assert sorted(zip(rows.tolist(), columns.tolist(), strict=True)) == [
        (0, 1),
        (1, 0),
        (2, 1),
    ]
    rows, columns = cheapest_matching(
        np.array([[np.inf, np.inf], [1.0, 2.0]]), np.ones(2, int), np.ones(2, int)
    )
    assert rows.tolist() == [1]


def test_a_graph_without_a_matching_gets_the_cheapest():
    """Two originals are near one record only, and both other records near the third original."""
    cost = np.array([[0.0, 90.0, 91.0], [0.0, 92.0, 95.0], [90.0, 0.0, 0.0]])
    three = distinct(np.arange(3.0)[:, None])
    evidence = SimpleNamespace(block=lambda ours, theirs: cost)
    rows, columns, _, whole = candidate_graph.graph(evidence, three, three, 1, 10)
    assert whole
    kept = set(zip(rows.tolist(), columns.tolist(), strict=True))
    near = {(0, 0), (1, 0), (2, 1), (2, 2)}
    # 0 -> 2, 1 -> 0, 2 -> 1 costs 91, 0 -> 1 with 2 -> 2 costs 90
    assert kept == near | {(0, 1)}


def test_what_all_edges_of_a_column_cost_more_changes_nothing():
    rng = np.random.default_rng(9)
    rows, columns, cost = graph(rng, 12, 12)
    plain = link_probabilities(rows, columns, cost, (12, 12))
    # one edge is then almost all of every row's sum, by e^40 and more
    offset = link_probabilities(rows, columns, cost + 40.0 * columns, (12, 12))
    assert offset.settled
    np.testing.assert_allclose(offset.probability, plain.probability, atol=1e-4)


def test_what_is_left_beside_a_heavy_edge_keeps_its_digits():
    nothing = np.full(2, -np.inf)
    side = Side.of(
        np.array([0, 0, 1, 1]),
        np.array([1.0, 2.0, 3.0, 1.0]),
        nothing,
        nothing,
        np.zeros(4),
        is_sorted=True,
    )
    message, share = side.others(np.array([0.0, -60.0, 0.0, 0.0]), nothing)
    # without one copy: two of e^-60; 1 and one of e^-60; two and one of 1; three of 1
    wanted = [60.0 - np.log(2.0), 0.0, -np.log(3.0), -np.log(3.0)]
    np.testing.assert_allclose(message, wanted, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(share, [1.0, np.exp(-60.0), 0.25, 0.25])
