"""Several linkages of the same files, put together by vote."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tacit.attack.solver.csr import pointers
from tacit.base.typing import TIE, Floats, Ints

Vote = Literal["basic", "best", "weighted"]
"""How votes are counted (see ``count_votes``)."""

# Distances below it count as this, so that a vote at distance zero has a finite weight
SMALLEST = 1e-12


def count_votes(
    choice: Ints,
    distance: Floats,
    rule: Vote,
) -> tuple[Ints, Ints, Floats]:
    """Who is named for each record by the votes of several linkages.

    ``basic``: most votes; ties are shared (the source gives them to the smaller row number,
    which is not knowledge). ``best``: most votes, ties to the smallest distance.
    ``weighted``: a vote counts 1/distance, ties the same way.

    Parameters
    ----------
    choice, distance : arrays of shape (voters, records)
        What each voter names for each record (-1: no vote), and how far away it is.
    rule : {"basic", "best", "weighted"}
        How votes are counted.

    Returns
    -------
    indptr, named, probability : arrays
        Record i is linked to ``named[e]`` with ``probability[e]``, for e in
        ``indptr[i] .. indptr[i + 1] - 1``.

    References
    ----------
    Rodriguez Fernandez (2013), section 5.2.
    """
    voters, n = choice.shape
    is_cast = choice.ravel() >= 0
    record = np.tile(np.arange(n), voters)[is_cast]
    named = choice.ravel()[is_cast]
    apart = distance.ravel()[is_cast]
    # votes for the same choice of the same record stand together, the nearest first
    order = np.lexsort((apart, named, record))
    record = record[order]
    named = named[order]
    apart = apart[order]
    is_first = np.ones(len(record), bool)
    is_first[1:] = (record[1:] != record[:-1]) | (named[1:] != named[:-1])
    heads = np.flatnonzero(is_first)
    if rule == "weighted":
        weight = 1.0 / np.maximum(apart, SMALLEST)
    else:
        weight = np.ones(len(record))
    if len(heads):
        votes = np.add.reduceat(weight, heads)
    else:
        votes = weight
    record = record[heads]
    named = named[heads]
    apart = apart[heads]
    most = np.full(n, -np.inf)
    np.maximum.at(most, record, votes)
    # equal votes are ties, up to rounding of the weights
    wins = votes >= most[record] * (1 - TIE)
    if rule != "basic":
        least = np.full(n, np.inf)
        np.minimum.at(least, record[wins], apart[wins])
        wins &= apart <= least[record] * (1 + TIE)
    record = record[wins]
    named = named[wins]
    degree = np.bincount(record, minlength=n)
    return pointers(degree), named, 1.0 / np.maximum(degree[record], 1)
