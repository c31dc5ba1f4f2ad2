"""Which original column does a released column come from, by its values and not by its name?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from tacit.base.typing import Floats, Ints
from tacit.data.buffers import floats_of
from tacit.data.category_codes import floats
from tacit.data.microdata import Microdata

Values: TypeAlias = np.ndarray
"""Numbers or text."""

# A released column is raw where at least this share of its records kept their value: fewer than
# one value in ten changed protects nobody
MOSTLY = 0.9
# Fewer distinct numbers than this agree with some line by chance
FEWEST = 10
# Two numbers closer than this, relative to the column's spread, differ by rounding in a file
NEAR = 1e-9
# a sign that nobody types into a cell
MISSING = "\0"
OTHER_CODES = "the same values under other codes"


@dataclass(frozen=True)
class SameValues:
    """A released column that has the values of an original one, as they are or re-expressed."""

    column: str
    relation: str
    values: Values = field(repr=False)
    """The released column in the values of the original one."""


def values_of(data: Microdata, name: str) -> Values:
    """Numbers as floats (NaN: missing), everything else as text."""
    return values_of_array(data.table.column(name))


def values_of_array(array: pa.ChunkedArray) -> Values:
    """As ``values_of``, of a column as Arrow has it."""
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.int8())
    if pa.types.is_integer(array.type) or pa.types.is_floating(array.type):
        return floats(array)
    # each text once, and then by its place: a list of millions of texts would fill the memory
    coded = array.cast(pa.string()).combine_chunks().dictionary_encode()
    texts = [*coded.dictionary.to_pylist(), MISSING]
    places = floats_of(coded.indices.cast(pa.float64()))
    places = np.where(np.isnan(places), len(texts) - 1, places).astype(np.int64)
    words: Values = np.asarray(texts, dtype=np.str_)
    return np.asarray(words[places])


class Originals:
    """The columns of the original, each read and counted once for all released columns.

    Parameters
    ----------
    data : Microdata
        The original.
    rows : array of int, optional
        The masked row of each original (-1: not released). Without it whole columns are
        compared: the same values in any order.
    """

    def __init__(self, data: Microdata, rows: Ints | None) -> None:
        self.data = data
        self.rows = None if rows is None else rows[rows >= 0]
        self._released = None if rows is None else rows >= 0
        self._values: dict[str, Values] = {}
        self._number: dict[str, int] = {}

    def values(self, name: str) -> Values:
        """Of the records that were released, where that is known."""
        if name not in self._values:
            values = values_of(self.data, name)
            some = values if self._released is None else values[self._released]
            self._values[name] = some
        return self._values[name]

    def number(self, name: str) -> int:
        """How many different ones there are."""
        if name not in self._number:
            self._number[name] = len(np.unique(self.values(name)))
        return self._number[name]


def same_values(
    originals: Originals,
    masked: Microdata,
    name: str,
) -> SameValues | None:
    """The original column that a released column repeats; the one of the same name first."""
    original = originals.data
    theirs = values_of(masked, name)
    if len(np.unique(theirs)) < 2:
        return None  # a constant tells nothing
    own = theirs if originals.rows is None else theirs[originals.rows]
    number = len(np.unique(own))
    first = [name] if name in original.schema else []
    for column in [*first, *(other for other in original.names if other != name)]:
        ours = originals.values(column)
        if originals.rows is None:
            found = _same_in_any_order(ours, theirs)
        else:
            found = _same_by_row(ours, own, theirs)
            # codes are others only where there are as many
            if found is None and originals.number(column) == number:
                found = _recoding(ours, own, theirs)
        if found is not None:
            return SameValues(column, *found)
    return None


def _same_by_row(
    ours: Values,
    own: Values,
    theirs: Values,
) -> tuple[str, Values] | None:
    """Equal in most records, or on a line; ``own``: the masked values of ``ours``."""
    if ours.dtype.kind == own.dtype.kind and share_equal(ours, own) >= MOSTLY:
        return "the same values", theirs
    if ours.dtype.kind == own.dtype.kind == "f":
        line = line_between(ours, own)
        if line is not None:
            return "the same values in other units", (theirs - line[1]) / line[0]
    return None


def _same_in_any_order(ours: Values, theirs: Values) -> tuple[str, Values] | None:
    """The same values as often, in another order of rows; numbers also in other units."""
    if ours.dtype.kind != theirs.dtype.kind:
        return None
    if ours.dtype.kind == "f":
        a = np.sort(ours[~np.isnan(ours)])
        b = np.sort(theirs[~np.isnan(theirs)])
        if len(np.unique(b)) < FEWEST:
            return None
        # a release of some of the records repeats them too
        if np.isin(b, a).mean() >= MOSTLY:
            return "the same values, in another order of rows", theirs
        line = line_between(a, b) if len(a) == len(b) else None
        if line is None:
            return None
        slope, intercept = line
        in_our_units = (theirs - intercept) / slope
        return "the same values in other units and another order", in_our_units
    if len(np.unique(ours)) < FEWEST or np.isin(theirs, ours).mean() < MOSTLY:
        return None
    return "the same values, in another order of rows", theirs


def share_equal(ours: Values, own: Values) -> float:
    """Share of records with the same value, gaps in both counted as the same."""
    same = ours == own
    if ours.dtype.kind == "f":
        same |= np.isnan(ours) & np.isnan(own)
    if not same.any():
        return 0.0
    # a column that is one value almost everywhere would agree with anything like it: what counts
    # are the records that differ from the commonest value
    values, count = np.unique(ours, return_counts=True)
    rare = ours != values[count.argmax()]
    return float(same[rare].mean()) if rare.any() else 0.0


def line_between(ours: Floats, own: Floats) -> tuple[float, float] | None:
    """Slope and intercept of own = slope * ours + intercept, if every record lies on that line."""
    present = ~(np.isnan(ours) | np.isnan(own))
    x, z = ours[present], own[present]
    if len(x) < FEWEST:
        return None
    dx = x - x.mean()
    dz = z - z.mean()
    size = float((dx * dx).sum())
    together = float((dx * dz).sum())
    slope = together / size if size else 0.0
    spread = float(np.abs(dz).max())
    left_over = np.abs(dz - slope * dx)
    off = float(left_over.max())
    if slope == 0.0 or spread == 0.0 or off > NEAR * spread:
        return None
    # last, because it takes longest and almost no column comes so far
    if len(np.unique(x)) < FEWEST:
        return None
    return slope, float(z.mean() - slope * x.mean())


def _recoding(
    ours: Values,
    own: Values,
    theirs: Values,
) -> tuple[str, Values] | None:
    """One new code for each old value: a bijection between the values of the two columns."""
    old, a = np.unique(ours, return_inverse=True)
    new, b = np.unique(own, return_inverse=True)
    # two values can be exchanged by any two-valued column that is like it: that is no recoding
    if len(old) != len(new) or not 3 <= len(old) <= len(ours) / 2:
        return None
    pair = a.astype(np.int64) * len(new) + b
    pairs = np.unique(pair)
    if len(pairs) != len(old):
        return None
    back = np.empty(len(new), dtype=old.dtype)
    back[pairs % len(new)] = old[pairs // len(new)]
    place = np.searchsorted(new, theirs)
    known = new[np.minimum(place, len(new) - 1)] == theirs
    # a value that no aligned record has cannot be read back
    if not known.all():
        return None
    return OTHER_CODES, back[place]
