"""Some disturbance, its covariance not told: estimate it from the links that it implies, and link again."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Ge

from tacit.attack.aware.base import Informed, continuous, numbers
from tacit.attack.aware.categories import replaced
from tacit.attack.evidence import DENSE, Evidence, Rule, link_by
from tacit.attack.whiten import spread, whitener
from tacit.microdata import FloatArray, Microdata

SHRINK = 10.0
"""The covariance counts like this many records beside its own diagonal."""


class AwareEstimated(Informed):
    """The intruder knows only that something like noise was added: its covariance is estimated without the truth.

    Definition: start from standardised Euclidean links; take the covariance S of x - z over the links (shrunk
    towards its diagonal), link by (x - z) S^-1 (x - z)', and repeat `rounds` times. It is hard-assignment EM for the
    alignment that the Mahalanobis distance of 001 (DBRLM-COV) takes as known.
    """

    method = "estimated"

    def __init__(
        self, rounds: Annotated[int, Ge(0)] = 4, rule: Rule = "assignment", columns: list[str] | None = None
    ) -> None:
        self.rounds = rounds
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        return self._says("that noise of some covariance, which they estimate, was added")

    def evidence(self, original: Microdata, masked: Microdata, columns: list[str]) -> Evidence:
        names = continuous(original, columns)
        rest = [name for name in columns if name not in names]
        found = replaced(original, masked, rest, 0.2) if rest else Evidence.none(original.n, masked.n)
        if not names:
            return found
        x, z = numbers(original, masked, names)
        return disturbed(x, z, self.rounds) + found


def disturbed(x: FloatArray, z: FloatArray, rounds: int) -> Evidence:
    """Evidence with a covariance that fits its own links; files too large for assignment learn from nearest links."""
    signal = spread(x)
    size = np.sqrt(np.maximum(np.diag(signal), 1e-300))
    noise = np.diag(size**2)
    rule: Rule = "assignment" if max(len(x), len(z)) <= DENSE // 2 else "nearest"
    for _ in range(rounds):
        w = whitener(noise, signal)
        match = link_by(Evidence(x @ w, z @ w), rule).match
        linked = match >= 0
        gap = x[linked] - z[match[linked]]
        cov = gap.T @ gap
        own = np.diag(np.diag(cov)) / max(int(linked.sum()), 1)
        noise = (cov + SHRINK * own) / (int(linked.sum()) + SHRINK)
        if np.trace(noise / np.outer(size, size)) < 1e-12:  # nothing was changed
            return Evidence(x / size * 1e3, z / size * 1e3)
    w = whitener(noise, signal)
    return Evidence(x @ w, z @ w)
