"""Frames and arrays at the private filter: every column is what was declared, whatever it holds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.base.errors import ColumnError, InputError, ParameterError
from tacit.base.typing import Floats
from tacit.data.microdata import Microdata
from tacit.protect.private.declared import (
    by_declaration,
    categories,
    codes_of,
    numbers,
    released,
)
from tacit.stream.base import Filter
from tacit.stream.batches import Categories, Frame, Ordered
from tacit.stream.kinds import CONTINUOUS, NOMINAL, ORDINAL, Name
from tacit.stream.records import Records


class DeclaredFilter(Filter):
    """Categories go in and come out by the declared list; a frame's own choose nothing.

    A frame's kinds, types and categories are made from its values, so that a release which
    followed them would tell of the values. What is released has the declared columns alone, as
    real numbers and declared categories, and no index.
    """

    categories: Categories | None
    ordinal: Ordered
    # of an array's columns with categories: the declared numbers, by column
    _values: dict[int, Floats]

    def _listed(self) -> dict[Name, list[object]]:
        """Columns with declared categories, nominal or ordinal."""
        return {**(self.categories or {}), **(self.ordinal or {})}

    # -- records and rows of an array --------------------------------------------------

    def _begin(self, records: Records) -> None:
        listed = self._listed()
        for j, name in enumerate(records.names):
            if records.kinds[j] == CONTINUOUS:
                continue
            if name not in listed:
                raise ParameterError(
                    f"{type(self).__name__}: declare categories={{'{name}': [...]}}"
                )
            records.categories[j] = list(listed[name])
        super()._begin(records.closed().alone())
        # the values of an array are looked up, too: as codes they would leave as they came
        if (records.kinds != CONTINUOUS).any():
            records.beside_others()
        self._values = {}
        if records.form == "array":
            self._values = {
                j: _numbers_of(known, records.names[j])
                for j, known in enumerate(records.categories)
                if known is not None
            }

    def _take(self, rows: Floats) -> Floats:
        taken = super()._take(rows)
        if self._values:
            taken = taken.copy()
        for j, known in self._values.items():
            taken[:, j] = _codes(taken[:, j], known, self._places()[j])
        return taken

    def _shown(self, out: Floats) -> None:
        """Codes of an array's columns become the declared numbers, in place."""
        for j, known in self._values.items():
            nearest = np.clip(np.rint(out[:, j]), 0, len(known) - 1)
            out[:, j] = known[nearest.astype(np.int64)]

    # -- frames ------------------------------------------------------------------------

    def _apply_frame(
        self,
        data: Microdata,
        native: Frame,
    ) -> Frame:
        listed = {str(name): known for name, known in self._listed().items()}
        names = [str(name) for name in self.columns or ()]
        for name in names:
            if name not in data.schema:
                there_are = ", ".join(data.names)
                raise ColumnError(
                    f"the frame has no column '{name}'; its columns are: {there_are}"
                )
        numeric = [name for name in names if name not in listed]
        data = data.select([name for name in data.names if name in names])
        data = data.with_schema(by_declaration(data.schema, numeric, listed))
        self._begin(self._declared_records(names, listed))
        rows = np.empty((data.n, len(names)))
        for j, name in enumerate(names):
            if name in listed:
                rows[:, j] = codes_of(data, name, listed[name], gaps=True)
            else:
                rows[:, j] = data.column(name)
        batch = self._run(rows, last=True).in_order()
        self._warn(batch)
        columns = {
            name: categories(batch.values[:, j], listed[name])
            if name in listed
            else numbers(batch.values[:, j], whole=False)
            for j, name in enumerate(names)
        }
        masked = released(data.take(batch.index), columns, labels=False)
        return masked if isinstance(native, Microdata) else masked.to_native()

    def _declared_records(
        self,
        names: list[str],
        listed: dict[str, list[object]],
    ) -> Records:
        """The form of a frame's rows, of declarations alone."""
        ordinal = {str(name) for name in self.ordinal or {}}
        kinds = [
            CONTINUOUS
            if name not in listed
            else ORDINAL
            if name in ordinal
            else NOMINAL
            for name in names
        ]
        learned = {
            "pair": False,
            "form": "frame",
            "width": len(names),
            "names": names,
            "kinds": kinds,
            "categories": [listed.get(name) for name in names],
        }
        return Records.from_dict(learned)


def _numbers_of(known: Sequence[object], name: Name) -> Floats:
    """Declared categories as an array holds them."""
    try:
        return np.asarray(known, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(
            f"column {name} of an array holds numbers, but its declared categories do not"
        ) from None


def _codes(
    values: Floats,
    known: Floats,
    place: int,
) -> Floats:
    """Places in the declared list; NaN stays missing, any other number is refused."""
    same = values[:, None] == known[None, :]
    unknown = ~same.any(axis=1) & ~np.isnan(values)
    if unknown.any():
        value = values[int(np.argmax(unknown))]
        raise InputError(
            f"column '{place}': '{value:g}' is not among the declared categories"
        )
    return np.where(np.isnan(values), np.nan, same.argmax(axis=1))
