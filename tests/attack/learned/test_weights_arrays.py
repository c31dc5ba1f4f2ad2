"""Line searches and the integer program, against plain twins and enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from attack.informed.oracles import microaggregate, nearest_correct
from tacit.attack.learned import weights_search
from tacit.attack.learned.line_search import best_on_line
from tacit.attack.learned.weights_proof import prove_weights
from tacit.attack.learned.weights_search import Pairs, search_weights
from tacit.kernels.weightline import correct_links, own_intervals


def noisy(n, d, seed, noise):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    return x, x + rng.normal(size=(n, d)) * noise


def plain_interval(x, z, nominal, own, w, u, low, high):
    """Twin of own_intervals: one half line at a time, no early stop."""
    out = []
    for i in range(len(x)):
        gaps = np.where(nominal, x[i] != z, (x[i] - z) ** 2)
        delta = np.delete(gaps - gaps[own[i]], own[i], axis=0)
        a, b = delta @ w, delta @ u
        lo = max([low, *(-a[b > 0] / b[b > 0])])
        hi = min([high, *(-a[b < 0] / b[b < 0])])
        if np.any((b == 0) & (a <= 0)):
            hi = lo
        out.append((lo, hi) if lo < hi else (np.nan, np.nan))
    return np.array(out)


@pytest.mark.parametrize("seed", range(5))
def test_intervals_equal_their_plain_twin(seed):
    rng = np.random.default_rng(seed)
    x, z = noisy(30, 4, seed, 0.7)
    nominal = np.array([False, False, True, False])
    x[:, 2], z[:, 2] = rng.integers(3, size=30), rng.integers(3, size=30)
    p = Pairs.of(x, z, nominal)
    w, u = rng.dirichlet(np.ones(4)), rng.normal(size=4)
    none = np.empty(0, np.int64), np.zeros(31, np.int64)
    lo, hi = own_intervals(p.x, p.z, p.nominal, p.own, w, u, -1.0, 1.0, *none)
    want = plain_interval(p.x, p.z, nominal, p.own, w, u, -1.0, 1.0)
    empty = lo >= hi
    assert np.array_equal(empty, np.isnan(want[:, 0]))
    assert np.allclose(np.stack([lo, hi], 1)[~empty], want[~empty])


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(6))
def test_all_differences_at_once_are_the_kernel_row_by_row(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    x, z = noisy(25, 4, seed, 0.7)
    nominal = np.array([False, False, True, False])
    x[:, 2], z[:, 2] = rng.integers(3, size=25), rng.integers(3, size=25)
    z[::3] = z[0]  # identical records share a link
    at_once, kernel = Pairs.of(x, z, nominal), Pairs.of(x, z, nominal)
    assert at_once.gains is not None
    monkeypatch.setattr(weights_search, "KEPT", 0)
    assert kernel.gains is None
    w, u = rng.dirichlet(np.ones(4)), rng.normal(size=4)
    assert np.array_equal(at_once.linked(w), kernel.linked(w))
    # along one attribute many rows are as near everywhere on the line
    for way in (u, np.array([0.0, 0.0, 1.0, 0.0])):
        one, other = (best_on_line(p, w, way, -1.0, 1.0) for p in (at_once, kernel))
        assert one == pytest.approx(other, rel=1e-9)


def test_one_masked_row_is_everybodys():
    p = Pairs.of(np.array([[0.0], [1.0]]), np.array([[2.0], [2.0]]))
    assert p.correct(np.ones(1)) == 1.0
    assert search_weights(p).correct == 1.0


def test_correct_links_equals_a_plain_count():
    x, z = noisy(80, 3, 1, 0.4)
    p = Pairs.of(x, z)
    w = np.array([0.5, 0.3, 0.2])
    assert p.correct(w) == pytest.approx(nearest_correct(x, z, w))
    killers = np.empty(80, np.int64)
    good = correct_links(p.x, p.z, p.nominal, p.own, w, killers)
    gap = ((p.x - p.z[killers]) ** 2 @ w) > ((p.x - p.z[p.own]) ** 2 @ w)
    assert np.array_equal(good, gap)


def test_the_best_point_of_a_line_is_not_beaten_by_a_grid():
    x, z = noisy(60, 3, 2, [0.1, 0.5, 1.5])
    p = Pairs.of(x, z)
    w = np.full(3, 1 / 3)
    u = np.array([1.0, 0.0, 0.0]) - w
    t, count = best_on_line(p, w, u, -0.5, 1.0)
    assert p.correct(w + t * u) == pytest.approx(count)
    assert (
        count >= max(p.correct(w + s * u) for s in np.linspace(-0.49, 0.99, 200)) - 1e-9
    )


def test_identical_masked_records_never_count_more_than_their_share():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    z = microaggregate(x, 3, [[0, 1, 2]])
    assert search_weights(Pairs.of(x, z)).correct <= 20 + 1e-9


def test_row_order_does_not_change_the_value_of_weights():
    x, z = noisy(50, 3, 3, 0.6)
    order = np.random.default_rng(0).permutation(50)
    w = np.array([0.2, 0.5, 0.3])
    assert Pairs.of(x, z).correct(w) == Pairs.of(x[order], z[order]).correct(w)


def test_the_undisturbed_attribute_gets_the_weight():
    x, z = noisy(100, 4, 4, [2.0, 1e-7, 2.0, 2.0])
    found = search_weights(Pairs.of(x, z))
    assert found.correct == 100
    assert found.weights.argmax() == 1
    assert nearest_correct(x, z) < 60


def test_the_program_proves_what_enumeration_finds():
    x, z = noisy(25, 2, 5, [0.3, 0.6])
    p = Pairs.of(x, z)
    proof = prove_weights(p, time_limit=20)
    grid = max(p.correct(np.array([a, 1 - a])) for a in np.linspace(0, 1, 4001))
    assert proof.optimal
    assert proof.correct >= grid
    assert proof.bound == pytest.approx(proof.correct)
    assert proof.rows < 25 * 24


def test_a_time_limit_gives_a_true_bound_and_a_gap():
    x, z = noisy(120, 5, 6, [0.4, 0.6, 0.8, 1.0, 1.2])
    proof = prove_weights(Pairs.of(x, z), time_limit=1.0)
    assert proof.bound >= proof.correct
    assert proof.gap == pytest.approx(proof.bound - proof.correct)
    assert proof.bound <= 120
