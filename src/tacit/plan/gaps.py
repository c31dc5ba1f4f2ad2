"""What became of the gaps of a file in one step: kept, filled, made; looked up in what it gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.typing import Bools
from tacit.data import units
from tacit.data.buffers import whole_of
from tacit.data.io.disk_table import BATCH
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.protect.base import Protector


def gaps_of_step(
    method: Protector, before: Microdata, after: Microdata
) -> dict[str, Any] | None:
    """How many gaps of the columns that a step masked were kept, filled and made; None: no gap.

    ``rare_patterns`` counts the records that can be told by which of their cells are blank: fewer
    than k persons (records) have the same ones. Of a file on the disk only methods that say so by
    a parameter ``gaps`` are looked at: it is a pass over their columns.

    Parameters
    ----------
    method : Protector
        What was done, with its parameters.
    before, after : Microdata
        The file before and after, row by row.
    """
    there = set(after.names)
    names = [name for name in method.touches(before) if name in there]
    asked = hasattr(method, "gaps")
    aligned = not (method.changes_length or method.shuffles_rows)
    if not names or not aligned or before.n != after.n:
        return None
    if isinstance(before, OnDisk) and not asked:
        return None
    kept, filled, made = (np.zeros(len(names), dtype=np.int64) for _ in range(3))
    patterns: Counter[bytes] = Counter()
    k = _smallest_group(method)
    people = units.persons(before) if asked and before.in_memory else None
    seen = None if people is None or people.single else people.labels
    for was, now in zip(_gaps(before, names), _gaps(after, names), strict=True):
        kept += (was & now).sum(axis=0)
        filled += (was & ~now).sum(axis=0)
        made += (~was & now).sum(axis=0)
        if asked and seen is None:
            rows, count = np.unique(
                np.packbits(now, axis=1), axis=0, return_counts=True
            )
            for row, times in zip(rows, count.tolist(), strict=True):
                patterns[row.tobytes()] += times
    if not (kept.any() or filled.any() or made.any()):
        return None
    said: dict[str, Any] = {
        word: {name: int(n) for name, n in zip(names, counts, strict=True) if n}
        for word, counts in (("kept", kept), ("filled", filled), ("made", made))
        if counts.any()
    }
    if asked and seen is None:
        said["rare_patterns"] = sum(n for n in patterns.values() if n < k)
    elif seen is not None:
        said["rare_patterns"] = _rare(next(_gaps(after, names, after.n)), seen, k)
    return said


def _gaps(data: Microdata, names: list[str], length: int = BATCH) -> Iterator[Bools]:
    """Which cells have no value, some records at a time."""
    if isinstance(data, OnDisk):
        tables = data.disk.in_turn(length, names)
    else:
        whole = data.table.select(names)
        tables = (whole.slice(at, length) for at in range(0, max(data.n, 1), length))
    for table in tables:
        found = np.empty((table.num_rows, len(names)), dtype=np.bool_)
        for place, name in enumerate(names):
            found[:, place] = _null(table.column(name))
        yield found


def _null(values: pa.ChunkedArray) -> Bools:
    # as numbers: to_numpy would import pandas
    gaps = pc.is_null(values, nan_is_null=True).cast(pa.int8())
    return whole_of(gaps).astype(np.bool_)


def _smallest_group(method: Protector) -> int:
    """The largest k of its blocks."""
    k = getattr(method, "k", 1)
    return max(k) if isinstance(k, list) else int(k)


def _rare(gaps: Bools, person: np.ndarray, k: int) -> int:
    """Records whose pattern fewer than k persons have."""
    _, pattern = np.unique(np.packbits(gaps, axis=1), axis=0, return_inverse=True)
    pattern = pattern.ravel()
    who = np.unique(np.column_stack([pattern, person]), axis=0)
    persons = np.bincount(who[:, 0])
    return int((persons < k)[pattern].sum())
