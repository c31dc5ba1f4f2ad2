"""Patterns of agreement: the compiled loops and numpy, which small files use."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.kernels import agreement

LEVELS = 3
"""Of every column, in these tests."""


@pytest.mark.few(10)
@pytest.mark.parametrize("seed", range(20))
def test_numpy_gives_the_same_bits(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Categories and numbers, missing values, copies."""
    rng = np.random.default_rng(seed)
    n, m, d = (int(size) for size in rng.integers([1, 1, 1], [60, 60, 6]))
    x, z = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    kinds = rng.integers(0, 2, d)
    limits, limit_at, tables, table_at, widths = [0.0][:0], [0], [0][:0], [], []
    for k in range(d):
        table_at.append(len(tables))
        widths.append(int(rng.integers(1, 5)))
        if kinds[k] == agreement.CATEGORIES:
            x[:, k] = rng.integers(0, widths[k], n)
            z[:, k] = rng.integers(0, widths[k], m)
            tables += rng.integers(0, LEVELS, widths[k] ** 2).tolist()
        else:
            limits += sorted(2 * rng.random(LEVELS - 1), reverse=True)
        limit_at.append(len(limits))
    x[rng.random(x.shape) < 0.1] = np.nan
    z[rng.random(z.shape) < 0.1] = np.nan
    given = (
        kinds,
        np.array(limits or [0.0]),
        np.array(limit_at),
        np.array(tables or [0]),
        np.array(table_at),
        np.array(widths),
        (LEVELS + 1) ** np.arange(d),
    )
    copies = (rng.integers(1, 4, n).astype(float), rng.integers(1, 4, m).astype(float))
    results = []
    for compiled in (True, False):
        for kernel in (agreement._pattern_counts, agreement._patterns_of):
            monkeypatch.setattr(kernel, "pays", lambda _, way=compiled: way)
        patterns = agreement.patterns_of(x, z, *given)
        size = (LEVELS + 1) ** d
        counts = agreement.pattern_counts(x, z, *copies, *given, size)
        results.append((patterns.tobytes(), counts.tobytes()))
        assert counts.sum() == copies[0].sum() * copies[1].sum()
    assert results[0] == results[1]
