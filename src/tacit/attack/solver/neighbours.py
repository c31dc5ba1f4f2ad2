"""Exact nearest neighbours of vectors, in threads that can be stopped.

Both files are turned to principal axes first (``solver.frame``), which is fast but rounds;
whatever must be exact (ties, costs) is computed again from the vectors as given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tacit.attack.solver.frame import Frame
from tacit.attack.solver.metric import Metric
from tacit.attack.solver.scan import FEW, Points, scan
from tacit.attack.solver.stopper import Stopper
from tacit.base.errors import InputError
from tacit.base.typing import Floats, Ints
from tacit.kernels.assignment.graph import pair_costs
from tacit.kernels.trees import kdtree

KIND: dict[str, int] = {
    "squared": kdtree.SQUARED,
    "euclidean": kdtree.EUCLIDEAN,
    "manhattan": kdtree.MANHATTAN,
}
"""The kernels' number of each metric."""

# Least queries in a part, and queries times points that pay for one
PART = 64
PART_PAIRS = 4_000_000
# Most queries that are put in order along one axis; more are put in the order of a tree, which is
# longer in the making and keeps neighbours closer together
ALONG_AN_AXIS = 50_000


def check_vectors(X: ArrayLike, Y: ArrayLike) -> tuple[Floats, Floats]:
    """Both as finite float arrays of the same width."""
    X = np.ascontiguousarray(X, dtype=np.float64)
    Y = np.ascontiguousarray(Y, dtype=np.float64)
    if X.ndim != 2 or Y.ndim != 2 or X.shape[1] != Y.shape[1]:
        raise InputError(
            "both files must be tables of the same number of columns, not "
            f"{X.shape} and {Y.shape}"
        )
    if not (np.isfinite(X).all() and np.isfinite(Y).all()):
        raise InputError(
            "distances need finite numbers: impute or drop missing values first"
        )
    return X, Y


def search(
    queries: Floats,
    tree: Points,
    k: int,
    kind: int,
    stopper: Stopper,
    *,
    rows: Ints | None = None,
    limits: Floats | None = None,
    weights: Floats | None = None,
    ties: float = -1.0,
    at_hand: bool = False,
) -> tuple[Floats, Ints]:
    """The k smallest f(distance) - weight of each query below its limit, in threads.

    Parameters
    ----------
    queries : array
        Points in the frame of the tree.
    tree : Points
        Those to be found.
    k : int
        How many to find.
    kind : int
        Of ``KIND``: what f(distance) is.
    stopper : Stopper
        Runs the threads and ends them early.
    rows : array of int, optional
        Which queries, in an order that keeps neighbours together if it can (speed only).
    limits : array, optional
        One for each of ``rows``: only values below it are wanted.
    weights : array, optional
        One for each point of the tree; zero unless given.
    ties : float
        Not negative: values this close to the smallest are found, and no others.
    at_hand : bool
        Few points are searched in a tree where its kernel has been compiled before. For callers
        whose answer does not depend on rounding or on which of equal values is found.

    Returns
    -------
    value, index : arrays of shape (rows, k)
        Smallest first; index -1 where there were fewer than k.
    """
    if rows is None:
        rows = np.arange(len(queries))
    else:
        rows = rows
    if limits is None:
        limits = np.full(len(rows), np.inf)
    else:
        limits = limits
    is_ready = at_hand and kdtree.search.pays(0.0)
    if tree.scanned_by(len(rows)) and not is_ready:
        every = len(rows) == len(queries) and bool((np.diff(rows) == 1).all())
        some = queries if every else queries[rows]
        return scan(some, tree, k, kind, limits, weights, ties)
    value = np.empty((len(rows), k))
    index = np.full((len(rows), k), -1, np.int64)
    built = tree.tree
    laid_out = kdtree.weigh(built, weights)
    # 16 parts per thread even out queries of different length
    least = max(PART, PART_PAIRS // len(tree.points))
    step = max(least, -(-len(rows) // (16 * stopper.threads)))

    def part(start: int) -> Callable[[], object]:
        at = slice(start, start + step)
        return lambda: kdtree.search(
            queries,
            rows[at],
            limits[at],
            built,
            laid_out,
            kind,
            ties,
            value[at],
            index[at],
            stopper.flag,
        )

    if max(len(rows), len(tree.points)) <= FEW:
        # a millisecond: threads would take as long to start
        step = max(1, len(rows))
        part(0)()
    else:
        stopper.run([part(start) for start in range(0, len(rows), step)])
    return value, index


def _near_order(points: Floats) -> Ints:
    """All rows, so that those near each other come one after the other."""
    if len(points) <= FEW or not points.shape[1]:
        return np.arange(len(points))
    if len(points) <= ALONG_AN_AXIS:
        return np.argsort(points[:, 0], kind="stable")
    return Points(points).order


def ranking(kind: int) -> int:
    """The kind that gives the same order for less work: a square needs no root."""
    return kdtree.SQUARED if kind == kdtree.EUCLIDEAN else kind


@dataclass(frozen=True)
class Prepared:
    """Two files ready to be searched.

    Attributes
    ----------
    X, Y
        Both files as vectors.
    kind
        Of ``KIND``.
    frame
        Where the search takes place.
    queries, tree
        The rows of X, and those of Y, in that frame.
    order
        Rows of X, those near each other one after the other.
    """

    X: Floats
    Y: Floats
    kind: int
    frame: Frame
    queries: Floats
    tree: Points
    order: Ints

    @classmethod
    def of(cls, X: ArrayLike, Y: ArrayLike, metric: Metric) -> Prepared:
        """Of vectors that are checked here."""
        X, Y = check_vectors(X, Y)
        kind = KIND[metric]
        frame = Frame.of(Y, X, kind)
        queries = frame(X)
        tree = Points(frame(Y))
        return cls(X, Y, kind, frame, queries, tree, _near_order(queries))


def neighbours(
    X: ArrayLike,
    Y: ArrayLike,
    k: int = 1,
    *,
    metric: Metric = "euclidean",
) -> tuple[Floats, Ints]:
    """Distance and row of the k nearest rows of Y of every row of X, nearest first.

    Parameters
    ----------
    X, Y : arrays
        Both files as vectors; Y needs at least k rows.
    k : int
        How many neighbours.
    metric : {"euclidean", "squared", "manhattan"}
        What the distance is.

    Examples
    --------
    >>> neighbours([[0.0]], [[3.0], [1.0]])
    (array([[1.]]), array([[1]]))
    """
    files = Prepared.of(X, Y, metric)
    X, Y, kind, rows = files.X, files.Y, files.kind, files.order
    if not 1 <= k <= len(Y):
        raise InputError(f"k={k} neighbours cannot be found among {len(Y)} records")
    _, index = search(
        files.queries,
        files.tree,
        k,
        ranking(kind),
        Stopper(),
        rows=rows,
    )
    near = np.empty((len(X), k), np.int64)
    near[rows] = index
    # distances from the vectors as given, without the error of turning
    owner = np.repeat(np.arange(len(X)), k)
    distance = pair_costs(X, Y, owner, near.ravel(), kind).reshape(-1, k)
    # exact distances may order neighbours otherwise; equal ones by row
    order = np.lexsort((near, distance), axis=1)
    return np.take_along_axis(distance, order, 1), np.take_along_axis(near, order, 1)


def nearest_both_ways(X: Floats, Y: Floats, k: int) -> tuple[Ints, Ints]:
    """Rows of the k nearest of Y for every row of X, and the reverse, in no order.

    For whoever weighs all of them otherwise: neither distances nor their order are worked out.

    Parameters
    ----------
    X, Y : arrays
        Both files as vectors.
    k : int
        How many neighbours, or all that there are.
    """
    files = Prepared.of(X, Y, "euclidean")
    back = Points(files.queries)
    found = []
    for queries, tree, order in (
        (files.queries, files.tree, files.order),
        (files.tree.points, back, files.tree.order),
    ):
        most = min(k, len(tree.points))
        near = np.empty((len(queries), most), np.int64)
        _, near[order] = search(
            queries, tree, most, ranking(files.kind), Stopper(), rows=order
        )
        found.append(near)
    return found[0], found[1]
