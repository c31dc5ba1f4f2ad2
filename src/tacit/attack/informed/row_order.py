"""Files in the order of their values, and back: row order is not knowledge."""

from __future__ import annotations

import numpy as np

from tacit.attack.base import Matching
from tacit.base.typing import Ints
from tacit.data.microdata import Microdata


def value_order(data: Microdata) -> Ints:
    """Rows in the order of their values.

    Sums and ties then come out the same whatever the order of the rows was.
    """
    values = data.numbers(data.names)
    if values.shape[1]:
        return np.lexsort(values.T[::-1])
    return np.arange(data.n)


def restore(
    matching: Matching,
    ours: Ints,
    theirs: Ints,
) -> Matching:
    """The matching of reordered files in the files' own order.

    Parameters
    ----------
    matching : Matching
        Of ``original.take(ours)`` and ``masked.take(theirs)``; it is changed in place.
    ours, theirs : arrays of int
        The orders in which the files were taken.
    """
    # the place of each record in the reordered file
    back = np.empty_like(ours)
    back[ours] = np.arange(len(ours))
    named = matching.match[back]
    match = np.where(named >= 0, theirs[np.maximum(named, 0)], -1)
    masked_class = np.empty_like(matching.masked_class)
    masked_class[theirs] = matching.masked_class
    matching.match = match.astype(np.int64)
    matching.score = matching.score[back]
    if matching.margin is not None:
        matching.margin = matching.margin[back]
    matching.masked_class = masked_class
    matching.lists = back if matching.lists is None else matching.lists[back]
    return matching
