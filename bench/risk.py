"""Frequencies, special uniques, individual risk and probabilistic loss: ours against what one would write by hand."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

import tacit as tc
from bench import Row, best

CATEGORIES = (2, 3, 5, 8, 10, 20, 50, 90)


def survey(n: int, seed: int = 0) -> Any:
    """n records of eight categorical keys and a weight, correlated so that keys repeat as they do in a survey."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 400, n)  # a latent kind of household
    columns = {}
    for j, size in enumerate(CATEGORIES):
        usual = np.random.default_rng(j).integers(0, size, 400)[kind]
        columns[f"k{j}"] = np.where(rng.random(n) < 0.85, usual, rng.integers(0, size, n))
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


def run(full: bool) -> list[Row]:
    rows = []
    keys = [f"k{j}" for j in range(8)]
    for n in (10_000, 100_000, 1_000_000):
        frame = survey(n)
        ours = best(lambda frame=frame: tc.risk.frequencies(frame, keys=keys, weight="w"))
        group = best(lambda frame=frame: frame.groupby(keys)["w"].transform("sum"))
        rows.append(Row("frequencies, 8 keys and weights", ours, "pandas groupby", group, size=n, series="frequencies"))
    small = survey(3_000)
    uniques = best(lambda: tc.risk.suda(small, keys))
    plain = best(lambda: by_subsets(small[keys].to_numpy(), 8), repeat=1, warm=False)
    rows.append(Row("SUDA2, 8 keys, exact", uniques, "every set of columns (pandas)", plain, size=3_000))
    for n in (10_000, 100_000, *((1_000_000,) if full else ())):
        frame = survey(n)
        rows.append(
            Row(
                "SUDA2, 8 keys",
                best(lambda frame=frame: tc.risk.suda(frame, keys), repeat=1),
                size=n,
                series="suda",
                note="no peer at this size",
            )
        )
    frame = survey(1_000_000)
    rows.append(
        Row(
            "individual risk, 8 keys, exact",
            best(lambda: tc.risk.individual(frame, keys, "w"), repeat=2),
            size=1_000_000,
            note="quadrature of the posterior; the closed form in use elsewhere loses its digits",
        )
    )
    rng = np.random.default_rng(1)
    for n in (100_000, 1_000_000):
        x = rng.standard_normal((n, 10)) @ rng.standard_normal((10, 10))
        z = x + 0.1 * rng.standard_normal(x.shape)
        rows.append(
            Row("probabilistic loss, 10 columns", best(lambda x=x, z=z: tc.loss.pil(x, z)), size=n, series="PIL")
        )
    return rows
