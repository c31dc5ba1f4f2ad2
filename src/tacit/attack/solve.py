"""Optimal assignment of vectors, certified: the one-to-one linkage of least total distance, and what it says.

Minimise sum c_ij over one-to-one links. A linkage and duals u, v with u_i + v_j <= c_ij for **every** pair prove each
other: cost >= sum u + sum v, with equality at the optimum. The work is done in ``solve_rounds``. Identical records are
one column with a capacity (transportation problem), and files may differ in length: then the shorter one is linked
completely.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tacit.attack.base import Matching, distinct
from tacit.attack.metric import Metric
from tacit.attack.neighbours import KIND, Floats, Frame, Ints, Stopper, check_vectors, search
from tacit.attack.solve_rounds import CANDIDATES, Progress, Rounds
from tacit.errors import ParameterError
from tacit.kernels import kdtree
from tacit.kernels.assignment_graph import pair_costs


@dataclass
class Assigned:
    """``match[i]``: the row of Y linked to row i of X (-1: none). ``bound <= optimum <= cost``.

    ``certified``: the two agree to rounding, so the linkage is optimal among all. ``u``, ``v``: duals of the rows of X
    and Y. ``log``: one entry a round.
    """

    match: Ints
    cost: float
    bound: float
    certified: bool
    u: Floats
    v: Floats
    log: list[dict[str, Any]] = field(default_factory=list)

    @property
    def gap(self) -> float:
        """Proven relative distance to the optimum."""
        return max(0.0, self.cost - self.bound) / self.cost if self.cost > 0 else 0.0


def assign(
    X: Any,
    Y: Any,
    *,
    metric: Metric = "euclidean",
    candidates: int = CANDIDATES,
    time_limit: float | None = None,
    gap: float = 0.0,
    progress: Progress | None = None,
) -> Assigned:
    """The one-to-one linkage of rows of X and Y of least total f(distance); the shorter file is linked completely.

    ``metric``: f(distance) = Euclidean, squared Euclidean or Manhattan distance. ``time_limit`` (seconds), ``gap``
    (relative) and Ctrl-C end the run early with the best linkage and its proven gap.
    """
    X, Y = check_vectors(X, Y)
    if metric not in KIND:
        raise ParameterError(f"metric={metric!r}: use one of {', '.join(KIND)}")
    if len(X) > len(Y):
        turned = assign(Y, X, metric=metric, candidates=candidates, time_limit=time_limit, gap=gap, progress=progress)
        match = np.full(len(X), -1, np.int64)
        match[turned.match] = np.arange(len(Y))
        return Assigned(match, turned.cost, turned.bound, turned.certified, turned.v, turned.u, turned.log)
    if not len(X):
        return Assigned(np.zeros(0, np.int64), 0.0, 0.0, True, np.zeros(0), np.zeros(len(Y)))
    # In value order and grouped, so that row order plays no part even among equally good linkages.
    ours, theirs = distinct(X), distinct(Y)
    run = Rounds(ours.rows, ours.count, theirs.rows, theirs.count, KIND[metric], candidates, time_limit, progress)
    run.go(gap)
    column = run.best_column
    by_class = np.argsort(ours.inverse, kind="stable")
    members = np.argsort(theirs.inverse, kind="stable")
    first = np.concatenate([[0], np.cumsum(theirs.count)])[:-1]
    # the s-th row that goes to a group of identical records takes its s-th record
    order = np.argsort(column, kind="stable")
    rank = np.empty(len(column), np.int64)
    rank[order] = np.arange(len(column)) - np.searchsorted(column[order], column[order])
    match = np.empty(len(X), np.int64)
    match[by_class] = members[first[column] + rank]
    u, v = run.best_u[ours.inverse], run.best_v[theirs.inverse]
    return Assigned(match, run.cost, run.bound, run.certified, u, v, run.log)


def shares(X: Floats, Y: Floats, found: Assigned) -> Matching:
    """The linkage as an intruder meets it: identical originals share the links of their class."""
    ours, theirs = distinct(X), distinct(Y)
    linked = found.match >= 0
    pair = ours.inverse[linked] * len(theirs.count) + theirs.inverse[found.match[linked]]
    flow, size = np.unique(pair, return_counts=True)
    owner, target = np.divmod(flow, max(1, len(theirs.count)))
    share = size / ours.count[owner]
    start = np.searchsorted(owner, np.arange(len(ours.count) + 1))
    degree = np.diff(start)[ours.inverse]
    indptr = np.concatenate([[0], np.cumsum(degree)]).astype(np.int64)
    entry = np.repeat(start[:-1][ours.inverse], degree) + np.arange(indptr[-1]) - np.repeat(indptr[:-1], degree)
    named = degree > 0
    head = np.where(named, start[:-1][ours.inverse], 0)
    match = np.where(named, theirs.first[target[head]], -1) if len(target) else np.full(len(X), -1)
    return Matching(
        match.astype(np.int64),
        np.full(len(X), np.nan),
        theirs.inverse,
        indptr,
        target[entry],
        share[entry],
        cost=found.cost,
        bound=found.bound,
        certified=found.certified,
        log=found.log,
        duals=(found.u, found.v),
    )


def assign_vectors(X: Any, Y: Any, *, metric: Metric = "squared", time_limit: float | None = None) -> Matching:
    """``assign`` and ``shares`` in one call; the score is the cost of the link."""
    X, Y = check_vectors(X, Y)
    matching = shares(X, Y, assign(X, Y, metric=metric, time_limit=time_limit))
    linked = np.flatnonzero(matching.match >= 0)
    matching.score[linked] = pair_costs(X, Y, linked, matching.match[linked], KIND[metric])
    return matching


def second_best(X: Floats, Y: Floats, found: Assigned, metric: Metric) -> Floats:
    """min over records other than i's own of c_ij - v_j - u_i: what forbidding the link costs at least."""
    classes = distinct(Y)
    if len(classes.rows) < 2:
        return np.zeros(len(X))
    kind = KIND[metric]
    frame = Frame.of(classes.rows, X, kind)
    value, _ = search(frame(X), kdtree.build(frame(classes.rows)), 2, kind, Stopper(), weights=found.v[classes.first])
    return np.maximum(value[:, 1] - value[:, 0], 0.0)
