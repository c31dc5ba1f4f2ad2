"""Estimates of population uniques against a population that is known."""

import numpy as np
import pytest

import tacit as tc
from tacit.risk.superpopulation import by_pitman, by_weights, by_zayatz


@pytest.fixture(scope="module")
def world():
    """A long-tailed population of 100,000, and a sample of a tenth of it."""
    rng = np.random.default_rng(0)
    population = (rng.pareto(1.0, 100_000) * 20).astype(np.int64)
    value, size = np.unique(population, return_counts=True)
    alone = set(value[size == 1].tolist())
    sample = rng.choice(population, 10_000, replace=False)
    return len(alone), sample, sum(v in alone for v in sample.tolist())


def test_pitman_finds_the_uniques_of_the_population(world):
    uniques, sample, _ = world
    sizes = np.unique(sample, return_counts=True)[1]
    assert by_pitman(sizes, 100_000.0) == pytest.approx(uniques, rel=0.15)


def test_zayatz_finds_the_sampled_uniques(world):
    _, sample, both = world
    sizes = np.unique(sample, return_counts=True)[1]
    assert by_zayatz(sizes, 0.1) == pytest.approx(both, rel=0.25)


def test_by_hand():
    assert by_weights(
        np.array([1, 1, 2, 2]), np.array([4.0, 10.0, 9.0, 9.0])
    ).tolist() == pytest.approx([0.25, 0.1, 0.0, 0.0])
    # two singles and one pair at f = 1/2: prior 2/3, 1/3; chance of one drawn 1/2, 1/2
    assert by_zayatz(np.array([1, 1, 2]), 0.5) == pytest.approx(
        2 * (1 / 2 * 2 / 3) / (1 / 2 * 2 / 3 + 1 / 2 * 1 / 3)
    )
    assert np.isnan(by_pitman(np.array([1, 1, 1]), 10.0))  # all alone: no maximum


def test_the_measure_takes_a_population_size(world):
    _, sample, both = world
    data = tc.Microdata.of({"cell": sample}, nominal=["cell"])
    got = tc.risk.population_uniques(data, data, population=100_000)
    assert got.details["expected by Pitman"] == pytest.approx(both, rel=0.25)
    assert got.details["sampling fraction"] == pytest.approx(0.1)
    with pytest.raises(ValueError, match="smaller than the file"):
        tc.risk.population_uniques(data, data, population=10)
