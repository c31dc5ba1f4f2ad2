"""Groups along one column of a file of more than one block: the same bits wherever the file is.

The line: the values in rising order, equal ones in value order of the records. Records without a
value are not on it, or, where gaps are filled, at the mean, after the values up to it. Its mean and
standard deviation are added block by block of the line, and so are the averages of groups, each in
the block in which it begins. ``line_from_disk`` has the same line on the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from tacit.base.typing import Bools, Floats, Ints
from tacit.kernels.mdav.univariate import fixed_groups, optimal_groups
from tacit.protect import by_address
from tacit.protect.grouping.aggregates import (
    SMALLEST_SD,
    group_means,
    group_medians,
)

Average = Callable[[Floats, Ints, Floats | None], Floats]
"""From values, their groups (numbered from 0) and weights to the average of each group."""


@dataclass(frozen=True)
class Scale:
    """Mean and population standard deviation of the values that are there."""

    mean: float
    sd: float

    @classmethod
    def of(
        cls,
        totals: Callable[[float | None], Iterable[float]],
        present: int,
        ends: tuple[float, float],
    ) -> Scale:
        """The scale of values that are all there.

        Parameters
        ----------
        totals : function
            ``totals_of_blocks`` of the values along the line.
        present : int
            How many values there are.
        ends : tuple of float
            The least and the largest.
        """
        mean = _added(totals(None)) / max(present, 1)
        sd = float(np.sqrt(_added(totals(mean)) / max(present, 1)))
        constant = sd <= SMALLEST_SD * max(abs(end) for end in ends)
        return cls(mean, 1.0 if constant else sd)

    def scores(self, values: Floats) -> Floats:
        """Standardised values; a missing one is at the mean."""
        return np.where(np.isnan(values), 0.0, (values - self.mean) / self.sd)


def totals_of_blocks(values: Floats, mean: float | None) -> list[float]:
    """The sum of each block, or that of squares about a mean."""
    if mean is not None:
        values = (values - mean) ** 2
    starts = range(0, len(values), by_address.BLOCK)
    return [float(values[at : at + by_address.BLOCK].sum()) for at in starts]


def _added(numbers: Iterable[float]) -> float:
    """One after the other."""
    total = 0.0
    for number in numbers:
        total += number
    return total


@dataclass(frozen=True)
class Line:
    """The records of a column in memory along their line."""

    order: Ints
    """The record at each place; records were given in value order."""
    values: Floats
    """NaN where missing."""
    scale: Scale
    n: int
    """Records, on the line or not."""

    @classmethod
    def of(cls, values: Floats, *, fill: bool) -> Line:
        """The line of a column whose records are in value order; ``fill``: with its gaps."""
        gaps = np.flatnonzero(np.isnan(values))
        rising = np.argsort(values, kind="stable")[: len(values) - len(gaps)]
        ordered = values[rising]
        ends = (ordered[0], ordered[-1]) if len(ordered) else (0.0, 0.0)
        scale = Scale.of(partial(totals_of_blocks, ordered), len(ordered), ends)
        if not fill:
            return cls(rising, ordered, scale, len(values))
        middle = int(np.searchsorted(ordered, scale.mean, side="right"))
        order = np.concatenate([rising[:middle], gaps, rising[middle:]])
        return cls(order, values[order], scale, len(values))

    def groups(self, k: int, *, optimal: bool) -> Ints:
        """The group of each record, in the order in which they were given.

        Records that are not on the line are a group of their own, the last.
        """
        if optimal:
            along = optimal_groups(self.scale.scores(self.values), k)
        else:
            along = fixed_groups(len(self.values), k)
        label = np.full(self.n, int(along.max(initial=-1)) + 1)
        label[self.order] = along
        return label


def mean_of_groups(values: Floats, labels: Ints, weights: Floats | None) -> Floats:
    """The mean of each group."""
    return group_means(values[:, None], labels, weights)[:, 0]


def median_of_groups(values: Floats, labels: Ints, weights: Floats | None) -> Floats:
    """The lower median of each group."""
    return group_medians(values[:, None], labels, weights)[:, 0]


def averaged(
    values: Floats, begins: Bools, weights: Floats | None, average: Average
) -> Floats:
    """What stands for each value of a stretch of groups that begin in one block.

    Parameters
    ----------
    values : array
        A stretch of the line.
    begins : array
        Which of them begin a group; the first does.
    weights : array or None
        Sampling weights.
    average : function
        Mean, median.
    """
    label = np.cumsum(begins, dtype=np.int64) - 1
    return np.asarray(average(values, label, weights)[label])


def stretches(begins: Bools, first: int, stop: int) -> list[tuple[int, int]]:
    """The groups that begin in each block, as places from the first to one after the last.

    Parameters
    ----------
    begins : array
        Which places begin a group, from ``first``, which begins a block, to the end of the last
        group that begins before ``stop``; a group that begins there marks it.
    first, stop : int
        Places of the line.
    """
    starts = np.append(np.flatnonzero(begins), len(begins))
    cuts = np.arange(first, stop, by_address.BLOCK) - first
    own = starts[np.searchsorted(starts, cuts, side="left")].tolist()
    own.append(int(starts[np.searchsorted(starts, stop - first, side="left")]))
    return [(low, high) for low, high in pairwise(own) if low < high]


def averages_along(
    values: Floats,
    label: Ints,
    weights: Floats | None,
    average: Average,
    *,
    fill: bool,
) -> Floats:
    """What stands for each record of a column in value order, of groups along its line."""
    line = Line.of(values, fill=fill)
    out = np.full(len(values), np.nan)
    if not len(line.order):
        return out
    along = label[line.order]
    begins = np.concatenate([[True], along[1:] != along[:-1]])
    weight = None if weights is None else weights[line.order]
    for low, high in stretches(begins, 0, len(along)):
        own = None if weight is None else weight[low:high]
        some = averaged(line.values[low:high], begins[low:high], own, average)
        out[line.order[low:high]] = some
    return out
