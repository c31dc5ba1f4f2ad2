"""Differentially private microaggregation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Gt, Le

from tacit.base.errors import ParameterError
from tacit.base.facts import Strength
from tacit.base.parameters import Seed, TestSeed
from tacit.base.typing import Floats, Ints
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Kind, Microdata
from tacit.data.out_of_core.column_numbers import ColumnNumbers
from tacit.data.out_of_core.row_keys import RowKeys
from tacit.kernels.mdav.univariate import fixed_groups
from tacit.protect import by_address
from tacit.protect.private import declared, discrete_laplace, split
from tacit.protect.private.accountant import Accountant
from tacit.protect.private.bounds import (
    Grid,
    announce,
    grid_of,
    grids,
    refuse_missing,
    secret_or,
)
from tacit.protect.private.noisy_runs import (
    GridPlaces,
    NoisyRuns,
    by_distance,
    by_value,
    distances,
    in_key_order,
    outside,
    released_along,
)
from tacit.protect.private.protector import PrivateProtector


@dataclass(frozen=True)
class Announced:
    """What is released of each column, and what was spent on it."""

    accountant: Accountant
    of_columns: list[NoisyRuns]


class DPMicroaggregation(PrivateProtector):
    """Group means with Laplace noise, once per group, so that the release is private.

    Parameters
    ----------
    k : int
        Records in a group.
    epsilon : float
        Privacy budget of the whole release, split evenly over the columns; smaller protects
        more.
    bounds : dict of [low, high]
        Lowest and highest value of each column, required, from what is known and not from the
        file; values outside are clamped and counted.
    form : {'individual', 'multivariate'}
        Order each column on its own, or all records by their distance from a corner.
    integers : list of str, optional
        Columns that are released as whole numbers; others are real numbers.
    columns : list of str, optional
        Columns to mask; the quasi-identifiers and all columns with bounds unless given.
    random_state : int, optional
        Seed for tests, refused without test_seed: who knows it can take the noise off.
    test_seed : bool
        Allow a seed, for tests only.

    Attributes
    ----------
    accountant_ : Accountant
        What was spent on which column.
    guarantee_ : str
        What is guaranteed with these parameters, in words.
    not_private_ : list of str
        Columns that were released as they are, which epsilon does not cover.
    clamped_, labels_ : dict, array
        Values outside the bounds and the group of each record (of a file in memory); private
        themselves.

    Notes
    -----
    **Definition.** Values are clamped to their bounds and put on an integer grid of S steps.
    Records are cut into runs of k (the last run takes the remainder) along an order; the sum
    of each run gets discrete Laplace noise and is divided by its size; every record of the run
    is released with this value, clamped to the bounds. Epsilon is split evenly over the
    columns.

    - ``individual`` (Sanchez, Domingo-Ferrer et al. 2016): each column is ordered on its own.
      Changing one record moves the sorted list by at most S in total (the sum over positions
      of the changes telescopes), so all run sums together move by at most S: the noise on a
      mean has scale (high - low) / (k epsilon_j).
    - ``multivariate`` (Soria-Comas et al. 2014): records are ordered by their distance from
      the lower corner of the domain, so that a record's place in the order depends on no other
      record. Changing one record moves one record in or out of every run: all
      G = floor(n / k) run sums of a column move by at most G S, so the scale is
      G (high - low) / (k epsilon_j). It pays, against noise on single values, when
      k > sqrt(n). (A bound with ceil(n / 2k) instead of G does not hold for this order:
      tests/protect/private/test_dp.py has a counterexample.)

    **Guarantee.** Epsilon-differential privacy of all masked columns together, neighbours:
    change one record, n public. The released means are private, but *which record sits in
    which run* is not noised. So rows are always put in random order: each column on its own
    for ``individual`` (relations between columns are lost), whole rows for ``multivariate``.
    Columns that are not protected are never covered: a warning, ``not_private_`` and
    ``accountant_`` name them. What is declared decides, and never the file: a column with
    bounds is one of numbers, and is released as real numbers unless it is among ``integers``.
    Other columns and missing values are refused.

    **Cost.** One sort per column.

    **Known attacks.** None within the guarantee. Values left at their records (an option until
    version 0.1) tell who is in which run: 100 % of a file were linked at epsilon 5.

    References
    ----------
    Sanchez, Domingo-Ferrer et al. (2016); Soria-Comas et al. (2014).

    Examples
    --------
    >>> import numpy as np
    >>> private = DPMicroaggregation(epsilon=1.0, k=5, bounds={"x0": [0, 9]})
    >>> masked = private.fit_transform(np.arange(10.0).reshape(10, 1))
    >>> len(np.unique(masked)) <= 2
    True
    """

    title = "Microaggregation, differentially private"
    family = "differential privacy"
    keeps_gaps = False
    shuffles_rows = True
    purpose = "release noisy group means with a bound on what any one record changes"
    goal = "guarantee by differential privacy"
    plain = {
        "epsilon": "privacy budget",
        "k": "people in each group",
        "bounds": "range of each column",
    }
    attacker = "informed.dp_microaggregation:AwareDPMicroaggregation"
    strength = Strength("epsilon", 100.0, 0.001)
    example = {
        "columns": ["income", "age", "debt"],
        "bounds": {
            "income": [0.0, 200000.0],
            "age": [0.0, 120.0],
            "debt": [0.0, 20000.0],
        },
        "integers": ["age"],
    }

    removed = {
        "rows": "rows are always put in random order, because values that stay at their "
        "records tell exactly who shares a group, and nothing would be private; leave it out"
    }

    passes = "sorts"

    # sums need numbers
    kinds = frozenset({Kind.continuous})

    whole_file = (
        "the blocks are made from the data, which its privacy guarantee does not cover"
    )

    def __init__(
        self,
        k: Annotated[int, Ge(1)] = 10,
        epsilon: Annotated[float, Gt(0), Le(1e6)] = 1.0,
        bounds: dict[str, tuple[float, float]] | None = None,
        form: Literal["individual", "multivariate"] = "individual",
        integers: list[str] | None = None,
        columns: list[str] | None = None,
        random_state: Seed = None,
        test_seed: TestSeed = False,
    ) -> None:
        self.k = k
        self.epsilon = epsilon
        self.bounds = bounds
        self.form = form
        self.integers = integers
        self.columns = columns
        self.random_state = random_state
        self.test_seed = test_seed

    def _release(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
        *,
        keep: bool,
    ) -> Microdata:
        n = data.n
        if n < self.k:
            raise ParameterError(
                f"k={self.k} is larger than the number of records ({n}): "
                "no group of k can be formed"
            )
        if n > by_address.BLOCK:
            return self._release_large(data, columns, rng, keep=keep)
        domain = grids(data, columns, self.bounds or {}, self.integers)
        places = np.empty((n, len(columns)), dtype=np.int64)
        clamped: dict[str, int] = {}
        for j, (name, grid) in enumerate(zip(columns, domain, strict=True)):
            places[:, j], clamped[name] = grid.place(data.column(name))
        # where runs begin and end depends on n and k alone, which are public
        runs = fixed_groups(n, self.k)
        groups = int(runs[-1]) + 1
        orders = self._orders(places, domain)
        moved = self._moved(groups)
        # the columns are of the same records, so their epsilons add up
        accountant = self._account(data, columns)
        share = split(self.epsilon, len(columns))
        source = secret_or(rng, self.random_state)
        masked = np.empty((n, len(columns)))
        labels = np.empty((n, len(columns)), dtype=np.int64)
        for j, (name, grid) in enumerate(zip(columns, domain, strict=True)):
            order = orders[j]
            labels[order, j] = runs
            what = f"group means of {name}"
            sensitivity = grid.steps * moved
            scale = announce(accountant, what, share, grid, sensitivity, self.k)
            means = noisy_means(places[order, j], runs, groups, scale, source)
            inside = np.clip(means, 0, grid.steps)
            masked[order, j] = grid.value(inside[runs])
        # who shares a run is exact: a value at its record would tell it
        masked = self._shuffled(masked, rng)
        if keep:
            self._keep(accountant, columns)
            self.clamped_ = clamped
            self.labels_ = labels if self.form == "individual" else labels[:, 0]
        whole = self.integers or ()
        return declared.released(
            data,
            {
                name: declared.numbers(masked[:, j], whole=name in whole)
                for j, name in enumerate(columns)
            },
        )

    def _release_large(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
        *,
        keep: bool,
    ) -> Microdata:
        """The same of a file of several blocks, in memory or on the disk."""
        whole, bounds = self.integers or (), self.bounds or {}
        domain = [grid_of(name, bounds[name], whole=name in whole) for name in columns]
        on_disk = isinstance(data, OnDisk)
        clamped: dict[str, int] = {}
        places = np.empty((0 if on_disk else data.n, len(columns)), dtype=np.int64)
        for j, (name, grid) in enumerate(zip(columns, domain, strict=True)):
            if isinstance(data, OnDisk):
                clamped[name] = outside(data, name, grid)
            else:
                values = data.column(name)
                refuse_missing(values, name)
                places[:, j], clamped[name] = grid.place(values)
        runs = self._runs(data, columns, domain, rng)
        # who shares a run is exact: a value at its record would tell it
        shuffles = [RowKeys(by_address.root(rng)) for _ in columns]
        if self.form == "multivariate":
            shuffles = shuffles[:1] * len(columns)
        if keep:
            self._keep(runs.accountant, columns)
            self.clamped_ = clamped
        if isinstance(data, OnDisk):
            return self._from_disk(data, columns, runs.of_columns, shuffles)
        made, labels = {}, np.empty_like(places)
        orders = self._orders(places, domain)
        for j, (name, one) in enumerate(zip(columns, runs.of_columns, strict=True)):
            along = one.values(places[orders[j], j], 0, one.groups)
            labels[orders[j], j] = fixed_groups(data.n, self.k)
            released = np.empty(data.n)
            released[in_key_order(shuffles[j], data.n)] = along
            made[name] = declared.numbers(released, whole=name in whole)
        if keep:
            self.labels_ = labels if self.form == "individual" else labels[:, 0]
        return declared.released(data, made)

    def _moved(self, groups: int) -> int:
        """How many sums of runs one record can move, in units of S."""
        return groups if self.form == "multivariate" else 1

    def _runs(
        self,
        data: Microdata,
        columns: list[str],
        domain: list[Grid],
        rng: np.random.Generator,
    ) -> Announced:
        """What is released along the order of each column, and what that costs."""
        moved = self._moved(max(data.n // self.k, 1))
        accountant = self._account(data, columns)
        share = split(self.epsilon, len(columns))
        source = secret_or(rng, self.random_state)
        found = []
        for name, grid in zip(columns, domain, strict=True):
            what, sensitivity = f"group means of {name}", grid.steps * moved
            scale = announce(accountant, what, share, grid, sensitivity, self.k)
            draws = None if source is None else by_address.Draws.of(source)
            found.append(NoisyRuns(data.n, self.k, grid, scale, draws))
        return Announced(accountant, found)

    def _from_disk(
        self,
        data: OnDisk,
        columns: list[str],
        runs: list[NoisyRuns],
        shuffles: list[RowKeys],
    ) -> OnDisk:
        """The release of a file on the disk."""
        folder, whole = data.disk.folder, self.integers or ()
        places = [
            GridPlaces(ColumnNumbers.of(data, name), one.grid)
            for name, one in zip(columns, runs, strict=True)
        ]
        orders = by_distance(places, folder) if self.form == "multivariate" else []
        for j, name in enumerate(columns):
            ordered = orders[j] if orders else by_value(places[j], folder)
            how = ordered, runs[j], shuffles[j]
            data = released_along(data, name, *how, whole=name in whole)
            ordered.remove()
        return data

    def _shuffled(
        self,
        masked: Floats,
        rng: np.random.Generator,
    ) -> Floats:
        """Values in random order: each column on its own, or whole rows."""
        if self.form == "individual":
            return rng.permuted(masked, axis=0)
        return rng.permutation(masked, axis=0)

    def _orders(
        self,
        places: Ints,
        domain: list[Grid],
    ) -> list[Ints]:
        """The order of the records in each column."""
        if self.form == "individual":
            return [np.argsort(column, kind="stable") for column in places.T]
        distance = distances(places, domain)
        # ties by value, so that the order is a function of the values alone
        order = np.lexsort((*places.T[::-1], distance))
        return [order] * len(domain)


def noisy_means(
    ordered: Ints,
    runs: Ints,
    groups: int,
    scale: float,
    rng: np.random.Generator | None,
) -> Floats:
    """(sum + noise) / size of each run.

    Sums and noise are integers, so nothing is rounded before the noise.
    """
    # runs follow each other, so each is a slice
    start = np.searchsorted(runs, np.arange(groups))
    sums = np.add.reduceat(ordered, start)
    noisy_sums = sums + discrete_laplace(scale, groups, rng)
    sizes = np.bincount(runs, minlength=groups)
    return np.asarray(noisy_sums / sizes)
