"""Optimal assignment of vectors, certified: the one-to-one linkage of least total distance.

Minimise sum c_ij over one-to-one links. A linkage and duals u, v with u_i + v_j <= c_ij for
**every** pair prove each other: cost >= sum u + sum v, with equality at the optimum. The
work is done in ``solver.rounds``, and for small files in ``solver.dense``. Identical records are
one column with a capacity (transportation problem), and files may differ in length: then the
shorter one is linked completely.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tacit.attack.base import Distinct, Matching, distinct
from tacit.attack.class_links import members_share
from tacit.attack.solver import dense, on_a_line
from tacit.attack.solver.csr import pointers, pointers_of
from tacit.attack.solver.frame import Frame
from tacit.attack.solver.metric import Metric
from tacit.attack.solver.near_optimal import go_near
from tacit.attack.solver.neighbours import KIND, check_vectors, search
from tacit.attack.solver.rounds import CANDIDATES, Rounds
from tacit.attack.solver.scan import Points
from tacit.attack.solver.solution import RoundReport, Solution
from tacit.attack.solver.stopper import Stopper
from tacit.base.errors import ParameterError
from tacit.base.typing import Floats, Ints
from tacit.kernels.assignment.graph import pair_costs


def assign(
    X: ArrayLike,
    Y: ArrayLike,
    *,
    metric: Metric = "euclidean",
    candidates: int = CANDIDATES,
    time_limit: float | None = None,
    gap: float = 0.0,
    progress: RoundReport | None = None,
    exact: int | None = None,
) -> Solution:
    """The one-to-one linkage of rows of X and Y of least total f(distance).

    The shorter file is linked completely. Ctrl-C ends the run early, like ``time_limit``. Small
    files are solved in one go (``solver.dense``), unless one of the options asks for rounds; files
    of one coordinate and one length by sorting (``solver.on_a_line``).

    Parameters
    ----------
    X, Y : arrays
        Both files as vectors, one row per record.
    metric : {"euclidean", "squared", "manhattan"}
        What f(distance) is.
    candidates : int
        Nearest records in the first graph; it sets the speed only.
    time_limit : float, optional
        Seconds after which the best linkage so far is returned with its proven gap.
    gap : float
        Relative distance to the optimum at which to stop; 0: prove the optimum.
    progress : function, optional
        Called with the entry of the log after each round.
    exact : int, optional
        Records of the longer file up to which the optimum is proven; above, the linkage is taken
        where the auction ends (``solver.near_optimal``). None: it is always proven.

    Examples
    --------
    >>> solution = assign([[0.0], [1.0]], [[0.9], [2.0]])
    >>> solution.match.tolist(), round(solution.cost, 9), solution.certified
    ([0, 1], 1.9, True)
    """
    X, Y = check_vectors(X, Y)
    if metric not in KIND:
        raise ParameterError(f"metric={metric!r}: use one of {', '.join(KIND)}")
    if len(X) > len(Y):
        # the solver links every row: the shorter file must be the rows
        turned = assign(
            Y,
            X,
            metric=metric,
            candidates=candidates,
            time_limit=time_limit,
            gap=gap,
            progress=progress,
            exact=exact,
        )
        return _turned(turned, len(X))
    if not len(X):
        nothing = np.zeros(0, np.int64)
        duals = np.zeros(0), np.zeros(len(Y))
        return Solution(
            nothing,
            0.0,
            0.0,
            certified=True,
            duals=duals,
        )
    # In value order and grouped, so that row order plays no part even among equally good
    # linkages.
    ours = distinct(X)
    theirs = distinct(Y)
    unproven = exact is not None and max(len(X), len(Y)) > exact
    in_one_go = candidates == CANDIDATES and time_limit is None and progress is None
    if (
        in_one_go
        and not unproven
        and gap == 0
        and dense.is_small(ours.count, theirs.count)
    ):
        solution = dense.solve(
            ours.rows, ours.count, theirs.rows, theirs.count, KIND[metric]
        )
        return _of_records(solution, ours, theirs)
    if on_a_line.is_line(X, Y):
        return on_a_line.solve(X, Y, KIND[metric])
    rounds = Rounds(
        ours.rows,
        ours.count,
        theirs.rows,
        theirs.count,
        KIND[metric],
        candidates,
        time_limit,
        progress,
    )
    if unproven:
        return _of_records(go_near(rounds), ours, theirs)
    rounds.go(gap)
    return _of_records(rounds.solution(), ours, theirs)


def _turned(solution: Solution, rows: int) -> Solution:
    """The same linkage seen from the other file, which has ``rows`` records."""
    match = np.full(rows, -1, np.int64)
    match[solution.match] = np.arange(len(solution.match))
    return Solution(
        match,
        solution.cost,
        solution.bound,
        solution.certified,
        (solution.v, solution.u),
        solution.log,
        tolerance=solution.tolerance,
    )


def _of_records(
    solution: Solution,
    ours: Distinct,
    theirs: Distinct,
) -> Solution:
    """From classes to records; ``solution.match`` has one class for each original, by class."""
    # records of both files, class by class
    by_class = np.argsort(ours.inverse, kind="stable")
    members = np.argsort(theirs.inverse, kind="stable")
    first_member = pointers(theirs.count)[:-1]
    target = solution.match
    match = np.empty(len(ours.inverse), np.int64)
    # the s-th row that goes to a group of identical records takes its s-th record
    match[by_class] = members[first_member[target] + _ranks_within(target)]
    return Solution(
        match,
        solution.cost,
        solution.bound,
        solution.certified,
        (solution.u[ours.inverse], solution.v[theirs.inverse]),
        solution.log,
        None if solution.margin is None else solution.margin[ours.inverse],
        solution.tolerance,
    )


def _ranks_within(label: Ints) -> Ints:
    """How many entries with the same label stand before each entry."""
    order = np.argsort(label, kind="stable")
    ranked = label[order]
    rank = np.empty(len(label), np.int64)
    rank[order] = np.arange(len(label)) - np.searchsorted(ranked, ranked)
    return rank


def shares(
    X: Floats,
    Y: Floats,
    solution: Solution,
) -> Matching:
    """The linkage as an intruder meets it: identical originals share the links of their class.

    Parameters
    ----------
    X, Y : arrays
        The records that the solution links, as vectors.
    solution : Solution
        Of ``assign``.
    """
    ours = distinct(X)
    theirs = distinct(Y)
    linked = solution.match >= 0
    classes = max(1, len(theirs.count))
    target = theirs.inverse[solution.match[linked]]
    pair, size = np.unique(ours.inverse[linked] * classes + target, return_counts=True)
    owner, target = np.divmod(pair, classes)
    # np.unique sorts, so links stand class by class
    indptr = pointers_of(owner, len(ours.count))
    share = size / ours.count[owner]
    matching = members_share(
        ours,
        theirs,
        indptr,
        target,
        share,
    )
    matching.cost = solution.cost
    matching.bound = solution.bound
    matching.certified = solution.certified
    matching.tolerance = solution.tolerance
    matching.log = solution.log
    matching.duals = solution.duals
    return matching


def assign_vectors(
    X: ArrayLike,
    Y: ArrayLike,
    *,
    metric: Metric = "squared",
    time_limit: float | None = None,
) -> Matching:
    """``assign`` and ``shares`` in one call; the score is the cost of the link.

    Parameters
    ----------
    X, Y : arrays
        Both files as vectors, one row per record.
    metric : {"euclidean", "squared", "manhattan"}
        What the cost of a link is.
    time_limit : float, optional
        Seconds after which the best linkage so far is returned.
    """
    X, Y = check_vectors(X, Y)
    matching = shares(X, Y, assign(X, Y, metric=metric, time_limit=time_limit))
    linked = np.flatnonzero(matching.match >= 0)
    matching.score[linked] = pair_costs(
        X,
        Y,
        linked,
        matching.match[linked],
        KIND[metric],
    )
    return matching


def second_best(
    X: Floats,
    Y: Floats,
    solution: Solution,
    metric: Metric,
) -> Floats:
    """What forbidding the link of each original costs at least.

    min over records other than i's own of c_ij - v_j - u_i. The own record attains the
    minimum of c_ij - v_j, so the two smallest values are all that is needed.

    Parameters
    ----------
    X, Y : arrays
        The records that the solution links, as vectors.
    solution : Solution
        Of ``assign``, with duals.
    metric : {"euclidean", "squared", "manhattan"}
        The one that the solution minimises.
    """
    theirs = distinct(Y)
    if len(theirs.rows) < 2:
        return np.zeros(len(X))
    if solution.margin is not None:
        return np.maximum(solution.margin, 0.0)
    kind = KIND[metric]
    frame = Frame.of(theirs.rows, X, kind)
    tree = Points(frame(theirs.rows))
    price = solution.v[theirs.first]
    # priced distances: the two smallest of each original
    value, _ = search(
        frame(X),
        tree,
        2,
        kind,
        Stopper(),
        weights=price,
    )
    return np.maximum(value[:, 1] - value[:, 0], 0.0)
