"""Files whose records belong together: a household survey, and a business file with several rows
per firm."""

from __future__ import annotations

import numpy as np
import pandas as pd


def survey(households: int = 560, seed: int = 0) -> pd.DataFrame:
    """Persons in households of 1 to 7 (about 2,500 at 560), some columns shared by a household."""
    rng = np.random.default_rng(seed)
    size = rng.choice(
        np.arange(1, 8), households, p=[0.06, 0.1, 0.14, 0.22, 0.2, 0.18, 0.1]
    )
    member = np.repeat(np.arange(households), size)
    n = len(member)
    wealth = rng.normal(size=households)[member]
    frame = pd.DataFrame(
        {
            "hid": member + 1000,
            "age": rng.integers(0, 90, n).astype(float),
            "expend": np.exp(12 + 0.3 * wealth + 0.5 * rng.normal(size=n)),
            "income": np.exp(11 + 0.5 * wealth + 0.7 * rng.normal(size=n)),
            "savings": rng.gamma(2.0, 1e5, n),
            "urban": rng.choice(["yes", "no"], households)[member],
            "water": rng.choice(list("abcdefgh"), households)[member],
            "relation": rng.choice(list("hscpo"), n, p=[0.25, 0.2, 0.4, 0.1, 0.05]),
            "sex": rng.choice(["f", "m"], n),
        }
    )
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


def firms(number: int = 200, months: int = 12, seed: int = 0) -> pd.DataFrame:
    """Firms of skewed size, several rows each, which differ little within a firm."""
    rng = np.random.default_rng(seed)
    rows = rng.choice([months, 2 * months], number, p=[0.9, 0.1])
    firm = np.repeat(np.arange(number), rows)
    size = rng.normal(scale=1.2, size=number)
    frame = {"firm_id": [f"F{f:04d}" for f in firm]}
    for k in range(8):
        level = size + 0.8 * rng.normal(size=number)
        frame[f"v{k}"] = np.exp(6 + level[firm] + 0.15 * rng.normal(size=len(firm)))
    return pd.DataFrame(frame).sample(frac=1, random_state=seed).reset_index(drop=True)
