"""EM on agreement patterns: known parameters come back; pattern counts equal a plain count."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tacit.attack.probabilistic.comparisons import compare
from tacit.attack.probabilistic.em import fit, thresholds
from tacit.attack.probabilistic.jaro_winkler import jaro_winkler
from tacit.data.microdata import Microdata

M = [
    np.array([0.05, 0.95]),
    np.array([0.1, 0.2, 0.7]),
    np.array([0.15, 0.85]),
    np.array([0.02, 0.98]),
]
U = [
    np.array([0.9, 0.1]),
    np.array([0.6, 0.3, 0.1]),
    np.array([0.8, 0.2]),
    np.array([0.95, 0.05]),
]


def simulated(pairs=400_000, prior=0.02, seed=0):
    rng = np.random.default_rng(seed)
    match = rng.random(pairs) < prior
    levels = np.stack(
        [
            np.where(
                match, rng.choice(len(m), pairs, p=m), rng.choice(len(u), pairs, p=u)
            )
            for m, u in zip(M, U, strict=True)
        ],
        1,
    )
    patterns, counts = np.unique(levels, axis=0, return_counts=True)
    return patterns, counts.astype(float)


def test_em_recovers_the_known_probabilities():
    levels, counts = simulated()
    model = fit(levels, counts, [2, 3, 2, 2], prior=0.001)
    assert model.settled
    assert model.prior == pytest.approx(0.02, abs=0.002)
    for got, want in zip(model.m + model.u, M + U, strict=True):
        assert np.allclose(got, want, atol=0.02)


def test_one_round_of_em_by_hand():
    levels, counts = np.array([[0], [1]]), np.array([6.0, 4.0])
    model = fit(
        levels,
        counts,
        [2],
        prior=0.5,
        m=[np.array([0.2, 0.8])],
        u=[np.array([0.7, 0.3])],
        rounds=1,
    )
    q = np.array([0.1 / 0.45, 0.4 / 0.55])
    assert model.prior == pytest.approx((6 * q[0] + 4 * q[1]) / 10)
    assert model.m[0][1] == pytest.approx(4 * q[1] / (6 * q[0] + 4 * q[1]))
    assert not model.settled


def test_a_missing_comparison_says_nothing():
    levels, counts = simulated()
    model = fit(levels, counts, [2, 3, 2, 2], prior=0.01)
    seen, gone = model.weights(np.array([[1, 2, -1, 1], [1, 2, 1, 1]]))
    assert gone - seen == pytest.approx(np.log(model.m[2][1] / model.u[2][1]))


def test_thresholds_keep_to_the_tolerated_errors():
    levels, counts = simulated()
    model = fit(levels, counts, [2, 3, 2, 2], prior=0.01)
    every = np.array(list(itertools.product(range(2), range(3), range(2), range(2))))
    found = thresholds(model, every, 0.001, 0.02)
    assert found.false_links <= 0.001
    assert found.false_non_links <= 0.02
    assert found.lower <= found.upper
    looser = thresholds(model, every, 0.05, 0.02)
    assert looser.upper < found.upper


def test_counts_over_all_pairs_equal_a_plain_double_loop():
    rng = np.random.default_rng(3)
    n = 40
    a = {
        "x": rng.normal(size=n).round(1),
        "c": rng.choice(list("abc"), n),
        "name": rng.choice(["ann", "anne", "bob"], n),
    }
    b = {
        "x": rng.normal(size=n).round(1),
        "c": rng.choice(list("abc"), n),
        "name": rng.choice(["ann", "anna", "bob"], n),
    }
    a["x"][3] = np.nan
    original = Microdata.of(a, nominal=["c", "name"])
    masked = Microdata.of(b, nominal=["c", "name"])
    compared = compare(original, masked, ["x", "c", "name"], (0.0, 0.5), (0.85,))
    levels, counts = compared.counts()
    got = {tuple(row): c for row, c in zip(levels.tolist(), counts, strict=True)}
    sd = np.nanstd(a["x"])
    want: dict[tuple[int, int, int], float] = {}
    for i in range(n):
        for j in range(n):
            gap = abs(a["x"][i] - b["x"][j])
            first = -1 if np.isnan(gap) else int(gap <= 0.5 * sd) + int(gap <= 1e-15)
            alike = jaro_winkler(a["name"][i], b["name"][j])
            key = (
                first,
                2 * int(a["c"][i] == b["c"][j]),
                int(alike >= 0.85) + int(alike == 1),
            )
            want[key] = want.get(key, 0) + 1
    assert got == want
