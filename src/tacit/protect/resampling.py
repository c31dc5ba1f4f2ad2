"""Resampling."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Ge

from tacit.base.typing import Floats
from tacit.data.microdata import Kind, Microdata
from tacit.protect.base import Protector, Seed


class Resampling(Protector):
    """Replace the j-th smallest value by the average of the j-th smallest values of t samples.

    Parameters
    ----------
    samples : int
        The number t of samples that are averaged.
    columns : list of str, optional
        Columns to mask; the quasi-identifiers unless given.
    by : list of str, optional
        Columns whose strata are masked apart: within a region, within a year.
    random_state : int, optional
        Seed: the same seed gives the same bytes; drawn from the system unless given.

    Notes
    -----
    **Definition.** For each column t samples of n values are drawn with replacement from the
    column and sorted; the record of rank j takes the mean of their j-th values (equal values
    in random order of rank). Missing values stay missing.

    **Guarantee.** None; ranks are kept, the distribution in expectation.

    **Cost.** One sort per column, and t linear passes.

    **Known attacks.** Ranks are kept, so rank-based linkage finds most records.

    References
    ----------
    Heer (1993); Domingo-Ferrer and Mateo-Sanz (1999).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[3.0], [1.0], [2.0]])
    >>> masked = Resampling(samples=3, random_state=1).fit_transform(x)
    >>> bool(masked[1, 0] <= masked[2, 0] <= masked[0, 0])
    True
    """

    title = "Resampling"
    family = "swapping"
    keeps_gaps = False
    purpose = "replace values by averages over ordered bootstrap samples"
    goal = "blur numbers"
    plain = {"samples": "samples that are averaged"}
    attacker = "informed.resampling:AwareResampling"

    # values are averaged, which needs numbers
    kinds = frozenset({Kind.continuous})

    whole_file = (
        "it draws from the whole column, and inside a block values would hardly move"
    )
    passes = "columns"

    def __init__(
        self,
        samples: Annotated[int, Ge(1)] = 3,
        columns: list[str] | None = None,
        by: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.samples = samples
        self.columns = columns
        self.by = by
        self.random_state = random_state

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        values = data.numbers(columns)
        for j in range(len(columns)):
            values[:, j] = resample(values[:, j], self.samples, rng)
        return data.with_numbers(columns, values)


def resample(
    values: Floats,
    samples: int,
    rng: np.random.Generator,
) -> Floats:
    """One column resampled; NaN stays where it is."""
    present = np.flatnonzero(~np.isnan(values))
    size = present.size
    if not size:
        return values.copy()
    # the record of rank j takes the mean of the j-th values of all samples
    ordered = np.sort(values[present])
    total = np.zeros(size)
    for _ in range(samples):
        # sorting the drawn positions sorts the drawn values: a counting sort
        drawn = rng.integers(0, size, size)
        times_drawn = np.bincount(drawn, minlength=size)
        total += np.repeat(ordered, times_drawn)
    # a stable sort of a random order leaves equal values in random order
    start = rng.permutation(size)
    by_value = np.argsort(values[present][start], kind="stable")
    order = present[start[by_value]]
    out = values.copy()
    out[order] = total / samples
    return out
