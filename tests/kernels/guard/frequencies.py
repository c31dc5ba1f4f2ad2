"""Counters of the frequencies of keys, which are numpy code: peak of memory, and lines.

A numpy line does as much as a loop, so lines alone say little; but a loop over records in
Python multiplies them, and another pass over the file takes another array.
"""

from __future__ import annotations

import tracemalloc

import numpy as np

from kernels.guard.operations import count


def measure() -> dict[str, int]:
    """Five keys of ten categories, and weights."""
    from tacit.risk.counting import count as frequencies

    figures = {}
    for n in (20_000, 40_000):
        rng = np.random.default_rng(0)
        codes, weights = np.asfortranarray(rng.integers(0, 10, (n, 5))), rng.random(n)
        tracemalloc.start()
        frequencies(codes, weights)
        figures[f"frequencies kB n={n}"] = tracemalloc.get_traced_memory()[1] // 1024
        tracemalloc.stop()
    figures[f"frequencies lines n={n}"] = count(
        lambda: frequencies(codes, weights), "risk"
    )
    return figures
