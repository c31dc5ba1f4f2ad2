"""Every protector on files of 10,000, 100,000 and 1,000,000 records: seconds and peak memory.

Ten columns: the continuous methods get ten numbers (correlated, one the sum of two others), the
categorical ones ten
keys of two to eight categories whose combinations are skewed, as in a survey. Exact MDAV, V-MDAV,
mu-Approx and
shuffling stop where they would take minutes. Pseudonyms are made for one column, the identifier.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import tacit as tc
from bench.row import Row, measure

SIZES = (10_000, 100_000, 1_000_000)
MOST = {"mdav": 100_000, "vmdav": 10_000, "mu-approx": 100_000}
"""Above this many records (10,000 unless --full) the method is left out."""


def numbers(n: int, seed: int = 0) -> tc.Microdata:
    """Ten continuous columns of rank nine."""
    rng = np.random.default_rng(seed)
    mixed = rng.standard_normal((n, 4)) @ rng.normal(
        size=(4, 9)
    ) + 0.5 * rng.standard_normal((n, 9))
    values = np.column_stack([np.exp(mixed / 3) * 1000, mixed[:, 0] + mixed[:, 1]])[
        :, 1:
    ]
    values = np.column_stack([values, values[:, 0] + values[:, 1]])[:, :10]
    return tc.Microdata.of(
        pa.table({f"x{j}": values[:, j] for j in range(values.shape[1])})
    )


def keys(n: int, seed: int = 0) -> tc.Microdata:
    """Ten nominal columns, few frequent combinations and many rare ones."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(40, n, p=np.arange(40, 0, -1) / 820)
    columns = {}
    for j in range(10):
        size = 2 + j % 7
        usual = rng.integers(0, size, 40)[kind]
        odd = rng.random(n) < 0.02
        columns[f"k{j}"] = pa.array(
            np.where(odd, rng.integers(0, size, n), usual).astype(str)
        )
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
        "microaggregation, individual, k = 3": p.Microaggregation(
            k=3, partition="individual"
        ),
        "microaggregation, z-scores, k = 3": p.Microaggregation(
            k=3, partition="zscores"
        ),
        "microaggregation, pca, k = 3": p.Microaggregation(k=3, partition="pca"),
        "microaggregation, mdav, k = 10": p.Microaggregation(k=10),
        "microaggregation, vmdav, k = 10": p.Microaggregation(k=10, partition="vmdav"),
        "microaggregation, mu-approx, k = 10": p.Microaggregation(
            k=10, partition="mu-approx"
        ),
        "shuffling": p.Shuffling(columns=names[:5], given=names[5:], random_state=0),
        "rounding": p.Rounding(random_state=0),
        "resampling": p.Resampling(random_state=0),
        "IPSO-C": p.IPSO(quasi=names[:5], confidential=names[5:], random_state=0),
        "sampling": p.Sampling(random_state=0),
        "recoding": p.Recoding(),
        "top and bottom coding": p.TopBottomCoding(),
        "Laplace": p.Laplace(bounds=bounds, random_state=0, test_seed=True),
        "DP microaggregation, individual": p.DPMicroaggregation(
            bounds=bounds, random_state=0, test_seed=True
        ),
        "DP microaggregation, multivariate": p.DPMicroaggregation(
            bounds=bounds, form="multivariate", random_state=0, test_seed=True
        ),
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
        "local suppression, k = 3, gaps as values": p.LocalSuppression(
            k=3, missing="value"
        ),
    }


def run(full: bool) -> Iterator[Row]:
    """10,000 and 100,000 records; ``full`` adds 1,000,000, and exact MDAV and mu-Approx at 100,000."""
    warnings.simplefilter("ignore", tc.errors.TacitWarning)
    small, few = numbers(300), keys(300)
    for method in methods(small).values():
        method.fit_transform(small)  # compile
    for method in categorical().values():
        method.fit_transform(few)
    for size in SIZES if full else SIZES[:2]:
        data, coded, ids = numbers(size), keys(size), people(size)
        work: list[tuple[str, Any, tc.Microdata]] = [
            (name, m, data) for name, m in methods(data).items()
        ]
        work += [(name, m, coded) for name, m in categorical().items()]
        work.append(("pseudonyms", tc.protect.Pseudonyms(), ids))
        for name, method, table in work:
            slow = [word for word in MOST if f" {word}," in name]
            limit = MOST[slow[0]] if slow else size
            if size <= limit and (full or size <= 10_000 or not slow):
                found = measure(
                    lambda method=method, table=table: (
                        method.fit_transform(table) is None
                    ),
                    budget=1.0,
                )
                note = f"{found.cpu:.2f} s of CPU"
                yield Row(
                    name,
                    found.seconds,
                    memory_mb=found.memory_mb,
                    note=note,
                    size=size,
                    series=name,
                )
