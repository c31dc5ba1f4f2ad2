"""Whose rows were found: links of rows, counted as links of persons and firms.

Where a person has several rows, a row that is linked to any row of the same person has led to the
person. So a link is right where it names a row of the right unit, and what is counted are units.
Which unit an attacker names is the vote of its rows (``unit_votes``) where the release says whose
rows are whose, and else the surest of their links.
"""

from __future__ import annotations

import numpy as np

from tacit.attack.group_structure import group_numbers, small_groups
from tacit.attack.solver.csr import owners
from tacit.base.typing import TIE, Floats, Ints
from tacit.data.microdata import Microdata, Role
from tacit.data.pair import read_as
from tacit.data.units import Units, persons, records


def counted_units(data: Microdata) -> Units:
    """The units that attacks on this file count: persons, whoever an identifier names, or records.

    An identifier whose values come several times says whose rows these are (the rows of a firm),
    unless another identifier has one value for each row.

    >>> data = Microdata.of(
    ...     {"firm": list("aabbcc"), "x": [1.5, 2, 3, 4, 5, 6]}, identifier=["firm"]
    ... )
    >>> counted_units(data).number
    3
    """
    if data.schema.names(role=Role.person):
        return persons(data)
    best = records(data.n)
    partitions = [
        group_numbers(data.table.column(name))[0]
        for name in data.schema.names(role=Role.identifier)
    ]
    # the finest: a name that two firms share does not make them one
    for labels in sorted(partitions, key=lambda one: -int(one.max(initial=-1))):
        if labels.max(initial=-1) + 1 == data.n:
            break
        if small_groups(np.bincount(labels)):
            best = Units("unit", labels)
            break
    return best


def to_own_unit(
    masked_class: Ints,
    indptr: Ints,
    classes: Ints,
    probability: Floats,
    truth: Ints,
    units: Units,
) -> Floats:
    """Probability that the record named for each original is one of its own unit's.

    Parameters
    ----------
    masked_class, indptr, classes, probability : arrays
        What is named, as in ``Matching``.
    truth : array of int
        The masked row of each original; -1: not released.
    units : Units
        Units of the originals; the masked rows of a unit are those of its originals.
    """
    released = truth >= 0
    masked_unit = np.full(len(masked_class), -1, np.int64)
    masked_unit[truth[released]] = units.labels[released]
    size = np.bincount(masked_class)
    # rows of each unit in each class of identical records
    key = masked_class * (units.number + 1) + masked_unit + 1
    pair, number = np.unique(key, return_counts=True)
    owner = owners(indptr)
    wanted = classes * (units.number + 1) + units.labels[owner] + 1
    place = np.minimum(np.searchsorted(pair, wanted), len(pair) - 1)
    own = np.where(pair[place] == wanted, number[place], 0)
    share = probability * own / size[classes]
    found = np.bincount(owner, weights=share, minlength=len(truth))
    return np.asarray(np.where(released, found, 0.0), dtype=np.float64)


def released_units(
    original: Microdata, masked: Microdata, units: Units
) -> Units | None:
    """Whose row each masked record is, as the release says; None: it does not.

    A release that has more units than the original numbers the rows of a unit apart, and says
    nothing about who is the same.
    """
    theirs = counted_units(read_as(original, masked))
    return None if theirs.single or theirs.number > units.number else theirs


def by_surest(
    success: Floats,
    match: Ints,
    truth: Ints,
    ties: Floats,
    margin: Floats,
    units: Units,
) -> Floats:
    """The probability that each unit is found by the link that the attacker is surest of.

    Of a unit's rows that one is taken which has the fewest records to choose from, and then the
    longest lead over the next best; equal ones share. A row that is left over, because the release
    has fewer of the unit, says nothing.
    """
    says = (truth >= 0) & (match >= 0)
    fewest = units.lowest(np.where(says, ties, np.nan))[units.labels]
    sure = says & (ties <= fewest * (1 + TIE))
    # where no lead was worked out, none is longer
    lead = np.where(sure, np.nan_to_num(margin, nan=0.0, posinf=np.inf), np.nan)
    longest = units.highest(lead)[units.labels]
    sure &= np.nan_to_num(margin, nan=0.0, posinf=np.inf) >= longest * (1 - TIE)
    total = np.bincount(units.labels, success * sure, minlength=units.number)
    many = np.bincount(units.labels, sure, minlength=units.number)
    return np.asarray(total / np.maximum(many, 1))
