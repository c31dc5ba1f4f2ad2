"""Bounds that prune a search, tried where a thousandth decides; draws that reach both ends."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kernels.test_mdav import plain
from tacit.kernels.mdav import exact
from tacit.kernels.mdav.univariate import fixed_groups
from tacit.kernels.stream import noise as stream_noise
from tacit.kernels.stream import ranking as stream_ranking

KEYS = np.array([11, 12], dtype=np.uint64)


def rings(seed: int, n: int = 400) -> np.ndarray:
    """Records whose distances from the middle differ by less than a thousandth."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * math.pi, n)
    radius = 10 * (1 + 4e-4 * rng.random(n))
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


@pytest.mark.parametrize("seed", range(8))
def test_mdav_prunes_nothing_that_is_farther_by_a_hair(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact._groups, "pays", lambda _: True)
    x = rings(seed)
    assert np.array_equal(exact.mdav(x, 3), plain(x, 3))


def test_every_category_can_be_drawn() -> None:
    kinds = np.array([stream_noise.NOMINAL])
    floats, ints = stream_noise.state(0.5, 1.0, 1.0, 2, kinds, KEYS)
    x = np.tile([0.0, 1.0, 2.0], 200)[:, None]
    out, meta = np.empty_like(x), np.empty((len(x), 4), dtype=np.int64)
    stream_noise.additive(x, True, floats, ints, out, meta)
    shares = np.bincount(out[:, 0].astype(int), minlength=3) / len(x)
    assert shares.tolist() == pytest.approx([1 / 3] * 3, abs=0.1)


def test_private_means_leave_in_no_order_of_ranks() -> None:
    """In order, the first row would be known to be among the smallest of its window."""
    n, k, steps = 400, 4, 1000
    x = np.random.default_rng(1).uniform(0, 1000, (n, 2))
    zero, one = np.zeros(2), np.ones(2)
    silence = np.zeros((2, n // k), dtype=np.int64)
    out = np.empty_like(x)
    stream_ranking.release(x, zero, one, steps, k, silence, False, 0, *KEYS, out)
    for j in range(2):
        place = np.corrcoef(np.arange(n), out[:, j])[0, 1]
        assert abs(place) < 0.2
    assert abs(np.corrcoef(out.T)[0, 1]) < 0.2


@pytest.mark.parametrize(("n", "k"), [(10, 3), (9, 3), (4, 3), (3, 3), (2, 3), (1, 1)])
def test_no_fixed_group_is_smaller_than_k(n: int, k: int) -> None:
    sizes = np.bincount(fixed_groups(n, k))
    assert sizes.sum() == n
    assert sizes.min() >= min(n, k)
    assert sizes.max() < 2 * k
