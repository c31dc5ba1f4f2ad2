"""Costs of all pairs by their ranks: compiled and in numpy the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.attack.informed.rank_swapping import BINS, MISSING, _Within, swap_law
from tacit.kernels.rank_gaps import range_costs


def ranges(
    rng: np.random.Generator, n: int, columns: int, missing: float
) -> np.ndarray:
    """First and last ranks, some of them missing (as they are stored: below zero)."""
    first = rng.integers(0, 40, (n, columns))
    both = np.stack([first, first + rng.integers(0, 4, (n, columns))], axis=2)
    both[rng.random((n, columns)) < missing] = MISSING
    return both.reshape(n, 2 * columns).astype(float)


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 60), st.booleans())
def test_the_kernel_has_the_bits_of_numpy(
    seed: int, columns: int, window: int, gaps: bool
) -> None:
    rng = np.random.default_rng(seed)
    p, q = (ranges(rng, n, columns, 0.2 * gaps) for n in (9, 7))
    within = _Within(rng.random(BINS), window)
    assert np.array_equal(range_costs(p, q, within._by_distance), within._plainly(p, q))


def test_by_hand() -> None:
    """Ranges 2-3 and 5-9 are two apart; beyond a window of two nothing is possible."""
    within = _Within(swap_law(200, 2), 2)
    p = np.array([[2.0, 3.0], [0.0, 0.0], [MISSING, MISSING]])
    q = np.array([[5.0, 9.0], [MISSING, MISSING]])
    got = range_costs(p, q, within._by_distance)
    # distances 0, 1, 2 of a window of two are in the classes 0, 8 and 16 of 24
    assert got[0, 0] == within.law[16]
    assert got[2, 1] == pytest.approx(within.law[0])
    assert np.isinf([got[0, 1], got[1, 0], got[1, 1], got[2, 0]]).all()
