"""Lists of lists kept in flat arrays (compressed sparse rows).

Row i owns the entries ``indptr[i] .. indptr[i + 1] - 1`` of some flat arrays: its
candidates, their costs, their probabilities. ``indptr`` has one number more than there
are rows; the last one is the number of entries. Every room of ``attack`` makes and
reads such lists with the functions of this file.
"""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Ints


def pointers(degree: Ints) -> Ints:
    """Where each row begins, from the number of entries of each row.

    Examples
    --------
    >>> pointers(np.array([2, 0, 1])).tolist()
    [0, 2, 2, 3]
    """
    return np.concatenate([[0], np.cumsum(degree)]).astype(np.int64)


def pointers_of(owner: Ints, rows: int) -> Ints:
    """Where each row begins, from the row of each entry (rising).

    Examples
    --------
    >>> pointers_of(np.array([0, 0, 2]), 3).tolist()
    [0, 2, 2, 3]
    """
    return pointers(np.bincount(owner, minlength=rows))


def owners(indptr: Ints) -> Ints:
    """The row of each entry: the inverse of ``pointers_of``.

    Examples
    --------
    >>> owners(np.array([0, 2, 2, 3])).tolist()
    [0, 0, 2]
    """
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def take_rows(indptr: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """(indptr, entries) of some rows, in the order given; a row may be taken twice.

    ``entries`` are positions in the flat arrays that ``indptr`` belongs to.

    Examples
    --------
    >>> taken, entries = take_rows(np.array([0, 2, 2, 3]), np.array([2, 0, 0]))
    >>> taken.tolist(), entries.tolist()
    ([0, 1, 3, 5], [2, 0, 1, 0, 1])
    """
    degree = np.diff(indptr)[rows]
    taken = pointers(degree)
    # what must be added to an entry's place in the new list to get its place in the old
    shift = indptr[:-1][rows] - taken[:-1]
    entries = np.repeat(shift, degree) + np.arange(taken[-1])
    return taken, entries
