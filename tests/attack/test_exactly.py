"""How links are scored: intervals, ties, copies, gaps, whose row it is, and who attacks."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest
from scipy.stats import binomtest

import tacit as tc
from tacit.attack.alignment import alignment
from tacit.attack.base import distinct
from tacit.attack.distances import embed
from tacit.attack.informed.noise import AwareNoise
from tacit.attack.linkage import wilson
from tacit.attack.panel import panel
from tacit.attack.probabilistic.em import fit
from tacit.attack.truth import true_rows
from tacit.attack.whiten import spread
from tacit.base.errors import InputError, ParameterError


@pytest.mark.parametrize(
    ("correct", "n"), [(0, 10), (1, 10), (5, 10), (10, 10), (37, 1080), (540, 1080)]
)
def test_the_wilson_interval_is_that_of_the_textbook(correct: int, n: int) -> None:
    """Against scipy's, which is written from the same source by others."""
    theirs = binomtest(correct, n).proportion_ci(method="wilson")
    assert wilson(correct, n) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_what_was_never_tried_may_be_anything() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_tied_classes_count_by_their_records() -> None:
    """Half-way between three records at 0 and one at 2, an intruder guesses among four."""
    x = np.array([[1.0], [0.0], [0.0], [0.0]])
    z = np.array([[2.0], [0.0], [0.0], [0.0]])
    link = tc.attack.Nearest(scale="none").link(x, z)
    assert link.ties.tolist() == [4, 3, 3, 3]
    assert link.success.tolist() == pytest.approx([1 / 4, 1 / 3, 1 / 3, 1 / 3])
    # by a function, which goes another way
    link = tc.attack.Nearest(distance=lambda a, b: np.abs(a - b.T)).link(x, z)
    assert link.success.tolist() == pytest.approx([1 / 4, 1 / 3, 1 / 3, 1 / 3])


def test_identical_records_are_not_told_apart_by_their_row() -> None:
    x, z = np.arange(4.0)[:, None], np.array([[0.5], [0.5], [2.5], [2.5]])
    for attacker in (tc.attack.Nearest(), tc.attack.Assignment()):
        link = attacker.link(x, z)
        assert link.success.tolist() == pytest.approx([0.5] * 4)
        assert link.correct == pytest.approx(2)


def test_copies_of_a_masked_record_name_as_often_as_they_are() -> None:
    """From the masked side: two copies name the original, each with all its weight."""
    x, z = np.array([[0.0], [10.0]]), np.array([[0.1], [0.1], [10.1], [10.1]])
    link = tc.attack.Nearest(direction="masked", scale="none").link(x, z, truth=[0, 2])
    # two copies name each original, and one of the two is its own
    assert link.success.tolist() == pytest.approx([1.0, 1.0])


def test_identical_originals_share_what_they_are_linked_to() -> None:
    x = np.array([[0.0], [0.0], [10.0]])
    z = np.array([[-0.5], [0.5], [10.0]])
    link = tc.attack.Assignment(scale="none").link(x, z)
    assert link.success.tolist() == pytest.approx([0.5, 0.5, 1.0])


def test_records_with_the_same_gaps_are_the_same() -> None:
    values = np.array([[np.nan, 1.0], [np.nan, 1.0], [2.0, np.nan], [2.0, 1.0]])
    found = distinct(values)
    assert sorted(found.count.tolist()) == [1, 1, 2]
    assert found.inverse[0] == found.inverse[1]


def test_every_common_quasi_identifier_is_compared() -> None:
    x = np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 1.0], [2.0, 2.0]])
    link = tc.attack.Nearest().link(x, x)
    assert len(link.columns) == 2
    assert link.correct == 4


def test_chance_is_one_of_the_masked_records() -> None:
    x, z = np.array([[0.0], [1.0]]), np.arange(10.0)[:, None]
    link = tc.attack.Nearest().link(x, z, truth=[0, 1])
    assert link.chance == pytest.approx(1 / 10)
    only_one = tc.attack.Nearest().link(x, z, truth=[0, -1])
    assert only_one.chance == pytest.approx(1 / 2 / 10)


def test_rows_that_cannot_be_are_refused() -> None:
    assert true_rows(2, 5, [4, -1]).tolist() == [4, -1]
    for wrong in ([0, -2], [0, 5]):
        with pytest.raises(InputError, match="row numbers from 0"):
            true_rows(2, 5, wrong)
    with pytest.raises(InputError, match="cannot be aligned"):
        true_rows(2, 5, None)
    with pytest.raises(InputError, match="cannot be aligned"):
        true_rows(5, 2, None)


def test_who_attacks_unless_somebody_is_named() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 3))
    z = x + 0.1 * rng.normal(size=x.shape)
    plain = set(panel(x, z))
    assert {"nearest", "assignment"} <= plain
    told = set(panel(x, z, plan=tc.protect.Noise(percent=10)))
    assert "aware" in told - plain
    # gaps that stay where they were invite the attacker who looks at them
    x[rng.random(x.shape) < 0.2] = np.nan
    z[np.isnan(x)] = np.nan
    assert "gap_pattern" in panel(x, z, ["nearest"])


def test_files_in_their_order_are_aligned_and_others_are_not() -> None:
    x = np.random.default_rng(1).normal(size=(200, 3))
    assert alignment(x, x + 0.1).aligned
    assert alignment(x, x + 0.1).score > 5
    assert not alignment(x, x[::-1]).aligned


def test_spread_and_scale_divide_by_n_minus_one() -> None:
    x = np.array([[1.0], [3.0], [5.0], [7.0]])
    assert spread(x)[0, 0] == pytest.approx(20 / 3)
    left, right = embed(tc.Microdata.of(x), tc.Microdata.of(x + 1), ["x0"])
    assert (right - left)[0, 0] == pytest.approx(1 / np.sqrt(20 / 3))


def test_a_weight_below_zero_is_refused() -> None:
    x = np.array([[1.0, 2.0], [3.0, 5.0]])
    with pytest.raises(ParameterError, match="at least 0"):
        tc.attack.Nearest(weights={"x1": -1.0}).link(x, x)


def test_who_knows_the_noise_measures_in_its_standard_deviation() -> None:
    x = np.random.default_rng(2).normal(size=(50, 2)) * [1.0, 30.0]
    data = tc.Microdata.of(x)
    knows = AwareNoise(percent=20)
    told = knows.evidence(data, data, data.names)
    unit = 0.2 * x.std(axis=0, ddof=1)
    assert np.ptp(told.u, axis=0) == pytest.approx(np.ptp(x, axis=0) / unit)


def test_a_sum_of_shares_is_a_whole_number_of_people() -> None:
    """49 times 1/49 is not 1 even in an exact sum: the double nearest to 1/49 is smaller."""
    link = tc.attack.Nearest().link(x := np.repeat([1.0, 2.0], 49)[:, None], x)
    assert fsum(link.success) != 2
    assert link.correct == 2


def test_different_categories_are_one_apart() -> None:
    """As far as a number is from another that differs by one standard deviation (Gower's scale)."""
    data = tc.Microdata.of({"t": ["u", "v", "w"]}, nominal=["t"], quasi=["t"])
    left, right = embed(data, data, ["t"])
    apart = np.linalg.norm(left[:, None] - right[None], axis=2)
    assert apart == pytest.approx(1 - np.eye(3))


def test_who_knows_that_noise_was_scaled_back_scales_it_again() -> None:
    x = np.random.default_rng(2).normal(size=(50, 2)) @ np.array(
        [[1.0, 2.0], [0.0, 3.0]]
    )
    data = tc.Microdata.of(x)
    told = AwareNoise(kind="transformed", percent=75).evidence(data, data, data.names)
    assert told.v == pytest.approx(told.u * 1.25)


def test_what_does_not_match_is_learned_from_what_does_not_match() -> None:
    """One round: pairs weigh 1 - q among the others, q = p m / (p m + (1 - p) u)."""
    levels, counts = np.array([[1], [0]]), np.array([10.0, 90.0])
    m, u, prior = [np.array([0.2, 0.8])], [np.array([0.7, 0.3])], 0.25
    model = fit(levels, counts, [2], prior=prior, rounds=1, m=m, u=u)
    match = prior * m[0][levels[:, 0]]
    other = (1 - prior) * u[0][levels[:, 0]]
    q = match / (match + other)
    rest = counts * (1 - q)
    assert model.u[0].tolist() == pytest.approx([rest[1], rest[0]] / rest.sum())
    agree = counts * q
    assert model.m[0].tolist() == pytest.approx([agree[1], agree[0]] / agree.sum())
    assert model.prior == pytest.approx(agree.sum() / 100)


def test_zero_and_minus_zero_are_one_value_in_files_of_any_size() -> None:
    """Many rows are grouped by the bits of their values, in which the two differ."""
    signs = np.where(np.arange(3000) % 2, -0.0, 0.0)
    found = distinct(np.column_stack([signs, np.arange(3000) % 3]))
    assert found.count.tolist() == [1000, 1000, 1000]
