"""Which masked record is whose: used to count correct links, never to find them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tacit.base.errors import InputError
from tacit.base.typing import Ints


def true_rows(
    n: int,
    m: int,
    truth: ArrayLike | None,
) -> Ints:
    """The masked row of each original: as given, or row by row; -1: not released.

    Parameters
    ----------
    n, m : int
        Records of the original and of the masked file.
    truth : array of int, optional
        The masked row of each original; None: the files are aligned.
    """
    if truth is None:
        if n != m:
            raise InputError(
                f"the original has {n} records and the masked file {m}: they cannot be "
                "aligned by row; say which masked row belongs to each original (truth=...)"
            )
        return np.arange(n, dtype=np.int64)
    try:
        rows = np.asarray(truth, dtype=np.int64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            "truth names no rows: give the masked row of each original record as a whole number"
        ) from None
    if rows.shape != (n,):
        raise InputError(
            f"truth needs one entry for each of the {n} original records, not {rows.shape}"
        )
    # -1 says that the record was not released
    if n and (rows.max() >= m or rows.min() < -1):
        raise InputError(
            f"truth must be row numbers from 0 to {m - 1}, or -1 for records not released"
        )
    return rows
