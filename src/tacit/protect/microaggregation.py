"""Microaggregation: records are replaced by the mean of a group of at least k."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Ge

from tacit.errors import ParameterError
from tacit.kernels.mdav import mdav
from tacit.microdata import FloatArray, Microdata
from tacit.protect.base import NumericProtector
from tacit.protect.noise import column_sd


class Microaggregation(NumericProtector):
    """Replace each record by the mean of its group; groups of at least k by MDAV on standardised columns.

    Guarantee: every combination of masked values occurs at least k times. Missing values sit at the column mean
    while groups are formed; means are over the values present; a missing value is replaced by its group's mean.
    """

    def __init__(self, k: Annotated[int, Ge(1)] = 3, columns: list[str] | None = None) -> None:
        self.k = k
        self.columns = columns

    def _fit(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> None:
        self.labels_, self.sse_, self.sst_ = self._groups(data.numbers(columns))

    def _groups(self, values: FloatArray) -> tuple[np.ndarray, float, float]:
        if len(values) < self.k:
            raise ParameterError(
                f"k={self.k} is larger than the number of records ({len(values)}): no group of k can be formed"
            )
        mean = np.nanmean(values, axis=0)
        z = np.where(np.isnan(values), 0.0, (values - mean) / column_sd(values))
        labels = mdav(np.ascontiguousarray(z), self.k)
        means = group_means(z, labels)
        return labels, float(((z - means[labels]) ** 2).sum()), float((z**2).sum())

    def _mask(self, values: FloatArray, rng: np.random.Generator) -> FloatArray:
        labels, _, _ = self._groups(values)
        return group_means(values, labels)[labels]


def group_means(values: FloatArray, labels: np.ndarray) -> FloatArray:
    """Mean of each column in each group over the values present."""
    groups = int(labels.max()) + 1
    out = np.empty((groups, values.shape[1]))
    for j in range(values.shape[1]):
        present = ~np.isnan(values[:, j])
        total = np.bincount(labels[present], weights=values[present, j], minlength=groups)
        count = np.bincount(labels[present], minlength=groups)
        with np.errstate(invalid="ignore"):
            out[:, j] = total / count
    return out
