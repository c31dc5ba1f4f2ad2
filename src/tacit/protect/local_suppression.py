"""Local suppression to k-anonymity."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeGuard

import numpy as np
from annotated_types import Ge, Gt

from tacit.base.errors import ColumnError, ParameterError, TacitWarning
from tacit.base.facts import Strength
from tacit.base.typing import Bools, Floats, Ints
from tacit.data import units
from tacit.data.fill_in import filled
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Kind, Microdata, Role
from tacit.protect import by_address
from tacit.protect.base import Passes, Protector, Seed
from tacit.protect.by_rank import ties_of
from tacit.protect.grouping.anonymity import largest_set, random_rows, suppress_classes
from tacit.protect.grouping.blanks_from_disk import KeyTable, blanked
from tacit.protect.grouping.class_blanks import ClassBlanks
from tacit.protect.grouping.key_classes import Reading, compress, frequencies
from tacit.protect.grouping.least_cells import least_cost
from tacit.protect.grouping.people_file import (
    MOST_COLUMNS,
    How,
    PeopleFile,
    blanked_for_people,
)
from tacit.protect.grouping.people_from_disk import suppressed
from tacit.protect.grouping.unit_anonymity import (
    Sharing,
    few_people,
    suppress_for_people,
    whose_cells,
)

ROUNDS = 100
"""Most rounds over several key combinations; every round but the last blanks more cells."""
READINGS: tuple[Reading, ...] = ("any", "value")


class Found(NamedTuple):
    """The cells to blank, what they cost, and what any choice costs at least."""

    cells: Bools
    cost: float
    least: float


class FoundClasses(NamedTuple):
    """The same of classes: what is blanked of each, and how many cells of each column."""

    keys: Ints
    state: ClassBlanks | PeopleFile
    counts: Ints
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
        if self._by_classes(data):
            self._keep_classes(columns, self._from_disk(data, columns, rng)[1])
            return
        self._keep(data, columns, self._found(data, columns, rng))

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        if self._by_classes(data):
            return self._from_disk(data, columns, rng)[0]
        found = self._found(data, columns, rng)
        return self._blank(data, columns, found.cells)

    def passes_of(self, data: Microdata) -> Passes:
        """Combinations are searched, and no records.

        Where a gap stands in a column whose cells other rows show (a region of the household), or
        there are more than 38 columns, a file with persons or households is held: what a reader
        fills in is then searched for record by record.
        """
        columns = self._targets(data)
        words = whose_cells(data, columns)
        if words is None:
            return "keys"
        shared = [name for name, word in zip(columns, words, strict=True) if word]
        wide = len(columns) > MOST_COLUMNS
        return "together" if wide or any(_has_gap(data, n) for n in shared) else "keys"

    def _by_classes(self, data: Microdata) -> TypeGuard[OnDisk]:
        on_disk = isinstance(data, OnDisk) and data.n > by_address.BLOCK
        return on_disk and self.passes_of(data) == "keys"

    def _from_disk(
        self, data: OnDisk, columns: list[str], rng: np.random.Generator
    ) -> tuple[OnDisk, FoundClasses]:
        """The release of a file on the disk, and what was found."""
        words = whose_cells(data, columns)
        if words is not None:
            return self._people_from_disk(data, columns, words, rng)
        people = units.persons(data)
        self._refuse(columns, people.number, people.words)
        ties = ties_of(rng)
        table = KeyTable.of(data, columns)
        state = self._searched(table.codes, table.count, columns, rng)
        counts = state.count @ state.cells
        found = self._found_classes(table, columns, counts, state)
        return blanked(data, columns, table, state, ties), found

    def _people_from_disk(
        self,
        data: OnDisk,
        columns: list[str],
        words: Sequence[str | None],
        rng: np.random.Generator,
    ) -> tuple[OnDisk, FoundClasses]:
        """As ``_for_people``, of a file on the disk."""
        people, homes = units.persons(data), units.households(data)
        self._refuse(columns, people.number, people.words)
        number = {None: people.number, "person": people.number}
        if homes is not None:
            number["household"] = homes.number
        each = [max(1.0, people.number / number[word]) for word in words]
        price = self._prices(columns)
        table = KeyTable.of(data, columns)
        file = PeopleFile.of(data, table, len(columns))
        bits = {word: _bits_of(words, word) for word in ("person", "household")}
        combinations = self._combinations(columns)
        for _ in range(ROUNDS):
            before = int(file.count_cells().sum())
            for places in combinations:
                cost = price[places] * np.array([each[place] for place in places])
                how = How(self.k, cost, self.missing, bits["person"], bits["household"])
                file = suppressed(file, table.codes, places, how, rng)
            if int(file.count_cells().sum()) == before or len(combinations) == 1:
                break
        found = self._found_classes(table, columns, file.count_cells(), file)
        table.counts.remove()
        return blanked_for_people(data, columns, file), found

    def _found_classes(
        self,
        table: KeyTable,
        columns: list[str],
        counts: Ints,
        state: ClassBlanks | PeopleFile,
    ) -> FoundClasses:
        """What blanks cost, and what any must."""
        price, combinations = self._prices(columns), self._combinations(columns)
        least = self._least(table.codes, price, combinations, table.count)
        found = FoundClasses(table.codes, state, counts, float(counts @ price), least)
        self._warn_of_width(found, combinations)
        return found

    def _keep_classes(self, columns: list[str], found: FoundClasses) -> None:
        """As ``_keep``, of classes."""
        self._keep_cost(columns, found.counts, found.cost, found.least)
        state = found.state
        for reading in READINGS:
            below = np.zeros(len(state.count), dtype=np.bool_)
            for places in self._combinations(columns):
                if isinstance(state, PeopleFile):
                    below |= state.below(found.keys, places, self.k, reading)
                else:
                    shown = state.shown[:, places]
                    below |= frequencies(shown, reading, state.count) < self.k
            self.violations_[str(reading)] = int(state.count[below].sum())

    def _fit_apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        # the search is the work; it is not done twice
        if self._by_classes(data):
            release, of_classes = self._from_disk(data, columns, rng)
            self._keep_classes(columns, of_classes)
            return release
        found = self._found(data, columns, rng)
        self._keep(data, columns, found)
        return self._blank(data, columns, found.cells)

    def outcome(self) -> dict[str, object]:
        """How many cells were blanked, how many fewer could have done at best, and who is still
        below k under each reading of a gap."""
        return {
            "suppressed": self.suppressed_,
            "cost": self.cost_,
            "at_least": self.least_,
            "gap": self.gap_,
            "below_k": self.violations_,
        }

    @classmethod
    def told(cls, outcome: Mapping[str, Any]) -> str:
        """As ``Protector.told``."""
        cells = outcome["suppressed"]
        where = ", ".join(f"{name} {count:,}" for name, count in cells.items() if count)
        text = f"{sum(cells.values()):,} cells blanked"
        if where:
            text += f" ({where}); every release without a group below k costs at least "
            text += f"{outcome['at_least']:,.6g} (these cost {outcome['cost']:,.6g})"
        alone = outcome.get("below_k", {}).get("value", 0)
        if alone:
            text += f"; {alone:,} records are in groups below k for whoever takes a gap for a value"
        return text

    def _found(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Found:
        """Which cells are to be blanked."""
        people = units.persons(data)
        self._refuse(columns, people.number, people.words)
        # whatever the kind of a column, only equality of its values counts
        sharing = Sharing.of(data, columns)
        # a gap that another row fills is no gap to a reader
        read = data if sharing is None else filled(data).data
        codes = coded(read, columns)
        price = self._prices(columns)
        combinations = self._combinations(columns)
        if sharing is None:
            distinct, label, count = compress(codes)
            rows = random_rows(label, rng)
            cells = self._searched(distinct, count, columns, rng).of_records(rows)
        else:
            cells = self._for_people(codes, sharing, price, combinations, rng)
        cost = float(cells.sum(axis=0) @ price)
        found = Found(cells, cost, self._least(codes, price, combinations))
        self._warn_of_width(found, combinations)
        return found

    def _for_people(
        self,
        codes: Ints,
        sharing: Sharing,
        price: Floats,
        combinations: Sequence[list[int]],
        rng: np.random.Generator,
    ) -> Bools:
        """The cells to blank where rows are shared by persons or households."""
        cells = np.zeros(codes.shape, dtype=np.bool_)
        for _ in range(ROUNDS):
            # a suppression for one combination never hurts another under 'any'; under 'value'
            # it may: go round
            before = cells.sum()
            for places in combinations:
                part = np.where(cells[:, places], -1, codes[:, places])
                how = part, self.k, price[places], self.missing, rng
                of_part = sharing.of_columns(places)
                cells[:, places] |= suppress_for_people(*how, of_part)
            if cells.sum() == before or len(combinations) == 1:
                break
        return cells

    def _searched(
        self, keys: Ints, count: Ints, columns: list[str], rng: np.random.Generator
    ) -> ClassBlanks:
        """The cells to blank of each combination, where every record is a person."""
        state, price = ClassBlanks.of(keys, count), self._prices(columns)
        combinations = self._combinations(columns)
        for _ in range(ROUNDS):
            before = state.count @ state.cells.sum(axis=1)
            for places in combinations:
                how = self.k, price[places], self.missing, rng
                state = suppress_classes(state, places, *how)
            after = state.count @ state.cells.sum(axis=1)
            if after == before or len(combinations) == 1:
                break
        return state

    def _prices(self, columns: list[str]) -> Floats:
        importance = self.importance or {}
        return np.array([importance.get(name, 1.0) for name in columns])

    def _refuse(self, columns: list[str], people: int, words: str) -> None:
        """Raise where suppression cannot help, or a column is not among those protected."""
        if people < self.k:
            raise ParameterError(
                f"k={self.k} is larger than the number of {words} ({people}): "
                "suppression cannot help"
            )
        unknown = [name for name in self.importance or {} if name not in columns]
        if unknown:
            raise ColumnError(
                f"importance names '{unknown[0]}', which is not a column to protect"
            )

    def _least(
        self,
        codes: Ints,
        price: Floats,
        combinations: Sequence[list[int]],
        records: Ints | None = None,
    ) -> float:
        """What any release must cost: combinations without a common column add up."""
        proven = [
            (
                least_cost(
                    codes[:, places], self.k, price[places], self.missing, records
                ),
                places,
            )
            for places in combinations
        ]
        total, taken = 0.0, set[int]()
        for least, places in sorted(proven, key=lambda pair: -pair[0]):
            if taken.isdisjoint(places):
                total += least
                taken.update(places)
        return total

    def _warn_of_width(
        self, found: Found | FoundClasses, combinations: Sequence[list[int]]
    ) -> None:
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
        self._keep_cost(columns, cells.sum(axis=0), found.cost, found.least)
        # counted on the release itself, not taken from the search
        release = self._blank(data, columns, cells)
        left = coded(filled(release, data).data, columns)
        people = units.persons(data).labels
        below = {reading: np.zeros(data.n, dtype=np.bool_) for reading in READINGS}
        for places in self._combinations(columns):
            for reading in READINGS:
                few = few_people(left[:, places], people, self.k, reading)
                below[reading] |= few
        for reading, records in below.items():
            self.violations_[str(reading)] = int(records.sum())

    def _keep_cost(
        self, columns: list[str], counts: Ints, cost: float, least: float
    ) -> None:
        """How many cells were blanked, and what they cost."""
        self.cost_, self.least_, self.gap_ = cost, least, cost - least
        self.suppressed_ = {
            name: int(count) for name, count in zip(columns, counts, strict=True)
        }
        self.suppressions_ = int(counts.sum())
        self.violations_: dict[str, int] = {}

    def _blank(
        self,
        data: Microdata,
        columns: list[str],
        cells: Bools,
    ) -> Microdata:
        """The file without these cells."""
        values = np.where(cells, np.nan, data.numbers(columns))
        return data.with_numbers(columns, values)


def _bits_of(words: Sequence[str | None], word: str) -> int:
    """A bit for each column that is theirs."""
    return sum(1 << place for place, one in enumerate(words) if one == word)


def _has_gap(data: Microdata, name: str) -> bool:
    """Is some value of a column missing?"""
    return data.once(
        f"gap in {name}",
        lambda: any(
            bool(np.isnan(some).any()) for some in data.in_turn([name], 1 << 17)
        ),
    )


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
