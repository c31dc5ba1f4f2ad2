"""Noise: the moments that each kind promises, bounds, categories."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tacit as tc
from tacit.protect.noise import factors


@pytest.fixture(scope="module")
def table() -> np.ndarray:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(20_000, 1))
    two = np.hstack([100 + 10 * x, 5 + x + rng.normal(size=(20_000, 1))])
    return np.hstack([two, two.sum(axis=1, keepdims=True)])  # rank 2


def test_uncorrelated_noise_is_independent_and_has_its_sd(table: np.ndarray) -> None:
    noise = tc.protect.Noise(percent=20, random_state=2).fit_transform(table) - table
    assert noise.std(axis=0) == pytest.approx(0.2 * table.std(axis=0), rel=0.02)
    assert np.abs(np.corrcoef(noise.T) - np.eye(3)).max() < 0.03
    assert stats.kstest(noise[:, 0] / noise[:, 0].std(), "norm").pvalue > 1e-3


def test_correlated_noise_has_the_covariance_of_the_file_and_its_rank(
    table: np.ndarray,
) -> None:
    masked = tc.protect.Noise(
        kind="correlated", percent=50, random_state=2
    ).fit_transform(table)
    noise = masked - table
    assert np.cov(noise.T) == pytest.approx(0.25 * np.cov(table.T), rel=0.05)
    assert masked[:, 2] == pytest.approx(
        masked[:, 0] + masked[:, 1], rel=1e-9
    )  # the sum stays the sum


def test_transformed_noise_keeps_mean_and_covariance_in_expectation(
    table: np.ndarray,
) -> None:
    masked = tc.protect.Noise(
        kind="transformed", percent=80, random_state=2
    ).fit_transform(table)
    assert masked.mean(axis=0) == pytest.approx(table.mean(axis=0), rel=0.01)
    assert np.cov(masked.T) == pytest.approx(np.cov(table.T), rel=0.05)
    plain = tc.protect.Noise(
        kind="correlated", percent=80, random_state=2
    ).fit_transform(table)
    assert (
        np.cov(plain.T)[0, 0] > 1.5 * np.cov(table.T)[0, 0]
    )  # which noise without the transformation does not


@pytest.mark.parametrize("form", ["lognormal", "normal"])
def test_factors_have_mean_one_and_the_sd_asked_for(form: str) -> None:
    drawn = factors(np.random.default_rng(3).standard_normal(400_000), 0.3, form)
    assert drawn.mean() == pytest.approx(1, abs=0.003)
    assert drawn.std() == pytest.approx(0.3, rel=0.02)
    assert drawn.min() > 0
    if form == "normal":
        wide = factors(np.random.default_rng(3).standard_normal(100_000), 2.0, form)
        assert wide.min() > 0
        assert wide.max() < 2
        assert wide.mean() == pytest.approx(1, abs=0.01)


def test_multiplicative_noise_keeps_signs_and_zeros() -> None:
    table = np.array([[0.0], [-5.0], [7.0]] * 50)
    masked = tc.protect.Noise(
        kind="multiplicative", percent=40, random_state=1
    ).fit_transform(table)
    assert np.array_equal(np.sign(masked), np.sign(table))
    assert not np.array_equal(masked, table)


def test_bounds_are_kept_without_piling_up_on_them() -> None:
    table = np.random.default_rng(0).uniform(0, 1, size=(5000, 1))
    masked = tc.protect.Noise(
        percent=30, bounds={"x0": (0, 1)}, random_state=1
    ).fit_transform(table)
    assert masked.min() >= 0
    assert masked.max() <= 1
    assert ((masked == 0) | (masked == 1)).sum() == 0


def test_bad_bounds_are_named() -> None:
    with pytest.raises(tc.errors.ColumnError, match="nobody"):
        tc.protect.Noise(bounds={"nobody": (0, 1)}).fit_transform(np.zeros((3, 1)))
    with pytest.raises(tc.errors.ParameterError, match="lower one is above"):
        tc.protect.Noise(bounds={"x0": (1, 0)}).fit_transform(np.zeros((3, 1)))


def test_categories_are_replaced_by_others_with_the_probability_asked_for() -> None:
    table = pd.DataFrame({"c": np.random.default_rng(0).choice(list("abcd"), 20_000)})
    masked = tc.protect.Noise(replace=0.3, random_state=5).fit_transform(table)
    changed = (masked["c"] != table["c"]).to_numpy()
    assert changed.mean() == pytest.approx(0.3, abs=0.015)
    others = masked["c"][changed & (table["c"] == "a").to_numpy()].value_counts(
        normalize=True
    )
    assert sorted(others.index) == ["b", "c", "d"]
    assert others.to_numpy() == pytest.approx(1 / 3, abs=0.04)


def test_missing_values_stay_missing() -> None:
    table = np.array([[1.0, np.nan], [2.0, 3.0], [np.nan, 5.0], [4.0, 1.0]])
    for kind in ("uncorrelated", "correlated", "transformed", "multiplicative"):
        masked = tc.protect.Noise(kind=kind, random_state=0).fit_transform(table)
        assert np.array_equal(np.isnan(masked), np.isnan(table))
