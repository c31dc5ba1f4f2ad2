"""The sampler is checked against the exact distribution, the accountant against exact sums."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from tacit.protect.private import Accountant, BudgetError, discrete_laplace, split
from tacit.protect.private.discrete_laplace import Bits, _exp_minus, _ratio


def probabilities(scale: float, support: np.ndarray) -> np.ndarray:
    q = math.exp(-1 / scale)
    return (1 - q) / (1 + q) * q ** np.abs(support)


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.5, 7.125, 40.7])
def test_frequencies_are_those_of_the_discrete_laplace(scale: float) -> None:
    n = 200_000
    drawn = discrete_laplace(scale, n, np.random.default_rng(3))
    reach = max(1, int(scale * 4))
    support = np.arange(-reach, reach + 1)
    expected = probabilities(scale, support) * n
    observed = np.array([(drawn == x).sum() for x in support])
    inside = np.append(expected, n - expected.sum())
    seen = np.append(observed, n - observed.sum())
    assert stats.chisquare(seen, inside).pvalue > 1e-4


def test_a_large_scale_has_the_spread_of_the_continuous_one() -> None:
    scale = 123456.789
    drawn = discrete_laplace(scale, 100_000, np.random.default_rng(5)).astype(float)
    assert stats.kstest(drawn, stats.laplace(scale=scale).cdf).pvalue > 1e-4


def test_the_system_source_has_the_same_distribution() -> None:
    scale = 3.0
    for size in (15_000, 60_000):  # OpenDP (when installed) below its limit, ours above
        drawn = discrete_laplace(scale, size)
        expected = probabilities(scale, np.arange(-9, 10)) * size
        observed = np.array([(drawn == x).sum() for x in range(-9, 10)])
        assert (
            stats.chisquare(
                np.append(observed, size - observed.sum()),
                np.append(expected, size - expected.sum()),
            ).pvalue
            > 1e-6
        )


def test_a_seed_gives_the_same_bytes() -> None:
    one = discrete_laplace(9.5, 1000, np.random.default_rng(1))
    two = discrete_laplace(9.5, 1000, np.random.default_rng(1))
    assert one.tobytes() == two.tobytes()
    assert not np.array_equal(
        one, discrete_laplace(9.5, 1000, np.random.default_rng(2))
    )


def test_bernoulli_exp_minus_against_its_formula() -> None:
    bits = Bits(np.random.default_rng(8))
    for u, t in [(0, 5), (1, 5), (3, 5), (5, 5)]:
        n = 100_000
        rate = _exp_minus(np.full(n, u, dtype=np.int64), t, bits).mean()
        p = math.exp(-u / t)
        assert abs(rate - p) <= 5 * math.sqrt(p * (1 - p) / n)


@pytest.mark.parametrize("scale", [0.1, 1e-3, 1.0, 3.7, 2.0**40 + 0.5, 5e-12])
def test_the_scale_is_never_rounded_down(scale: float) -> None:
    t, s = _ratio(scale)
    assert Fraction(t, s) >= Fraction(scale)
    assert Fraction(t, s) - Fraction(scale) <= Fraction(1, 1 << 61)


@pytest.mark.parametrize("scale", [0.0, -1.0, math.inf, math.nan, 2.0**60])
def test_an_impossible_scale_is_refused(scale: float) -> None:
    with pytest.raises(ValueError, match="scale"):
        discrete_laplace(scale, 3)


def test_size_zero() -> None:
    assert discrete_laplace(2.0, 0).shape == (0,)


@pytest.mark.parametrize(
    ("epsilon", "parts"), [(1.0, 3), (0.1, 7), (2.5, 13), (1.0, 10)]
)
def test_shares_add_up_to_no_more_than_the_whole(epsilon: float, parts: int) -> None:
    share = split(epsilon, parts)
    accountant = Accountant(epsilon)
    for i in range(parts):
        accountant.spend(f"part {i}", share)
    assert accountant.spent <= epsilon
    assert share == pytest.approx(epsilon / parts, rel=1e-15)
    with pytest.raises(BudgetError, match="left"):
        accountant.spend("one more", epsilon / 100)
    assert len(list(accountant)) == parts
    assert "change one record" in str(accountant)
    assert accountant.to_dict()["epsilon"] == accountant.spent
