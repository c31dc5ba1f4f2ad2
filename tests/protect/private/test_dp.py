"""Differential privacy: sensitivities by brute force, noise by a test, what must be refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tacit as tc
from tacit.base import seeds
from tacit.kernels.mdav.univariate import fixed_groups
from tacit.protect.private.bounds import Grid

DP = tc.protect.DPMicroaggregation


def run_sums(places: np.ndarray, k: int, form: str, steps: int) -> np.ndarray:
    """Sums of the runs of every column, without noise (runs, columns), as the method forms them."""
    runs = fixed_groups(len(places), k)
    method = DP(k=k, form=form)
    orders = method._orders(places, [Grid(0.0, 1.0, steps)] * places.shape[1])
    start = np.searchsorted(runs, np.arange(runs[-1] + 1))
    return np.column_stack(
        [np.add.reduceat(places[order, j], start) for j, order in enumerate(orders)]
    )


@given(st.integers(1, 5), st.integers(0, 20), st.integers(1, 3), st.integers(0, 10**6))
def test_no_neighbour_moves_the_sums_by_more_than_the_sensitivity(
    k: int, extra: int, columns: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    n, steps = k + extra, 10
    places = rng.integers(0, steps + 1, (n, columns))
    other = places.copy()
    other[rng.integers(n)] = (
        rng.integers(0, 2, columns) * steps
        if rng.random() < 0.5
        else rng.integers(0, steps + 1)
    )
    groups = fixed_groups(n, k)[-1] + 1
    for form, bound in (("individual", steps), ("multivariate", steps * groups)):
        moved = np.abs(
            run_sums(places, k, form, steps) - run_sums(other, k, form, steps)
        ).sum(axis=0)
        assert moved.max() <= bound


def test_the_individual_bound_is_reached() -> None:
    places = np.array([[0], [0], [10], [10]])
    other = np.array([[10], [0], [10], [10]])
    assert (
        np.abs(
            run_sums(places, 2, "individual", 10) - run_sums(other, 2, "individual", 10)
        ).sum()
        == 10
    )


def test_ceil_n_over_2k_is_not_a_bound_for_the_multivariate_form() -> None:
    """n = 8, k = 2: ceil(n / 2k) Delta / k would be Delta.

    One record from the lower corner to the upper one shifts every run, and along the order the
    first column alternates between its ends: the four means of that column move by 2 Delta.
    G Delta / k, the bound that is used, is reached.
    """
    file = np.array(
        [
            [0, 0, 0],
            [0, 0, 0],
            [10, 0, 0],
            [10, 0, 0],
            [0, 10, 5],
            [0, 10, 5],
            [10, 7, 0],
            [10, 7, 0],
        ]
    )
    moved = file.copy()
    moved[0] = [0, 10, 10]
    before, after = (
        run_sums(f, 2, "multivariate", 10)[:, 0] / 2 for f in (file, moved)
    )
    delta = 10
    assert np.abs(before - after).sum() == 2 * delta
    assert np.ceil(8 / 4) * delta / 2 == delta


def at_their_records(labels: np.ndarray, seed: int) -> np.ndarray:
    """The release that ``rows="kept"`` was: every record with its own group's noisy mean."""
    noisy = np.random.default_rng(seed).laplace(size=(labels.max() + 1, 2))
    return np.column_stack([noisy[labels[:, j], j] for j in range(2)])


def test_rows_that_stay_in_place_would_break_the_promise() -> None:
    """Why rows are shuffled: which records share a run is an exact function of the file.

    Two columns, n = 4, k = 2: one file always gives two distinct rows and its neighbour four,
    whatever the noise.
    """
    file = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]])
    neighbour = file.copy()
    neighbour[3, 0] = 0.0
    bounds = {"x0": (0, 5), "x1": (0, 5)}
    made = DP(k=2, epsilon=1e3, bounds=bounds)
    groups, others = made.fit(file).labels_, made.fit(neighbour).labels_
    for seed in range(20):
        assert len(np.unique(at_their_records(groups, seed), axis=0)) == 2
        assert len(np.unique(at_their_records(others, seed), axis=0)) == 4
    sizes = {
        len(
            np.unique(
                DP(
                    k=2, epsilon=1e3, bounds=bounds, random_state=s, test_seed=True
                ).fit_transform(file),
                axis=0,
            )
        )
        for s in range(40)
    }
    assert sizes == {2, 4} or 3 in sizes  # shuffled: the pairing says nothing


@pytest.mark.parametrize("rows", ["kept", "shuffled"])
def test_rows_cannot_be_kept_any_more(rows: str) -> None:
    with pytest.raises(tc.errors.ParameterError, match="nothing would be private"):
        DP(bounds={"x0": (0, 1)}, rows=rows)
    with pytest.raises(tc.errors.ParameterError, match="nothing would be private"):
        tc.Step("dp_microaggregation", {"bounds": {"x0": (0, 1)}, "rows": rows})


@pytest.mark.parametrize(("form", "k"), [("individual", 5), ("multivariate", 50)])
def test_the_noise_on_means_is_laplace_with_the_scale_announced(
    form: str, k: int
) -> None:
    n, columns = 20_000 if form == "individual" else 10_000, 2
    table = np.full(
        (n, columns), 50.0
    )  # in the middle, so that no noisy mean is clamped (checked)
    bounds = {"x0": (0.0, 100.0), "x1": (0.0, 100.0)}
    epsilon = 40.0 if form == "individual" else 2000.0
    method = DP(
        k=k, epsilon=epsilon, bounds=bounds, form=form, random_state=4, test_seed=True
    )
    masked = method.fit_transform(table)
    groups = n // k
    scale = (1 if form == "individual" else groups) * 100.0 / k / (epsilon / 2)
    assert [s.scale for s in method.accountant_] == pytest.approx([scale, scale])
    assert method.accountant_.spent == pytest.approx(epsilon)
    for j in range(columns):
        values, count = np.unique(masked[:, j], return_counts=True)
        assert count.min() >= k, "noise once per group"
        assert values.min() > 0
        assert values.max() < 100
        noise = np.repeat(values - 50.0, count // k)
        assert noise.size == groups
        jitter = (
            np.random.default_rng(0).uniform(-0.5, 0.5, groups) * 100 / 2**20 / k
        )  # the grid has ties
        assert (
            stats.kstest(noise + jitter, stats.laplace(scale=scale).cdf).pvalue > 1e-3
        )
        assert (
            stats.kstest(noise + jitter, stats.laplace(scale=scale * 2).cdf).pvalue
            < 1e-2
        )  # the test can fail


def test_the_laplace_mechanism() -> None:
    table = pd.DataFrame({"v": np.full(20_000, 5.0), "c": ["a", "b", "c", "d"] * 5000})
    method = tc.protect.Laplace(
        epsilon=4.0,
        bounds={"v": (0, 10)},
        categories={"c": list("abcd")},
        random_state=3,
        test_seed=True,
    )
    masked = method.fit_transform(table)
    noise = masked["v"] - 5.0
    assert stats.kstest(noise, stats.laplace(scale=10 / 2.0).cdf).pvalue > 1e-3
    kept = (masked["c"] == table["c"]).mean()
    expected = np.exp(2.0) / (np.exp(2.0) + 3)
    assert kept == pytest.approx(expected, abs=0.012)
    others = masked["c"][(table["c"] == "a") & (masked["c"] != "a")].value_counts(
        normalize=True
    )
    assert others.to_numpy() == pytest.approx(1 / 3, abs=0.04)
    assert method.accountant_.spent <= 4.0
    assert "change one record" in method.accountant_.neighbours


@pytest.mark.parametrize("method", [DP, tc.protect.Laplace])
class TestRefusals:
    def test_bounds_are_never_taken_from_the_data(self, method: type) -> None:
        with pytest.raises(tc.errors.ParameterError, match="needs the bounds of 'x1'"):
            method(bounds={"x0": (0, 1)}).fit_transform(np.zeros((20, 2)))

    @pytest.mark.parametrize(
        "bad", [(1.0, 1.0), (2.0, 1.0), (0.0, np.inf), (np.nan, 1.0)]
    )
    def test_impossible_bounds(self, method: type, bad: tuple[float, float]) -> None:
        with pytest.raises(tc.errors.ParameterError, match="finite numbers"):
            method(bounds={"x0": bad}).fit_transform(np.zeros((20, 1)))

    def test_missing_values(self, method: type) -> None:
        with pytest.raises(tc.errors.InputError, match="missing values"):
            method(bounds={"x0": (0, 1)}).fit_transform(
                np.array([[0.5]] * 19 + [[np.nan]])
            )

    def test_values_outside_are_clamped_and_counted(self, method: type) -> None:
        table = np.array([[-50.0]] * 30 + [[0.5]] * 20 + [[1e9]] * 10)
        made = method(
            epsilon=1e4, bounds={"x0": (0, 1)}, random_state=0, test_seed=True
        )
        masked = made.fit_transform(table)
        assert made.clamped_ == {"x0": 40}
        assert masked.min() > -0.1
        assert masked.max() < 1.1

    def test_without_a_seed_two_releases_differ(self, method: type) -> None:
        made = method(bounds={"x0": (0, 1)})
        table = np.full((50, 1), 0.5)
        assert not np.array_equal(made.fit_transform(table), made.fit_transform(table))


def test_a_plan_draws_no_seed_for_private_noise_unless_asked() -> None:
    bounds = {"x0": (0, 1)}
    plan = tc.Plan.of(
        [tc.protect.Noise(), tc.protect.Laplace(bounds=bounds), DP(bounds=bounds)]
    )
    assert [step.seed is None for step in plan.seeded().steps] == [False, True, True]
    with pytest.raises(tc.errors.ParameterError, match="takes no seed"):
        plan.seeded(7)
    assert [step.seed for step in plan.seeded(7, test_seed=True).steps] == [
        seeds.child(7, i) for i in range(3)
    ]
    table = np.full((50, 1), 0.5)
    assert (
        "who do not know the seed"
        in DP(bounds=bounds, random_state=1, test_seed=True).fit(table).guarantee_
    )
    assert "seed" not in DP(bounds=bounds).fit(table).guarantee_


def test_nominal_columns_are_refused_by_microaggregation() -> None:
    with pytest.raises(tc.errors.ColumnError, match="'c' is nominal"):
        DP(bounds={}).fit_transform(pd.DataFrame({"c": list("ab") * 20}))


def test_integers_use_the_integers_as_grid_and_shuffling_keeps_whole_rows() -> None:
    table = pd.DataFrame({"a": np.arange(40), "b": np.arange(40)[::-1].copy()})
    method = DP(
        k=5,
        epsilon=1e6,
        bounds={"a": (0, 39), "b": (0, 39)},
        form="multivariate",
        integers=["a", "b"],
        random_state=1,
        test_seed=True,
    )
    masked = method.fit_transform(table)
    assert masked.dtypes.astype(str).tolist() == ["int64", "int64"]
    assert masked.value_counts().min() >= 5, "whole rows stay together"
