"""What the intruder knows and what was released, side by side, as numbers and as labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tacit.attack.features.readings import as_numbers
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata, Role
from tacit.data.units import Units, households, persons

SIZE = "(rows of the household)"
"""What an intruder who knows a household knows, too: how many live in it."""
ROW = "(row)"
"""The place of a record in the released file."""
FEW = 200
"""Most distinct values of a column that is read as labels."""
BINS = 12
"""Classes of a known column of numbers, where it is compared with labels."""

# who belongs together is used by other attackers, and identifiers are refused anyway
UNREAD = (Role.identifier, Role.person, Role.household)


@dataclass(frozen=True)
class TwoFiles:
    """Columns of both files by name.

    Attributes
    ----------
    known, shown
        Numbers of the original's known columns, and of the released ones.
    known_labels, shown_labels
        Labels, 0 for a gap, of columns with few values; known numbers also in classes.
    texts
        Labels of columns of text that both files have, in one coding (-1: none).
    unit
        Whose row each original is: pairs of one unit are known together.
    units
        Persons and households of both files, where both say whose rows these are.
    """

    n: int
    m: int
    known: dict[str, Floats]
    shown: dict[str, Floats]
    known_labels: dict[str, Ints]
    shown_labels: dict[str, Ints]
    texts: dict[str, tuple[Ints, Ints]]
    unit: Ints
    units: dict[str, tuple[Units, Units]]

    @property
    def names(self) -> list[str]:
        """The released columns that are read."""
        return list(dict.fromkeys([*self.shown, *self.shown_labels, *self.texts]))

    def known_values(self) -> list[Floats]:
        """What is known of the originals."""
        labels = [label.astype(np.float64) for label in self.known_labels.values()]
        return [*self.known.values(), *labels]

    def shown_values(self) -> list[Floats]:
        """What the released records hold, wherever they stand."""
        numbers = [values for name, values in self.shown.items() if name != ROW]
        labels = [label.astype(np.float64) for label in self.shown_labels.values()]
        return [*numbers, *labels]

    @property
    def shared(self) -> list[str]:
        """Columns of numbers that are known and released under one name."""
        return [name for name in self.known if name in self.shown]

    @classmethod
    def of(
        cls,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
        *,
        order: Ints | None,
    ) -> TwoFiles:
        """Read both files.

        Parameters
        ----------
        original, masked : Microdata
            Both files.
        columns : list of str
            The columns of the original that the intruder knows.
        order : array of int, optional
            Where each masked record stood in the released file, if that is known.
        """
        released = [
            name for name in masked.names if not _unread(original, masked, name)
        ]
        known = _numbers(original, columns)
        shown = _numbers(masked, released)
        homes = households(original)
        if homes is not None:
            known[SIZE] = homes.sizes[homes.labels].astype(np.float64)
        if order is not None:
            shown[ROW] = order.astype(np.float64)
        known_labels = _labels(original, columns, known, classes=True)
        shown_labels = _labels(masked, released, shown, classes=False)
        texts = {
            name: _common(original.table.column(name), masked.table.column(name))
            for name in columns
            if name in released and name not in known and name not in shown
        }
        unit = _together(original, homes)
        return cls(
            original.n,
            masked.n,
            known,
            shown,
            known_labels,
            shown_labels,
            texts,
            unit,
            _units(original, masked),
        )


def _unread(original: Microdata, masked: Microdata, name: str) -> bool:
    schema = original.schema if name in original.schema else masked.schema
    return schema[name].role in UNREAD


def _numbers(data: Microdata, names: list[str]) -> dict[str, Floats]:
    read = {name: as_numbers(data.table.column(name)) for name in names}
    return {name: values for name, values in read.items() if values is not None}


def _labels(
    data: Microdata,
    names: list[str],
    numbers: dict[str, Floats],
    *,
    classes: bool,
) -> dict[str, Ints]:
    """Columns of few values; of others whether there is one, or in which class it lies."""
    out: dict[str, Ints] = {}
    for name in [*names, *(extra for extra in numbers if extra not in names)]:
        if name in numbers:
            label = _classes(numbers[name], classes=classes)
        else:
            label = _encoded(data.table.column(name))
        if label is not None and label.min(initial=0) != label.max(initial=0):
            out[name] = label
    return out


def _classes(values: Floats, *, classes: bool) -> Ints | None:
    """0 for a gap, then the values by size, or classes of about as many records."""
    there = ~np.isnan(values)
    distinct = np.unique(values[there])
    if len(distinct) > FEW:
        if not classes:
            # numbers are compared as numbers; their gaps are labels
            return None if there.all() else there.astype(np.int64)
        cuts = np.quantile(values[there], np.arange(1, BINS) / BINS)
        distinct = np.unique(cuts)
        place = np.searchsorted(distinct, values, "right")
    else:
        place = np.searchsorted(distinct, values)
    return np.where(there, place + 1, 0).astype(np.int64)


def _encoded(values: pa.ChunkedArray) -> Ints | None:
    """0 for a gap, then texts in their order; None: too many."""
    texts = values.cast(pa.string()).combine_chunks()
    distinct = sorted(set(texts.to_pylist()) - {None})
    if len(distinct) > FEW:
        return None
    place = {text: code for code, text in enumerate([None, *distinct])}
    return np.array([place[text] for text in texts.to_pylist()], np.int64)


def _common(ours: pa.ChunkedArray, theirs: pa.ChunkedArray) -> tuple[Ints, Ints]:
    """Equal texts have equal labels; -1: no text."""
    both = [*ours.cast(pa.string()).to_pylist(), *theirs.cast(pa.string()).to_pylist()]
    place = {text: code for code, text in enumerate(sorted(set(both) - {None}))}
    codes = np.array([place.get(text, -1) for text in both], np.int64)
    return codes[: len(ours)], codes[len(ours) :]


def _units(original: Microdata, masked: Microdata) -> dict[str, tuple[Units, Units]]:
    """Those of more than one row, where rows of a unit are known to belong together."""
    found: dict[str, tuple[Units, Units]] = {}
    for ours, theirs in (
        (persons(original), persons(masked)),
        (households(original), households(masked)),
    ):
        # the units of a file without persons are its records
        if ours and theirs and not ours.single and ours.word == theirs.word:
            found[ours.word] = (ours, theirs)
    return found


def _together(original: Microdata, homes: Units | None) -> Ints:
    """Whose rows these are, the widest unit that the file has."""
    return persons(original).labels if homes is None else homes.labels
