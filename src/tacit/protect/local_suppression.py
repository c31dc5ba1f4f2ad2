"""Local suppression to k-anonymity."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Gt

from tacit.base.errors import ColumnError, ParameterError, TacitWarning
from tacit.base.facts import Strength
from tacit.base.typing import Bools, Floats, Ints
from tacit.data import units
from tacit.data.fill_in import filled
from tacit.data.microdata import Kind, Microdata, Role
from tacit.protect.base import Protector, Seed
from tacit.protect.grouping.anonymity import largest_set, suppress
from tacit.protect.grouping.key_classes import Reading
from tacit.protect.grouping.least_cells import least_cost
from tacit.protect.grouping.unit_anonymity import (
    Sharing,
    few_people,
    suppress_for_people,
)

ROUNDS = 100
"""Most rounds over several key combinations; every round but the last blanks more cells."""
READINGS: tuple[Reading, ...] = ("any", "value")


class Found(NamedTuple):
    """The cells to blank, what they cost, and what any choice costs at least."""

    cells: Bools
    cost: float
    least: float


class LocalSuppression(Protector):
    """Blank out a few cells so that every combination of keys occurs at least k times.

    Parameters
    ----------
    k : int
        Smallest number of persons (records, without a person column) that share a combination of
        keys.
    keys : list of list of str, optional
        Combinations of columns that must each be k-anonymous; all protected columns together
        unless given.
    missing : {'any', 'value'}
        Whether a missing value matches anything, or is a value of its own (stronger, and costs
        more cells).
    importance : dict of float, optional
        Cost of a cell by column, 1 unless given; a column with a high one is suppressed less.
    columns : list of str, optional
        Columns to mask; the quasi-identifiers unless given.
    random_state : int, optional
        Seed: the same seed gives the same bytes; drawn from the system unless given.

    Attributes
    ----------
    suppressed_ : dict
        Suppressed cells by column.
    suppressions_ : int
        Their sum.
    cost_, least_, gap_ : float
        What they cost (as many as there are, without ``importance``), a cost below which no
        k-anonymous release exists, and the difference: how far the search may be from the best.
    violations_ : dict
        For each reading of missing values, how many records of the release are below k in some
        combination.

    Notes
    -----
    **Definition.** f(r) counts the records that share the keys of r, under the reading named
    by ``missing``: ``any`` (a missing value matches anything; what most tools mean) or
    ``value`` (it is a value of its own). Cells are chosen greedily by records helped per unit
    of cost, then superfluous ones are restored. Under ``any`` one suppressed record counts for
    every class that it may belong to, which saves many cells.

    **Guarantee.** f(r) >= k for every record and every key combination under the reading
    named; ``value`` implies ``any``. Where a person has several rows f counts persons. A column
    of the household (person) is blanked in all its rows, so that no relative and no other year
    shows what was suppressed, and f holds in the file whose gaps a reader has filled in from
    them; so is a number that moves with another one, as an age with the year. Not claimed: the
    smallest number (NP-hard). ``least_`` is proven (see ``grouping.least_cells``); it counts rows
    and is weaker where persons have several. Under ``any`` the smallest number is at most k - 1
    times the columns, since empty records match all: the gap is then wide, and that is a reason
    to read gaps as ``value``, not to want fewer of them.

    **Cost.** A few passes over the classes for each subset of the keys, at most 16,384 of them;
    above 14 columns large subsets are not tried, and a warning says so, with the gap.

    **Known attacks.** Under ``any``, an intruder who takes a gap for a value of its own sees
    smaller classes.

    References
    ----------
    De Waal and Willenborg (1998); Sweeney (2002).

    Examples
    --------
    >>> import tacit as tc
    >>> table = {"a": ["x", "x", "y", "y", "z"], "b": ["p", "p", "p", "p", "p"]}
    >>> data = tc.Microdata.of(table, quasi=["a", "b"])
    >>> LocalSuppression(k=2).fit(data).suppressions_
    1
    """

    title = "Local suppression"
    family = "suppression"
    purpose = "remove the few values that make a combination of keys rare"
    goal = "hide in a crowd"
    plain = {"k": "people in each group"}
    strength = Strength("k", 2, float("inf"), whole=True)
    attacker = "informed.local_suppression:AwareSuppression"
    keeps_gaps = False
    keeps_levels = True
    changes_types = "an integer column of pandas cannot hold a missing value"
    whole_file = (
        "it counts how often keys occur in the file, and in a block they occur less, "
        "so it would blank far more"
    )

    def __init__(
        self,
        k: Annotated[int, Ge(2)] = 3,
        keys: list[list[str]] | None = None,
        missing: Literal["any", "value"] = "any",
        importance: dict[str, Annotated[float, Gt(0)]] | None = None,
        columns: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.k = k
        self.keys = keys
        self.missing = missing
        self.importance = importance
        self.columns = columns
        self.random_state = random_state

    def touches(self, data: Microdata) -> list[str]:
        """The columns of the combinations; a quasi-identifier in none of them leaves as it is."""
        if self.keys is None or self.columns is not None:
            return super().touches(data)
        return list(dict.fromkeys(name for key in self.keys for name in key))

    def reads(self, data: Microdata) -> list[str]:
        """The columns of the combinations, and who is a person."""
        keys = {*self._targets(data), *data.schema.names(role=Role.person)}
        return [name for name in data.names if name in keys]

    def _targets(self, data: Microdata) -> list[str]:
        keys = self.keys or []
        named = [name for key in keys for name in key]
        if self.keys is not None and self.columns is None:
            names = self.touches(data)
            for name in names:
                data.schema[name]  # raises if there is no such column
            return names
        names = super()._targets(data)
        outside = [name for name in named if name not in names]
        if outside:
            raise ColumnError(
                f"keys names '{outside[0]}', which is not a column to protect; "
                "add it to columns=[...]"
            )
        return names

    def _fit(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> None:
        self._keep(data, columns, self._found(data, columns, rng))

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        found = self._found(data, columns, rng)
        return self._blank(data, columns, found.cells)

    def _fit_apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        # the search is the work; it is not done twice
        found = self._found(data, columns, rng)
        self._keep(data, columns, found)
        return self._blank(data, columns, found.cells)

    def outcome(self) -> dict[str, object]:
        """How many cells were blanked, and how many fewer could have done at best."""
        return {
            "suppressed": self.suppressed_,
            "cost": self.cost_,
            "at_least": self.least_,
            "gap": self.gap_,
        }

    def _found(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Found:
        """Which cells are to be blanked."""
        importance = self.importance or {}
        people = units.persons(data)
        if people.number < self.k:
            raise ParameterError(
                f"k={self.k} is larger than the number of {people.words} ({people.number}): "
                "suppression cannot help"
            )
        unknown = [name for name in importance if name not in columns]
        if unknown:
            raise ColumnError(
                f"importance names '{unknown[0]}', which is not a column to protect"
            )
        # whatever the kind of a column, only equality of its values counts
        sharing = Sharing.of(data, columns)
        # a gap that another row fills is no gap to a reader
        read = data if sharing is None else filled(data).data
        codes = coded(read, columns)
        cells = np.zeros(codes.shape, dtype=np.bool_)
        price = np.array([importance.get(name, 1.0) for name in columns])
        combinations = self._combinations(columns)
        for _ in range(ROUNDS):
            # a suppression for one combination never hurts another under 'any'; under 'value'
            # it may: go round
            before = cells.sum()
            for places in combinations:
                part = np.where(cells[:, places], -1, codes[:, places])
                how = part, self.k, price[places], self.missing, rng
                if sharing is None:
                    cells[:, places] |= suppress(*how)
                else:
                    of_part = sharing.of_columns(places)
                    cells[:, places] |= suppress_for_people(*how, of_part)
            if cells.sum() == before or len(combinations) == 1:
                break
        cost = float(cells.sum(axis=0) @ price)
        found = Found(cells, cost, self._least(codes, price, combinations))
        self._warn_of_width(found, combinations)
        return found

    def _least(
        self, codes: Ints, price: Floats, combinations: Sequence[list[int]]
    ) -> float:
        """What any release must cost: combinations without a common column add up."""
        proven = [
            (least_cost(codes[:, places], self.k, price[places], self.missing), places)
            for places in combinations
        ]
        total, taken = 0.0, set[int]()
        for least, places in sorted(proven, key=lambda pair: -pair[0]):
            if taken.isdisjoint(places):
                total += least
                taken.update(places)
        return total

    def _warn_of_width(self, found: Found, combinations: Sequence[list[int]]) -> None:
        """Say so when the search for few cells is cut short, and by how much at most."""
        width = max(len(places) for places in combinations)
        most = largest_set(width)
        if most < width:
            what = "cells are blank" if self.importance is None else "is what they cost"
            warnings.warn(
                f"{width} columns have too many sets to try: sets of up to {most} were, and "
                "records that need more lose their columns one by one, so more cells may be "
                f"blank than need be: {found.cost:,.9g} {what}, and at least {found.least:,.9g} "
                f"is needed (a gap of at most {found.cost - found.least:,.9g}); "
                "name fewer columns, or smaller combinations: keys=[...]",
                TacitWarning,
                stacklevel=2,
            )

    def _combinations(self, columns: list[str]) -> list[list[int]]:
        """The places of the columns of each combination that must be k-anonymous."""
        if self.keys is None:
            return [list(range(len(columns)))]
        named = [key for key in self.keys if key]
        if not named:
            raise ParameterError(
                "keys names no combination of columns; name some, or leave it out"
            )
        return [[columns.index(name) for name in key] for key in named]

    def _keep(
        self,
        data: Microdata,
        columns: list[str],
        found: Found,
    ) -> None:
        """Count what was blanked, and what is left below k under both readings."""
        cells = found.cells
        self.cost_, self.least_ = found.cost, found.least
        self.gap_ = found.cost - found.least
        counts = cells.sum(axis=0)
        self.suppressed_ = {
            name: int(count) for name, count in zip(columns, counts, strict=True)
        }
        self.suppressions_ = int(cells.sum())
        # counted on the release itself, not taken from the search
        release = self._blank(data, columns, cells)
        left = coded(filled(release, data).data, columns)
        people = units.persons(data).labels
        below = {reading: np.zeros(data.n, dtype=np.bool_) for reading in READINGS}
        for places in self._combinations(columns):
            for reading in READINGS:
                few = few_people(left[:, places], people, self.k, reading)
                below[reading] |= few
        self.violations_ = {
            str(reading): int(records.sum()) for reading, records in below.items()
        }

    def _blank(
        self,
        data: Microdata,
        columns: list[str],
        cells: Bools,
    ) -> Microdata:
        """The file without these cells."""
        values = np.where(cells, np.nan, data.numbers(columns))
        return data.with_numbers(columns, values)


def coded(data: Microdata, columns: list[str]) -> Ints:
    """Distinct values of each column as 0, 1, ...; -1 where missing."""
    out = np.empty((data.n, len(columns)), dtype=np.int64)
    for j, name in enumerate(columns):
        values = data.column(name)
        gaps = np.isnan(values)
        if data.schema[name].scale is Kind.continuous:
            # categories have codes already, numbers do not
            _, places = np.unique(values, return_inverse=True)
            values = places.ravel().astype(np.float64)
        out[:, j] = np.where(gaps, -1, values)
    return out
