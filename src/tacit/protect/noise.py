"""Noise addition."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Ge

from tacit.microdata import FloatArray, Microdata
from tacit.protect.base import NumericProtector, Seed

SMALLEST_SD = 1e-4


class Noise(NumericProtector):
    """Add independent Gaussian noise to each column.

    Definition: ``x' = x + N(0, 1) * sd * percent / 100`` where ``sd`` is the column's standard deviation (ddof 1);
    a column whose sd is below 0.0001 uses 1. Source: 000, section 3.1. Guarantee: none; means are kept in
    expectation, variances grow by ``1 + (percent / 100)^2``. Missing values stay missing.

    Parameters: ``percent``: the noise's sd as a percentage of the column's sd.

    >>> import numpy as np
    >>> Noise(percent=10, random_state=1).fit_transform(np.arange(6.0).reshape(3, 2)).shape
    (3, 2)
    """

    def __init__(
        self,
        percent: Annotated[float, Ge(0)] = 10.0,
        columns: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.percent = percent
        self.columns = columns
        self.random_state = random_state

    def _fit(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> None:
        self.sd_ = column_sd(data.numbers(columns))

    def _mask(self, values: FloatArray, rng: np.random.Generator) -> FloatArray:
        return values + rng.standard_normal(values.shape) * (self.sd_ * self.percent / 100.0)


def column_sd(values: FloatArray) -> FloatArray:
    """Standard deviation (ddof 1) of each column without its missing values; 1 where it is below 0.0001."""
    present = np.sum(~np.isnan(values), axis=0)
    mean = np.nansum(values, axis=0) / np.maximum(present, 1)
    squares = np.nansum((values - mean) ** 2, axis=0)
    sd = np.sqrt(squares / np.maximum(present - 1, 1))
    return np.where(sd < SMALLEST_SD, 1.0, sd)
