"""Link probabilities: for each original, how probable is each candidate, given that the link is a bijection?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Gt

from tacit.attack.aware.base import Informed
from tacit.attack.aware.estimated import AwareEstimated
from tacit.attack.aware.plan import Aware
from tacit.attack.base import Distinct, Matching
from tacit.attack.evidence import TIE, Evidence, Rule, _spread
from tacit.attack.evidence_graph import candidate_pairs
from tacit.attack.posterior_graph import FRACTION, Beliefs, Reliability, link_probabilities, reliability
from tacit.attack.posterior_left import left_out
from tacit.microdata import FloatArray, Microdata

REACH = 16.0
TOLERANCE = {"whole": 1e-5, "sparse": 1e-4}
"""The iteration has settled when no probability moves by more than this in a round."""


@dataclass(frozen=True)
class Candidates:
    """The probabilities in one table: original row, masked row (the first of its identical copies), probability.

    `copies` is how many identical masked records share the candidate; `probability` is that of one of them.
    `restless` records (of both files) were still moving after `rounds`.
    """

    original: np.ndarray
    masked: np.ndarray
    copies: np.ndarray
    probability: FloatArray
    rounds: int
    restless: int

    @property
    def settled(self) -> bool:
        return self.restless == 0

    def of(self, i: int) -> list[tuple[int, float]]:
        """(masked row, probability) of original i, likeliest first."""
        at = np.flatnonzero(self.original == i)
        at = at[np.argsort(-self.probability[at], kind="stable")]
        return [(int(self.masked[e]), float(self.probability[e])) for e in at]


class LinkProbabilities(Informed):
    """Name the likeliest candidate of each original under the bijection; the score is its probability.

    Definition: P(matching) is proportional to the product of exp(-cost), cost = minus the log likelihood of the
    plan's method (estimated when there is no plan); P(i -> j) is the sum over all matchings that link i to j,
    approximated by fractional belief propagation on each record's `candidates` likeliest candidates, both ways
    (`kernels.bethe`); the likelihood of all others is estimated from a sample and counts as one more candidate
    (`posterior_left`). Source: 000, which calls this attack infeasible (a permanent); Chertkov and others (2010) for
    the Bethe form. Guarantee: none on the approximation; the docs show its calibration. Cost: rounds times edges.
    `success` of the linkage counts the named records; `risk` gives the probabilities themselves, a calibrated
    per-record risk.

    Parameters: `plan`: how the file was masked. `candidates`: edges kept for each record of a large file; up to
    `dense` distinct records all pairs are kept.

    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=(50, 3))
    >>> LinkProbabilities().link(x, x + 0.01).rate > 0.9
    True
    """

    method = "posterior"

    def __init__(
        self,
        plan: Any = None,
        candidates: Annotated[int, Ge(1)] = 24,
        dense: Annotated[int, Ge(0)] = 1500,
        fraction: Annotated[float, Gt(0)] = FRACTION,
        rounds: Annotated[int, Ge(1)] = 1000,
        columns: list[str] | None = None,
    ) -> None:
        self.plan = plan
        self.candidates = candidates
        self.dense = dense
        self.fraction = fraction
        self.rounds = rounds
        self.columns = columns

    rule: Rule = "assignment"

    @property
    def knows(self) -> str:
        how = "that noise of a size they estimate was added" if self.plan is None else "how the file was masked"
        return self._says(f"{how}, and weighs all one-to-one links by their likelihood")

    def evidence(self, original: Microdata, masked: Microdata, columns: list[str]) -> Evidence:
        if self.plan is None:
            return AwareEstimated().evidence(original, masked, columns)
        return Aware(self.plan).evidence(original, masked, columns)

    def risk(self, original: Any, masked: Any) -> Candidates:
        """The table of candidates with their probabilities."""
        a, b = Microdata.of(original), Microdata.of(masked)
        columns = self._columns(a, b)
        evidence = self.evidence(a, b, columns)
        ours, theirs = evidence.classes()
        beliefs = self._beliefs(evidence, ours, theirs)
        start = np.searchsorted(beliefs.rows, np.arange(len(ours.rows) + 1))
        degree = np.diff(start)[ours.inverse]
        offset = np.concatenate([[0], np.cumsum(degree)])
        edge = np.repeat(start[:-1][ours.inverse], degree) + np.arange(offset[-1]) - np.repeat(offset[:-1], degree)
        column = beliefs.columns[edge]
        return Candidates(
            np.repeat(np.arange(a.n), degree),
            theirs.first[column],
            theirs.count[column],
            beliefs.probability[edge],
            beliefs.rounds,
            beliefs.restless,
        )

    def _match(self, original: Microdata, masked: Microdata, columns: list[str]) -> Matching:
        evidence = self.evidence(original, masked, columns)
        ours, theirs = evidence.classes()
        beliefs = self._beliefs(evidence, ours, theirs)
        best = np.zeros(len(ours.rows))
        np.maximum.at(best, beliefs.rows, beliefs.probability)
        top = beliefs.probability >= best[beliefs.rows] * (1 - 1e-6) - TIE
        rows, columns_ = beliefs.rows[top], beliefs.columns[top]
        weight = theirs.count[columns_].astype(float)
        total = np.bincount(rows, weight, len(ours.rows))
        start = np.searchsorted(rows, np.arange(len(ours.rows) + 1))
        second = np.zeros(len(ours.rows))
        np.maximum.at(second, beliefs.rows[~top], beliefs.probability[~top])
        done = _spread(ours, theirs, start, columns_, weight / total[rows], best, best - second)
        done.log = [{"rounds": beliefs.rounds, "restless": beliefs.restless, "edges": len(beliefs.rows)}]
        return done

    def _beliefs(self, evidence: Evidence, ours: Distinct, theirs: Distinct) -> Beliefs:
        n, m = int(ours.count.sum()), int(theirs.count.sum())
        rows, columns, cost, whole = graph(evidence, ours, theirs, self.candidates, self.dense)
        possible = np.isfinite(cost)
        rows, columns, cost = rows[possible], columns[possible], cost[possible]
        left = (None, None) if whole else left_out(evidence, ours, theirs, rows, columns, cost)
        return link_probabilities(
            rows,
            columns,
            cost,
            (len(ours.rows), len(theirs.rows)),
            row_copies=ours.count.astype(float),
            column_copies=theirs.count.astype(float),
            row_free=_unmatched(rows, cost, ours.count, m) if n > m else None,
            column_free=_unmatched(columns, cost, theirs.count, n) if m > n else None,
            row_left=left[0],
            column_left=left[1],
            fraction=self.fraction,
            rounds=self.rounds,
            tolerance=TOLERANCE["whole" if whole else "sparse"],
        )


def _unmatched(at: np.ndarray, cost: FloatArray, copies: np.ndarray, there: int) -> FloatArray:
    """Cost of staying unmatched where the other file is shorter: only as many records as it has can be matched.

    The same for all: one nat above the best cost of the last record that can be matched.
    """
    size = len(copies)
    best = np.full(size, np.inf)
    np.minimum.at(best, at, cost)
    order = np.argsort(best, kind="stable")
    last = order[min(int(np.searchsorted(np.cumsum(copies[order]), there)), size - 1)]
    return np.full(size, (best[last] if np.isfinite(best[last]) else 0.0) + 1.0)


def graph(
    evidence: Evidence, ours: Distinct, theirs: Distinct, candidates: int, dense: int
) -> tuple[np.ndarray, np.ndarray, FloatArray, bool]:
    """Edges (distinct original, distinct masked) with their costs; all pairs of a small file, near ones of a large."""
    n, m = len(ours.rows), len(theirs.rows)
    if max(n, m) <= dense or candidates >= min(n, m):
        cost = evidence.block(ours.rows, theirs.rows)
        # what is REACH nats behind the best of its row and of its column cannot be seen in a probability
        keep = (cost <= cost.min(1, keepdims=True) + REACH) | (cost <= cost.min(0, keepdims=True) + REACH)
        rows, columns = np.nonzero(keep & np.isfinite(cost))
        return rows, columns, cost[rows, columns], True
    rows, columns, cost = candidate_pairs(evidence, ours, theirs, candidates)
    return rows, columns, cost, False


def calibration(found: Candidates, truth: np.ndarray, masked_class: np.ndarray, bins: int = 10) -> Reliability:
    """Stated probability against outcome over each original's likeliest candidate (a class of g copies: 1/g of it)."""
    order = np.lexsort((-found.probability, found.original))
    first = np.concatenate([[True], np.diff(found.original[order]) > 0])
    top = order[first]
    own = masked_class[truth[found.original[top]]] == masked_class[found.masked[top]]
    return reliability(found.probability[top], own / found.copies[top], bins)
