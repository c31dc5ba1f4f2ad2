"""Sinkhorn marginals: each original names the record that is likeliest under the bijection."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from attack.adversarial import likelihood
from attack.adversarial.releases import Trial

ROUNDS = 200


def attack(trial: Trial) -> np.ndarray:
    """The masked record named for each original."""
    return marginals(likelihood.costs(trial)).argmax(1)


def marginals(cost: np.ndarray) -> np.ndarray:
    """Probabilities of links: rows and columns scaled in turn until both sum to one.

    Where fewer records were released, blank ones stand in for the others.
    """
    n, m = cost.shape
    full = np.zeros((n, n))
    full[:, :m] = -cost
    u, v = np.zeros(n), np.zeros(n)
    for _ in range(ROUNDS):
        u = -logsumexp(full + v, axis=1)
        v = -logsumexp(full + u[:, None], axis=0)
    return np.exp(full + u[:, None] + v)[:, :m]
