"""The most exposed records of a file on the disk, found from its combinations of keys."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core.key_counts import KeyColumns, group_rows
from tacit.data.out_of_core.pieces import spans
from tacit.risk.combinations import tally


def exposed_rows(
    file: OnDisk,
    names: Sequence[str],
    weight: str | None,
    risk: Floats,
    times: Ints,
    most: int,
) -> list[tuple[int, int]]:
    """(row, combination) of the most exposed records, the most exposed first.

    Parameters
    ----------
    file : OnDisk
        The file.
    names, weight : str
        The columns of ``Combinations.of``.
    risk, times : array
        Of each combination: the risk, and on how many sets of keys it is alone.
    most : int
        How many records are wanted; of equally exposed ones the first in the file.
    """
    keys, records, _ = tally(file, names, weight).read()
    order = np.lexsort((-times, -risk))
    # combinations that are equally exposed stand on one level
    new = (np.diff(risk[order]) != 0) | (np.diff(times[order]) != 0)
    starts = [0, *(np.flatnonzero(new) + 1).tolist(), len(order)]
    found: list[tuple[int, int]] = []
    for first, stop in pairwise(starts):
        level = order[first:stop]
        wanted = min(most - len(found), int(records[level].sum()))
        found += _first_rows(file, names, keys, level, wanted)
        if len(found) == most:
            break
    return found


def _first_rows(
    file: OnDisk, names: Sequence[str], keys: Ints, level: Ints, wanted: int
) -> list[tuple[int, int]]:
    """The first rows of the file that have one of these combinations."""
    source = KeyColumns.of(file, list(names))
    found: list[tuple[int, int]] = []
    for first, stop in spans(source.n):
        # labels are given in order: those of the combinations come first
        label, _ = group_rows(np.concatenate([keys[level], source.read(first, stop)]))
        of_rows = label[len(level) :]
        rows = np.flatnonzero(of_rows < len(level))[: wanted - len(found)]
        found += [(first + int(row), int(level[of_rows[row]])) for row in rows]
        if len(found) == wanted:
            break
    return found


def cells_of(file: OnDisk, names: Sequence[str], row: int) -> dict[str, object]:
    """The values of one row."""
    some = next(iter(file.table.in_turn(1, list(names), row, row + 1)))
    return {name: some.column(name)[0].as_py() for name in names}
