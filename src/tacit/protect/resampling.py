"""Resampling."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Ge

from tacit.microdata import FloatArray, Kind, Microdata
from tacit.protect.base import Protector, Seed


class Resampling(Protector):
    """Replace the j-th smallest value by the average of the j-th smallest values of t samples.

    Definition: for each column t samples of n values are drawn with replacement from the column and sorted; the
    record of rank j takes the mean of their j-th values (equal values in random order of rank). Source: Heer (1993);
    Domingo-Ferrer and Mateo-Sanz (1999). Guarantee: none; ranks are kept, the distribution in expectation.
    Missing values stay missing. Cost: t sorts a column.
    Known attacks: ranks are kept, so rank-based linkage finds most records.

    Parameters: ``samples``: the number t.

    >>> import numpy as np
    >>> masked = Resampling(samples=3, random_state=1).fit_transform(np.array([[3.0], [1.0], [2.0]]))
    >>> bool(masked[1, 0] <= masked[2, 0] <= masked[0, 0])
    True
    """

    kinds = frozenset({Kind.continuous})

    def __init__(
        self, samples: Annotated[int, Ge(1)] = 3, columns: list[str] | None = None, random_state: Seed = None
    ) -> None:
        self.samples = samples
        self.columns = columns
        self.random_state = random_state

    def _apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        values = data.numbers(columns)
        for j in range(len(columns)):
            values[:, j] = resample(values[:, j], self.samples, rng)
        return data.with_numbers(columns, values)


def resample(values: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:
    """One column resampled; NaN stays where it is."""
    present = np.flatnonzero(~np.isnan(values))
    if not present.size:
        return values.copy()
    ordered = np.sort(values[present])
    total = np.zeros(present.size)
    for _ in range(samples):
        # sorting the drawn positions sorts the drawn values: a counting sort
        drawn = np.bincount(rng.integers(0, present.size, present.size), minlength=present.size)
        total += np.repeat(ordered, drawn)
    start = rng.permutation(present.size)
    order = present[start[np.argsort(values[present][start], kind="stable")]]
    out = values.copy()
    out[order] = total / samples
    return out
