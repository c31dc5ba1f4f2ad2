"""Learned weights on files: key attributes, held-out records, matrices, and Census."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from attack.informed.oracles import nearest_correct
from attack.informed.test_aware import correlated
from tacit.attack.learned.weights import Weighted, learn_weights


def uneven(n=300, seed=1):
    x = correlated(n, 4, 0.2, seed)
    rng = np.random.default_rng(seed)
    return x, x + rng.normal(size=x.shape) * [0.02, 0.5, 1.0, 1.0]


def test_weights_sum_to_one_and_name_the_key_attribute():
    x, z = uneven()
    learned = learn_weights(x, z)
    assert sum(learned.weights.values()) == pytest.approx(1)
    first = learned.rows()[0]
    assert first["attribute"] == learned.columns[0]
    assert first["alone"] == max(row["alone"] for row in learned.rows())
    assert learned.correct > 1.2 * learned.equal


def test_the_attacker_links_what_learning_counted():
    x, z = uneven()
    learned = learn_weights(x, z)
    assert learned.attacker().link(x, z).correct == pytest.approx(learned.correct)
    assert Weighted().link(x, z).correct == pytest.approx(learned.equal)
    assert learned.attacker("assignment").link(x, z).correct >= learned.correct


def test_single_attributes_count_as_a_plain_search_does():
    x, z = uneven(120)
    z[:, 3] = z[:, 3].round(0)
    learned = learn_weights(x, z)
    sx, sz = (x - x.mean(0)) / x.std(0), (z - z.mean(0)) / z.std(0)
    for k, name in enumerate(learned.columns):
        assert learned.single[name] == pytest.approx(
            nearest_correct(sx[:, [k]], sz[:, [k]])
        )


def test_weights_learned_on_some_help_on_others():
    x, z = uneven(400)
    order = np.random.default_rng(0).permutation(400)
    learned = learn_weights(x, z, train=order[:200], test=order[200:])
    assert learned.test_records == 200
    assert learned.tested > 1.15 * learned.tested_equal
    assert learned.tested / 200 <= learned.rate + 0.05


def test_a_full_matrix_beats_weights_on_correlated_noise():
    x = correlated(250, 4, 0.95, 3)
    z = tc.protect.Noise(percent=40, kind="correlated", random_state=1).fit_transform(x)
    learned = learn_weights(x, z, matrix=True)
    assert learned.metric.correct > 1.3 * learned.metric.diagonal_correct
    assert np.linalg.eigvalsh(learned.metric.matrix).min() > -1e-9


def test_the_order_of_records_does_not_matter_to_the_score_of_weights():
    x, z = uneven(100)
    order = np.random.default_rng(5).permutation(100)
    told = learn_weights(x, z).attacker()
    truth = np.argsort(order)
    assert told.link(x, z[order], truth=truth).correct == pytest.approx(
        told.link(x, z).correct
    )
