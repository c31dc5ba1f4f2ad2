"""Targeted record swapping: risky households change places with similar ones elsewhere."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le

from tacit.base.errors import ColumnError, TacitWarning
from tacit.base.facts import Strength
from tacit.base.typing import Bools, Floats, Ints
from tacit.data import units
from tacit.data.microdata import Microdata
from tacit.protect.base import Protector, Seed
from tacit.protect.file_parts import strata_of


class RecordSwapping(Protector):
    """Let households that stand out in their area change areas with similar households.

    Parameters
    ----------
    rate : float
        Share of the households that change places, at least; those at risk always do.
    k : int
        A household is at risk in an area where fewer than k persons share the keys of a member.
    keys : list of str, optional
        Columns by which a person stands out in an area; the quasi-identifiers unless given.
    similar : list of str, optional
        Columns that a household and its partner must share, besides the number of members.
    columns : list of str
        The areas, from the largest to the smallest (region, district); required.
    random_state : int, optional
        Seed: the same seed gives the same bytes; drawn from the system unless given.

    Attributes
    ----------
    swapped_ : array of bool
        The rows whose household has changed places.
    unmatched_ : int
        Households at risk for which no partner of their size was left.

    Notes
    -----
    **Definition.** From the largest areas to the smallest: each household at risk in its area, in
    random order, takes a partner that has not been swapped yet, with as many members, equal in
    ``similar``, and in another area of that level, if possible inside the same larger area; the
    two exchange all area columns. Where nobody is equal in ``similar``, size alone decides. Then
    more households are drawn, with probability in proportion to 1 / (persons who share the keys
    in the smallest area), until the share ``rate`` is reached. Without a household column every
    person (or record) is a household of one.

    **Guarantee.** Columns that are no areas stay as they are; in every area the numbers of
    households, of persons and of households of each size stay the same; all members stay
    together. At least the share ``rate`` is swapped, or a warning says how many are. No bound on
    risk: who is unique in the whole file stays so, in an area that may be wrong.

    **Cost.** One count of keys per level, and for each swap a look at households of the same size.
    Of a file larger than memory its columns are held: a swap depends on who has moved before.

    **Known attacks.** Other columns link as before, and an intruder who knows the method knows
    who is at risk, hence was moved.

    References
    ----------
    Shlomo, Tudor and Groom (2010).

    Examples
    --------
    >>> import tacit as tc
    >>> homes = {"home": [1, 1, 2, 2, 3, 3, 4, 4], "town": list("aaaabbbb"), "age": [40, 5] * 4}
    >>> data = tc.Microdata.of(homes, household="home", quasi=["age"])
    >>> swapping = RecordSwapping(columns=["town"], rate=0.5, random_state=1)
    >>> sorted(swapping.fit_transform(data).table["town"].to_pylist())
    ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b']
    """

    title = "Targeted record swapping"
    family = "swapping"
    purpose = "move households that stand out in their area to another one"
    goal = "exchange values between people"
    plain = {
        "rate": "share of the households that move",
        "keys": "keys that make somebody stand out",
    }
    strength = Strength("rate", 0.01, 1.0)
    attacker = "informed.record_swapping:AwareRecordSwapping"
    keeps_levels = True
    example = {"columns": ["region"], "keys": ["age", "school"]}
    whole_file = "partners are looked for in other areas, and a block has few of them"

    def __init__(
        self,
        rate: Annotated[float, Ge(0), Le(1)] = 0.05,
        k: Annotated[int, Ge(1)] = 3,
        keys: list[str] | None = None,
        similar: list[str] | None = None,
        columns: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.rate = rate
        self.k = k
        self.keys = keys
        self.similar = similar
        self.columns = columns
        self.random_state = random_state

    def touches(self, data: Microdata) -> list[str]:
        """The areas."""
        return list(self.columns or [])

    def _targets(self, data: Microdata) -> list[str]:
        if not self.columns:
            raise ColumnError(
                "RecordSwapping needs the areas between which households are swapped, from the "
                "largest to the smallest: columns=[...]"
            )
        for name in [*self.columns, *(self.keys or []), *(self.similar or [])]:
            data.schema[name]  # raises if there is no such column
        both = [name for name in self.keys or [] if name in self.columns]
        if both:
            raise ColumnError(
                f"'{both[0]}' is both an area and a key; leave it out of one"
            )
        return list(self.columns)

    def _fit(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> None:
        homes = _homes(data, columns)
        source, self.unmatched_ = self._sources(data, columns, homes, rng)
        moved = source != np.arange(homes.number)
        self.swapped_ = moved[homes.labels]

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        homes = _homes(data, columns)
        source, _ = self._sources(data, columns, homes, rng)
        # every member takes the areas of the partner's first row
        first = homes.order[homes.starts]
        rows = first[source[homes.labels]]
        return data.with_numbers(columns, data.numbers(columns)[rows])

    def _sources(
        self,
        data: Microdata,
        columns: list[str],
        homes: units.Units,
        rng: np.random.Generator,
    ) -> tuple[Ints, int]:
        """The household whose areas each one takes, and how many found no partner."""
        # an area that moves is no mark by which somebody stands out in it
        asked = data.quasi if self.keys is None else self.keys
        keys = [name for name in asked if name not in columns]
        first = homes.order[homes.starts]
        # districts may have the same name in two regions: an area is named from the top
        areas = [strata_of(data, columns[: level + 1]) for level in range(len(columns))]
        one_each = homes.labels[_first_rows(data, homes)]
        size = np.bincount(one_each, minlength=homes.number)
        similar = self._similar(data, homes, first)
        search = Search(
            area=np.stack([area[first] for area in areas]),
            strict=_pairs(size, similar),
            size=size.astype(np.int64),
            rng=rng,
        )
        crowd = [_sharing(data, homes, keys, area) for area in areas]
        unmatched = 0
        for level, sharing in enumerate(crowd):
            # a household is swapped once: who moved at a larger level stays where it is
            risky = np.flatnonzero((sharing < self.k) & search.free)
            # in file order the first would take the best partners
            for home in rng.permutation(risky):
                if search.free[home] and not search.swap(int(home), level):
                    unmatched += 1
        self._fill_up(search, 1.0 / np.maximum(crowd[-1], 1))
        return search.source, unmatched

    def _fill_up(self, search: Search, weight: Floats) -> None:
        """Swap more households, the rarer the likelier, until the rate is reached."""
        number = len(search.source)
        # 0.07 * 100 is a little above 7: the small number keeps that from asking for 8
        wanted = int(np.ceil(self.rate * number - 1e-9))
        # a draw without replacement with these weights: the smallest exponential times first
        times = search.rng.exponential(size=number) / weight
        turn = np.argsort(times, kind="stable")
        for home in turn:
            if (~search.free).sum() >= wanted:
                return
            if search.free[home]:
                search.swap(int(home), len(search.area) - 1)
        # fewer than asked for is less protection than the plan says
        swapped = int((~search.free).sum())
        if swapped < wanted:
            warnings.warn(
                f"{swapped} of {number} households were swapped, and {wanted} were asked for: "
                "the others have nobody of their size in another area",
                TacitWarning,
                stacklevel=2,
            )

    def _similar(self, data: Microdata, homes: units.Units, first: Ints) -> Ints:
        """What a partner must share, besides the size."""
        names = self.similar or []
        units.require_level(data, homes, names)
        return strata_of(data, names)[first]


@dataclass
class Search:
    """Households that look for partners."""

    area: Ints
    """The area of each household, one row per level."""
    strict: Ints
    """Households with the same number are alike in size and in ``similar``."""
    size: Ints
    rng: np.random.Generator

    def __post_init__(self) -> None:
        number = self.area.shape[1]
        self.source = np.arange(number)
        self.free = np.ones(number, dtype=np.bool_)
        # looked up for every swap, hence made once
        self._members = [_lists(self.strict), _lists(self.size)]

    def swap(self, home: int, level: int) -> bool:
        """Exchange areas with a free household elsewhere; False where there is none."""
        for labels, members in zip(
            (self.strict, self.size), self._members, strict=True
        ):
            # alike in everything first; size alone where nobody is
            others = members[labels[home]]
            here = self.area[level, home]
            elsewhere = self.area[level, others] != here
            found = others[self.free[others] & elsewhere]
            if level > 0:
                # inside the larger area the partner's place is the likelier one
                larger = self.area[level - 1]
                near = found[larger[found] == larger[home]]
                found = near if near.size else found
            if found.size:
                partner = int(self.rng.choice(found))
                self.source[[home, partner]] = partner, home
                self.free[[home, partner]] = False
                return True
        return False


def _homes(data: Microdata, areas: list[str]) -> units.Units:
    """The households; persons or records where there are none. Each is in one area."""
    homes = units.households(data)
    found = units.persons(data) if homes is None else homes
    units.require_level(data, found, areas)
    return found


def _first_rows(data: Microdata, homes: units.Units) -> Bools:
    """The first row of each person: what the size of a household is counted by."""
    people = units.persons(data)
    out = np.zeros(data.n, dtype=np.bool_)
    out[people.order[people.starts]] = True
    return out


def _sharing(
    data: Microdata,
    homes: units.Units,
    keys: list[str],
    area: Ints,
) -> Ints:
    """The fewest persons who share the keys of a member in its area, for each household."""
    label = _pairs(strata_of(data, keys), area)
    people = units.persons(data).labels
    in_class = np.column_stack([label, people])
    who = np.unique(in_class, axis=0)
    # five rows of one person are one who shares the keys
    count = np.bincount(who[:, 0])
    persons = count[label].astype(np.float64)
    return homes.lowest(persons).astype(np.int64)


def _pairs(a: Ints, b: Ints) -> Ints:
    """Labels of pairs of labels, numbered from 0."""
    width = int(b.max(initial=0)) + 1
    _, label = np.unique(a * width + b, return_inverse=True)
    return np.asarray(label, dtype=np.int64)


def _lists(labels: Ints) -> list[Ints]:
    """The places of each label."""
    order = np.argsort(labels, kind="stable")
    count = np.bincount(labels)
    ends = np.cumsum(count)[:-1]
    return np.split(order, ends)
