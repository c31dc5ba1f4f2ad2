"""The searches over readings: their parts by hand, on small or generated data."""

import math

import numpy as np
import pytest

from tacit.kernels.mdav.exact import mdav
from tacit.reproduce.experiments import (
    eia_blocks,
    eia_likelihood,
    simulation_settings,
    tree_readings,
    weight_readings,
)
from tacit.reproduce.experiments.mahalanobis import CELLS, firm_columns


def test_runs_of_the_sorted_column_differ_only_among_equal_values():
    values = np.column_stack([np.arange(10.0), [3, 1, 2, 2, 2, 2, 5, 4, 9, 7]])
    runs = eia_blocks.sorted_runs(values, 4, seed=0)
    np.testing.assert_array_equal(runs, [1, 0, 0, 0, 0, 1, 1, 1, 2, 2])
    turned = eia_blocks.sorted_runs(values, 4, seed=1)
    np.testing.assert_array_equal(turned, [1, 0, 1, 0, 0, 0, 1, 1, 2, 2])
    for seed in (2, 3):
        shuffled = eia_blocks.sorted_runs(values, 4, seed)
        np.testing.assert_array_equal(np.sort(shuffled), np.sort(runs))
        unequal = values[:, 1] != 2
        np.testing.assert_array_equal(shuffled[unequal], runs[unequal])


def test_blocks_of_the_tree_hold_at_least_k_and_their_loss_adds_up():
    values = np.random.default_rng(0).lognormal(size=(300, 3))
    block = eia_blocks.tree_blocks(values, 40, 5)
    assert np.bincount(block)[np.unique(block)].min() >= 5
    scaled = values / values.std(axis=0)
    expected = 0.0
    for number in np.unique(block):
        rows = scaled[block == number]
        rows = np.ascontiguousarray(rows[np.lexsort(rows.T[::-1])])
        group = mdav(rows, 5)
        for g in np.unique(group):
            expected += ((rows[group == g] - rows[group == g].mean(axis=0)) ** 2).sum()
    assert eia_blocks.block_sse(values, block, 5) == pytest.approx(expected, rel=1e-3)


def test_likelihood_is_nine_normal_densities_and_the_fitting_split_wins():
    published = eia_likelihood.PUBLISHED
    exact = eia_likelihood.Fit((0,), dict(published), dict.fromkeys(published, 10.0))
    assert exact.log_likelihood == pytest.approx(
        -9 * math.log(10 * math.sqrt(2 * math.pi))
    )
    off = {name: count + 20 for name, count in published.items()}
    far = eia_likelihood.Fit((1,), off, dict.fromkeys(published, 10.0))
    assert far.log_likelihood == pytest.approx(exact.log_likelihood - 9 * 2)
    first, second = eia_likelihood.posterior([exact, far])
    assert first + second == pytest.approx(1)
    assert second == pytest.approx(math.exp(-18), rel=1e-6)
    # what nothing draws may still be off by `LEAST`
    fixed = eia_likelihood.Fit((0,), dict(published), dict.fromkeys(published, 0.0))
    assert fixed.log_likelihood == pytest.approx(
        -9 * math.log(eia_likelihood.LEAST * math.sqrt(2 * math.pi))
    )


def test_counts_of_one_draw_on_drawn_firms():
    quasi, given = firm_columns(300, np.random.default_rng(0))
    values = np.column_stack([quasi, given])
    links = eia_likelihood.counts(values, (0, 1, 2, 3, 4), "C", seed=1)
    assert links["aware"] > 1.3 * links["naive"] > 1.3 * links["printed"]
    again = eia_likelihood.counts(values, (0, 1, 2, 3, 4), "C", seed=2)
    # IPSO-C keeps means and covariances: this count does not depend on the draw
    assert again["aware"] == links["aware"]
    assert again["naive"] != links["naive"]


def test_simulated_cells_share_a_file_and_unmasked_records_are_all_linked():
    for kind in ("low", "medium", "high", "mixed"):
        matrix = simulation_settings.correlations(simulation_settings.FITTED, kind)
        assert np.linalg.eigvalsh(matrix).min() > 0
    independent, correlated = CELLS[:2]
    x, z = simulation_settings.simulated(independent, seed=0)
    same, other = simulation_settings.simulated(correlated, seed=0)
    np.testing.assert_array_equal(x, same)
    assert not np.array_equal(z, other)
    nearly = x + 1e-9 * (z - x)
    assert simulation_settings.rates(x, nearly) == (100.0, 100.0)


def test_words_need_more_than_the_slack():
    slack = simulation_settings.FITTED.points
    assert simulation_settings.word(50.0, 50.0 + slack) == "both"
    assert simulation_settings.word(50.0, 50.1 + slack) == "mahalanobis"
    assert simulation_settings.word(50.1 + slack, 50.0) == "euclidean"


def test_levels_of_the_tree():
    assert tree_readings.level_shares(10, 10_000) == {1: 1.0}
    # the guard: a leaf of 2,441 would fall into 1,024 children
    assert tree_readings.level_shares(10, 2_000) == {1: 1.0}
    # without it the tree of ten columns goes on to leaves of two records
    assert tree_readings.level_shares(10, 2_000, guard=False) == {2: 1.0}
    shares = tree_readings.level_shares(2, 10_000)
    # 9,766 records on average: one leaf in a hundred holds more than 10,000
    assert shares[4] == pytest.approx(0.991, abs=0.001)
    assert sum(shares.values()) == pytest.approx(1, abs=1e-3)


def test_the_closest_capacity_is_found():
    levels = {
        (d, level): tree_readings.PUBLISHED[d] * (1.0 if size < 700 else 0.5)
        for d in tree_readings.PUBLISHED
        for level in range(12)
        for size in [tree_readings.RECORDS / 2 ** (d * level)]
    }
    levels[10, 1] = tree_readings.PUBLISHED[10]
    best, distance = tree_readings.closest_capacity(levels, range(700, 5_000, 700))
    assert (best, distance) == (700, pytest.approx(0, abs=1e-3))


def test_a_block_of_the_sample_is_scaled_like_the_file():
    # one piece a column, halved columns: SSE of blocks at half the scale is about a quarter
    whole = tree_readings.level_sse(4, 3)
    assert whole.sse == pytest.approx(6800, rel=0.02)
    assert whole.error < 0.01 * whole.sse


def test_ties_in_the_order_of_the_file_keep_every_column():
    rng = np.random.default_rng(3)
    values = rng.integers(0, 6, size=(120, 8)).astype(float)
    reading = weight_readings.Reading(ties="file")
    masked = weight_readings.masked_file(values, "rank_swapping", 5, 1, reading)
    np.testing.assert_array_equal(np.sort(masked, axis=0), np.sort(values, axis=0))
    assert not np.array_equal(masked, values)


def test_an_unmasked_sample_is_linked_whole():
    values = np.random.default_rng(4).normal(size=(500, 9))
    sample = np.arange(50)
    for whole in (False, True):
        assert weight_readings.linked(values, values, sample, whole) == 100.0
    means = weight_readings.file_means(
        values, "noise", 16, files=2, reading=weight_readings.Reading()
    )
    assert means.shape == (2,)
    assert 50 < means.min() < means.max() <= 100
