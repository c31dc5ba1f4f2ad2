"""The nearest rows and all their ties, and how much farther the second nearest is.

A search in the turned frame finds whoever may be tied; whether they are is said by distances from
the vectors as given, so no answer depends on the frame or on which structure was searched.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tacit.attack.base import Distinct, distinct
from tacit.attack.solver.csr import pointers, pointers_of, take_rows
from tacit.attack.solver.metric import Metric
from tacit.attack.solver.neighbours import Prepared, ranking, search
from tacit.attack.solver.scan import Points, tie_limits
from tacit.attack.solver.stopper import Stopper
from tacit.base.errors import InputError
from tacit.base.typing import TIE, Floats, Ints
from tacit.kernels.assignment.graph import pair_costs

FIRST_TIES = 16
"""Neighbours looked at first of rows that are tied; eight times as many where all are."""
TWO_AND_NEXT = 3
"""Neighbours that show the nearest, the second nearest, and that there is no tie beyond them."""


def nearest_with_ties(
    X: ArrayLike,
    Y: ArrayLike,
    *,
    metric: Metric = "euclidean",
) -> tuple[Floats, Ints, Ints]:
    """All nearest rows of Y of each row of X, ties included.

    Parameters
    ----------
    X, Y : arrays
        Both files as vectors.
    metric : {"euclidean", "squared", "manhattan"}
        What the distance is.

    Returns
    -------
    distance, indptr, index : arrays
        The least distance of each row, and its tied rows of Y, rising, as
        ``index[indptr[i]:indptr[i + 1]]``.
    """
    files = Prepared.of(X, Y, metric)
    if not len(files.Y):
        raise InputError("there is no masked record to link to")
    least = np.empty(len(files.X))
    owner, tied = _ties_of(files, files.order, least)
    return least, *_by_owner(owner, tied, len(files.X))


def _by_owner(owner: Ints, tied: Ints, n: int) -> tuple[Ints, Ints]:
    """(indptr, index) of tied rows, rising within each of n owners, all of whom have some."""
    if len(owner) == n:
        # nobody has a second: nothing to sort
        index = np.empty(n, np.int64)
        index[owner] = tied
        return np.arange(n + 1), index
    return pointers_of(owner, n), tied[np.lexsort((tied, owner))]


def _ties_of(files: Prepared, rows: Ints, least: Floats) -> tuple[Ints, Ints]:
    """(owners, tied rows of Y) of these rows of X; writes their distances to ``least``."""
    X, Y, kind = files.X, files.Y, files.kind
    # two show who is nearest alone, as most are
    value, index, within = _near(files, rows, 2)
    is_alone = value[:, 1] > within
    owner = rows[is_alone]
    found = index[is_alone, 0]
    least[owner] = pair_costs(X, Y, owner, found, kind)
    if 2 * len(owner) < len(rows):
        theirs = distinct(Y)
        if 2 * len(theirs.rows) < len(Y):
            return _ties_of_equal(files, theirs, rows, least)
    owner_parts = [owner]
    tied_parts = [found]
    rows = rows[~is_alone]
    k = FIRST_TIES
    while len(rows):
        value, index, within = _near(files, rows, k)
        # a list that is full of ties may have left some out: these rows are asked again for more
        complete = (value[:, -1] > within) | (k >= len(Y))
        near = value <= within[:, None]
        exact = np.full(index.shape, np.inf)
        asked = rows[np.nonzero(near)[0]]
        exact[near] = pair_costs(X, Y, asked, index[near], kind)
        best = exact.min(axis=1)
        least[rows[complete]] = best[complete]
        is_tied = complete[:, None] & (exact <= best[:, None] * (1 + TIE))
        owner_parts.append(rows[np.nonzero(is_tied)[0]])
        tied_parts.append(index[is_tied])
        rows = rows[~complete]
        k = 8 * k
    return np.concatenate(owner_parts), np.concatenate(tied_parts)


def _near(files: Prepared, rows: Ints, k: int) -> tuple[Floats, Ints, Floats]:
    """(values, rows of Y) of up to k that may be tied, and the value up to which they may be."""
    ranked = ranking(files.kind)
    # a true tie may look worse by the error of turning, on both sides of the comparison
    error = 2 * files.frame.error
    value, index = search(
        files.queries,
        files.tree,
        k,
        ranked,
        Stopper(),
        rows=rows,
        ties=error,
        at_hand=True,
    )
    return value, index, tie_limits(value[:, 0], ranked, error)


def _ties_of_equal(
    files: Prepared, theirs: Distinct, rows: Ints, least: Floats
) -> tuple[Ints, Ints]:
    """The same where most of Y stands there more than once: each row is found once."""
    few = replace(files, Y=theirs.rows, tree=Points(files.frame(theirs.rows)))
    owner, found = _ties_of(few, rows, least)
    members = np.argsort(theirs.inverse, kind="stable")
    _, entries = take_rows(pointers(theirs.count), found)
    return np.repeat(owner, theirs.count[found]), members[entries]


def nearest_and_second(
    X: ArrayLike, Y: ArrayLike, *, metric: Metric = "euclidean"
) -> tuple[Floats, Floats, Ints, Ints]:
    """``nearest_with_ties``, and how much farther the second nearest row is, from one search.

    Parameters
    ----------
    X, Y : arrays
        Both files as vectors; Y needs at least two rows.
    metric : {"euclidean", "squared", "manhattan"}
        What the distance is.

    Returns
    -------
    distance, margin, indptr, index : arrays
        As of ``nearest_with_ties``; the margin is zero where rows are tied.

    Examples
    --------
    >>> nearest_and_second([[0.0]], [[3.0], [1.0]])[1].tolist()
    [2.0]
    """
    files = Prepared.of(X, Y, metric)
    X, Y, kind, rows = files.X, files.Y, files.kind, files.order
    if len(Y) < 2:
        raise InputError("a second nearest record needs two masked records")
    k = min(TWO_AND_NEXT, len(Y))
    ranked = ranking(kind)
    # not whichever structure is at hand: of equal seconds the last digit may depend on it
    value, index = search(files.queries, files.tree, k, ranked, Stopper(), rows=rows)
    exact = pair_costs(X, Y, np.repeat(rows, k), index.ravel(), kind).reshape(-1, k)
    two = np.partition(exact, 1, axis=1)[:, :2]
    least = np.empty(len(X))
    margin = np.empty(len(X))
    least[rows] = two[:, 0]
    margin[rows] = two[:, 1] - two[:, 0]
    # whoever was not found is no nearer than the last who was: beyond a tie, but for these rows
    within = tie_limits(value[:, 0], ranked, 2 * files.frame.error)
    complete = (value[:, -1] > within) | (k == len(Y))
    is_tied = complete[:, None] & (exact <= two[:, :1] * (1 + TIE))
    owner, tied = _ties_of(files, rows[~complete], least)
    owner = np.concatenate([rows[np.nonzero(is_tied)[0]], owner])
    tied = np.concatenate([index[is_tied], tied])
    indptr, index = _by_owner(owner, tied, len(X))
    margin[np.diff(indptr) > 1] = 0.0
    return least, margin, indptr, index
