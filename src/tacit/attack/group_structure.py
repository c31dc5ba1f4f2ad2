"""Columns that say which records belong together: household, person and firm numbers, and
pseudonyms.

The values of such a column need not be known: a household that was given a new number is still a
household. So a column is described by the sizes of its groups alone, and columns of the two files
belong together by their sizes, whatever their names and values are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.typing import Ints
from tacit.data.buffers import floats_of
from tacit.data.category_codes import floats
from tacit.data.microdata import Microdata

ROLES = frozenset({"household", "person", "identifier"})
"""Roles of columns that name units; by word, so that a role which a schema gains later counts
too."""
SKIPPED = frozenset({"weight"})
"""A weight repeats within units, but says nothing on who belongs together."""
LARGEST = 50
"""Records of a group up to which it is a unit (a household, the rows of a firm) and not a
category."""
GROUPED = 1 / 3
"""Share of records that must be in groups of 2 to ``LARGEST`` for a column to be structure."""
ALIKE = 0.6
"""Share of records in groups of a size that both files have, above which two columns of files of
different length
are taken for the same structure; a sample keeps most of it where units are drawn as a whole."""

NEIGHBOURS = 4
"""Groups of neighbouring values whose members are mixed to see whether membership matters."""


@dataclass(frozen=True)
class Structure:
    """A column that partitions the records: the group of each record, numbered from 0."""

    name: str
    role: str
    groups: Ints
    labels: tuple[object, ...]
    """The value of each group; None for a record without one."""

    @property
    def sizes(self) -> Ints:
        """Records of each group, smallest first."""
        return np.sort(np.bincount(self.groups)).astype(np.int64)

    def at(self, rows: Ints) -> Structure:
        """The same structure of a file whose rows are taken in another order."""
        return replace(self, groups=self.groups[rows])

    @property
    def named(self) -> bool:
        """The schema says that the column names units."""
        return self.role in ROLES


def structures(data: Microdata) -> list[Structure]:
    """The columns that partition the records into small groups.

    >>> data = Microdata.of({"firm": list("aabbcc"), "x": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]})
    >>> [(found.name, found.sizes.tolist()) for found in structures(data)]
    [('firm', [2, 2, 2])]
    """
    found = []
    for column in data.schema:
        if str(column.role) in SKIPPED:
            continue
        values = data.table.column(column.name)
        if str(column.role) not in ROLES and _measured(values):
            continue
        groups, used, known = _coded(values)
        # most columns are no structure: their values need not be listed
        if small_groups(np.bincount(groups)):
            labels = _labels(used, known)
            found.append(Structure(column.name, str(column.role), groups, labels))
    return found


def shared(original: Microdata, masked: Microdata) -> list[tuple[Structure, Structure]]:
    """Each structure of the masked file with the original's that fits it best, the likeliest
    first."""
    ours = structures(original)
    pairs = []
    for theirs in structures(masked):
        rated = [(_fit(known, theirs), -place) for place, known in enumerate(ours)]
        best = max(rated, default=((0.0, 0.0), 0))
        if best[0][0] > 0:
            pairs.append((best[0], ours[-best[1]], theirs))
    pairs.sort(key=lambda pair: pair[0], reverse=True)
    return [(ours, theirs) for _, ours, theirs in pairs]


def group_numbers(values: pa.ChunkedArray) -> tuple[Ints, tuple[object, ...]]:
    """Number of the group of each record, and the value of each group; no value: a group of its
    own."""
    groups, used, known = _coded(values)
    return groups, _labels(used, known)


def _coded(values: pa.ChunkedArray) -> tuple[Ints, Ints, pa.Array]:
    """Number of the group of each record, the code of each group, and the values of codes."""
    column = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if not pa.types.is_dictionary(column.type):
        column = pc.dictionary_encode(column)
    known = column.dictionary
    # as floats, which hold every number of a group, because to_numpy would import pandas
    indices = floats_of(column.indices.cast(pa.float64()))
    codes: Ints = np.nan_to_num(indices, nan=-1.0).astype(np.int64)
    absent = codes < 0
    codes = np.where(absent, len(known) - 1 + np.cumsum(absent), codes)
    used, groups = np.unique(codes, return_inverse=True)
    return groups.astype(np.int64), used, known


def _labels(used: Ints, known: pa.Array) -> tuple[object, ...]:
    """The value of each code; None for one of a gap."""
    values = known.to_pylist()
    return tuple(values[code] if code < len(values) else None for code in used.tolist())


def readable(ours: Structure, theirs: Structure) -> bool:
    """Both columns have the same values, and no schema says that they are numbers of units.

    Such a column may as well be a quantity whose values were swapped: equal sizes prove nothing.
    """
    named = ours.named or theirs.named
    return (
        not named
        and ours.name == theirs.name
        and set(ours.labels) == set(theirs.labels)
    )


def blurred(structure: Structure, rng: np.random.Generator) -> Ints:
    """Groups of the same sizes whose members are mixed with those of groups of neighbouring
    values."""
    labels = structure.labels
    try:
        order = sorted(
            range(len(labels)), key=lambda g: (labels[g] is None, labels[g] or 0)
        )
    except TypeError:
        order = sorted(range(len(labels)), key=lambda g: str(labels[g]))
    rank = np.empty(len(labels), np.int64)
    rank[order] = np.arange(len(labels))
    window = rank[structure.groups] // NEIGHBOURS
    along = np.lexsort((structure.groups, window))
    mixed = np.lexsort((rng.random(len(along)), window))
    out = np.empty_like(structure.groups)
    out[mixed] = structure.groups[along]
    return out


def _fit(ours: Structure, theirs: Structure) -> tuple[float, float]:
    """How well two columns agree: (what speaks for it, likeness of their sizes); (0, 0): not the
    same structure."""
    alike = likeness(ours.sizes, theirs.sizes)
    exact = bool(np.array_equal(ours.sizes, theirs.sizes))
    same_name = ours.name == theirs.name
    if exact:
        reason = 3.0 + same_name + (ours.named or theirs.named)
    elif ours.named and (theirs.named or same_name):
        reason = 2.0 + same_name
    elif len(ours.groups) != len(theirs.groups) and alike >= ALIKE:
        reason = 1.0 + same_name
    else:
        # equal length and other sizes: the column itself was masked
        return 0.0, 0.0
    return reason, alike


def likeness(ours: Ints, theirs: Ints) -> float:
    """Share of records in groups of sizes that both have: sum over sizes of the smaller share."""
    top = int(max(ours.max(), theirs.max())) + 1
    shares = [
        np.bincount(sizes, weights=sizes, minlength=top) / sizes.sum()
        for sizes in (ours, theirs)
    ]
    return float(np.minimum(shares[0], shares[1]).sum())


def small_groups(sizes: Ints) -> bool:
    """Groups of these sizes are units (households, the rows of a firm), most of them."""
    n = int(sizes.sum())
    small = (sizes >= 2) & (sizes <= LARGEST)
    return bool(small.sum() >= 2 and sizes[small].sum() >= GROUPED * n)


def _measured(values: pa.ChunkedArray) -> bool:
    """Numbers with fractions are measurements, and nobody numbers units by them."""
    if pa.types.is_decimal(values.type):
        return True
    if not pa.types.is_floating(values.type):
        return False
    numbers = floats(values)
    seen = numbers[np.isfinite(numbers)]
    return bool((seen != np.rint(seen)).any())
