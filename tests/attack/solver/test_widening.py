"""A graph of the nearest without a place for everybody is widened; the optimum stays."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from tacit.attack.solver import rounds as rounds_file
from tacit.attack.solver.neighbours import KIND
from tacit.attack.solver.rounds import Rounds
from tacit.attack.solver.widening import widen


def files(n: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Two columns with long tails, where the nearest are taken many times over."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((n, 2)) ** 3
    return X, X + noise * X.std(axis=0) * rng.standard_normal((n, 2))


def rounds_of(X: np.ndarray, Z: np.ndarray, metric: str) -> Rounds:
    """The rounds over records that are all different."""
    ones = np.ones(len(X), np.int64)
    return Rounds(X, ones, Z, ones, KIND[metric])


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["euclidean", "squared"])
def test_the_optimum_is_that_of_all_pairs(metric):
    X, Z = files(2500, 0.15)
    run = rounds_of(X, Z, metric)
    before = len(run.cols)
    widen(run)
    assert len(run.cols) > 1.5 * before  # otherwise this file says nothing of widening
    run.go()
    gaps = ((X[:, None, :] - Z[None]) ** 2).sum(axis=2)
    costs = gaps if metric == "squared" else np.sqrt(gaps)
    pairs = linear_sum_assignment(costs)
    assert run.certified
    assert run.cost == pytest.approx(costs[pairs].sum(), rel=1e-12)


@pytest.mark.slow
def test_what_is_solved_exactly_afterwards_is_less(monkeypatch):
    X, Z = files(2500, 0.15)
    monkeypatch.setattr(rounds_file, "widen", lambda run: None)
    plain = rounds_of(X, Z, "squared")
    plain.go()
    monkeypatch.undo()
    widened = rounds_of(X, Z, "squared")
    widened.go()
    assert widened.cost == pytest.approx(plain.cost, rel=1e-12)
    # the gap that the first exact solution leaves, of all pairs
    assert widened.log[0]["gap"] < 0.1 * plain.log[0]["gap"]
    assert len(widened.log) < len(plain.log)


def test_an_auction_that_settles_is_left_alone():
    rng = np.random.default_rng(6)
    X = rng.standard_normal((2500, 6))
    run = rounds_of(X, X + 0.3 * rng.standard_normal(X.shape), "euclidean")
    before = len(run.cols)
    widen(run)
    assert len(run.cols) == before


def test_one_column_is_left_alone():
    X, Z = files(2500, 0.15)
    run = rounds_of(X[:, :1], Z[:, :1], "euclidean")
    before = len(run.cols)
    widen(run)
    assert len(run.cols) == before
