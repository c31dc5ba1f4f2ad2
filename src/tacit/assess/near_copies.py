"""Released records that are an original with a little noise, whoever they are said to be of.

A synthetic file, or a bootstrap, has no row that belongs to a person, and may hold people all the
same. A record drawn from the population has two nearest originals that are about as far; a copy has
one that is much nearer than the second.
"""

from __future__ import annotations

import numpy as np

from tacit.attack.features.readings import as_numbers
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata, Role

CLOSER = 0.1
"""The nearest original is at most this share as far as the second nearest."""
MOST = 5_000
"""Records that are looked at; the originals to which they may be near are all."""
LUCK = 4.0
"""Standard deviations that are luck."""
KNOWN = (Role.quasi, Role.other)


def near_copies(original: Microdata, masked: Microdata) -> float:
    """Share of the released records that are near one original alone, beyond chance.

    Chance is the share of originals that are as near to one other original alone.
    """
    x, z = _numbers(original, masked)
    if x.shape[1] < 2 or min(len(x), len(z)) < 3:
        return 0.0
    from scipy.spatial import cKDTree

    distinct = np.unique(x, axis=0)
    if len(distinct) < 4:
        return 0.0
    tree = cKDTree(distinct)
    copies = _alone(tree, _evenly(z), 0)
    others = _alone(tree, _evenly(distinct), 1)
    expected = others.mean() * len(copies)
    found = float(copies.sum())
    luck = expected + LUCK * np.sqrt(max(expected, 1.0))
    return (found - expected) / len(copies) if found > luck else 0.0


def _alone(tree: object, records: Floats, own: int) -> Floats:
    """Which records have one original much nearer than the next, ``own`` ones left out."""
    near = np.asarray(tree.query(records, k=own + 2)[0])  # type: ignore[attr-defined]
    first, second = near[:, own], near[:, own + 1]
    return np.asarray((first <= CLOSER * second) & (second > 0), np.float64)


def _numbers(original: Microdata, masked: Microdata) -> tuple[Floats, Floats]:
    """Known numbers without gaps that both files have, in units of their spread."""
    ours: list[Floats] = []
    theirs: list[Floats] = []
    for name in masked.names:
        if name not in original.schema or original.schema[name].role not in KNOWN:
            continue
        both = [as_numbers(file.table.column(name)) for file in (original, masked)]
        x, z = both
        if x is None or z is None or np.isnan(x).any() or np.isnan(z).any():
            continue
        spread = x.std()
        if spread > 0:
            ours.append(x / spread)
            theirs.append(z / spread)
    if not ours:
        return np.empty((original.n, 0)), np.empty((masked.n, 0))
    return np.column_stack(ours), np.column_stack(theirs)


def _evenly(records: Floats) -> Floats:
    """At most so many of them, evenly over their order by value."""
    if len(records) <= MOST:
        return records
    order = np.lexsort(records.T[::-1])
    some: Ints = np.linspace(0, len(records) - 1, MOST).astype(np.int64)
    return np.asarray(records[order[some]])
