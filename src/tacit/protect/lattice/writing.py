"""The release of a generalisation: labels of classes, and blanks where keys are suppressed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from tacit.base.typing import Bools, Ints
from tacit.data.microdata import Kind, Microdata
from tacit.protect.lattice.level_codes import KeyColumn


@dataclass(frozen=True)
class NewValues:
    """What becomes of a column, by the cell of a record; can be sent to a worker.

    Attributes
    ----------
    name
        The column.
    labels
        The labels that are written; None: values stay as they are where they are shown.
    place
        Of each cell the place of its label, -1 where it is blank.
    ordered
        The labels have the order in which they are listed.
    unchanged
        Nothing becomes of it.
    """

    name: str
    labels: tuple[str, ...] | None
    place: Ints
    ordered: bool
    unchanged: bool

    @classmethod
    def of(
        cls, column: KeyColumn, codes: Ints, own: Bools, at: Ints, shown: Bools
    ) -> NewValues:
        """The labels of one column.

        Parameters
        ----------
        column : KeyColumn
            The column and its hierarchy.
        codes : array
            The value of each cell, at level 0.
        own : array
            Whether the cell has records of the file, and not of the population only.
        at : array
            The level of each cell.
        shown : array
            Whether the keys of the cell are released.
        """
        seen = own & shown
        used = np.unique(at[seen])
        place = np.where(shown, 0, -1).astype(np.int64)
        # where nobody is shown there is no level; the values' own type can hold blanks
        if not seen.any() or used.tolist() == [0]:
            all_shown = bool(shown[own].all())
            return cls(column.name, None, place, ordered=False, unchanged=all_shown)
        labels: list[str] = []
        place[:] = -1
        for level in used:
            here = np.flatnonzero((at == level) & seen)
            classes = column.between(0, int(level))[codes[here]]
            of_level = column.tree.labels[int(level)]
            # codes behind the labels are gaps, which stay blank
            held = classes < len(of_level)
            place[here[held]] = classes[held] + len(labels)
            labels += of_level
        # labels of two levels overlap, and have no order
        ordered = column.tree.ordered and len(used) == 1
        return cls(column.name, tuple(labels), place, ordered=ordered, unchanged=False)

    def put(self, data: Microdata, cell: Ints) -> Microdata:
        """Records with the new values of the column; ``cell`` is that of each of them."""
        if self.unchanged:
            return data
        place = self.place[cell]
        if self.labels is None:
            return _blanked(data, self.name, place >= 0)
        texts = _texts(self.labels, place)
        changed = data.with_column(self.name, texts, kind=Kind.nominal)
        if not self.ordered:
            return changed
        # classes of numbers and dates have an order, which text does not say
        ordered = replace(
            changed.schema[self.name],
            kind=Kind.ordinal,
            categories=tuple(self.labels),
        )
        return changed.with_schema(changed.schema.put(ordered))


def _blanked(
    data: Microdata,
    name: str,
    shown: Bools,
) -> Microdata:
    """The file with the values of a column as they are, where they are shown."""
    if data.schema[name].kind is Kind.date:
        days = np.where(shown, data.days(name), np.nan)
        return data.with_days(name, days)
    values = np.where(shown, data.column(name), np.nan)
    return data.with_numbers([name], values[:, None])


def _texts(
    labels: tuple[str, ...],
    places: Ints,
) -> pa.Array:
    """The label of each row; none where its place is -1."""
    gaps = places < 0
    texts = pa.array(labels, type=pa.string())
    # a gap takes any place, which its mask hides
    safe = np.where(gaps, 0, places)
    return texts.take(pa.array(safe, mask=gaps))
