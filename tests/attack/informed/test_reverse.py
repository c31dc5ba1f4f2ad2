"""Told nothing: the guess is right on clear releases, and it pays."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from attack.informed.test_aware import business, correlated, euclid
from tacit.attack.informed.reverse import Reverse


def methods(x, z):
    return {g.method for g in Reverse().guesses(x, z)}


def skewed(seed=0, n=400, d=4):
    return np.random.default_rng(seed).lognormal(0, 1.5, (n, d))


def test_swapping_is_seen_by_its_values():
    x = skewed()
    z = tc.protect.RankSwapping(p=10, random_state=1).fit_transform(x)
    assert methods(x, z) == {"rank_swapping"}
    found = Reverse().link(x, z)
    assert found.correct > 1.3 * euclid(x, z)
    assert "candidate within" in found.log[0]["why"]


def test_microaggregation_is_seen_by_its_groups():
    x = skewed(1)
    z = tc.protect.Microaggregation(k=5, groups=2).fit_transform(x)
    (found,) = Reverse().guesses(x, z)
    assert found.method == "microaggregation"
    assert len(found.attacker.blocks) == 2
    assert "at least 5 times" in found.why


def test_rounding_is_seen_by_its_grid():
    x = skewed(2)
    for kind in ("nearest", "random"):
        z = tc.protect.Rounding(base=0.5, kind=kind, random_state=1).fit_transform(x)
        (found,) = Reverse().guesses(x, z)
        assert found.method == "rounding"
        assert found.attacker.kind == kind


def test_ipso_is_seen_by_the_moments_it_keeps():
    data = business(500, 1)
    masked = tc.protect.IPSO(variant="C", random_state=1).fit_transform(data)
    assert methods(data, masked) == {"ipso"}
    assert Reverse().link(data, masked).correct > 10 * euclid(data, masked)


@pytest.mark.slow
def test_noise_is_seen_and_its_correlation_is_found():
    x = correlated(800, 6, 0.95, 1)
    z = tc.protect.Noise(percent=50, kind="correlated", random_state=2).fit_transform(x)
    assert methods(x, z) == {"noise"}
    assert Reverse().link(x, z).correct > 2 * euclid(x, z)
    z = tc.protect.Noise(percent=30, random_state=2).fit_transform(x)
    assert methods(x, z) == {"noise"}
    assert Reverse().link(x, z).correct > 0.9 * euclid(x, z)


def test_multiplied_values_are_seen():
    x = skewed(3)
    z = tc.protect.Noise(
        percent=20, kind="multiplicative", random_state=1
    ).fit_transform(x)
    (found,) = Reverse().guesses(x, z)
    assert "multiplied" in found.why
    assert Reverse().link(x, z).correct > 1.3 * euclid(x, z)


def test_a_sample_of_untouched_records_is_seen():
    x = skewed(4)
    plan = tc.protect.Sampling(fraction=0.5, random_state=1)
    z = plan.fit_transform(x)
    truth = np.full(400, -1)
    truth[plan.rows_] = np.arange(len(z))
    assert methods(x, z) == {"sampling"}
    assert Reverse().link(x, z, truth=truth).correct == pytest.approx(200)


def test_an_unmasked_file_is_seen():
    x = skewed(5)
    assert methods(x, x[::-1]) == {"unchanged"}
