"""Records with the same gaps, among which groups are formed when gaps stay gaps.

In a group whose members lack the same columns every combination of released values, blanks
included, is that of the whole group.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.base.errors import ParameterError
from tacit.base.typing import Bools, Floats, Ints

BLANK = -1
"""The class of records without any value: there is nothing to average."""


def gap_classes(values: Floats, k: int, names: Sequence[str]) -> Ints:
    """The class of each record, inside which groups of k are formed.

    Records with the same gaps are a class where they are at least k. The others are pooled; a
    pool of fewer than k joins the largest class.

    Parameters
    ----------
    values : array
        The columns of one block; NaN where missing.
    k : int
        Smallest group.
    names : sequence of str
        The columns, for messages.

    Examples
    --------
    >>> a, gap = 1.0, np.nan
    >>> rows = [[a, a], [a, a], [a, gap], [gap, gap], [a, gap], [gap, a]]
    >>> gap_classes(np.array(rows), 2, ["x", "y"]).tolist()
    [0, 0, 1, -1, 1, 0]
    """
    gaps = np.isnan(values)
    out = np.zeros(len(values), dtype=np.int64)
    if not gaps.any():
        return out
    out[gaps.all(axis=1)] = BLANK
    there = np.flatnonzero(out != BLANK)
    if not there.size:
        return out
    if there.size < k:
        raise ParameterError(too_few_values(names, there.size, k))
    pattern, size = patterns(gaps[there])
    large = size >= k
    if not large.any():
        return out
    # classes are numbered as their patterns are, and the pool comes last
    number = np.cumsum(large) - 1
    pooled = int(size[~large].sum())
    home = int(number[np.argmax(size)]) if pooled < k else int(large.sum())
    out[there] = np.where(large, number, home)[pattern]
    return out


def patterns(gaps: Bools) -> tuple[Ints, Ints]:
    """The number of each record's pattern of gaps, and how many records have each pattern."""
    # bits of a pattern as one value, which is sorted in one go
    packed = np.ascontiguousarray(np.packbits(gaps, axis=1))
    whole = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
    _, number, size = np.unique(whole, return_inverse=True, return_counts=True)
    return np.asarray(number, dtype=np.int64), np.asarray(size, dtype=np.int64)


def too_few_values(
    names: Sequence[str], size: int, k: int, word: str = "record"
) -> str:
    """Why no average can be formed."""
    which = f"'{names[0]}' has" if len(names) == 1 else f"{', '.join(names)} have"
    return (
        f"k={k}: {which} values of only {size} {word}(s), and no average over {k} can be formed "
        "of them; leave the column out of the release (--identifier), or lower k"
    )
