"""Differentially private microaggregation."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Gt, Le
from numpy.typing import NDArray

from tacit.dp import Accountant, discrete_laplace, split
from tacit.errors import ParameterError
from tacit.kernels.univariate import fixed_groups
from tacit.microdata import FloatArray, Kind, Microdata
from tacit.protect.base import Seed
from tacit.protect.dp_bounds import Grid, PrivateProtector, announce, grids, secret_or


class DPMicroaggregation(PrivateProtector):
    """Group means with Laplace noise, once a group, so that the release is differentially private.

    Definition: values are clamped to their bounds and put on an integer grid of S steps. Records are cut into runs of
    k (the last run takes the remainder) along an order; the sum of each run gets discrete Laplace noise and is divided
    by its size; every record of the run is released with this value, clamped to the bounds.

    - ``individual``: each column is ordered on its own. Changing one record moves the sorted list by at most S in
      total (the sum over positions of the changes telescopes), so all run sums together move by at most S: the noise
      on a mean has scale (high - low) / (k epsilon_j). Source: Sanchez, Domingo-Ferrer et al. (2016).
    - ``multivariate``: records are ordered by their distance from the lower corner of the domain, so that a record's
      place in the order depends on no other record. Changing one record moves one record in or out of every run: all
      G = floor(n / k) run sums of a column move by at most G S, so the scale is G (high - low) / (k epsilon_j). It
      pays, against noise on single values, when k > sqrt(n). (A bound with ceil(n / 2k) instead of G does not hold
      for this order: tests/protect/test_dp.py has a counterexample.) Source: Soria-Comas et al. (2014).

    Epsilon is split evenly over the columns. Neighbours: change one record, n public.
    Guarantee: epsilon-differential privacy of all masked columns together, when ``rows="shuffled"``: the released
    means are private, but *which record sits in which run* is not noised. So rows are put in random order: each column
    on its own for ``individual`` (relations between columns are lost), whole rows for ``multivariate``.
    ``rows="kept"`` leaves every value at its record, for evaluation: then the guarantee covers the list of means of
    each column and not the file, and ``guarantee_`` says so. Columns that are not protected are never covered.
    Nominal and ordinal columns are refused. Missing values are refused. Cost: a sort a column.
    Known attacks: none within the guarantee; with ``rows="kept"`` the order tells who is in which run.

    Parameters: ``bounds``: [low, high] of each column, required, from what is known and not from the file; values
    outside are clamped and counted.

    Fitted: ``accountant_``, ``guarantee_``; and, private themselves, ``clamped_`` and ``labels_``.

    >>> import numpy as np
    >>> private = DPMicroaggregation(epsilon=1.0, k=5, bounds={"x0": [0, 9]})
    >>> masked = private.fit_transform(np.arange(10.0).reshape(10, 1))
    >>> len(np.unique(masked)) <= 2
    True
    """

    kinds = frozenset({Kind.continuous})

    def __init__(
        self,
        k: Annotated[int, Ge(1)] = 10,
        epsilon: Annotated[float, Gt(0), Le(1e6)] = 1.0,
        bounds: dict[str, tuple[float, float]] | None = None,
        form: Literal["individual", "multivariate"] = "individual",
        rows: Literal["shuffled", "kept"] = "shuffled",
        columns: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.k = k
        self.epsilon = epsilon
        self.bounds = bounds
        self.form = form
        self.rows = rows
        self.columns = columns
        self.random_state = random_state

    def _release(self, data: Microdata, columns: list[str], rng: np.random.Generator, *, keep: bool) -> Microdata:
        n = data.n
        if n < self.k:
            raise ParameterError(f"k={self.k} is larger than the number of records ({n}): no group of k can be formed")
        domain = grids(data, columns, self.bounds, "DPMicroaggregation")
        places = np.empty((n, len(columns)), dtype=np.int64)
        clamped: dict[str, int] = {}
        for j, (name, grid) in enumerate(zip(columns, domain, strict=True)):
            places[:, j], clamped[name] = grid.place(data.column(name))
        runs = fixed_groups(n, self.k)
        groups = int(runs[-1]) + 1
        orders = self._orders(places, domain)
        moved = groups if self.form == "multivariate" else 1  # how many run sums one record can move, in units of S
        accountant = Accountant(self.epsilon)
        share = split(self.epsilon, len(columns))
        source = secret_or(rng, self.random_state)
        masked = np.empty((n, len(columns)))
        labels = np.empty((n, len(columns)), dtype=np.int64)
        for j, (name, grid) in enumerate(zip(columns, domain, strict=True)):
            order = orders[j]
            labels[order, j] = runs
            scale = announce(accountant, f"group means of {name}", share, grid, grid.steps * moved, self.k)
            means = noisy_means(places[order, j], runs, groups, scale, source)
            masked[order, j] = grid.value(np.clip(means, 0, grid.steps)[runs])
        if self.rows == "shuffled":
            masked = rng.permuted(masked, axis=0) if self.form == "individual" else rng.permutation(masked, axis=0)
        if keep:
            self.accountant_, self.clamped_ = accountant, clamped
            self.labels_ = labels if self.form == "individual" else labels[:, 0]
            self.guarantee_ = self._guarantee()
        return data.with_numbers(columns, masked)

    def _orders(self, places: NDArray[np.int64], domain: list[Grid]) -> list[NDArray[np.intp]]:
        if self.form == "individual":
            return [np.argsort(column, kind="stable") for column in places.T]
        unit = places / np.array([grid.steps for grid in domain], dtype=np.float64)
        # ties by value, so that the order is a function of the values alone
        order = np.lexsort((*places.T[::-1], (unit**2).sum(axis=1)))
        return [order] * len(domain)

    def _guarantee(self) -> str:
        what = f"{self.epsilon:g}-differential privacy, neighbours: change one record (n public), of "
        if self.rows == "shuffled":
            what += "all masked columns together"
        else:
            what += "the list of group means of all masked columns; not of the file, whose rows were kept in place"
        return what + ("" if self.random_state is None else "; against those who do not know the seed")


def noisy_means(
    ordered: NDArray[np.int64], runs: NDArray[np.int64], groups: int, scale: float, rng: np.random.Generator | None
) -> FloatArray:
    """(sum + noise) / size of each run; sums and noise are integers, so nothing is rounded before the noise."""
    start = np.searchsorted(runs, np.arange(groups))
    sums = np.add.reduceat(ordered, start)
    return np.asarray((sums + discrete_laplace(scale, groups, rng)) / np.bincount(runs, minlength=groups))
