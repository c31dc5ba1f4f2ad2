"""From classes to records: links between classes of identical records, given to every member."""

from __future__ import annotations

import numpy as np

from tacit.attack.base import Distinct, Matching
from tacit.attack.solver.csr import take_rows
from tacit.base.typing import Floats, Ints


def members_share(
    ours: Distinct,
    theirs: Distinct,
    indptr: Ints,
    target: Ints,
    share: Floats,
    *,
    score: Floats | None = None,
    margin: Floats | None = None,
) -> Matching:
    """Every original has the links of its class.

    Parameters
    ----------
    ours, theirs : Distinct
        The classes of identical originals and of identical masked records.
    indptr, target, share : arrays
        Class c names a record of the masked class ``target[e]`` with probability
        ``share[e]``, for e in ``indptr[c] .. indptr[c + 1] - 1``; the first of them is
        the one that ``match`` shows.
    score, margin : arrays, optional
        Of each class of originals; scores that are not given are NaN.
    """
    taken, entries = take_rows(indptr, ours.inverse)
    # a class without links names nobody
    linked = np.diff(taken) > 0
    match = np.full(len(ours.inverse), -1, np.int64)
    first_target = target[entries[taken[:-1][linked]]]
    match[linked] = theirs.first[first_target]

    def of_members(value: Floats) -> Floats:
        return np.where(linked, value[ours.inverse], np.nan)

    return Matching(
        match=match,
        score=np.full(len(match), np.nan) if score is None else of_members(score),
        masked_class=theirs.inverse,
        indptr=taken,
        classes=target[entries].astype(np.int64),
        probability=share[entries],
        margin=None if margin is None else of_members(margin),
    )
