"""How many links are right: what all five intruders are judged by."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from attack.adversarial.releases import HOUSEHOLD, Trial

IMPOSSIBLE = 1e4
"""Nats: no evidence of a small file outweighs it."""


def assigned(cost: np.ndarray) -> np.ndarray:
    """The masked record of each original by the cheapest one-to-one linkage; -1: none."""
    named = np.full(len(cost), -1)
    i, j = linear_sum_assignment(np.minimum(np.nan_to_num(cost, nan=0.0), IMPOSSIBLE))
    named[i] = j
    return named


def hits(named: np.ndarray, trial: Trial) -> np.ndarray:
    """For each original the probability that its own record is named.

    Rows of a release stand in random order, so who breaks a tie by position breaks it at random;
    among identical records the expectation is counted, which has less chance in it. A household
    number tells records apart that are identical otherwise.
    """
    shown = [name for name in trial.z if name in (*trial.columns, HOUSEHOLD)]
    seen = trial.z[shown].astype(object)
    rows = pd.Series(list(map(tuple, seen.where(seen.notna(), None).to_numpy())))
    kind = rows.map({row: k for k, row in enumerate(dict.fromkeys(rows))}).to_numpy()
    size = np.bincount(kind)
    told = (named >= 0) & (trial.truth >= 0)
    out = np.zeros(len(named))
    same = kind[named[told]] == kind[trial.truth[told]]
    out[told] = same / size[kind[named[told]]]
    return out
