"""Some disturbance, its covariance not given: estimate it from the links that it implies."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Ge

from tacit.attack.informed.base import Informed, continuous, numbers
from tacit.attack.informed.evidence import Evidence, Rule, link_by
from tacit.attack.informed.evidence_assignment import DENSE
from tacit.attack.informed.pram import replaced
from tacit.attack.whiten import spread, whitener
from tacit.base.typing import Floats
from tacit.data.microdata import Microdata

# The covariance counts like this many records beside its own diagonal
SHRINK = 10.0
# Share of categories taken to be replaced, where nothing says how many were
REPLACED = 0.2
# Variance of the change relative to the file's below which it is rounding alone
NOTHING_CHANGED = 1e-12
# Weight of columns that were not changed: any difference rules a pair out
SURE = 1e3


class AwareEstimated(Informed):
    """The intruder knows only that something like noise was added, and estimates its covariance.

    Parameters
    ----------
    rounds : int
        How often the covariance is estimated from the links and the links from it.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** Start from standardised Euclidean links; take the covariance S of x - z
    over the links (shrunk towards its diagonal), link by (x - z) S^-1 (x - z)', and repeat.
    It is hard-assignment EM for the alignment that the Mahalanobis distance of the
    literature (DBRLM-COV) takes as known.

    **Guarantee.** None on the estimate; links are exact under it.

    **Cost.** One assignment (nearest links on large files) per round, and the last one.

    References
    ----------
    Abril, Navarro-Arribas and Torra (2012), section 2.1.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(60, 3))
    >>> AwareEstimated().link(x, x + 0.01).rate > 0.9
    True
    """

    method = "estimated"

    def __init__(
        self,
        rounds: Annotated[int, Ge(0)] = 4,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.rounds = rounds
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says(
            "that noise of some covariance, which they estimate, was added"
        )

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Mahalanobis distances under the estimated covariance; categories replaced at random."""
        names = continuous(original, columns)
        rest = [name for name in columns if name not in names]
        categories = replaced(original, masked, rest, REPLACED)
        if not names:
            return categories
        x, z = numbers(original, masked, names)
        return disturbed(x, z, self.rounds) + categories


def disturbed(
    x: Floats,
    z: Floats,
    rounds: int,
) -> Evidence:
    """Evidence with a covariance that fits its own links.

    Files too large for a dense assignment learn from nearest links.

    Parameters
    ----------
    x, z : arrays
        Centred numbers of both files.
    rounds : int
        How often to estimate.
    """
    signal = spread(x)
    size = np.sqrt(np.maximum(np.diag(signal), 1e-300))
    # noise as large as the file itself: standardised Euclidean links
    noise = np.diag(size**2)
    # half of DENSE: the assignment is solved again in every round
    small = max(len(x), len(z)) <= DENSE // 2
    rule: Rule = "assignment" if small else "nearest"
    for _ in range(rounds):
        w = whitener(noise, signal)
        match = link_by(Evidence(x @ w, z @ w), rule).match
        linked = match >= 0
        links = int(linked.sum())
        change = x[linked] - z[match[linked]]
        scatter = change.T @ change
        # few links give a poor covariance but fair variances
        own = np.diag(np.diag(scatter)) / max(links, 1)
        noise = (scatter + SHRINK * own) / (links + SHRINK)
        if np.trace(noise / np.outer(size, size)) < NOTHING_CHANGED:
            return Evidence(x / size * SURE, z / size * SURE)
    w = whitener(noise, signal)
    return Evidence(x @ w, z @ w)
