"""Top and bottom coding."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Le

from tacit.base.errors import ColumnError, ParameterError
from tacit.base.typing import Floats
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Kind, Microdata
from tacit.data.out_of_core.column_numbers import ColumnNumbers
from tacit.data.out_of_core.number_files import ArrayNumbers, NumberSource
from tacit.data.out_of_core.sorting import sorted_numbers
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
        return "records" if self.by == "threshold" else "columns"

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
            # the mean of categories is no category
            ordinal = data.schema[name].scale is Kind.ordinal
            by = "median" if ordinal and self.by == "mean" else self.by
            values[:, j] = code(values[:, j], *self.thresholds_[name], by)
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


def code(
    values: Floats,
    low: float,
    high: float,
    by: str,
) -> Floats:
    """One column top and bottom coded; NaN stays."""
    out = values.copy()
    for side, threshold in ((values < low, low), (values > high, high)):
        if by == "threshold":
            out[side] = threshold
        elif side.any():
            tail = np.sort(values[side])
            # the lower median: always a value of the file
            lower_median = tail[(tail.size - 1) // 2]
            out[side] = tail.mean() if by == "mean" else lower_median
    return out
