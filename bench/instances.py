"""Files to link, from easy to well protected: census-like (13 columns), masked, divided by the
larger maximum.

Where protection works linkage is hard, so the hard ones are the ones to measure: at noise of 100
% of each column's
sd and at rank swapping of 20 % few records are linked; groups of 25 are 25 equal masked records
each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np


def census(n: int) -> np.ndarray:
    from tacit.data.datasets import make_census

    table = make_census(n, seed=0)
    return np.column_stack(
        [table[name].to_numpy() for name in table.column_names]
    ).astype(float)


def _protectors() -> dict[str, Callable[[], Any]]:
    from tacit import protect

    noise = {
        f"noise {p} %": lambda p=p: protect.Noise(percent=p, random_state=1)
        for p in (5, 15, 25, 100)
    }
    return noise | {
        "rank swapping 20 %": lambda: protect.RankSwapping(p=20, random_state=1),
        "groups of 25": lambda: protect.Microaggregation(k=25),
    }


EASY_TO_HARD = (
    "noise 5 %",
    "noise 15 %",
    "noise 25 %",
    "noise 100 %",
    "rank swapping 20 %",
    "groups of 25",
)
PROTECTED = EASY_TO_HARD[3:]


@cache
def files(n: int, how: str) -> tuple[np.ndarray, np.ndarray]:
    """The original and the masked file; row i of one is the person of row i of the other."""
    x = census(n)
    z = np.asarray(_protectors()[how]().fit_transform(x), dtype=float)
    unit = np.maximum(np.abs(x).max(axis=0), np.abs(z).max(axis=0))
    return x / unit, z / unit
