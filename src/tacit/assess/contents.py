"""Everything in the release is looked at: identifiers, raw columns, raw records.

Roles say what the intruder knows. They never say what need not be checked: a column under another
name, a copy, or a column that nobody called a quasi-identifier is released all the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata, Role
from tacit.data.same_values import (
    OTHER_CODES,
    Originals,
    SameValues,
    Values,
    same_values,
    values_of,
)
from tacit.data.units import households, persons

UNITS = (Role.person, Role.household)
# What the data holder has said to be released as it is: no intruder is taken to know it
DECLARED = (Role.confidential, Role.weight)


@dataclass(frozen=True)
class Contents:
    """What a release holds beside what was attacked."""

    identifiers: dict[str, str] = field(default_factory=dict)
    """Released column -> why it names people."""
    raw: dict[str, SameValues] = field(default_factory=dict)
    """Released column -> the original column whose values it has, where nobody declared it."""
    declared: list[str] = field(default_factory=list)
    """Raw columns that were declared confidential or weights: released as they are, on purpose."""
    inferred: dict[str, str] = field(default_factory=dict)
    """Raw columns that were taken for such ones, which nobody said -> why."""
    unknown: list[str] = field(default_factory=list)
    """Released columns that correspond to no original column."""
    singled_out: float = 0.0
    """Share of the released records that the raw columns alone lead to, ties shared."""
    raw_records: float = 0.0
    """Share of the released records that equal one original record, and no other, in all columns
    that both files have and nobody declared; beyond chance, where it is known whose they are."""
    pseudonyms: list[str] = field(default_factory=list)
    """Identifiers that the plan replaced by codes of a secret key; who belongs together is left."""


def look(
    original: Microdata,
    masked: Microdata,
    rows: Ints | None,
    keyed: frozenset[str] = frozenset(),
) -> Contents:
    """Look at every released column and record.

    ``rows`` is the masked row of each original (-1: not released), or None if it is not known.
    ``keyed`` are columns whose values the plan replaced by codes of a secret key. Without a plan
    nobody can say that codes are not an encoding or a plain hash, which can be turned back.
    """
    identifiers: dict[str, str] = {}
    raw: dict[str, SameValues] = {}
    declared: list[str] = []
    inferred: dict[str, str] = {}
    unknown: list[str] = []
    pseudonyms: list[str] = []
    originals = Originals(original, rows)
    for name in masked.names:
        source = same_values(originals, masked, name)
        role = _role(original, name, source)
        if name in keyed and _no_value_left(original, masked, name):
            pseudonyms.append(name)
        elif role is Role.identifier:
            identifiers[name] = _why(name, source)
        elif source is None:
            if name not in original.schema:
                unknown.append(name)
        elif role in DECLARED:
            said = original.schema[source.column]
            if said.role_guess:
                inferred[name] = said.role_guess
            else:
                declared.append(name)
        elif role in UNITS and source.relation == OTHER_CODES:
            continue  # who has which release number is drawn: attacks say what it gives away
        else:
            raw[name] = source
    return Contents(
        identifiers,
        raw,
        declared,
        inferred,
        unknown,
        _singled_out(original, masked, raw),
        _raw_records(original, masked, rows),
        pseudonyms,
    )


def _no_value_left(
    original: Microdata,
    masked: Microdata,
    name: str,
) -> bool:
    """No value of the released column stands in the original one of that name."""
    if name not in original.schema:
        return False
    ours, theirs = values_of(original, name), values_of(masked, name)
    if ours.dtype.kind != theirs.dtype.kind:
        ours, theirs = ours.astype(np.str_), theirs.astype(np.str_)
    return not bool(np.isin(theirs, ours).any())


def _role(
    original: Microdata,
    name: str,
    source: SameValues | None,
) -> Role:
    """The role of a released column: that of the original it comes from, by value or by name."""
    if source is not None:
        return original.schema[source.column].role
    if name in original.schema:
        return original.schema[name].role
    return Role.other


def _why(name: str, source: SameValues | None) -> str:
    if source is None:
        return f"'{name}' is an identifier of the original file"
    if source.column == name:
        return f"'{name}' is an identifier and was released as it is"
    return f"'{name}' holds the values of the identifier '{source.column}'"


def _combinations(
    columns: Iterable[tuple[Values, Values]], lengths: tuple[int, int]
) -> tuple[Ints, Ints]:
    """One number for each combination of values, the same in both files.

    Columns are taken one at a time: a file may be larger than memory.
    """
    length = lengths[0]
    combined = np.zeros(sum(lengths), dtype=np.int64)
    for ours, theirs in columns:
        if ours.dtype.kind != theirs.dtype.kind:
            ours, theirs = ours.astype(np.str_), theirs.astype(np.str_)
        both = np.concatenate([ours, theirs])
        if both.dtype.kind == "f":
            both = _rounded(both)
        values, code = np.unique(both, return_inverse=True)
        # combinations that occur, counted anew after each column: the numbers stay small
        pair = combined * len(values) + code
        _, combined = np.unique(pair, return_inverse=True)
    return combined[:length], combined[length:]


def _rounded(values: Values) -> Values:
    """Seven significant digits: what a file rounds away does not make a value another one."""
    size = np.abs(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        power = np.where(size > 0, np.floor(np.log10(size)), 0.0)
    unit = 10.0 ** (np.nan_to_num(power) - 6)
    rounded: Values = np.round(values / unit) * unit
    return rounded


def _singled_out(
    original: Microdata,
    masked: Microdata,
    raw: dict[str, SameValues],
) -> float:
    """Mean over released records of 1 / (originals with the same values in the raw columns)."""
    if not raw or not masked.n:
        return 0.0
    pairs = (
        (values_of(original, found.column), found.values) for found in raw.values()
    )
    ours, theirs = _combinations(pairs, (original.n, masked.n))
    width = int(theirs.max()) + 1
    count = np.bincount(ours, minlength=width)
    alike = count[theirs]
    risk = np.where(alike > 0, 1.0 / np.maximum(alike, 1), 0.0)
    return float(risk.mean())


def _raw_records(original: Microdata, masked: Microdata, rows: Ints | None) -> float:
    """Share of released records that stand in the original as they are, and only once.

    Where it is known whose row is whose, what chance gives is subtracted: other people may have
    the same few categories. Records of one's own are compared with random rows; records of anybody
    with records of other people (how often an original equals exactly one other, and any other) and
    with columns in orders of their own (the product of the shares of their values).
    """
    undeclared = (Role.quasi, Role.other)
    names = [
        name
        for name in masked.names
        if name in original.schema and original.schema[name].role in undeclared
    ]
    if len(names) < 2 or not masked.n:
        return 0.0
    pairs = ((values_of(original, name), values_of(masked, name)) for name in names)
    ours, theirs = _combinations(pairs, (original.n, masked.n))
    width = int(theirs.max()) + 1
    count = np.bincount(ours, minlength=width)
    once = count[theirs] == 1
    if rows is None:
        return float(once.mean())
    known = np.flatnonzero(rows >= 0)
    own = once[rows[known]] & (ours[known] == theirs[rows[known]])
    # who equals somebody else does so by chance, and would as often have met the own record
    elsewhere = float(once.sum() - own.sum())
    of_own = _beyond(int(own.sum()), elsewhere / max(original.n - 1, 1), masked.n)
    bearers = _bearers(original, ours, width)
    twice = 2.0 * float(((count == 2) & (bearers == 2)).sum()) / original.n
    shared = float((bearers[ours] > 1).mean())
    first = np.unique(ours, return_index=True)[1]
    hits = _products(original, masked, names, first)
    alone = float(hits[count[ours[first]] == 1].sum())
    of_one = _beyond(int(once.sum()), masked.n * twice + alone, masked.n)
    # couples who are no household to the file look like people who are equal by chance
    equal = int((count[theirs] > 0).sum())
    of_any = _beyond(equal, masked.n * shared + float(hits.sum()), masked.n)
    return max(of_own, of_one, of_any) / masked.n


def _bearers(original: Microdata, ours: Ints, width: int) -> Ints:
    """How many households, persons or records have each combination."""
    units = households(original) or persons(original)
    if units.single:
        return np.asarray(np.bincount(ours, minlength=width), np.int64)
    pairs = np.unique(np.column_stack([ours, units.labels]), axis=0)[:, 0]
    return np.asarray(np.bincount(pairs, minlength=width), np.int64)


def _products(
    original: Microdata, masked: Microdata, names: list[str], rows: Ints
) -> Floats:
    """How many released records are expected to equal each of these originals, if columns were
    independent of each other."""
    expected = np.full(len(rows), float(masked.n))
    for name in names:
        ours, theirs = values_of(original, name)[rows], values_of(masked, name)
        if ours.dtype.kind != theirs.dtype.kind:
            ours, theirs = ours.astype(np.str_), theirs.astype(np.str_)
        values, count = np.unique(theirs, return_counts=True)
        place = np.minimum(np.searchsorted(values, ours), len(values) - 1)
        same = values[place] == ours
        if ours.dtype.kind == "f":
            same |= np.isnan(ours) & np.isnan(values[place])
        expected *= np.where(same, count[place] / masked.n, 0.0)
    return expected


def _beyond(found: int, by_chance: float, of: int) -> float:
    """How many were found beyond chance; 0 where that is luck (four standard deviations)."""
    spread = by_chance * max(1.0 - by_chance / of, 0.0)
    return (
        found - by_chance if found > by_chance + 4.0 * float(np.sqrt(spread)) else 0.0
    )
