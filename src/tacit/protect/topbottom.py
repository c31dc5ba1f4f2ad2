"""Top and bottom coding."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Le

from tacit.errors import ColumnError, ParameterError
from tacit.microdata import FloatArray, Kind, Microdata
from tacit.protect.base import Protector

Share = Annotated[float, Ge(0), Le(1)]


class TopBottomCoding(Protector):
    """Hide the extremes: values above a top (below a bottom) threshold are replaced.

    Definition: ``x > high`` becomes high, ``x < low`` becomes low (``by="threshold"``), or the mean or median of the
    values on that side, which keeps the total (mean) of the column. Source: Willenborg and De Waal (2001).
    Guarantee: with thresholds, no value outside [low, high] is released; other values are untouched. Missing values
    stay missing. Ordinal columns are coded by threshold or median. Cost: linear (a sort for quantiles).
    Known attacks: values between the thresholds are as they were, and link by themselves.

    Parameters: ``low``, ``high``: thresholds by column. ``tails``: for columns without thresholds, the shares of
    records to code at the bottom and at the top (quantiles of the file).

    >>> import numpy as np
    >>> TopBottomCoding(low={"x0": 2}, high={"x0": 8}).fit_transform(np.array([[1.0], [5.0], [9.0]])).tolist()
    [[2.0], [5.0], [8.0]]
    """

    kinds = frozenset({Kind.continuous, Kind.ordinal})

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

    def _fit(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> None:
        low, high = self.low or {}, self.high or {}
        unknown = [name for name in [*low, *high] if name not in columns]
        if unknown:
            raise ColumnError(f"a threshold is given for '{unknown[0]}', which is not a column to protect")
        if sum(self.tails) > 1:
            raise ParameterError(f"tails={self.tails} would code every record; their sum must be below 1")
        self.thresholds_ = {}
        for name in columns:
            if name in low or name in high:
                bounds = low.get(name, -np.inf), high.get(name, np.inf)
            else:
                bounds = quantiles(data.column(name), *self.tails)
            if bounds[0] > bounds[1]:
                raise ParameterError(f"column '{name}': the bottom threshold is above the top one")
            self.thresholds_[name] = bounds

    def _apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        values = data.numbers(columns)
        for j, name in enumerate(columns):
            by = "median" if data.schema[name].kind is Kind.ordinal and self.by == "mean" else self.by
            values[:, j] = code(values[:, j], *self.thresholds_[name], by)
        return data.with_numbers(columns, values)


def quantiles(values: FloatArray, bottom: float, top: float) -> tuple[float, float]:
    """Values of the file below (above) which at most the given shares lie."""
    present = np.sort(values[~np.isnan(values)])
    if not present.size:
        return -np.inf, np.inf
    last = present.size - 1
    below = present[min(int(np.floor(bottom * present.size)), last)] if bottom > 0 else -np.inf
    above = present[max(last - int(np.floor(top * present.size)), 0)] if top > 0 else np.inf
    return float(min(below, above)), float(max(below, above))


def code(values: FloatArray, low: float, high: float, by: str) -> FloatArray:
    """One column top and bottom coded; NaN stays."""
    out = values.copy()
    for side, threshold in ((values < low, low), (values > high, high)):
        if by == "threshold":
            out[side] = threshold
        elif side.any():
            tail = np.sort(values[side])
            out[side] = tail.mean() if by == "mean" else tail[(tail.size - 1) // 2]
    return out
