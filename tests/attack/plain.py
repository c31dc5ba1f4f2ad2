"""Plain twins of the linkage kernels: all pairs, all permutations; files hard to link."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np

FILES = [
    "normal",
    "duplicates",
    "grid",
    "line",
    "far original",
    "far masked",
    "identical",
    "close",
    "equal",
    "apart",
]


def costs(x: Any, y: Any, metric: str) -> np.ndarray:
    gaps = np.abs(x[:, None, :] - y[None, :, :])
    if metric == "manhattan":
        return gaps.sum(axis=2)
    squared = (gaps**2).sum(axis=2)
    return squared if metric == "squared" else np.sqrt(squared)


def cheapest(matrix: np.ndarray) -> float:
    """Least total over all one-to-one linkages of the rows, by trying every one."""
    if matrix.shape[0] > matrix.shape[1]:
        matrix = matrix.T
    rows = np.arange(matrix.shape[0])
    return min(
        float(matrix[rows, list(p)].sum())
        for p in permutations(range(matrix.shape[1]), len(rows))
    )


def files(
    what: str, n: int, m: int, d: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    x, y = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    k = min(n, m)
    if what == "duplicates":
        x, y = (
            x[rng.integers(0, max(1, n // 4), n)],
            y[rng.integers(0, max(1, m // 4), m)],
        )
    elif what == "grid":
        x, y = np.floor(3 * rng.random((n, d))), np.floor(3 * rng.random((m, d)))
    elif what == "line":
        x, y = x[:, :1] * np.arange(1, d + 1), y[:, :1] * np.arange(1, d + 1)
    elif what == "far original":
        x[0] = 1e6
    elif what == "far masked":
        y[0] = 1e6
    elif what == "identical":
        x[:], y[:] = 1, 2
    elif what == "close":
        y[:k] = x[:k] + 0.01 * rng.normal(size=(k, d))
    elif what == "equal":
        y[:k] = x[:k]
    elif what == "apart":
        y += 5
    return x, y
