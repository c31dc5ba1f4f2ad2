"""The curve through quantiles is scipy's, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.data.datasets.monotone import monotone


@pytest.mark.parametrize("seed", range(30))
def test_the_same_bits_as_scipys_pchip(seed):
    from scipy.interpolate import PchipInterpolator

    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 40))
    x = np.cumsum(rng.uniform(0.01, 1.0, n))
    # flat pieces, turns and, for every second seed, rising values as of quantiles
    y = np.round(rng.normal(size=n), 1) * 1000.0
    if seed % 2:
        y = np.sort(y)
    at = np.concatenate([x, rng.uniform(x[0] - 1, x[-1] + 1, 500)])
    assert np.array_equal(monotone(x, y, at), PchipInterpolator(x, y)(at))
