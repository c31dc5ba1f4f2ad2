"""Frequencies of key combinations in the sample and, by weights, in the population."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from tacit.base.errors import ColumnError, InputError
from tacit.base.options import checked
from tacit.base.typing import Floats, Ints
from tacit.data.buffers import whole_of
from tacit.data.microdata import Kind, Microdata, Role
from tacit.data.units import Units, persons, records
from tacit.risk.classes import classes, column_codes
from tacit.risk.counting import count

Missing = Literal["any", "category"]

NO_KEYS = (
    "no quasi-identifier is nominal or ordinal; numbers are judged by linkage "
    "(name keys to count them anyway)"
)
# The sizes k of a group that a summary counts: the ones in common use.
_USUAL_K = (2, 3, 5, 10)


@dataclass(frozen=True)
class Frequencies:
    """Frequencies of every record's key.

    Attributes
    ----------
    sample
        How many persons share the record's key (records, where no column has the role person).
    population
        The sum of their weights.
    keys
        The key columns.
    """

    sample: Ints
    population: Floats
    keys: tuple[str, ...]
    classes: int
    """Number of different keys."""
    labels: Ints = field(repr=False)
    """The class of each record."""
    units: Units = field(repr=False)
    """Whose records these are."""

    def violations(self, k: int) -> int:
        """Persons (or records) of whom some record has a key that fewer than k share."""
        below = self.sample < k
        if self.units.single:
            return self.units.marked(below)
        return self.units.having(below)

    @property
    def uniques(self) -> int:
        """persons (or records) alone with their key"""
        return self.violations(2)

    def to_dict(self) -> dict[str, object]:
        """Summary in plain types."""
        people = {"persons": self.units.number} if self.units.word == "person" else {}
        return {
            "keys": list(self.keys),
            "records": self.units.records,
            **people,
            "classes": self.classes,
            "violations": {str(k): self.violations(k) for k in _USUAL_K},
            "smallest": int(self.sample.min(initial=0)) if len(self.sample) else 0,
        }

    def __repr__(self) -> str:
        below = ", ".join(f"{self.violations(k)} below {k}" for k in _USUAL_K[:3])
        counted = f"{self.units.records} records, {self.classes} keys"
        return f"Frequencies({counted}; {self.units.words}: {below})"


def keyed(data: object, keys: Sequence[str] | None) -> tuple[Microdata, list[str]]:
    """The data, and the key columns: those named, or else the quasi-identifiers."""
    microdata = Microdata.of(data)
    names = microdata.quasi if keys is None else list(keys)
    if not names:
        raise ColumnError(
            "there are no key columns; name some (keys=[...], or --quasi)"
        )
    for name in names:
        # asking for an unknown column is an error that names the known ones
        microdata.schema[name]
    return microdata, names


def key_codes(data: Microdata, names: Sequence[str]) -> Ints:
    """The key columns as codes, -1 where missing.

    Equal values have equal codes; some codes may be left out.
    """
    coded = np.empty((data.n, len(names)), np.int64, order="F")
    for j, name in enumerate(names):
        whole = _whole_numbers(data, name)
        if whole is None:
            coded[:, j] = column_codes(data.column(name), dense=False)
        else:
            coded[:, j] = whole
    return coded


def _whole_numbers(data: Microdata, name: str) -> Ints | None:
    """Whole numbers in a short range are codes as they are: none need be looked up."""
    values = data.table.column(name)
    is_whole = str(values.type).startswith("int")
    if not is_whole or values.null_count or not data.n:
        return None
    # by its buffer: `to_numpy` would import pandas
    numbers = whole_of(values).astype(np.int64, copy=False)
    low = int(numbers.min())
    high = int(numbers.max())
    # as in `classes`: a table of four entries per record is quicker than a sort
    short = high - low < max(4 * data.n, 4096)
    return np.asarray(numbers - low) if short else None


def weights_of(data: Microdata, weight: str | None) -> Floats | None:
    """Sampling weights: the column named, or the one whose role is weight; None if none.

    Roles count in Microdata only: of a plain frame the weight must be named, since a guess
    could be the wrong one.
    """
    if weight is None:
        candidates = data.schema.names(role=Role.weight)
        if not candidates:
            return None
        weight = candidates[0]
    if data.schema[weight].scale is not Kind.continuous:
        # a column of few different weights looks like codes
        schema = data.schema.set(continuous=[weight])
        data = data.with_schema(schema)
    values = data.column(weight)
    bad = ~(values > 0)  # a missing weight is bad too
    if bad.any():
        row = int(np.argmax(bad)) + 1
        raise InputError(
            f"column '{weight}', row {row}: a sampling weight must be a number above 0"
        )
    return values


@checked
def frequencies(
    data: object,
    keys: Sequence[str] | None = None,
    weight: str | None = None,
    *,
    missing: Missing = "any",
    units: Units | None = None,
) -> Frequencies:
    """Sample frequency f and population frequency F of every record's key.

    Parameters
    ----------
    data : frame or Microdata
        The file to be counted.
    keys : list of str, optional
        Key columns; the quasi-identifiers unless given.
    weight : str, optional
        Column of sampling weights; in Microdata the one whose role is weight.
    missing : {'any', 'category'}
        'any': a missing value agrees with every value; 'category': it is a value of its own.
    units : Units, optional
        Whose records these are; in Microdata the persons.

    Notes
    -----
    **Definition.** f_i = number of persons with a record that agrees with record i on every key
    (records, where there is no person); F_i = sum of their weights (f_i without weights).
    A suppressed cell agrees with every value for an intruder, and k-anonymity by suppression
    holds only with ``missing="any"``.
    **Range.** 1 to n. There is no 0: every record agrees with itself. Higher is safer.

    References
    ----------
    Samarati (2001) for k-anonymity; Franconi and Polettini (2004) for weights.

    Examples
    --------
    >>> table = {"age": [30, 30, 40], "w": [2.0, 3.0, 4.0]}
    >>> f = frequencies(table, keys=["age"], weight="w")
    >>> f.sample.tolist(), f.population.tolist(), f.violations(2)
    ([2, 2, 1], [5.0, 5.0, 4.0], 1)
    """
    has_roles = isinstance(data, Microdata)
    microdata, names = keyed(data, keys)
    coded = key_codes(microdata, names)
    grouped = classes(coded)
    weights = None
    if has_roles or weight is not None:
        weights = weights_of(microdata, weight)
    if units is None:
        units = persons(microdata) if has_roles else records(microdata.n)
    f, F = count(
        coded, weights, any_matches=missing == "any", grouped=grouped, units=units
    )
    labels, number = grouped
    return Frequencies(f, F, tuple(names), number, labels, units)
