"""How the values of a confidential column are shared out inside each class of records.

l-diversity and t-closeness both read the same table of cells (class, value, count).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.base.errors import ColumnError
from tacit.base.typing import Bools, Floats, Ints
from tacit.data.microdata import Microdata, Role
from tacit.data.pair import read_as
from tacit.data.units import Units
from tacit.risk.classes import classes, codes
from tacit.risk.frequencies import key_codes, keyed
from tacit.risk.judged import Judged

NO_CONFIDENTIAL = "no column has the role confidential"


@dataclass(frozen=True)
class Shares:
    """Cells (class, value) that occur, by class and, inside a class, by falling count."""

    label: Ints
    value: Ints
    count: Floats  # persons (or records); one with several values is shared out
    start: Ints  # first cell of each class; one more entry at the end
    size: Floats  # persons (or records) of each class with the value present

    @property
    def number(self) -> int:
        """number of classes"""
        return len(self.start) - 1

    @property
    def occupied(self) -> Bools:
        """classes in which some record has a value"""
        return np.asarray(np.diff(self.start) > 0)

    @property
    def share(self) -> Floats:
        """share of each cell in its class"""
        return np.asarray(self.count / self.size[self.label])

    def sum_by_class(self, cells: Floats | Bools) -> Floats:
        """Add up a number of each cell over the cells of each class."""
        total = np.bincount(self.label, weights=cells, minlength=self.number)
        return np.asarray(total, np.float64)


def shares(
    labels: Ints,
    number: int,
    values: Ints,
    units: Units | None = None,
) -> Shares:
    """Count each value in each class. Records whose value is missing (-1) are left out.

    Persons count once in each class: of m records there, each counts 1 / m.
    """
    present = values >= 0
    # One whole number for each pair (class, value), so that one sort counts them all.
    base = max(int(values.max()) + 1 if len(values) else 1, 1)
    packed = labels[present] * base + values[present]
    cell, place = np.unique(packed, return_inverse=True)
    each = _once(labels, present, units)
    total = np.bincount(place, weights=each, minlength=len(cell))
    count = total.astype(np.float64)
    label, value = cell // base, cell % base
    # by class, then by falling count; the value decides between equal counts
    order = np.lexsort((value, -count, label))
    label, value = label[order], value[order]
    count = count[order]
    every = np.arange(number + 1)
    start = np.searchsorted(label, every).astype(np.int64)
    size = np.bincount(label, weights=count, minlength=number)
    # thirds add up to whole persons
    return Shares(label, value, count, start, np.round(size, 9))


def _once(labels: Ints, present: Bools, units: Units | None) -> Floats:
    """What each row with a value counts, so that every person counts once in each class."""
    if units is None:
        return np.ones(int(present.sum()))
    # rows without a value are in a class of their own, where nobody is counted
    counted = np.where(present, labels, labels.max(initial=-1) + 1)
    return units.once(counted)[present]


@dataclass(frozen=True)
class ColumnShares:
    """One confidential column in the classes of the keys."""

    labels: Ints  # class of each record
    values: Ints  # code of each record's value, -1 where missing
    cells: Shares


def column_shares(
    data: Microdata,
    keys: Sequence[str],
    column: str,
    units: Units | None = None,
) -> ColumnShares:
    """Share out a confidential column over the classes of records that agree on the keys."""
    if column in keys:
        raise ColumnError(
            f"the confidential column '{column}' is also a key; "
            "leave it out of the keys"
        )
    labels, number = classes(key_codes(data, keys))
    values = codes(data.numbers([column]))[:, 0]
    return ColumnShares(labels, values, shares(labels, number, values, units))


def keys_and_confidential(
    original: object,
    masked: object,
    keys: Sequence[str] | None,
    confidential: Sequence[str] | None,
) -> tuple[Judged, list[str], list[str]]:
    """The release, its keys (all quasi-identifiers if none has categories), its targets."""
    if confidential is None:
        known = read_as(Microdata.of(original), masked)
        confidential = known.schema.names(role=Role.confidential)
    judged = Judged.of(original, masked, keys, every=True, beside=confidential)
    release = judged.data if judged.on_disk is None else judged.on_disk
    _, names = keyed(release, judged.keys or None)
    return judged, names, list(confidential)


def judged_shares(judged: Judged, keys: Sequence[str], column: str) -> ColumnShares:
    """``column_shares`` of a release, from its combinations where it is on the disk.

    The values of the column are then counted in combinations of the keys and the column, and
    ``labels`` are the classes of the rows of ``judged``.
    """
    _, names = keyed(judged.on_disk or judged.data, keys)
    if judged.on_disk is None:
        return column_shares(judged.data, names, column, judged.units)
    from tacit.risk.combinations import Combinations, rows_like

    who = None if judged.units.single else judged.who
    cells = Combinations.of(judged.on_disk, [*names, column], who=who)
    ours = key_codes(judged.data, names)
    theirs = key_codes(cells.data, names)
    labels, of_cells = rows_like(ours, theirs)
    number = int(labels.max(initial=-1)) + 1
    values = codes(cells.data.numbers([column]))[:, 0]
    shared = shares(of_cells, number, values, cells.units)
    return ColumnShares(labels, values, shared)
