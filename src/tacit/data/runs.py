"""Files of numbers in runs of some thousand records: sums over them have the same bits anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tacit.base.typing import Floats

if TYPE_CHECKING:
    from tacit.data.out_of_core.disk_rows import Rows

# Records that are worked on at once: with a dozen columns they stay in the cache.
RUN = 16_384


def runs(values: Rows) -> Iterator[Floats]:
    """Some thousand records at a time, in file order.

    ``values`` is an array, or a file on the disk that is read so (``Pair.rows``).
    """
    for start in range(0, len(values), RUN):
        yield values[start : start + RUN]


def known_means(values: Rows) -> Floats:
    """The mean of the values that each column has; 0 if all are missing."""
    known, total = np.zeros(values.shape[1]), np.zeros(values.shape[1])
    for run in runs(values):
        known += (~np.isnan(run)).sum(axis=0)
        total += np.nansum(run, axis=0)
    return np.where(known > 0, total / np.maximum(known, 1), 0.0)
