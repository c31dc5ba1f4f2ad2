"""The most exposed records of a file on the disk, found from its combinations of keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core.key_counts import KeyColumns, group_rows
from tacit.data.out_of_core.number_files import NumberSource
from tacit.data.out_of_core.pieces import spans


class Places(Protocol):
    """Where combinations are in a file."""

    def __call__(self, level: Ints, first: int, stop: int) -> Ints:
        """Of each record of a span its combination, if it is one of these; else -1."""
        ...


@dataclass(frozen=True)
class ByKeys:
    """Combinations are known by their keys."""

    source: KeyColumns
    keys: Ints

    def __call__(self, level: Ints, first: int, stop: int) -> Ints:
        """Labels are given in order: those of the combinations come first."""
        some = self.source.read(first, stop)
        label, _ = group_rows(np.concatenate([self.keys[level], some]))
        of_rows = label[len(level) :]
        known = np.minimum(of_rows, len(level) - 1)
        return np.where(of_rows < len(level), level[known], -1)


@dataclass(frozen=True)
class ByNumber:
    """The number of each record's combination stands on the disk."""

    row: NumberSource

    def __call__(self, level: Ints, first: int, stop: int) -> Ints:
        """Those that are asked for."""
        number = self.row.read(first, stop)
        return np.where(np.isin(number, level), number, -1)


def exposed_rows(
    places: Places,
    records: Ints,
    risk: Floats,
    times: Ints,
    most: int,
    person: NumberSource | None = None,
) -> list[tuple[int, int]]:
    """(row, combination) of the most exposed records, the most exposed first.

    Parameters
    ----------
    places : Places
        Where combinations are.
    records : array
        How many records have each combination.
    risk, times : array
        Of each combination: the risk, and on how many sets of keys it is alone.
    most : int
        How many records are wanted; of equally exposed ones the first in the file.
    person : NumberSource, optional
        Whose record each is: of a person only the most exposed one is wanted.
    """
    order = np.lexsort((-times, -risk))
    # combinations that are equally exposed stand on one level
    new = (np.diff(risk[order]) != 0) | (np.diff(times[order]) != 0)
    starts = [0, *(np.flatnonzero(new) + 1).tolist(), len(order)]
    found: list[tuple[int, int]] = []
    known: set[int] = set()
    for first, stop in pairwise(starts):
        level = order[first:stop]
        for row, place in _rows_of(places, level, records):
            if person is not None:
                who = int(person.read(row, row + 1)[0])
                if who in known:
                    continue
                known.add(who)
            found.append((row, place))
            if len(found) == most:
                return found
    return found


def _rows_of(places: Places, level: Ints, records: Ints) -> Iterator[tuple[int, int]]:
    """The rows of the file that have one of these combinations, and which."""
    total = int(records.sum())
    left = int(records[level].sum())
    for first, stop in spans(total):
        place = places(level, first, stop)
        for row in np.flatnonzero(place >= 0).tolist():
            yield first + row, int(place[row])
            left -= 1
        if not left:
            return


def cells_of(file: OnDisk, names: Sequence[str], row: int) -> dict[str, object]:
    """The values of one row."""
    some = next(iter(file.table.in_turn(1, list(names), row, row + 1)))
    return {name: some.column(name)[0].as_py() for name in names}
