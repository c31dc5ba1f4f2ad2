"""The release of a generalisation: labels of classes, and blanks where keys are suppressed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from tacit.base.typing import Bools, Ints
from tacit.data.microdata import Kind, Microdata
from tacit.protect.lattice.level_codes import KeyColumn


def written(
    data: Microdata,
    column: KeyColumn,
    at: Ints,
    shown: Bools,
) -> Microdata:
    """The file with one column at these levels, blank where it is not shown.

    Parameters
    ----------
    data : Microdata
        The file, with the column as it was read.
    column : KeyColumn
        The column and its hierarchy.
    at : array
        The level of each row.
    shown : array
        Whether the key of the row is released.
    """
    used = np.unique(at[shown])
    # where nobody is shown there is no level; the values' own type can hold blanks
    if not shown.any() or used.tolist() == [0]:
        return _blanked(data, column.name, shown)
    labels: list[str] = []
    places = np.full(data.n, -1, dtype=np.int64)
    for level in used:
        here = np.flatnonzero((at == level) & shown)
        # the population's codes follow those of the file
        values = column.codes[: data.n]
        classes = column.between(0, int(level))
        codes = classes[values[here]]
        own = column.tree.labels[int(level)]
        # codes behind the labels are gaps, which stay blank
        held = codes < len(own)
        places[here[held]] = codes[held] + len(labels)
        labels += own
    texts = _texts(labels, places)
    changed = data.with_column(column.name, texts, kind=Kind.nominal)
    # labels of two levels overlap, and have no order
    if not column.tree.ordered or len(used) > 1:
        return changed
    # classes of numbers and dates have an order, which text does not say
    ordered = replace(
        changed.schema[column.name],
        kind=Kind.ordinal,
        categories=tuple(labels),
    )
    return changed.with_schema(changed.schema.put(ordered))


def _blanked(
    data: Microdata,
    name: str,
    shown: Bools,
) -> Microdata:
    """The file with the values of a column as they are, where they are shown."""
    if shown.all():
        return data
    if data.schema[name].kind is Kind.date:
        days = np.where(shown, data.days(name), np.nan)
        return data.with_days(name, days)
    values = np.where(shown, data.column(name), np.nan)
    return data.with_numbers([name], values[:, None])


def _texts(
    labels: list[str],
    places: Ints,
) -> pa.Array:
    """The label of each row; none where its place is -1."""
    gaps = places < 0
    texts = pa.array(labels, type=pa.string())
    # a gap takes any place, which its mask hides
    safe = np.where(gaps, 0, places)
    return texts.take(pa.array(safe, mask=gaps))
