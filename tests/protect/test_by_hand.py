"""Protectors where a formula or guarantee could be off by a little: by hand, in expectation."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from tacit.base.errors import ColumnError, InputError, ParameterError
from tacit.data.out_of_core.number_files import ArrayNumbers
from tacit.protect.grouping import aggregates, anonymity
from tacit.protect.grouping.anonymity import column_by_column, frequencies
from tacit.protect.grouping.record_groups import mu_approx
from tacit.protect.ipso import ipso
from tacit.protect.noise import column_sd
from tacit.protect.pram import change, uniform
from tacit.protect.private import Accountant
from tacit.protect.private.bounds import secret_or
from tacit.protect.private.randomised_response import randomised_response
from tacit.protect.rank_swapping import swap_column
from tacit.protect.top_bottom_coding import quantiles


def test_no_protector_hands_over_an_identifier() -> None:
    data = {"ssn": [101, 102, 103, 104], "pay": [1.5, 2.5, 3.5, 4.5]}
    micro = tc.Microdata.of(data, identifier="ssn", quasi=["pay"], continuous=["pay"])
    for method in (tc.protect.Noise(), tc.protect.Microaggregation(k=2)):
        assert method.fit_transform(micro).names == ["pay"]
    plan = tc.Plan.of(tc.protect.Noise())
    assert plan.released(micro) == ["pay"]
    assert plan.mask(micro).names == ["pay"]


def test_too_few_records_and_other_kinds_are_refused() -> None:
    empty = tc.Microdata.of({"a": np.empty(0)}, continuous=["a"], quasi=["a"])
    with pytest.raises(InputError, match="a minimum of 1 is required"):
        tc.protect.Noise().fit_transform(empty)
    town = tc.Microdata.of({"town": list("aabb")}, nominal=["town"], quasi=["town"])
    with pytest.raises(ColumnError, match="masks continuous columns"):
        tc.protect.Rounding(base=1).fit_transform(town)


def test_the_columns_of_the_strata_stay_as_they_are() -> None:
    """They are quasi-identifiers, too, and no step touches them: the plan says that they leave."""
    town = ["u", "u", "u", "v", "v", "v"]
    data = {"age": [20.0, 30.0, 40.0, 25.0, 35.0, 45.0], "town": town}
    micro = tc.Microdata.of(data, nominal=["town"], quasi=["age", "town"])
    method = tc.protect.Microaggregation(k=3, by=["town"])
    assert method.touches(micro) == ["age"]
    masked = method.fit_transform(micro)
    assert masked.table["town"].to_pylist() == town
    assert masked.table["age"].to_pylist() == [30.0] * 3 + [35.0] * 3


def test_members_are_averaged_inside_their_group_of_households() -> None:
    """Two cheap and two dear homes: nobody of the cheap ones gets an age of the dear ones."""
    data = {
        "home": [1, 1, 2, 2, 3, 3, 4, 4],
        "rent": [10.0, 10.0, 11.0, 11.0, 90.0, 90.0, 91.0, 91.0],
        "age": [20.0, 30.0, 22.0, 32.0, 60.0, 70.0, 62.0, 72.0],
    }
    micro = tc.Microdata.of(
        data, household="home", quasi=["rent", "age"], continuous=["rent", "age"]
    )
    masked = tc.protect.Microaggregation(k=2).fit_transform(micro)
    ages = masked.column("age")
    assert ages[:4].mean() == 26
    assert ages[4:].mean() == 66


def test_the_sd_of_noise_divides_by_n_minus_one() -> None:
    values = tc.Microdata.of(np.array([[1.0], [2.0], [np.nan], [6.0]]))
    assert column_sd(values, ["x0"])[0] == pytest.approx(math.sqrt(14 / 2))


def test_noise_stays_within_bounds_that_it_can_hardly_meet() -> None:
    """So narrow that redrawing does not help: what is still outside is cut off."""
    table = pd.DataFrame({"a": np.linspace(0.0, 1000.0, 400)})
    method = tc.protect.Noise(percent=100, bounds={"a": (499, 501)}, random_state=1)
    masked = method.fit_transform(table)["a"]
    assert masked.between(499, 501).all()


def test_ipso_a_has_the_variance_of_the_residuals() -> None:
    """Residual variance divides by n - 1 - rank(X): with 12 records and 4 columns, 7 and not 11."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(12, 4))
    y = x @ rng.normal(size=(4, 1)) + rng.normal(size=(12, 1))
    design = np.hstack([np.ones((12, 1)), x])
    fitted = design @ np.linalg.lstsq(design, y, rcond=None)[0]
    expected = ((y - fitted) ** 2).sum() / (12 - 1 - 4)
    for variant, freedom in (("A", 12), ("B", 7)):
        drawn = [ipso(y, x, variant, np.random.default_rng(s)) for s in range(1500)]
        squares = np.mean([((one - fitted) ** 2).sum() for one in drawn])
        # B is orthogonal to X and the mean: 7 of the 12 dimensions are left
        assert squares / freedom == pytest.approx(expected, rel=0.06)


def test_ipso_leaves_gaps_where_they_were() -> None:
    rng = np.random.default_rng(2)
    y, x = rng.normal(size=(30, 2)), rng.normal(size=(30, 1))
    y[3, 1] = np.nan
    assert np.isnan(ipso(y, x, "C", rng)).sum() == 1


def test_gamma_decides_how_far_groups_of_variable_size_grow() -> None:
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    sizes = {}
    for gamma in (0.01, 1.5):
        method = tc.protect.Microaggregation(k=3, partition="vmdav", gamma=gamma)
        method.fit(table)
        sizes[gamma] = np.bincount(method.labels_)
    # with a small gamma hardly any record is near enough to extend a group
    assert sizes[1.5].max() > 3
    assert len(sizes[0.01]) > len(sizes[1.5])


def test_every_record_gets_the_mean_of_its_own_group() -> None:
    table = pd.DataFrame({"a": [9.0, 1.0, 8.0, 2.0, 7.0, 3.0]})
    masked = tc.protect.Microaggregation(k=3).fit_transform(table)
    assert masked["a"].tolist() == [8, 2, 8, 2, 8, 2]


def test_columns_are_standardised_by_the_population() -> None:
    values = np.array([[1.0], [3.0], [5.0], [7.0]])
    assert aggregates.standardise(values)[0, 0] == pytest.approx(-3 / math.sqrt(5))


def test_no_group_of_mu_approx_is_larger_than_needed() -> None:
    for seed in range(5):
        points = np.random.default_rng(seed).normal(size=(80, 2))
        sizes = np.bincount(mu_approx(points, 4))
        assert sizes.min() >= 4
        assert sizes.max() < 8


def test_the_less_important_cell_is_suppressed() -> None:
    codes = np.array([[0, 0], [0, 0], [0, 1], [1, 0]])
    for importance, column in (([1.0, 9.0], 0), ([9.0, 1.0], 1)):
        blank = column_by_column(
            codes,
            np.zeros(codes.shape, dtype=bool),
            np.array(importance),
            below=lambda left: frequencies(left, "any") < 2,
        )
        assert blank[:, column].sum() >= blank[:, 1 - column].sum()
        assert blank[:, column].any()


def test_suppression_counts_again_what_its_search_has_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A search that finds nothing must not leave a group of k - 1: what is shown is counted."""
    codes = np.array([[0, 0]] * 3 + [[1, 1]] * 3 + [[0, 1]] * 2)

    def nothing(codes: np.ndarray, *_: object) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(0, dtype=np.int64), np.zeros((0, codes.shape[1]), dtype=bool)

    monkeypatch.setattr(anonymity, "_round", nothing)
    blank = anonymity.suppress(codes, 3, np.ones(2), "any", np.random.default_rng(1))
    shown = np.where(blank, -1, codes)
    assert frequencies(shown, "any").min() >= 3


def test_a_uniform_matrix_holds_probabilities() -> None:
    matrix = uniform(4, 0.7)
    assert matrix.sum(axis=1).tolist() == pytest.approx([1] * 4)
    assert matrix[0].tolist() == pytest.approx([0.7, 0.1, 0.1, 0.1])


def test_categories_change_with_the_probabilities_of_the_matrix() -> None:
    matrix = np.array([[0.5, 0.3, 0.2], [0.0, 1.0, 0.0], [0.2, 0.2, 0.6]])
    drawn = change(np.zeros(20_000), matrix, np.random.default_rng(1))
    shares = np.bincount(drawn.astype(int), minlength=3) / 20_000
    assert shares.tolist() == pytest.approx(matrix[0].tolist(), abs=0.015)


def test_a_negative_probability_is_refused() -> None:
    data = tc.Microdata.of({"t": ["a", "b", "a", "b"]}, nominal=["t"], quasi=["t"])
    wrong = {"t": [[1.2, -0.2], [0.5, 0.5]]}
    with pytest.raises(ParameterError, match="probabilities"):
        tc.protect.PRAM(matrices=wrong).fit_transform(data)


def test_tied_values_do_not_swap_in_the_order_of_the_file() -> None:
    """Where ranks tie, whoever knows the order of the rows would know who swapped with whom."""
    values = np.repeat([1.0, 2.0], 50)
    partners = {
        tuple(
            np.flatnonzero(swap_column(values, 30, np.random.default_rng(s)) != values)
        )
        for s in range(20)
    }
    # of 20 draws with a window of 30 ranks, rows at both ends move in some
    ends = {row for rows in partners for row in rows if row < 20 or row >= 80}
    assert ends


def test_what_was_spent_is_never_rounded_down() -> None:
    accountant = Accountant()
    for _ in range(10):
        accountant.spend("a", 0.1)
    # ten times the double nearest to 0.1 is a little more than 1
    assert accountant.spent > 1.0


def test_private_noise_without_a_seed_is_the_systems() -> None:
    rng = np.random.default_rng(1)
    assert secret_or(rng, None) is None
    assert secret_or(rng, 7) is rng


@pytest.mark.parametrize(("size", "epsilon"), [(2, 0.5), (5, 1.0)])
def test_randomised_response_keeps_with_the_odds_of_epsilon(
    size: int, epsilon: float
) -> None:
    n = 60_000
    answers = randomised_response(np.zeros(n), size, epsilon, np.random.default_rng(2))
    odds = math.exp(epsilon)
    share = odds / (odds + size - 1)
    four_sd = 4 * math.sqrt(share * (1 - share) / n)
    assert (answers == 0).mean() == pytest.approx(share, abs=four_sd)


@pytest.mark.parametrize(
    ("top", "threshold"), [(0.1, 9.0), (0.2, 8.0), (0.05, 10.0), (0.0, math.inf)]
)
def test_tails_code_the_share_that_was_asked_for(top: float, threshold: float) -> None:
    assert quantiles(ArrayNumbers(np.arange(1.0, 11.0)), 0.0, top)[1] == threshold


def test_a_private_category_that_is_missing_is_refused() -> None:
    """Where the gaps are would leave without noise."""
    table = pd.DataFrame({"t": ["a", None, "b", "a"]})
    private = tc.protect.Laplace(epsilon=1.0, categories={"t": ["a", "b"]})
    with pytest.raises(InputError, match="where they are would be released"):
        private.fit_transform(table)
