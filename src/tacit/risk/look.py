"""A look before protection: how exposed the file is as it stands, and which keys cause it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import numpy as np

from tacit.base import facts
from tacit.base.errors import ColumnError
from tacit.base.options import checked
from tacit.base.typing import Floats
from tacit.data.buffers import array_of
from tacit.data.microdata import Microdata, Role
from tacit.data.units import Units, households, persons
from tacit.risk.frequencies import key_codes, keyed
from tacit.risk.individual import individual, with_households
from tacit.risk.key_sets import KeySets, Seen, Size

if TYPE_CHECKING:
    from tacit.data.io.on_disk import OnDisk
    from tacit.risk.combinations import Combinations

USUAL_K = (2, 3, 5, 10)
"""The sizes of a group in common use, which are counted."""
RISKIEST = 10
# from this group size on offices usually accept a key
ENOUGH = 3


@dataclass(frozen=True)
class Riskiest:
    """One of the most exposed records (of a person: the most exposed one)."""

    row: int
    """From 1, as a person counts them."""
    risk: float
    alone_on: tuple[str, ...]
    """The fewest keys that were seen to single it out; empty: none do."""
    values: Mapping[str, object]


@dataclass(frozen=True)
class Look:
    """The risk of a file as it is, before protection.

    Attributes
    ----------
    uniques, violations
        Units alone with their keys; units in a group below k, by k.
    sizes
        The same for every number of keys, from one to all.
    contributions
        Share of the risk that each key adds, in percent; they sum to 100.
    alone
        Units that each key singles out by itself.
    in_file
        Re-identifications expected of an intruder who knows all keys, and who is in the file.
    expected
        The same of an intruder who does not know who is in the file, by the sampling weights.
    riskiest
        The ten most exposed records.
    """

    records: int
    unit: str
    units: int
    households: int | None
    keys: tuple[str, ...]
    weighted: bool
    uniques: int
    violations: Mapping[int, int]
    sizes: tuple[Size, ...]
    contributions: Mapping[str, float]
    alone: Mapping[str, int]
    in_file: float
    expected: float
    expected_household: float | None
    riskiest: tuple[Riskiest, ...] = field(repr=False)
    sampled: bool
    """Too many sets of keys: only some were looked at."""
    seconds: float

    @property
    def verdict(self) -> str:
        """One sentence; it never says that a file is safe, because nobody has attacked it."""
        few = self.violations[ENOUGH]
        if not few:
            return (
                f"not protected yet: no group of fewer than {ENOUGH} {self.unit}s on these keys; "
                "other columns were not looked at, and nothing was attacked"
            )
        # an expectation; where it is a whole number of people it is written as one
        named = f"{self.in_file:,.1f}".removesuffix(".0")
        return (
            f"NOT SAFE as it is, before protection: {self.uniques:,} of {self.units:,} "
            f"{self.unit}s ({self.uniques / self.units:.1%}) are alone with their "
            f"{len(self.keys)} keys, {few:,} are in groups below {ENOUGH}; an intruder who "
            f"knows who is in the file names {named} of them"
        )

    def to_dict(self) -> dict[str, object]:
        """Plain types, as ``tacit risk --json`` prints them."""
        return {
            "stage": "before protection",
            "verdict": self.verdict,
            "records": self.records,
            "unit": self.unit,
            "units": self.units,
            "households": self.households,
            "keys": list(self.keys),
            "weighted": self.weighted,
            "uniques": self.uniques,
            "violations": {str(k): units for k, units in self.violations.items()},
            "by_number_of_keys": [size.to_dict() for size in self.sizes],
            "contributions": dict(self.contributions),
            "alone": dict(self.alone),
            "in_file": self.in_file,
            "expected": self.expected,
            "expected_household": self.expected_household,
            "riskiest": [
                {
                    "row": one.row,
                    "risk": one.risk,
                    "alone_on": list(one.alone_on),
                    "values": {name: _plain(v) for name, v in one.values.items()},
                }
                for one in self.riskiest
            ],
            "sampled": self.sampled,
            "seconds": self.seconds,
        }

    def __repr__(self) -> str:
        return f"Look({self.verdict})"


@facts.measure("Before protection", passes="keys")
@checked
def look(
    data: object,
    keys: Sequence[str] | None = None,
    weight: str | None = None,
) -> Look:
    """Risk of a file as it is: small groups, the keys that cause them, the most exposed records.

    Parameters
    ----------
    data : frame or Microdata
        The file before protection; in Microdata roles say who is counted (persons), who lives
        together and what the weight is.
    keys : list of str, optional
        What an intruder knows; the quasi-identifiers unless given.
    weight : str, optional
        Column of sampling weights; in Microdata the one whose role is weight.

    Notes
    -----
    **Definition.** f = units (persons, or records) that share a record's key; a missing value
    is a value of its own, which never makes f larger. A violation of k is a unit with a record
    of f < k. Sets of keys: all of them up to eight keys, else the prefixes of random orders.
    A key's contribution is its Shapley value: the mean, over orders of the keys, of what it
    adds to the mean of 1/f. Expected re-identifications: sum over units of 1/f for an intruder
    who knows who is in the file, and of E(1/F | f) (see ``individual``) for one who does not;
    the latter rests on weights, and means little for keys that are numbers with many digits.
    **Range.** 0 to the number of units; 0 violations: every key is shared by k units. Higher:
    more people stand out. It says nothing about numbers that are known roughly, nor about
    columns that are no keys: for that, protect and ``assess``.

    References
    ----------
    Samarati (2001); Franconi and Polettini (2004); Shapley (1953) for the contributions.

    Examples
    --------
    >>> people = {"age": [30, 30, 40, 40], "sex": ["f", "f", "f", "m"]}
    >>> seen = look(people)
    >>> seen.uniques, seen.alone, [round(x) for x in seen.contributions.values()]
    (2, {'age': 0, 'sex': 1}, [50, 50])
    """
    start = time.perf_counter()
    # a frame has no roles: nothing says who lives together
    has_roles = isinstance(data, Microdata)
    micro, names = keyed(data, keys)
    if not micro.n:
        raise ColumnError("the file has no records to look at")
    combined = None if micro.in_memory else _combined(micro, names, weight)
    # of a file on the disk its combinations of keys are counted in place of its records
    counted = data if combined is None else combined.data
    units = persons(micro) if combined is None else combined.units
    homes = households(micro) if has_roles else None
    # what rests on weights is only shown where there are any
    weighted = weight is not None or (
        has_roles and bool(micro.schema.names(role=Role.weight))
    )
    codes = key_codes(micro if combined is None else combined.data, names)
    sets = KeySets(codes, units, USUAL_K)
    whose = None if combined is None else combined.units
    # a gap as a value of its own never makes the risk smaller
    risk = individual(counted, names, weight, missing="category", units=whose)
    if combined is not None and has_roles:
        risk = with_households(risk, cast("OnDisk", micro), combined.row)
    seen = sets.seen()
    # the last size is that of all keys
    everything = seen.sizes[-1]
    return Look(
        records=micro.n,
        unit=units.word,
        units=units.number,
        households=None if homes is None else homes.number,
        keys=tuple(names),
        weighted=weighted,
        uniques=everything.worst[2],
        violations=everything.worst,
        sizes=tuple(size.named(names) for size in seen.sizes),
        contributions=dict(zip(names, seen.contributions, strict=True)),
        alone=dict(zip(names, seen.alone, strict=True)),
        in_file=seen.in_file,
        expected=risk.expected,
        expected_household=risk.expected_household,
        riskiest=_riskiest(
            names,
            risk.record,
            seen,
            _riskiest_rows(micro, names, units, risk.record, seen)
            if combined is None
            else _riskiest_on_disk(micro, names, weight, combined, risk.record, seen),
        ),
        sampled=seen.sampled,
        seconds=time.perf_counter() - start,
    )


def _combined(
    data: Microdata, names: Sequence[str], weight: str | None
) -> Combinations:
    """The combinations of keys of a file on the disk."""
    # measured: what reads files is not loaded where they are in memory
    from tacit.data.io.on_disk import OnDisk
    from tacit.risk.combinations import Combinations, has_units, weight_of

    assert isinstance(data, OnDisk)
    who = persons(data) if has_units(data) else None
    return Combinations.of(data, names, weight_of(data, weight), who)


Exposed = list[tuple[int, int, dict[str, object]]]
"""(row, where its risk stands, its values)"""


def _riskiest(
    names: Sequence[str], risk: Floats, seen: Seen, found: Exposed
) -> tuple[Riskiest, ...]:
    """The ten most exposed units: highest risk, then alone on the most sets of keys."""
    return tuple(
        Riskiest(
            row=row + 1,
            risk=float(risk[place]),
            alone_on=tuple(
                name for j, name in enumerate(names) if int(seen.fewest[place]) >> j & 1
            ),
            values=values,
        )
        for row, place, values in found
    )


def _riskiest_on_disk(
    data: Microdata,
    names: Sequence[str],
    weight: str | None,
    combined: Combinations,
    risk: Floats,
    seen: Seen,
) -> Exposed:
    """The most exposed rows of a file of which the combinations of keys were counted."""
    from tacit.data.io.on_disk import OnDisk
    from tacit.data.out_of_core.key_counts import KeyColumns
    from tacit.data.spread import Spread
    from tacit.risk.combinations import tally, weight_of
    from tacit.risk.exposed_rows import ByKeys, ByNumber, Places, cells_of, exposed_rows

    assert isinstance(data, OnDisk)
    if combined.row is None:
        keys, _, _ = tally(data, names, weight_of(data, weight)).read()
        places: Places = ByKeys(KeyColumns.of(data, list(names)), keys)
    else:
        places = ByNumber(combined.row)
    units = combined.units
    person = units.who.labels if isinstance(units, Spread) else None
    rows = exposed_rows(places, units.times, risk, seen.times, RISKIEST, person)
    return [(row, place, cells_of(data, names, row)) for row, place in rows]


def _riskiest_rows(
    data: Microdata, names: Sequence[str], units: Units, risk: Floats, seen: Seen
) -> Exposed:
    """Of each unit its most exposed record, the most exposed units first."""
    order = np.lexsort((-seen.times, -risk))
    # of each unit its most exposed record
    unit = units.labels[order]
    _, first = np.unique(unit, return_index=True)
    # unique sorts by unit: the places bring back the order of risk
    places = np.sort(first)[:RISKIEST]
    rows = order[places]
    # column by column: a file may be larger than memory
    places = array_of(rows)
    by_key = [data.table.column(name).take(places).to_pylist() for name in names]
    cells = [dict(zip(names, row, strict=True)) for row in zip(*by_key, strict=True)]
    return [
        (int(row), int(row), values) for row, values in zip(rows, cells, strict=True)
    ]


def _plain(value: object) -> object:
    """A value as JSON can hold it."""
    return value if isinstance(value, int | float | str | None) else str(value)
