"""Loss measures against plain twins and small tables, where a formula could be off by a little."""

import sys
from math import erf, sqrt

import numpy as np
import pytest

import tacit as tc
from tacit.loss import registry
from tacit.loss.pil import QUANTILES, population_moments, probabilistic
from tacit.loss.regression import Fit, least_squares, overlap

GAP = None


def value(name, original, masked, **options):
    return registry[name](original, masked, **options)


def test_sse_divides_by_n():
    """The published sums of squares are of columns whose standard deviation divides by n."""
    x, z = {"a": [1.0, 3.0, 5.0, 7.0]}, {"a": [2.0, 2.0, 6.0, 6.0]}
    got = value("SSE", x, z).details
    assert got["SSE"] == pytest.approx(4 / 5)
    assert got["SST"] == pytest.approx(4)
    assert got["percent"] == pytest.approx(20)


def test_a_suppressed_cell_costs_what_the_mean_would():
    x, z = {"a": [1.0, 3.0, 5.0, 7.0]}, {"a": [GAP, 3.0, 5.0, 7.0]}
    # the mean of what is left is 5, the variance of a is 5
    assert value("SSE", x, z).details["SSE"] == pytest.approx(16 / 5)
    assert value("changed", x, z).value == pytest.approx(1 / 4)
    assert value("changed", x, z).details["suppressed cells"] == 1


def test_a_gap_that_was_there_is_no_change():
    x = {"a": [GAP, 3.0, 5.0, 7.0]}
    assert value("changed", x, x).value == 0
    assert value("changed", x, x).details["suppressed cells"] == 0


def test_a_column_that_is_wholly_suppressed_is_as_far_as_can_be():
    x, z = {"a": [1.0, 2.0]}, {"a": [np.nan, np.nan]}
    x, z = (tc.Microdata.of(one, continuous=["a"], quasi=["a"]) for one in (x, z))
    assert value("KS", x, z).value == 1


def test_a_suppressed_category_is_one_of_its_own():
    x, z = {"t": ["u", "u", "v", "v"]}, {"t": [GAP, "u", "v", "v"]}
    x, z = (tc.Microdata.of(one, nominal=["t"], quasi=["t"]) for one in (x, z))
    assert value("TV", x, z).value == pytest.approx(1 / 4)


def test_a_changed_constant_is_a_loss():
    x, z = {"a": [4.0, 4.0, 4.0]}, {"a": [4.0, 4.0, 7.0]}
    assert value("IL1", x, z).value > 0
    assert value("IL2", x, z).value == 1
    assert probabilistic(np.full((3, 1), 4.0), np.full((3, 1), 5.0))["means"] == 1


def plain_quantiles(x, z):
    """The loss of each quantile of one column, by counting."""
    n = len(z)
    losses = []
    for p in QUANTILES:
        place = min(max(int(np.ceil(p * n - 1e-9)) - 1, 0), n - 1)
        quantile = sorted(z)[place]
        below = sum(one < quantile for one in x) / len(x)
        not_above = sum(one <= quantile for one in x) / len(x)
        gap = max(below - p, p - not_above, 0.0)
        if gap <= 1 / n:
            gap = 0.0
        losses.append(erf(gap / sqrt(p * (1 - p) / n) / sqrt(2)))
    return losses


@pytest.mark.parametrize("seed", range(6))
def test_quantiles_of_the_probabilistic_loss_against_a_plain_twin(seed):
    rng = np.random.default_rng(seed)
    # few values, so that quantiles tie with many records
    x = rng.integers(0, 4, 60).astype(float)
    z = rng.integers(0, 4, 45).astype(float) + (seed % 2)
    got = probabilistic(x[:, None], z[:, None])["quantiles"][:, 0]
    assert got.tolist() == pytest.approx(plain_quantiles(x, z), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_moments_of_the_probabilistic_loss_against_a_plain_twin(seed):
    """Discrepancies in units of their sampling errors (Mateo-Sanz et al. 2005), written out."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(200, 2)) ** 3 @ np.array([[1.0, 0.4], [0.0, 1.0]])
    z = x + rng.normal(0, 0.15, (200, 2))
    n = len(z)
    a = (x - x.mean(axis=0)) / x.std(axis=0)
    b = (z - x.mean(axis=0)) / x.std(axis=0)
    c = b - b.mean(axis=0)

    def loss(gap, variance):
        return erf(abs(gap) / sqrt(variance / n) / sqrt(2))

    def mu(p, q):
        return (a[:, 0] ** p * a[:, 1] ** q).mean()

    r = mu(1, 1)
    covariance = (c[:, 0] * c[:, 1]).mean()
    correlation = covariance / sqrt((c[:, 0] ** 2).mean() * (c[:, 1] ** 2).mean())
    of_correlation = (
        mu(2, 2)
        - r * (mu(3, 1) + mu(1, 3))
        + r * r * (mu(4, 0) + mu(0, 4) + 2 * mu(2, 2)) / 4
    )
    got = probabilistic(x, z)
    assert got["means"][0] == pytest.approx(loss(b[:, 0].mean(), 1))
    assert got["variances"][0] == pytest.approx(
        loss((c[:, 0] ** 2).mean() - 1, mu(4, 0) - 1)
    )
    assert got["covariances"][0] == pytest.approx(
        loss(covariance - r, mu(2, 2) - r * r)
    )
    assert got["correlations"][0] == pytest.approx(
        loss(correlation - r, of_correlation)
    )


def test_population_moments_of_two_chunks_are_those_of_one(monkeypatch):
    x = np.random.default_rng(2).normal(size=(50, 2))
    whole = population_moments(x, x.mean(axis=0), x.std(axis=0))
    monkeypatch.setattr(sys.modules["tacit.data.runs"], "RUN", 7)
    parts = population_moments(x, x.mean(axis=0), x.std(axis=0))
    assert parts.squares == pytest.approx(whole.squares)
    assert parts.cubes == pytest.approx(whole.cubes)


def test_a_regression_is_that_of_a_textbook():
    """y = 1, 2, 3, 5 on u = 1, 2, 3, 4: slope 1.3, residual squares 0.3, 2 degrees of freedom."""
    y, u = np.array([1.0, 2.0, 3.0, 5.0]), np.array([1.0, 2.0, 3.0, 4.0])
    fit = least_squares(np.column_stack([y, u]), lambda run: run)
    assert fit.coefficient[0] == pytest.approx(1.3)
    # variance of the residuals over the sum of squares of u
    assert fit.error[0] == pytest.approx(sqrt(0.3 / 2 / 5))
    assert fit.reach[0] == pytest.approx(1.959964 * sqrt(0.3 / 2 / 5), rel=1e-6)


def test_the_overlap_of_intervals_is_a_share():
    narrow, wide = Fit(np.array([0.0]), np.array([1.0])), Fit(np.ones(1), np.ones(1))
    far = Fit(np.array([9.0]), np.array([1.0]))
    reach = 1.959964
    shared = (2 * reach - 1) / (2 * reach)
    assert overlap(narrow, wide)[0] == pytest.approx(shared, rel=1e-6)
    assert overlap(narrow, far)[0] == 0
    assert overlap(narrow, narrow)[0] == pytest.approx(1)


def test_no_record_is_judged_by_trees_that_saw_its_counterpart():
    """Equal files: record and copy get the same probability, so that guessing is all there is."""
    x = np.random.default_rng(1).normal(size=80)
    same = value("pMSE", {"a": x}, {"a": x})
    assert same.details["area under the curve"] == pytest.approx(0.5, abs=1e-12)


def test_files_apart_are_told_apart_and_samples_of_one_population_are_not():
    rng = np.random.default_rng(1)
    x, other = rng.normal(size=(2, 80))
    far = value("pMSE", {"a": x}, {"a": x + 50}).value
    # a few trees with leaves of a few records, on records that they have not seen
    assert 0.6 < far <= 1
    fresh = value("pMSE", {"a": x}, {"a": other})
    assert fresh.value < 0.45
    assert abs(fresh.details["area under the curve"] - 0.5) < 0.2
