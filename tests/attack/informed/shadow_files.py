"""Files and plans of several steps on which attackers are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from tacit import protect
from tacit.data.microdata import Microdata

NUMBERS = ["age", "income", "rent", "wealth"]


def business(n: int, seed: int, columns: int = 5, own: float = 0.8) -> pd.DataFrame:
    """Lognormal sizes: every column follows the size of the firm, and has its own part."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    return pd.DataFrame(
        {
            f"v{k}": np.exp(3 + 0.6 * size + own * rng.normal(size=n))
            for k in range(columns)
        }
    )


def survey(n: int, seed: int) -> Microdata:
    """Persons with categories, numbers and gaps."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "sex": rng.choice(["f", "m"], n),
            "region": rng.choice(list("ABCDEF"), n),
            "income": np.exp(9 + 0.7 * rng.normal(size=n)),
            "rent": np.exp(6 + 0.5 * rng.normal(size=n)),
            "wealth": rng.normal(size=n) * 1e4,
        }
    )
    frame.loc[rng.random(n) < 0.06, "rent"] = np.nan
    return Microdata.of(frame, nominal=["sex", "region"])


def plans(kind: str, seed: int | None) -> dict[str, list[Any]]:
    """Two and three steps; on the survey categories are changed at random as well."""
    p = protect
    on: dict[str, Any] = {} if kind == "business" else {"columns": NUMBERS}

    def noise(percent: float, form: str = "uncorrelated", step: int = 0) -> Any:
        own = None if seed is None else seed + step
        return p.Noise(percent=percent, kind=form, random_state=own, **on)

    swap = p.RankSwapping(p=15, random_state=seed, **on)
    cells = {
        "coded, multiplied": [p.TopBottomCoding(**on), noise(80, "multiplicative")],
        "grouped, noise": [p.Microaggregation(k=3, groups=2, **on), noise(40)],
        "noise, grouped": [noise(20), p.Microaggregation(k=4, groups=2, **on)],
        "swapped, noise": [swap, noise(30, step=1)],
        "noise, rounded": [noise(60), p.Rounding(**on)],
        "correlated, coded": [noise(50, "correlated"), p.TopBottomCoding(**on)],
    }
    if kind == "survey":
        own = None if seed is None else seed + 9
        pram = p.PRAM(columns=["sex", "region"], random_state=own)
        cells = {name: [*steps, pram] for name, steps in cells.items()}
    return cells


def masked(steps: list[Any], original: Any) -> Any:
    """The steps in order."""
    for step in steps:
        original = step.fit_transform(original)
    return original
