"""Gap pattern: who misses what, and then who is near."""

from __future__ import annotations

import numpy as np
import pandas as pd

from attack.adversarial.counting import assigned
from attack.adversarial.releases import Trial

GAP = 5.0
"""Nats for a gap that is not where it was: a method may make or fill a few."""


def attack(trial: Trial) -> np.ndarray | None:
    """The masked record named for each original; None where nothing is missing."""
    x, z = trial.x[trial.columns], trial.z[trial.columns]
    if not x.isna().to_numpy().any() and not z.isna().to_numpy().any():
        return None
    cost = np.zeros((len(x), len(z)))
    for name in trial.columns:
        a, b = x[name].isna().to_numpy(), z[name].isna().to_numpy()
        # a gap that was made (suppression) says less than one that was filled
        made = max(b.mean() - a.mean(), 0.01)
        cost += np.where(~a[:, None] & b, min(GAP, -np.log(made)), 0.0)
        cost += np.where(a[:, None] & ~b, GAP, 0.0)
        cost += _values(x[name], z[name]) * ~(a[:, None] | b)
    return assigned(cost)


def _values(x: pd.Series, z: pd.Series) -> np.ndarray:
    numeric = all(pd.api.types.is_numeric_dtype(s) for s in (x, z))
    if not numeric:
        return 2.0 * (x.astype(str).to_numpy()[:, None] != z.astype(str).to_numpy())
    a, b = x.to_numpy(float), z.to_numpy(float)
    # the variance that the release has more, or a tenth of its own
    noise = max(np.nanvar(b) - np.nanvar(a), 0.1 * np.nanvar(a), 1e-300)
    return np.nan_to_num(0.5 * (a[:, None] - b) ** 2 / noise)
