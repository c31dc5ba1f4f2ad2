"""Top and bottom coding."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from types import MappingProxyType
from typing import Annotated, Literal, Self

import numpy as np
from annotated_types import Ge, Le

from tacit.base.errors import ColumnError, ParameterError
from tacit.base.typing import Floats
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Kind, Microdata
from tacit.data.out_of_core.column_numbers import ColumnNumbers
from tacit.data.out_of_core.number_files import (
    ArrayNumbers,
    NumberFiles,
    NumberSource,
)
from tacit.data.out_of_core.sorting import sorted_numbers
from tacit.protect import by_address
from tacit.protect.base import Passes, Protector

Share = Annotated[float, Ge(0), Le(1)]


class TopBottomCoding(Protector):
    """Hide the extremes: values above a top (below a bottom) threshold are replaced.

    Parameters
    ----------
    low : dict of float, optional
        Bottom threshold by column.
    high : dict of float, optional
        Top threshold by column.
    tails : tuple of float
        For columns without thresholds, the shares of records to code at the bottom and at the
        top (quantiles of the file).
    by : {'threshold', 'mean', 'median'}
        What an extreme value becomes: the threshold, or the mean or median of the values
        beyond it.
    columns : list of str, optional
        Columns to mask; the quasi-identifiers unless given.

    Attributes
    ----------
    thresholds_ : dict
        The bottom and top threshold of each column.

    Notes
    -----
    **Definition.** ``x > high`` becomes high, ``x < low`` becomes low (``by="threshold"``), or
    the mean or median of the values on that side, which keeps the total (mean) of the column.
    Missing values stay missing. Ordinal columns are coded by threshold or median.

    **Guarantee.** With thresholds, no value outside [low, high] is released; other values are
    untouched.

    **Cost.** Linear (a sort for quantiles).

    **Known attacks.** Values between the thresholds are as they were, and link by themselves.

    References
    ----------
    Willenborg and De Waal (2001).

    Examples
    --------
    >>> import numpy as np
    >>> coding = TopBottomCoding(low={"x0": 2}, high={"x0": 8})
    >>> coding.fit_transform(np.array([[1.0], [5.0], [9.0]])).tolist()
    [[2.0], [5.0], [8.0]]
    """

    title = "Top and bottom coding"
    family = "coding"
    purpose = "hide the extreme values, which are the best known"
    goal = "blur numbers"
    plain = {
        "low": "lowest value that is shown",
        "high": "highest value that is shown",
        "tails": "share that is cut off at each end",
    }
    attacker = "informed.rerun:Rerun"

    # extremes need an order
    kinds = frozenset({Kind.continuous, Kind.ordinal})

    # with thresholds given, a value is coded by itself
    scales = "records"
    passes = "records"

    # of a file on the disk: what stands for the values beyond each threshold
    _beyond: Mapping[str, tuple[float, float]] = MappingProxyType({})

    def __init__(
        self,
        low: dict[str, float] | None = None,
        high: dict[str, float] | None = None,
        tails: tuple[Share, Share] = (0.02, 0.02),
        by: Literal["threshold", "mean", "median"] = "threshold",
        columns: list[str] | None = None,
    ) -> None:
        self.low = low
        self.high = high
        self.tails = tails
        self.by = by
        self.columns = columns

    def needs_whole_file(self) -> str | None:
        """Quantiles and the averages beyond them are those of the file."""
        if self.by != "threshold":
            return (
                f"the {self.by} beyond a threshold is that of the file, "
                "and a block has its own; use by=threshold"
            )
        if any(self.tails):
            return (
                "its tails are quantiles of the file, and a block has its own; "
                "give low and high, and tails=[0, 0]"
            )
        return None

    def passes_of(self, data: Microdata) -> Passes:
        """The mean or median beyond a threshold is that of the whole column."""
        return "records" if self.by == "threshold" else "values"

    def settled(self, data: OnDisk, columns: list[str]) -> Self:
        """Knows what stands for the values beyond each threshold."""
        made, found = copy(self), {}
        for name in columns:
            ordered = in_order(data, name)
            ends = self.thresholds_[name]
            found[name] = beyond(ordered, *ends, self._by(data, name))
            if isinstance(ordered, NumberFiles):
                ordered.remove()
        made._beyond = found
        return made

    def _by(self, data: Microdata, name: str) -> str:
        """What an extreme value becomes; the mean of categories is no category."""
        ordinal = data.schema[name].scale is Kind.ordinal
        return "median" if ordinal and self.by == "mean" else self.by

    def _fit(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> None:
        low, high = self.low or {}, self.high or {}
        unknown = [name for name in [*low, *high] if name not in columns]
        if unknown:
            raise ColumnError(
                f"a threshold is given for '{unknown[0]}', "
                "which is not a column to protect"
            )
        if sum(self.tails) > 1:
            raise ParameterError(
                f"tails={self.tails} would code every record; their sum must be below 1"
            )
        self.thresholds_ = {}
        for name in columns:
            # one threshold given leaves the other side open
            if name in low or name in high:
                bounds = low.get(name, -np.inf), high.get(name, np.inf)
            else:
                bounds = quantiles(in_order(data, name), *self.tails)
            if bounds[0] > bounds[1]:
                raise ParameterError(
                    f"column '{name}': the bottom threshold is above the top one"
                )
            self.thresholds_[name] = bounds

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        values = data.numbers(columns)
        for j, name in enumerate(columns):
            ends = self._beyond.get(name)
            if ends is None:
                present = values[~np.isnan(values[:, j]), j]
                by = self._by(data, name)
                ordered = present if by == "threshold" else np.sort(present)
                ends = beyond(ArrayNumbers(ordered), *self.thresholds_[name], by)
            values[:, j] = code(values[:, j], *self.thresholds_[name], *ends)
        return data.with_numbers(columns, values)


def in_order(data: Microdata, name: str) -> NumberSource:
    """The values of a column that are there, in rising order; those of a large file on the disk."""
    if isinstance(data, OnDisk):
        source = ColumnNumbers.of(data, name)
        return sorted_numbers(source, data.disk.folder).values
    values = data.column(name)
    return ArrayNumbers(np.sort(values[~np.isnan(values)]))


def quantiles(
    present: NumberSource,
    bottom: float,
    top: float,
) -> tuple[float, float]:
    """Values of the file below (above) which at most the given shares lie."""
    if not present.n:
        return -np.inf, np.inf
    last = present.n - 1
    # a share of 0 codes nothing, which no value of the file says
    below, above = -np.inf, np.inf
    if bottom > 0:
        place = min(int(np.floor(bottom * present.n)), last)
        below = present.read(place, place + 1)[0]
    if top > 0:
        place = max(last - int(np.floor(top * present.n)), 0)
        above = present.read(place, place + 1)[0]
    return float(min(below, above)), float(max(below, above))


def beyond(
    present: NumberSource,
    low: float,
    high: float,
    by: str,
) -> tuple[float, float]:
    """What stands for the values below ``low`` and for those above ``high``.

    Parameters
    ----------
    present : NumberSource
        The values that are there, in rising order.
    low, high : float
        The thresholds.
    by : str
        Threshold, mean or median (the lower one: always a value of the file).
    """
    if by == "threshold":
        return low, high
    last = _place(present, low, after=False)
    first = _place(present, high, after=True)
    ends = []
    for begin, end, threshold in ((0, last, low), (first, present.n, high)):
        if begin >= end:
            # nobody is beyond it
            ends.append(threshold)
        elif by == "mean":
            ends.append(_sum(present, begin, end) / (end - begin))
        else:
            middle = begin + (end - begin - 1) // 2
            ends.append(float(present.read(middle, middle + 1)[0]))
    return ends[0], ends[1]


def _place(present: NumberSource, value: float, *, after: bool) -> int:
    """How many values are below this one, or (after) not above it: a binary search."""
    low, high = 0, present.n
    while low < high:
        middle = (low + high) // 2
        found = present.read(middle, middle + 1)[0]
        if found < value or (after and found == value):
            low = middle + 1
        else:
            high = middle
    return low


def _sum(present: NumberSource, begin: int, end: int) -> float:
    """The sum of a stretch, block by block: its bits do not depend on where the values are."""
    total = 0.0
    for first in range(begin, end, by_address.BLOCK):
        total += float(present.read(first, min(first + by_address.BLOCK, end)).sum())
    return total


def code(
    values: Floats,
    low: float,
    high: float,
    below: float,
    above: float,
) -> Floats:
    """One column in which ``below`` stands for what is under ``low``, and ``above`` for the rest.

    NaN stays.
    """
    out = values.copy()
    out[values < low] = below
    out[values > high] = above
    return out
