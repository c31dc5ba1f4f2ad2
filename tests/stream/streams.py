"""Streams and filters that the tests of this folder share."""

from __future__ import annotations

from typing import Any

import numpy as np

import tacit as tc

COLUMNS = ["a", "b", "c"]


def mixed(n: int, seed: int = 0, missing: float = 0.1) -> list[dict[str, Any]]:
    """Dicts with numbers, an ordered and an unordered category, missing values and a label."""
    rng = np.random.default_rng(seed)
    out: list[dict[str, Any]] = []
    for i in range(n):
        record: dict[str, Any] = {
            "income": float(rng.lognormal()),
            "age": float(rng.normal(40, 12)),
            "school": ["low", "middle", "high"][rng.integers(3)],
            "town": str(rng.choice(["x", "y", "z"])),
            "label": f"label {i}",
        }
        for name in ("income", "age", "town"):
            if rng.random() < missing:
                record[name] = None
        out.append(record)
    return out


SCHOOL = {"school": ["low", "middle", "high"]}


def filters(seed: int = 7) -> dict[str, tc.stream.Filter]:
    """One of each that works on plain arrays of any width."""
    s = tc.stream
    return {
        "noise": s.Noise(percent=50, warmup=5, random_state=seed),
        "noise, forgetting": s.Noise(percent=50, forget=0.99, random_state=seed),
        "multiplicative noise": s.MultiplicativeNoise(percent=20, random_state=seed),
        "microaggregation": s.Microaggregation(k=3, window=10),
        "microaggregation, raw": s.Microaggregation(k=5, window=30, scale="none"),
        "rank swapping": s.RankSwapping(p=30, window=12, random_state=seed),
        "clusters": s.DelayBoundClusters(k=3, delay=9),
        "rounding": s.Rounding(base=0.25, kind="random", random_state=seed),
        "top bottom coding": s.TopBottomCoding(low=-1, high=1),
        "dp microaggregation": s.DPMicroaggregation(
            epsilon=2.0,
            k=3,
            window=10,
            bounds=[(-4, 4)] * 3,
            random_state=seed,
            test_seed=True,
        ),
    }


def numbers(n: int, seed: int = 0, d: int = 3) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.random.default_rng(seed).normal(size=(n, d))
