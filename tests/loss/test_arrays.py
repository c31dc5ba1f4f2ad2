"""IL1..IL5 and probabilistic loss on arrays: by hand, bounds, rank-deficient data, calibration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tacit.loss.il_arrays import five
from tacit.loss.moments import moments
from tacit.loss.pil import PARTS, probabilistic

X = np.array([[1.0, 2], [3, 2], [5, 8]])
Z = np.array([[2.0, 2], [3, 5], [4, 8]])


def test_five_by_hand():
    # means 3, 4 and 3, 5; variances 8/3, 8 and 2/3, 6; covariances 4 and 2
    got = five(X, Z)
    s = np.sqrt([8 / 3, 8])
    cells = [2 / (np.sqrt(2) * s[0]), 3 / (np.sqrt(2) * s[1])]
    assert got.values == pytest.approx(
        (
            sum(cells) / 6,
            (0 + 1 / s[1]) / 2,
            (2 / (8 / 3) + 2 / 8) / 2,
            (2 / (8 / 3) + 2 / 8 + 2 / (s[0] * s[1])) / 3,
            abs(4 / np.sqrt(8 / 3 * 8) - 2 / np.sqrt(2 / 3 * 6)),
        )
    )
    assert got.column == pytest.approx([cells[0] / 3, cells[1] / 3])
    assert got.mean == pytest.approx(np.mean(got.values))


def test_five_relative_to_the_value_by_hand():
    got = five(X, Z, relative="value")
    assert got.values[0] == pytest.approx((1 / 1 + 0 + 1 / 5 + 0 + 3 / 2 + 0) / 6)
    assert got.values[1] == pytest.approx((0 + 1 / 4) / 2)
    assert got.values[3] == pytest.approx((2 / (8 / 3) + 2 / 8 + 2 / 4) / 3)
    assert five(X - 1, Z - 1, relative="value").skipped == 1


def test_no_change_is_no_loss_even_when_columns_are_dependent():
    x = np.random.default_rng(0).lognormal(10, 2, (50, 3))
    x = np.column_stack([x, x[:, 0] + x[:, 1], np.full(50, 7.0)])
    assert five(x, x).values == (0, 0, 0, 0, 0)
    assert all((part == 0).all() for part in probabilistic(x, x).values())


def test_dependent_columns_give_finite_losses():
    rng = np.random.default_rng(0)
    x = rng.lognormal(10, 2, (80, 3))
    x = np.column_stack([x, x[:, 0] + x[:, 1]])
    z = x + rng.normal(size=x.shape) * x.std(axis=0)
    assert np.isfinite(five(x, z).values).all()
    assert max(five(x, z).values) < 10
    parts = probabilistic(x, z)
    assert set(parts) == set(PARTS)
    assert all(np.isfinite(p).all() for p in parts.values())


@given(
    arrays(float, (12, 3), elements=st.floats(-1e6, 1e6)),
    arrays(float, (12, 3), elements=st.floats(-1e6, 1e6)),
)
def test_probabilistic_loss_stays_between_0_and_1_and_rows_do_not_matter(x, z):
    order = np.random.default_rng(0).permutation(12)
    there, again = probabilistic(x, z), probabilistic(x[order], z[order])
    for name in PARTS:
        assert ((there[name] >= 0) & (there[name] <= 1)).all()
    assert there["quantiles"] == pytest.approx(again["quantiles"])


def test_probabilistic_loss_of_an_honest_sample_is_a_half_on_average():
    """Another sample of one population strays as expected: the loss is uniform on (0, 1)."""
    rng = np.random.default_rng(4)
    x = rng.gamma(3.0, size=(4000, 4)) @ rng.normal(size=(4, 4))
    means = np.mean(
        [
            [
                p.mean()
                for p in probabilistic(x, x[rng.integers(0, 4000, 4000)]).values()
            ]
            for _ in range(60)
        ],
        axis=0,
    )
    assert means == pytest.approx([0.5] * 5, abs=0.08)


def test_mean_and_variance_by_hand():
    x = np.array([[0.0], [2.0], [4.0], [6.0]])
    z = x + 1
    parts = probabilistic(x, z)
    # gap 1, standard error sqrt(5 / 4): Pr(|N| <= 0.894427) = 0.628907
    assert parts["means"][0] == pytest.approx(0.6289066, abs=1e-6)
    assert parts["variances"][0] == 0


def test_a_large_offset_costs_no_digits():
    x = np.random.default_rng(1).normal(size=(200, 3))
    assert moments(x + 1e9).correlation == pytest.approx(
        moments(x).correlation, abs=1e-6
    )
    z = x + 0.1
    assert five(x + 1e9, z + 1e9).values == pytest.approx(five(x, z).values, abs=1e-6)


def test_a_suppressed_cell_counts_as_the_column_mean():
    z = X.copy()
    z[0, 0] = np.nan
    expected = X.copy()
    expected[0, 0] = 4.0
    assert five(X, z).values == pytest.approx(five(X, expected).values)
