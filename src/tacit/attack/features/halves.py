"""Who is known and who is linked: nothing that holds for a person alone is learned from them."""

from __future__ import annotations

import numpy as np

from tacit.attack.features.two_files import TwoFiles
from tacit.attack.identical_rows import FACTOR
from tacit.base.typing import Floats, Ints


def marks(files: TwoFiles) -> Ints:
    """A number of what is known of each original; its last bit is the half that it is in.

    Whole units, and identical records, are in one half; and nothing depends on the order of rows.
    """
    each = hashes(files.known_values(), files.n)
    least = np.full(int(files.unit.max(initial=-1)) + 1, np.iinfo(np.uint64).max)
    np.minimum.at(least, files.unit, each)
    return (least[files.unit] >> np.uint64(1)).astype(np.int64)


def once(files: TwoFiles, rows: Ints, own: Ints, others: Ints) -> Ints:
    """One of the equal rows of a unit: each would tell of the other what is left out of its own."""
    known = [*files.known_values(), files.unit.astype(np.float64)]
    each = hashes(known, files.n)[rows]
    place = np.empty(files.m, np.int64)
    place[others] = np.arange(files.m)
    order = np.lexsort((place[own[rows]], each))
    first = np.diff(each[order], prepend=~each[order[:1]]) != 0
    return np.sort(rows[order[first]])


def in_order(
    files: TwoFiles, rows: Ints, own: Ints, numbers: Ints, others: Ints
) -> Ints:
    """An order of known pairs that does not depend on the files': by what is known and released."""
    each = hashes(files.known_values(), files.n)[rows]
    place = np.empty(files.m, np.int64)
    place[others] = np.arange(files.m)
    return np.lexsort((place[own[rows]], each, numbers[rows])).astype(np.int64)


def hashes(columns: list[Floats], n: int) -> np.ndarray:
    """A number of the values of each row."""
    each = np.zeros(n, np.uint64)
    for values in columns:
        column = np.ascontiguousarray(np.nan_to_num(values, nan=-1.0) + 0.0, np.float64)
        each = (each ^ column.view(np.uint64)) * FACTOR
        each ^= each >> np.uint64(32)
    return each
