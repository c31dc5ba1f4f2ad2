"""The batch forms of a filter: rows of an array, a whole array, a whole frame."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tacit.base.errors import InputError, TacitWarning
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Kind, Microdata
from tacit.stream.category_codes import recode
from tacit.stream.kept import Kept
from tacit.stream.kinds import CONTINUOUS, EVERY_KIND, NOMINAL, ORDINAL, Name
from tacit.stream.records import Records
from tacit.stream.released import BOOKS, Batch

Columns: TypeAlias = list[str | int] | None
"""Names or places of columns; None: all that the filter can mask."""
Categories: TypeAlias = dict[str | int, list[Any]]
"""Columns and the categories that each may have."""
Ordered: TypeAlias = Categories | None
"""Ordinal columns and their categories from the lowest to the highest."""
Frame: TypeAlias = Any
"""A frame of pandas, polars or pyarrow, or Microdata: the same kind comes back."""

CODES = {Kind.continuous: CONTINUOUS, Kind.ordinal: ORDINAL, Kind.nominal: NOMINAL}


class Batches(Kept):
    """`feed`, `finish` and `apply`, over the step that a filter writes."""

    handles: ClassVar[frozenset[int]] = EVERY_KIND
    """Kinds of column that the method masks; others are carried along."""
    linked: ClassVar[bool] = True
    """A release is the masked form of the record that arrived with its index."""

    columns: Columns

    def _advance(
        self,
        values: Floats,
        last: bool,
        out: Floats,
        meta: Ints,
    ) -> tuple[int, int]:
        """Take rows in, write what leaves into out and meta; returns (emitted, withheld)."""
        raise NotImplementedError

    def _account(
        self,
        meta: Ints,
        withheld: int,
    ) -> None:
        """Keep the arrival numbers of what was withheld at the end of the stream."""
        raise NotImplementedError

    def _declared(
        self,
    ) -> tuple[Columns, Columns, Ordered, frozenset[int], str]:
        """What `Records` must know beside the first record."""
        raise NotImplementedError

    @property
    def pending(self) -> int:
        """Records that are inside the filter."""
        return int(self._arrived - self._left)

    # -- rows of an array --------------------------------------------------------------

    def feed(self, values: ArrayLike) -> Batch:
        """Take the rows of an array in; what they set free."""
        rows = rows_of(values)
        if self._records is None:
            self._begin_rows(rows)
        return self._run(self._take(rows), last=False)

    def finish(self) -> Batch:
        """End of the stream for `feed`."""
        width = 0 if self._records is None else len(self._records.names)
        return self._run(np.empty((0, width)), last=True)

    def _begin_rows(self, rows: Floats) -> None:
        first = rows[0] if len(rows) else np.zeros(rows.shape[1])
        self._begin(Records(first, *self._declared()))

    def _room(self, size: int) -> tuple[Floats, Ints]:
        """Space for what leaves: masked rows, and arrival, delay, group and size of each."""
        width = len(self._records.names) if self._records else 0
        books = np.empty((size, len(BOOKS)), dtype=np.int64)
        return np.empty((size, width)), books

    def _run(
        self,
        rows: Floats,
        last: bool,
    ) -> Batch:
        if self._records is None:
            nothing = np.empty(0, dtype=np.int64)
            return Batch(
                np.empty((0, rows.shape[1])), nothing, nothing, nothing, nothing
            )
        # no more can leave than arrive now or are inside
        out, meta = self._room(len(rows) + self.pending)
        self._arrived += len(rows)
        emitted, withheld = self._advance(rows, last, out, meta)
        out, meta = out[:emitted], meta[:emitted]
        withheld_before = len(self.withheld)
        if last:
            self._account(meta, withheld)
        elif emitted:
            self._left = int(meta[-1, 0]) + 1
        index, delay, group, size = np.ascontiguousarray(meta.T)
        return Batch(
            out,
            index,
            delay,
            group,
            size,
            self.withheld[withheld_before:],
        )

    def _take(self, rows: Floats) -> Floats:
        """The protected columns of an array."""
        places = self._places()
        if places == list(range(rows.shape[1])):
            return rows
        return np.ascontiguousarray(rows[:, places])

    def _places(self) -> list[int]:
        """The protected columns of an array are named by their places."""
        return [int(name) for name in self._records.names] if self._records else []

    # -- a whole stream at once --------------------------------------------------------

    def apply(self, data: Frame) -> Frame:
        """A whole stream at once, in order of arrival; starts afresh.

        Parameters
        ----------
        data : array, list of rows, or frame
            The records; an array gives an array, a frame the same kind of frame.

        Returns
        -------
        array or frame
            The masked records. Rows that were withheld are left out, with a warning; `withheld`
            holds their numbers.
        """
        self.reset()
        is_table = isinstance(data, np.ndarray | list) or not hasattr(data, "__len__")
        if not is_table:
            return self._apply_frame(Microdata.of(data), data)
        rows = rows_of(data)
        self._begin_rows(rows)
        places = self._places()
        batch = self._run(self._take(rows), last=True).in_order()
        self._warn(batch)
        if len(places) == rows.shape[1] or not self.linked:
            return batch.values
        # columns that are not masked go along with their records
        whole = rows[batch.index]
        whole[:, places] = batch.values
        return whole

    def _apply_frame(
        self,
        data: Microdata,
        native: Frame,
    ) -> Frame:
        names = self._frame_columns(data)
        if not names:
            who = type(self).__name__
            raise InputError(
                f"{who}: the frame has no quasi-identifier that it can mask"
            )
        declared = self._declared_categories()
        self._begin(self._frame_records(data, names, declared))
        rows = self._frame_rows(data, names)
        # the codes of a frame's categories are its own; the filter's are those declared
        for name, known in declared.items():
            at = names.index(name)
            rows[:, at] = recode(data.categories(name), name, known, rows[:, at])
        batch = self._run(rows, last=True).in_order()
        self._warn(batch)
        masked = data.take(batch.index)
        # rows of a release that is not linked are nobody's: other columns do not belong to them
        if not self.linked:
            masked = masked.drop([name for name in masked.names if name not in names])
        plain = [name for name in names if name not in declared]
        places = [names.index(name) for name in plain]
        masked = masked.with_numbers(plain, batch.values[:, places])
        for name, known in declared.items():
            codes = batch.values[:, names.index(name)]
            values = [None if np.isnan(code) else known[int(code)] for code in codes]
            masked = masked.with_column(name, values)
        return masked if isinstance(native, Microdata) else masked.to_native()

    def _frame_columns(self, data: Microdata) -> list[str]:
        """The columns asked for, else the quasi-identifiers that the filter can mask."""
        if self.columns:
            return [str(name) for name in self.columns]
        return [
            name
            for name in data.quasi
            if CODES[data.schema[name].scale] in self.handles
        ]

    def _frame_records(
        self,
        data: Microdata,
        names: list[str],
        declared: Mapping[str, list[object]],
    ) -> Records:
        kinds = [CODES[data.schema[name].scale] for name in names]
        categories: list[list[object] | None] = []
        for name, kind in zip(names, kinds, strict=True):
            if name in declared and kind == CONTINUOUS:
                raise InputError(
                    f"column '{name}' was declared with categories but holds numbers; make it text"
                )
            if kind not in self.handles:
                who = type(self).__name__
                raise InputError(
                    f"{who} cannot mask the column '{name}'; leave it out (columns=[...])"
                )
            known = None
            if kind != CONTINUOUS:
                known = declared.get(name) or list(data.categories(name))
            categories.append(known)
        learned = {"names": names, "kinds": kinds, "categories": categories}
        form = {"pair": False, "form": "array", "width": len(names)}
        return Records.from_dict(form | learned)

    def _declared_categories(self) -> dict[str, list[object]]:
        """Categories that were given beforehand: no other may be released."""
        given: Mapping[Name, list[object]] = getattr(self, "categories", None) or {}
        return {str(name): list(values) for name, values in given.items()}

    def _frame_rows(
        self,
        data: Microdata,
        names: list[str],
    ) -> Floats:
        """The protected columns of a frame."""
        return np.ascontiguousarray(data.numbers(names))

    def _warn(self, batch: Batch) -> None:
        if batch.withheld:
            count = len(batch.withheld)
            warnings.warn(
                f"{count} record(s) at the end of the stream were withheld: "
                "too few to be protected",
                TacitWarning,
                stacklevel=3,
            )


def rows_of(values: ArrayLike) -> Floats:
    """A table of finite or missing numbers."""
    if np.iscomplexobj(values):
        raise InputError(
            "a batch of complex numbers; give their real and imaginary part"
        )
    try:
        rows = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"a batch is a table of numbers ({error}); give records one by one, or a frame"
        ) from None
    if rows.ndim != 2:
        raise InputError(
            "a batch is a table of records and columns, "
            f"not an array of {rows.ndim} dimension(s)"
        )
    infinite = np.isinf(rows).any(axis=1)
    if infinite.any():
        raise InputError(
            f"row {int(np.argmax(infinite)) + 1} holds an infinite value; replace it or drop it"
        )
    return rows
