"""The types of arrays that kernels take and give."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
"""Real numbers: values, distances, probabilities."""
Ints: TypeAlias = npt.NDArray[np.int64]
"""Whole numbers: row numbers, codes, group labels."""
Bools: TypeAlias = npt.NDArray[np.bool_]
"""Yes or no for each entry."""
StopFlag: TypeAlias = npt.NDArray[np.int8]
"""One number that another thread sets to non-zero when a kernel should stop early."""


def rising(numbers: Ints) -> Ints:
    """The distinct numbers, rising: ``np.unique``, which since numpy 2.3 hashes them first and
    takes ten times as long as sorting does.

    >>> rising(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ranked = np.sort(numbers)
    is_first = np.ones(len(ranked), np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=is_first[1:])
    return ranked[is_first]
