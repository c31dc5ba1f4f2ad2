"""Several linkages of the same files, put together by vote (Rodriguez Fernandez 2013, section 5.2)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tacit.attack.neighbours import Floats, Ints

Vote = Literal["basic", "best", "weighted"]
TINY = 1e-12


def count_votes(choice: Ints, distance: Floats, rule: Vote) -> tuple[Ints, Ints, Floats]:
    """(indptr, named, probability): who is named for each record by the votes ``choice`` (voters x records).

    ``basic``: most votes; ties are shared (the source gives them to the smaller row number, which is not knowledge).
    ``best``: most votes, ties to the smallest distance. ``weighted``: a vote counts 1/distance, ties the same way.
    A choice of -1 is no vote.
    """
    voters, n = choice.shape
    record = np.tile(np.arange(n), voters)
    who, apart = choice.ravel(), distance.ravel()
    cast = who >= 0
    record, who, apart = record[cast], who[cast], apart[cast]
    order = np.lexsort((apart, who, record))
    record, who, apart = record[order], who[order], apart[order]
    new = np.ones(len(record), bool)
    new[1:] = (record[1:] != record[:-1]) | (who[1:] != who[:-1])
    head = np.flatnonzero(new)
    weight = 1.0 / np.maximum(apart, TINY) if rule == "weighted" else np.ones(len(record))
    votes = np.add.reduceat(weight, head) if len(head) else weight
    record, who, apart = record[head], who[head], apart[head]
    best = np.full(n, -np.inf)
    np.maximum.at(best, record, votes)
    kept = votes >= best[record] * (1 - 1e-12)
    if rule != "basic":
        least = np.full(n, np.inf)
        np.minimum.at(least, record[kept], apart[kept])
        kept &= apart <= least[record] * (1 + 1e-12)
    record, who = record[kept], who[kept]
    degree = np.bincount(record, minlength=n)
    indptr = np.concatenate([[0], np.cumsum(degree)]).astype(np.int64)
    return indptr, who, 1.0 / np.maximum(degree[record], 1)
