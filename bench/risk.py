"""Frequencies, special uniques, individual risk and probabilistic loss: ours against what one would
write by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

import tacit as tc
from bench.row import Row, measure, side_by_side

CATEGORIES = (2, 3, 5, 8, 10, 20, 50, 90)
KEYS = [f"k{j}" for j in range(len(CATEGORIES))]


def survey(n: int, seed: int = 0) -> Any:
    """n records of eight categorical keys and a weight, correlated so that keys repeat as they do
    in a survey.
    """
    import pandas as pd

    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 400, n)  # a latent kind of household
    columns = {}
    for j, size in enumerate(CATEGORIES):
        usual = np.random.default_rng(j).integers(0, size, 400)[kind]
        columns[f"k{j}"] = np.where(
            rng.random(n) < 0.85, usual, rng.integers(0, size, n)
        )
    return pd.DataFrame(columns | {"w": rng.uniform(1, 200, n)})


def by_subsets(codes: np.ndarray[Any, Any], largest: int) -> int:
    """Minimal sample uniques by looking at every set of columns in turn: the plain way."""
    import pandas as pd

    frame = pd.DataFrame(codes)
    found: dict[int, list[set[int]]] = {}
    for size in range(1, largest + 1):
        for columns in combinations(range(codes.shape[1]), size):
            alone = ~frame.duplicated(list(columns), keep=False).to_numpy()
            for i in np.flatnonzero(alone):
                mine = found.setdefault(int(i), [])
                if not any(small <= set(columns) for small in mine):
                    mine.append(set(columns))
    return sum(len(sets) for sets in found.values())


def frequencies(n: int) -> list[Row]:
    """Sizes and weights of the classes of eight keys."""
    frame = survey(n)

    def sizes_and_sums() -> bool:
        groups = frame.groupby(KEYS)["w"]
        return groups.transform("size") is groups.transform("sum")

    return side_by_side(
        "frequencies, 8 keys and weights",
        lambda: tc.risk.frequencies(frame, keys=KEYS, weight="w") is None,
        {
            "pandas groupby": lambda: frame.groupby(KEYS)["w"].transform("sum") is None,
            "pandas groupby, count and weight": sizes_and_sums,
        },
        lambda *_: "pandas groupby: the sum of weights only, one transform",
        size=n,
        series="frequencies",
    )


def suda(n: int, plain: bool) -> list[Row]:
    """Special uniques: beside the plain way where that ends."""
    frame = survey(n)
    name = "SUDA2, 8 keys, exact"
    if plain:
        peer = {
            "every set of columns (pandas)": lambda: by_subsets(
                frame[KEYS].to_numpy(), 8
            )
        }
        return side_by_side(
            name,
            lambda: tc.risk.suda(frame, KEYS) is None,
            peer,
            lambda _, found: f"{found:,} minimal sample uniques",
            size=n,
            series="suda",
        )
    return [
        _alone(
            name, lambda: tc.risk.suda(frame, KEYS), n, "suda", "no peer at this size"
        )
    ]


def _alone(
    name: str, call: Callable[[], object], n: int, series: str, note: str = ""
) -> Row:
    found = measure(lambda: call() is None)
    return Row(
        name, found.seconds, memory_mb=found.memory_mb, note=note, size=n, series=series
    )


def alone(n: int) -> Iterator[Row]:
    """What has no peer."""
    frame, rng = survey(n), np.random.default_rng(1)
    exact = (
        "quadrature of the posterior; the closed form in use elsewhere loses its digits"
    )
    individual = partial(tc.risk.individual, frame, KEYS, "w")
    yield _alone(
        "individual risk, 8 keys, exact", individual, n, "individual risk", exact
    )
    x = rng.standard_normal((n, 10)) @ rng.standard_normal((10, 10))
    z = x + 0.1 * rng.standard_normal(x.shape)
    yield _alone(
        "probabilistic loss, 10 columns",
        partial(tc.loss.pil, x, z),
        n,
        "probabilistic loss",
    )


def run(full: bool) -> Iterator[Row]:
    """Up to 1,000,000 records; SUDA2 up to 100,000 unless ``full``."""
    million = 1_000_000
    for part in (frequencies, partial(suda, plain=False), alone):
        list(part(300))  # compiled before it is measured
    for n in (10_000, 100_000, million):
        yield from frequencies(n)
    for n in (1_000, 3_000, 10_000, 100_000, *((million,) if full else ())):
        yield from suda(n, plain=n <= 3_000)
    for n in (10_000, 100_000, million):
        yield from alone(n)
