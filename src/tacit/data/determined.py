"""What a sampling weight says besides itself: the size of the household, the stratum, the region.

A weight that is one over the chance of being drawn is a function of the design. Whoever reads it
reads the columns that it was made of, released or not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Ints
from tacit.data.microdata import Microdata, Role
from tacit.data.same_values import values_of
from tacit.data.units import households, persons

SURE = 0.95
"""Share of the records whose value others of the same weight tell."""
OF_THE_REST = 0.8
"""Share of what the commonest value alone leaves unknown."""


@dataclass(frozen=True)
class Determined:
    """A column that a weight tells."""

    weight: str
    column: str
    share: float
    """Of the records, whose value is the commonest among the others of that weight."""

    def __str__(self) -> str:
        """In one sentence."""
        return (
            f"The weight '{self.weight}' tells {self.column} for {self.share:.0%} of the records: "
            "whoever gets the one has the other."
        )


def determined(data: Microdata) -> list[Determined]:
    """What each weight of a file tells of the other columns and of the sizes of its units.

    >>> survey = Microdata.of(
    ...     {"w": [50.0, 50.0, 25.0, 25.0, 25.0, 25.0], "region": list("aabbbb")}, weight="w"
    ... )
    >>> [str(found)[:45] for found in determined(survey)]
    ["The weight 'w' tells 'region' for 100% of the"]
    """
    weights = [column.name for column in data.schema if column.role is Role.weight]
    if not weights:
        return []
    others = {
        f"'{column.name}'": _labels(values_of(data, column.name))
        for column in data.schema
        if column.role
        not in (Role.weight, Role.identifier, Role.person, Role.household)
    }
    for units in (persons(data), households(data)):
        if units is not None and not units.single:
            others[f"the number of rows of the {units.word}"] = units.sizes[
                units.labels
            ]
    found = [
        Determined(weight, name, share)
        for weight in weights
        for name, labels in others.items()
        if (share := _told(_labels(values_of(data, weight)), labels)) is not None
    ]
    return sorted(found, key=lambda one: -one.share)


def _labels(values: np.ndarray) -> Ints:
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _told(weights: Ints, labels: Ints) -> float | None:
    """Share of the records that the others of their weight tell; None: not clearly more than all.

    A record is told if its value is the commonest among the others of its weight; half, if another
    is as common.
    """
    number = int(labels.max(initial=0)) + 1
    cells, count = np.unique(weights * number + labels, return_counts=True)
    # the values of each weight, the commonest first
    order = np.lexsort((-count, cells // number))
    group, count = cells[order] // number, count[order]
    first = np.flatnonzero(np.diff(group, prepend=-1))
    after = np.minimum(first + 1, len(group) - 1)
    second = np.where(group[after] == group[first], count[after], 0)
    second[after == first] = 0
    # without the record itself its value is once less common
    most, left = count[first], count[first] - 1
    told = np.where(
        left > second, 1.0, np.where((left == second) & (left > 0), 0.5, 0.0)
    )
    share = float((most * told).sum() / max(len(labels), 1))
    common = float(np.bincount(labels).max(initial=0) / max(len(labels), 1))
    clear = share >= SURE and share - common >= OF_THE_REST * (1.0 - common)
    return share if clear and common < 1.0 else None
