"""Evidence: what one masked value says about one original, in nats, and the two rules that turn it into links.

The cost of 'masked j came from original i' is 1/2 |u_i - v_j|^2 plus the costs of any further parts: minus the
logarithm of the likelihood up to a constant. Pieces of evidence on different columns add up. Vectors scale to large
files; parts that are not distances (interval containment, transition probabilities) are computed pair by pair.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

import numpy as np
from scipy.optimize import linear_sum_assignment

from tacit.attack.base import Distinct, Matching, distinct
from tacit.errors import TacitWarning
from tacit.microdata import FloatArray, Microdata

Rule = Literal["assignment", "nearest", "likeliest"]
"""Who is named: the bijection of least total cost; each original's cheapest masked record; or the masked record that is
likeliest to be the original's, exp(-cost_ij) over the sum of exp(-cost_lj) of all originals l. The last corrects for
masked records in crowded places, which are near to many; it needs costs that are true log likelihoods."""
DENSE = 6_000
"""Largest number of distinct records for which all pairs of an assignment are written down."""
TIE = 1e-11


@dataclass(frozen=True)
class Part:
    """A cost that is no distance: `cost(a, b)` gives the matrix for blocks of rows; inf = impossible.

    `hint`: vectors of both files whose nearness proposes candidates when a file is too large for all pairs.
    """

    a: FloatArray
    b: FloatArray
    cost: Callable[[FloatArray, FloatArray], FloatArray]
    hint: tuple[FloatArray, FloatArray] | None = None


@dataclass(frozen=True)
class Evidence:
    """Vectors u (originals) and v (masked), and further parts."""

    u: FloatArray
    v: FloatArray
    parts: list[Part] = field(default_factory=list)

    @classmethod
    def none(cls, n: int, m: int) -> Evidence:
        return cls(np.empty((n, 0)), np.empty((m, 0)))

    def __add__(self, other: Evidence) -> Evidence:
        return Evidence(np.hstack([self.u, other.u]), np.hstack([self.v, other.v]), [*self.parts, *other.parts])

    @property
    def pure(self) -> bool:
        """Only vectors: kd-trees and sparse candidate graphs apply."""
        return not self.parts

    def classes(self) -> tuple[Distinct, Distinct]:
        """Distinct originals and distinct masked records, as far as the evidence can tell them apart."""
        return (
            distinct(np.hstack([self.u, *(p.a for p in self.parts)])),
            distinct(np.hstack([self.v, *(p.b for p in self.parts)])),
        )

    def block(self, ours: FloatArray, theirs: FloatArray) -> FloatArray:
        """Costs of all pairs of some distinct originals with some distinct masked records."""
        q = self.u.shape[1]
        total = np.zeros((len(ours), len(theirs)))
        for k in range(q):  # differences, not products: a large offset must not eat the digits
            total += 0.5 * (ours[:, k, None] - theirs[None, :, k]) ** 2
        at = q
        for part in self.parts:
            width = part.a.shape[1]
            total += part.cost(ours[:, at : at + width], theirs[:, at : at + width])
            at += width
        return total


def link_by(evidence: Evidence, rule: Rule) -> Matching:
    """The matching of the rule: each record on its own, or all at once as a bijection."""
    return assignment(evidence) if rule == "assignment" else nearest(evidence, crowded=rule == "likeliest")


def nearest(evidence: Evidence, *, crowded: bool = False) -> Matching:
    """Each original names the masked record of least cost; equal costs share.

    `crowded` adds log sum_l exp(-cost_lj), the log density of originals' images at masked record j.
    """
    ours, theirs = evidence.classes()
    if evidence.pure and not crowded and max(len(ours.rows), len(theirs.rows)) > DENSE:
        return _near_vectors(evidence, ours, theirs)
    crowd = _crowd(evidence, ours, theirs) if crowded else np.zeros(len(theirs.rows))
    step = max(1, 4_000_000 // max(1, len(theirs.rows)))
    degree = np.zeros(len(ours.rows), np.int64)
    named: list[np.ndarray] = []
    best = np.full(len(ours.rows), np.inf)
    margin = np.full(len(ours.rows), np.nan)
    for s in range(0, len(ours.rows), step):
        cost = evidence.block(ours.rows[s : s + step], theirs.rows) + crowd
        low = cost.min(1)
        tied = (cost <= low[:, None] + TIE * (1.0 + np.abs(low[:, None]))) & np.isfinite(low)[:, None]
        degree[s : s + step] = tied.sum(1)
        named.append(np.nonzero(tied)[1])
        best[s : s + step] = low
        rest = np.where(tied, np.inf, cost).min(1)
        margin[s : s + step] = np.where(np.isfinite(rest), rest - np.where(np.isfinite(low), low, 0.0), np.nan)
    target = np.concatenate(named) if named else np.zeros(0, np.int64)
    weight = theirs.count[target].astype(float)
    start = np.concatenate([[0], np.cumsum(degree)])
    total = np.array([weight[a:b].sum() for a, b in pairwise(start)])
    return _spread(ours, theirs, start, target, weight / np.repeat(total, degree), best, margin)


def _crowd(evidence: Evidence, ours: Distinct, theirs: Distinct) -> FloatArray:
    """log sum over originals of exp(-cost) for each masked class; 0 where no original is possible."""
    top = np.full(len(theirs.rows), -np.inf)
    total = np.zeros(len(theirs.rows))
    step = max(1, 4_000_000 // max(1, len(theirs.rows)))
    for s in range(0, len(ours.rows), step):
        gain = np.log(ours.count[s : s + step])[:, None] - evidence.block(ours.rows[s : s + step], theirs.rows)
        new = np.maximum(top, gain.max(0))
        safe = np.where(np.isfinite(new), new, 0.0)
        total = total * np.exp(top - safe) + np.exp(gain - safe).sum(0)
        top = new
    return np.where(total > 0, np.where(np.isfinite(top), top, 0.0) + np.log(np.maximum(total, 1e-300)), 0.0)


def assignment(evidence: Evidence) -> Matching:
    """The one-to-one link of least total cost; classes of identical records share their links."""
    ours, theirs = evidence.classes()
    n, m = int(ours.count.sum()), int(theirs.count.sum())
    if max(n, m) > DENSE:
        return _large(evidence, ours, theirs) if evidence.pure else _sparse(evidence, ours, theirs)
    classes = evidence.block(ours.rows, theirs.rows)
    finite = classes[np.isfinite(classes)]
    # an impossible pair costs more than any set of possible ones, so it is used only when there is no other way
    wall = (finite.max() - min(0.0, finite.min()) + 1.0) * (min(n, m) + 1) if finite.size else 1.0
    rows = np.repeat(np.arange(len(ours.count)), ours.count)
    slots = np.repeat(np.arange(len(theirs.count)), theirs.count)
    full = np.where(np.isfinite(classes), classes, wall)[np.ix_(rows, slots)]
    i, j = linear_sum_assignment(full)
    possible = np.isfinite(classes[rows[i], slots[j]])
    flow = np.zeros(classes.shape)
    np.add.at(flow, (rows[i][possible], slots[j][possible]), 1.0)
    owner, target = np.nonzero(flow)
    start = np.searchsorted(owner, np.arange(len(ours.count) + 1))
    share = flow[owner, target] / ours.count[owner]
    cost = classes[owner, target]
    head = np.array([cost[a:b].min() if b > a else np.inf for a, b in pairwise(start)])
    total = float(full[i, j][possible].sum())
    done = _spread(ours, theirs, start, target, share, head, np.full(len(head), np.nan))
    done.cost, done.bound, done.certified = total, total, bool(possible.all())
    return done


def _large(evidence: Evidence, ours: Distinct, theirs: Distinct) -> Matching:
    """Vectors only: the certified solver, which never writes all pairs down."""
    from tacit.attack.solve import assign

    found = assign(evidence.u, evidence.v, metric="squared")
    linked = np.flatnonzero(found.match >= 0)
    m = len(theirs.rows)
    pair, count = np.unique(ours.inverse[linked] * m + theirs.inverse[found.match[linked]], return_counts=True)
    owner, target = np.divmod(pair, m)
    start = np.searchsorted(owner, np.arange(len(ours.rows) + 1))
    cost = 0.5 * ((ours.rows[owner] - theirs.rows[target]) ** 2).sum(1)
    best = np.full(len(ours.rows), np.inf)
    np.minimum.at(best, owner, cost)
    done = _spread(ours, theirs, start, target, count / ours.count[owner], best, np.full(len(best), np.nan))
    done.cost, done.bound, done.certified = 0.5 * found.cost, 0.5 * found.bound, found.certified
    done.log = found.log
    return done


def _sparse(evidence: Evidence, ours: Distinct, theirs: Distinct) -> Matching:
    """With parts that are no distances: assignment inside candidates that hints propose."""
    from tacit.attack.evidence_graph import CANDIDATES, pair_costs, sparse_links

    warnings.warn(
        f"more than {DENSE} records: this attack weighed the {CANDIDATES} nearest candidates of each record only; its "
        "links are not certified, and a full search could find more",
        TacitWarning,
        stacklevel=2,
    )
    owner, target, count, complete = sparse_links(evidence, ours, theirs)
    start = np.searchsorted(owner, np.arange(len(ours.rows) + 1))
    cost = pair_costs(evidence, ours.rows[owner], theirs.rows[target])
    best = np.full(len(ours.rows), np.inf)
    np.minimum.at(best, owner, cost)
    done = _spread(ours, theirs, start, target, count / ours.count[owner], best, np.full(len(best), np.nan))
    done.cost, done.certified = float((cost * count).sum()), False
    done.log = [{"candidates": CANDIDATES, "complete": complete}]
    return done


def _near_vectors(evidence: Evidence, ours: Distinct, theirs: Distinct) -> Matching:
    """Vectors only, many records: nearest with ties by kd-tree."""
    from tacit.attack.neighbours import nearest_with_ties

    distance, start, target = nearest_with_ties(ours.rows, theirs.rows)
    weight = theirs.count[target].astype(float)
    total = np.add.reduceat(weight, start[:-1])
    share = weight / np.repeat(total, np.diff(start))
    return _spread(ours, theirs, start, target, share, 0.5 * distance**2, np.full(len(distance), np.nan))


def _spread(
    ours: Distinct,
    theirs: Distinct,
    start: np.ndarray,
    target: np.ndarray,
    share: FloatArray,
    cost: FloatArray,
    margin: FloatArray,
) -> Matching:
    """From classes to records: every member of an original class has the links of its class."""
    degree = np.diff(start)[ours.inverse]
    indptr = np.concatenate([[0], np.cumsum(degree)]).astype(np.int64)
    entry = np.repeat(start[:-1][ours.inverse], degree) + np.arange(indptr[-1]) - np.repeat(indptr[:-1], degree)
    linked = degree > 0
    head = np.zeros(len(degree), np.int64)
    if len(target):
        head = target[np.where(linked, start[:-1][ours.inverse], 0)]
    match = np.where(linked, theirs.first[head], -1).astype(np.int64)
    score = np.where(linked, cost[ours.inverse], np.nan)
    return Matching(
        match, score, theirs.inverse, indptr, target[entry].astype(np.int64), share[entry],
        margin=np.where(linked, margin[ours.inverse], np.nan),
    )  # fmt: skip


def value_order(data: Microdata) -> np.ndarray:
    """Rows in the order of their values: sums and ties then come out the same whatever the rows' order was."""
    values = data.numbers(data.names)
    return np.lexsort(values.T[::-1]) if values.shape[1] else np.arange(data.n)


def restore(matching: Matching, ours: np.ndarray, theirs: np.ndarray) -> Matching:
    """The matching of files that were taken in the orders `ours` and `theirs`, in the files' own order."""
    back = np.empty_like(ours)
    back[ours] = np.arange(len(ours))
    degree = np.diff(matching.indptr)[back]
    indptr = np.concatenate([[0], np.cumsum(degree)]).astype(np.int64)
    entry = np.repeat(matching.indptr[:-1][back], degree) + np.arange(indptr[-1]) - np.repeat(indptr[:-1], degree)
    named = matching.match[back]
    classes = np.empty_like(matching.masked_class)
    classes[theirs] = matching.masked_class
    matching.match = np.where(named >= 0, theirs[np.maximum(named, 0)], -1).astype(np.int64)
    matching.score = matching.score[back]
    matching.margin = None if matching.margin is None else matching.margin[back]
    matching.masked_class, matching.indptr = classes, indptr
    matching.classes, matching.probability = matching.classes[entry], matching.probability[entry]
    return matching
