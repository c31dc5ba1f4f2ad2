"""The individual risk: by hand, against the integral and the series, and where others fail."""

import numpy as np
import pytest
from scipy.integrate import quad

from tacit.risk.benedetti_franconi import _integral, individual_risk


def test_francdat_by_hand():
    f = np.array([2, 2, 2, 1, 1, 1, 1, 2.0])
    F = np.array([110, 84.5, 84.5, 17, 541, 8, 5, 110])
    odds = lambda p: p / (1 - p)  # noqa: E731
    pair = lambda F: odds(2 / F) - odds(2 / F) ** 2 * np.log(F / 2)  # noqa: E731
    single = lambda F: np.log(F) / (F - 1)  # noqa: E731
    expected = [
        pair(110),
        pair(84.5),
        pair(84.5),
        single(17),
        single(541),
        single(8),
        single(5),
        pair(110),
    ]
    assert individual_risk(f, F) == pytest.approx(expected, rel=1e-12)
    assert individual_risk(f, F)[:4] == pytest.approx(
        [0.01714426, 0.02204233, 0.02204233, 0.17707583], abs=1e-8
    )


@pytest.mark.parametrize("f", [1, 1.3, 2, 2.7, 3, 10, 100, 573])
@pytest.mark.parametrize("p", [1e-4, 0.01, 0.3, 0.9, 0.999])
def test_equals_the_integral(f, p):
    expected = (
        p
        * quad(
            lambda u: np.exp(-u) / (p + (1 - p) * np.exp(-u / f)) / f,
            0,
            np.inf,
            epsabs=0,
            epsrel=1e-12,
        )[0]
    )
    assert individual_risk(np.array([f]), np.array([f / p]))[0] == pytest.approx(
        expected, rel=1e-10
    )


def test_equals_the_positive_series():
    f, p = np.meshgrid([1, 2, 3, 5.5, 50, 1e5], [0.5, 0.8, 1 - 1e-9])
    f, p = f.ravel(), p.ravel()
    term, total = np.ones_like(f), np.ones_like(f)
    for n in range(1, 90):
        term = term * (1 - p) * n / (f + n)
        total = total + term
    assert _integral(f, f / p) == pytest.approx(p / f * total, rel=1e-13)


def test_every_form_equals_the_quadrature():
    f, p = np.meshgrid(
        [1, 1.7, 2, 3, 4, 9, 17, 29, 29.5, 30, 31, 90, 4000],
        np.geomspace(1e-7, 0.9999, 60),
    )
    f, F = f.ravel(), (f / p).ravel()
    assert individual_risk(f, F) == pytest.approx(_integral(f, F), rel=1e-12)


def test_is_a_probability_where_the_alternating_series_is_not():
    f, p = np.meshgrid(np.arange(1, 200, dtype=float), np.geomspace(1e-6, 1, 40))
    risk = individual_risk(f.ravel(), (f / p).ravel())
    assert risk.min() > 0
    assert risk.max() <= 1
    assert np.all(risk <= 1 / f.ravel() + 1e-15)


def test_a_fractional_frequency_between_one_and_two_is_not_safe():
    risk = individual_risk(np.array([1.0, 1.5, 2.0]), np.array([10.0, 15.0, 20.0]))
    assert risk[0] > risk[1] > risk[2] > 0


def test_the_approximation_is_within_its_stated_error():
    f = np.array([3.0] * 30)
    F = np.geomspace(3.01, 3e5, 30)
    exact, close = individual_risk(f, F), individual_risk(f, F, approximate=True)
    assert np.abs(close / exact - 1).max() < 0.0404
    ten = np.abs(
        individual_risk(f + 7, F * 4, approximate=True) / individual_risk(f + 7, F * 4)
        - 1
    ).max()
    assert ten < 0.0028


def test_a_census_risks_one_over_f():
    assert individual_risk(np.array([1.0, 4.0]), np.array([1.0, 2.0])).tolist() == [
        1.0,
        0.25,
    ]
