"""Methods that promise each column's multiset: rank swapping and shuffling."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tacit as tc
from tacit.protect.rank_swapping import swap_column


@given(
    st.integers(1, 80),
    st.floats(0.5, 100),
    st.integers(0, 10**6),
    st.booleans(),
    st.booleans(),
)
def test_rank_swapping_keeps_the_multiset_and_the_window(
    n: int, p: float, seed: int, ties: bool, gaps: bool
) -> None:
    rng = np.random.default_rng(seed)
    values = rng.permutation(n).astype(float)
    if ties:
        values = np.floor(values / 3)
    if gaps:
        values[rng.random(n) < 0.3] = np.nan
    masked = swap_column(values, p, np.random.default_rng(seed))
    assert np.array_equal(np.isnan(masked), np.isnan(values))
    here = ~np.isnan(values)
    assert np.array_equal(np.sort(masked[here]), np.sort(values[here]))
    m = int(here.sum())
    window = max(1, int(np.floor(p * m / 100 + 1e-9)))
    if not ties and m > 1:
        ranks = stats.rankdata(values[here])
        moved = np.abs(stats.rankdata(masked[here]) - ranks)
        assert moved.min() >= 1, "every value takes part"
        assert moved.max() <= window + 1
        assert (moved > window).sum() <= 1, "the odd one at the end"


def test_percent_is_percent() -> None:
    values = np.arange(1000.0)
    moved = {
        p: np.abs(swap_column(values, p, np.random.default_rng(1)) - values).max()
        for p in (1, 5, 15, 50)
    }
    for p, most in moved.items():
        assert 0.8 * 10 * p < most <= 10 * p


def test_rank_swapping_moves_up_and_down_alike() -> None:
    values = np.arange(2001.0)
    moved = swap_column(values, 5, np.random.default_rng(0)) - values
    assert abs((moved > 0).mean() - 0.5) < 0.01


def test_nominal_values_swap_along_their_frequency() -> None:
    table = pd.DataFrame({"c": ["rare"] * 10 + ["some"] * 90 + ["usual"] * 900})
    masked = tc.protect.RankSwapping(p=5, random_state=0).fit_transform(table)
    assert masked["c"].value_counts().to_dict() == table["c"].value_counts().to_dict()
    # rare is next to some, and 50 ranks away from usual at most: no rare record becomes usual
    # beyond the window
    became = masked["c"][table["c"] == "rare"]
    assert set(became) == {"some", "rare"} or set(became) == {"some"}


def test_shuffling_keeps_columns_and_rank_correlations() -> None:
    rng = np.random.default_rng(2)
    n = 4000
    secret = rng.normal(size=n)
    table = pd.DataFrame(
        {
            "a": np.exp(secret + rng.normal(size=n)),
            "b": secret**3 + rng.normal(size=n),
            "secret": secret,
        }
    )
    data = tc.Microdata.of(table, quasi=["a", "b"], confidential=["secret"])
    masked = tc.protect.Shuffling(random_state=1).fit_transform(data).to_native()
    for name in ("a", "b"):
        assert np.array_equal(np.sort(masked[name]), np.sort(table[name]))
        assert not np.array_equal(masked[name], table[name])
    assert masked["secret"].equals(table["secret"])
    before, after = (
        table.corr("spearman").to_numpy(),
        masked.corr("spearman").to_numpy(),
    )
    assert np.abs(before - after).max() < 0.04
    # given the confidential column the release does not follow the own values
    residual = [
        stats.rankdata(t["a"]) - stats.rankdata(np.exp(secret)) for t in (table, masked)
    ]
    assert abs(np.corrcoef(*residual)[0, 1]) < 0.25
    assert (
        np.corrcoef(stats.rankdata(table["a"]), stats.rankdata(masked["a"]))[0, 1] < 0.6
    )


def test_shuffling_refuses_a_column_that_is_given_too() -> None:
    with pytest.raises(tc.errors.ColumnError, match="both shuffled and given"):
        tc.protect.Shuffling(columns=["x0"], given=["x0"]).fit_transform(
            np.random.default_rng(0).normal(size=(9, 2))
        )
