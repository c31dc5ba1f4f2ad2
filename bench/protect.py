"""Every protector on files of 10,000, 100,000 and 1,000,000 records: seconds and peak memory.

Ten columns: the continuous methods get ten numbers (correlated, one the sum of two others), the categorical ones ten
keys of two to eight categories whose combinations are skewed, as in a survey. Exact MDAV, V-MDAV, mu-Approx and
shuffling stop where they would take minutes. Pseudonyms are made for one column, the identifier.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

import tacit as tc
from bench.row import Row, peak_memory_mb

SIZES = (10_000, 100_000, 1_000_000)
MOST = {"mdav": 100_000, "vmdav": 10_000, "mu-approx": 100_000}
"""Above this many records the method is left out; mdav also at 100,000 unless --full."""


def numbers(n: int, seed: int = 0) -> tc.Microdata:
    """Ten continuous columns of rank nine."""
    rng = np.random.default_rng(seed)
    mixed = rng.standard_normal((n, 4)) @ rng.normal(size=(4, 9)) + 0.5 * rng.standard_normal((n, 9))
    values = np.column_stack([np.exp(mixed / 3) * 1000, mixed[:, 0] + mixed[:, 1]])[:, 1:]
    values = np.column_stack([values, values[:, 0] + values[:, 1]])[:, :10]
    return tc.Microdata.of(pa.table({f"x{j}": values[:, j] for j in range(values.shape[1])}))


def keys(n: int, seed: int = 0) -> tc.Microdata:
    """Ten nominal columns, few frequent combinations and many rare ones."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(40, n, p=np.arange(40, 0, -1) / 820)
    columns = {}
    for j in range(10):
        size = 2 + j % 7
        usual = rng.integers(0, size, 40)[kind]
        odd = rng.random(n) < 0.02
        columns[f"k{j}"] = pa.array(np.where(odd, rng.integers(0, size, n), usual).astype(str))
    return tc.Microdata.of(pa.table(columns))


def people(n: int) -> tc.Microdata:
    """One identifier."""
    return tc.Microdata.of(pa.table({"person_id": [f"p{i}" for i in range(n)]}))


def methods(data: tc.Microdata) -> dict[str, Any]:
    """What is measured on ten continuous columns."""
    p = tc.protect
    names = data.names
    bounds = dict.fromkeys(names, (-10000.0, 100000.0))
    return {
        "noise": p.Noise(random_state=0),
        "noise, correlated": p.Noise(kind="correlated", random_state=0),
        "noise, transformed": p.Noise(kind="transformed", random_state=0),
        "noise, multiplicative": p.Noise(kind="multiplicative", random_state=0),
        "rank swapping, p = 5": p.RankSwapping(p=5, random_state=0),
        "microaggregation, individual, k = 3": p.Microaggregation(k=3, partition="individual"),
        "microaggregation, z-scores, k = 3": p.Microaggregation(k=3, partition="zscores"),
        "microaggregation, pca, k = 3": p.Microaggregation(k=3, partition="pca"),
        "microaggregation, mdav, k = 10": p.Microaggregation(k=10),
        "microaggregation, vmdav, k = 10": p.Microaggregation(k=10, partition="vmdav"),
        "microaggregation, mu-approx, k = 10": p.Microaggregation(k=10, partition="mu-approx"),
        "shuffling": p.Shuffling(columns=names[:5], given=names[5:], random_state=0),
        "rounding": p.Rounding(random_state=0),
        "resampling": p.Resampling(random_state=0),
        "IPSO-C": p.IPSO(quasi=names[:5], confidential=names[5:], random_state=0),
        "sampling": p.Sampling(random_state=0),
        "recoding": p.Recoding(),
        "top and bottom coding": p.TopBottomCoding(),
        "Laplace": p.Laplace(bounds=bounds, random_state=0),
        "DP microaggregation, individual": p.DPMicroaggregation(bounds=bounds, random_state=0),
        "DP microaggregation, multivariate": p.DPMicroaggregation(bounds=bounds, form="multivariate", random_state=0),
    }


def categorical() -> dict[str, Any]:
    """What is measured on ten keys."""
    p = tc.protect
    return {
        "noise, nominal": p.Noise(random_state=0),
        "rank swapping, nominal": p.RankSwapping(random_state=0),
        "PRAM, invariant": p.PRAM(random_state=0),
        "MASSC": p.MASSC(random_state=0),
        "local suppression, k = 3": p.LocalSuppression(k=3),
        "local suppression, k = 3, gaps as values": p.LocalSuppression(k=3, missing="value"),
    }


def measure(name: str, call: Callable[[], object], size: int) -> Row:
    """One timed call (methods were warmed on a small file), and the peak of another in a process of its own."""
    start = time.perf_counter()
    call()
    seconds = time.perf_counter() - start
    return Row(name, seconds, memory_mb=peak_memory_mb(call), size=size, series=name)


def run(full: bool) -> list[Row]:
    """10,000 and 100,000 records; with ``full`` also a million."""
    import warnings

    warnings.simplefilter("ignore", tc.errors.TacitWarning)
    rows: list[Row] = []
    small, few = numbers(300), keys(300)
    for method in [*methods(small).values()]:
        method.fit_transform(small)  # compile
    for method in categorical().values():
        method.fit_transform(few)
    for size in SIZES if full else SIZES[:2]:
        data, coded, ids = numbers(size), keys(size), people(size)
        for name, method in methods(data).items():
            limit = next((most for word, most in MOST.items() if f" {word}," in name), size)
            if size > limit or (not full and " mdav," in name and size > 10_000):
                continue
            rows.append(measure(name, lambda m=method, d=data: m.fit_transform(d), size))  # type: ignore[misc]
        for name, method in categorical().items():
            rows.append(measure(name, lambda m=method, d=coded: m.fit_transform(d), size))  # type: ignore[misc]
        rows.append(measure("pseudonyms", lambda d=ids: tc.protect.Pseudonyms().fit_transform(d), size))  # type: ignore[misc]
    return rows
