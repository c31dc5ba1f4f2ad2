"""From classes to records: links between classes of identical records, shared by all members."""

from __future__ import annotations

import numpy as np

from tacit.attack.base import Distinct, Matching
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
    """Every original has the list of links of its class.

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
    # a class without links names nobody
    has_links = np.diff(indptr) > 0
    linked = has_links[ours.inverse]
    shown = np.full(len(has_links), -1, np.int64)
    shown[has_links] = theirs.first[target[indptr[:-1][has_links]]]

    def of_members(value: Floats) -> Floats:
        return np.where(linked, value[ours.inverse], np.nan)

    return Matching(
        match=shown[ours.inverse],
        score=np.full(len(linked), np.nan) if score is None else of_members(score),
        masked_class=theirs.inverse,
        indptr=np.asarray(indptr, np.int64),
        classes=target.astype(np.int64),
        probability=share,
        margin=None if margin is None else of_members(margin),
        lists=ours.inverse,
    )
