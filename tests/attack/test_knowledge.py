"""Risk grows with what the intruder knows."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from attack.informed.test_aware import correlated
from tacit.attack.informed import AwareNoise
from tacit.attack.knowledge import by_attributes, by_records


def files():
    x = correlated(200, 5, 0.3, 1)
    return x, tc.protect.Noise(percent=30, random_state=1).fit_transform(x)


def test_more_attributes_more_links():
    x, z = files()
    points = by_attributes(x, z)
    assert [p.known for p in points] == [1, 2, 3, 4, 5]
    assert [p.ways for p in points] == [5, 10, 10, 5, 1]
    rates = [p.rate for p in points]
    assert rates == sorted(rates)
    assert all(p.low <= p.rate <= p.high for p in points)
    assert points[-1].rate == pytest.approx(tc.attack.Nearest().link(x, z).rate)
    assert points[0].chance == pytest.approx(1 / 200)


def test_many_subsets_are_sampled_and_the_sample_is_near_the_whole():
    x, z = files()
    some = by_attributes(x, z, numbers=[2], most=6)[0]
    every = by_attributes(x, z, numbers=[2])[0]
    assert some.sampled
    assert some.ways == 6
    assert not every.sampled
    assert some.rate == pytest.approx(every.rate, abs=0.05)


def test_an_informed_intruder_profits_from_knowing_more_people():
    x, z = files()
    points = by_records(x, z, AwareNoise(percent=30), fractions=(0.1, 0.5, 1.0))
    assert points[-1].rate > points[0].rate
    assert points[-1].ways == 1
    assert np.isclose(points[0].chance, 1 / 200)
