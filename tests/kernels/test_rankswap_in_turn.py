"""Swapping some positions at a time gives what swapping all of them gives, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.kernels.rankswap import stir, swap_positions
from tacit.kernels.rankswap_in_turn import cycles_in_turn, pairs_in_turn

CASES = [
    (n, window, length)
    for n in (1, 2, 3, 7, 100, 501)
    for window in (1, 2, 5, 60, 1000)
    for length in (1, 3, 64, 2000)
]


@pytest.mark.few(36)
@pytest.mark.parametrize(("n", "window", "length"), CASES)
def test_pairs(n: int, window: int, length: int) -> None:
    window = min(window, n)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        parts = list(pairs_in_turn(rng.random, n, window, length))
        source = np.concatenate(parts) + np.arange(n)
        uniform = np.random.default_rng(seed).random(n)
        assert np.array_equal(source, swap_positions(uniform, window))


@pytest.mark.parametrize(("n", "window", "length"), CASES)
def test_cycles(n: int, window: int, length: int) -> None:
    window = min(window, n)
    plain = np.arange(n)
    moves = [np.zeros(n, dtype=np.int32)]
    one, other = np.random.default_rng(n), np.random.default_rng(n)
    for _ in range(3):
        stir(plain, one.random(n), window)
        whole = np.concatenate(moves)
        cut = (whole[at : at + length] for at in range(0, n, length))
        moves = list(cycles_in_turn(cut, other.random, n, window))
        assert np.array_equal(np.concatenate(moves) + np.arange(n), plain)
