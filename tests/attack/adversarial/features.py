"""Who reads records in other ways: equal cells, last digits, ranks, differences, sums.

Each way is an attack by itself, and the best of them counts: this intruder is lucky, too.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

from attack.adversarial.counting import assigned, hits
from attack.adversarial.releases import Trial


def attack(trial: Trial) -> np.ndarray | None:
    """The masked record named for each original, in the way that names most."""
    both = [name for name in trial.columns if name in trial.z]
    named = [assigned(cost) for cost in _costs(trial.x[both], trial.z[both], trial)]
    if not named:
        return None
    return max(named, key=lambda who: float(hits(who, trial).sum()))


def _costs(x: pd.DataFrame, z: pd.DataFrame, trial: Trial) -> list[np.ndarray]:
    numbers = [
        name
        for name in x
        if all(pd.api.types.is_numeric_dtype(f[name]) for f in (x, z))
    ]
    a, b = (f[numbers].to_numpy(float) for f in (x, z))
    # text of a gap is a gap in pandas 3
    texts = (f.astype(str).fillna("").to_numpy(object) for f in (x, z))
    costs = [_unequal(*texts)]
    if not numbers:
        return costs
    for step in (1.0, 10.0):
        costs.append(_unequal(np.round(a % step, 6), np.round(b % step, 6)))
    ranks = [np.argsort(np.argsort(v, axis=0), axis=0) / len(v) for v in (a, b)]
    costs.append(_apart(*ranks))
    if len(numbers) > 1:
        pairs = list(itertools.combinations(range(len(numbers)), 2))
        apart = [np.column_stack([v[:, i] - v[:, j] for i, j in pairs]) for v in (a, b)]
        costs.append(_apart(*apart))
    return [
        np.nan_to_num(cost, nan=float(np.nanmax(cost, initial=1.0))) for cost in costs
    ]


def _unequal(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    cost = np.zeros((len(x), len(z)))
    for ours, theirs in zip(x.T, z.T, strict=True):
        values, count = np.unique(theirs, return_counts=True)
        often = dict(zip(values, count / len(theirs), strict=True))
        rare = np.array([-np.log(often.get(value, 1.0)) for value in ours])
        cost -= (ours[:, None] == theirs) * rare[:, None]
    return cost


def _apart(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    unit = np.maximum(np.nanstd(x, axis=0), 1e-300)
    return sum(
        np.minimum(np.abs(ours[:, None] - theirs) / size, 3.0)
        for ours, theirs, size in zip(x.T, z.T, unit, strict=True)
    )
