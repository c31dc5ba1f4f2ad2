"""Shuffling of a file of many blocks does what it does to a file of one."""

import numpy as np
from scipy.stats import spearmanr

import tacit as tc
from tacit.protect import by_address
from tacit.protect import shuffling_in_blocks as in_blocks
from tacit.protect.shuffling import _normal_correlation, scores, shuffle

N = 3 * by_address.BLOCK + 17


def related(n=N, seed=4):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3)) @ np.array([[1, 0.6, 0.3], [0, 1, 0.5], [0, 0, 1]])
    x[:, 1] = np.round(x[:, 1], 1)
    x[5, 0] = x[n - 3, 1] = np.nan
    return x


def test_cross_products_by_blocks_are_those_of_the_file():
    both = scores(related())
    plain = _normal_correlation(both)
    assert np.allclose(in_blocks.correlation_in_blocks(both), plain, atol=1e-12)


def test_rank_correlations_and_values_are_kept():
    x = related()
    out = shuffle(x[:, :2], x[:, 2:], np.random.default_rng(1))
    assert np.array_equal(np.isnan(out), np.isnan(x[:, :2]))
    for j in range(2):
        assert np.array_equal(np.sort(out[:, j]), np.sort(x[:, j]), equal_nan=True)
    before = spearmanr(x, nan_policy="omit").statistic
    after = spearmanr(np.column_stack([out, x[:, 2]]), nan_policy="omit").statistic
    # six standard errors of a correlation
    assert np.abs(before - after).max() < 6 / np.sqrt(N)
    assert (out[:, 0] != x[:, 0]).mean() > 0.99


def test_blocks_draw_numbers_of_their_own():
    x = np.tile(np.arange(by_address.BLOCK, dtype=float), 3)[:, None]
    draws = by_address.Draws.of(np.random.default_rng(1))
    new = in_blocks.NewScores(np.zeros((0, 1)), np.eye(1), draws)
    drawn = in_blocks.drawn_in_blocks(new, x[:, :0]).reshape(3, -1)
    assert len(np.unique(drawn[:, 0])) == 3


def test_a_small_file_has_the_bytes_that_it_always_had():
    x = np.random.default_rng(0).normal(size=(6, 1))
    masked = tc.protect.Shuffling(random_state=3).fit_transform(x)
    drawn = np.random.default_rng(3).standard_normal((6, 1))
    expected = np.empty(6)
    expected[np.argsort(drawn[:, 0])] = np.sort(x[:, 0])
    assert masked[:, 0].tolist() == expected.tolist()
