"""Microdata: a table that knows what its columns are, whatever kind of frame it came in.

pandas, polars, pyarrow and numpy go in (through narwhals), and Spark, polars LazyFrames and DuckDB
(``tacit.data.lazy``); the same kind comes out, with dtypes, index, column order and missing values
as they were.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar, Self, TypeVar, cast

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from tacit.base.errors import ColumnError, InputError, TacitWarning
from tacit.base.typing import Bools, Floats, Ints
from tacit.data import dates, lazy
from tacit.data.buffers import array_of
from tacit.data.category_codes import (
    as_arrow,
    as_written,
    coded,
    decode_categories,
    decode_numbers,
    floats,
    not_a_number,
)
from tacit.data.declared_codes import declared
from tacit.data.dict_of_columns import of_columns
from tacit.data.exact import is_rounded, rounded
from tacit.data.frames import Frame, NativeFrame, refuse_nested, to_table
from tacit.data.inference import infer, number
from tacit.data.inference.labelled import by_labels
from tacit.data.inference.precision import decimals_of
from tacit.data.missing import step_of
from tacit.data.notes import columns, decimal
from tacit.data.schema import Category, Column, Kind, Role, Schema

__all__ = ["Column", "Kind", "Microdata", "Role", "Schema"]

Result = TypeVar("Result")

# text of these kinds may look like numbers and is none
_KEPT_AS_TEXT = frozenset({Kind.code, Kind.date, Kind.text})

# records that are looked at at a time
RUN = 65_536

# a million numbers of this size have a finite sum; no mean of larger ones can be relied on
SUMMABLE = 1e302


class Microdata:
    """Records with a schema; immutable (each change gives a new one).

    >>> data = Microdata.of({"age": [31, 45, 52], "sex": ["f", "m", "f"]}, nominal=["sex"])
    >>> data.n, data.names, data.quasi
    (3, ['age', 'sex'], ['age', 'sex'])
    >>> data.numbers(["age", "sex"])[:, 1]
    array([0., 1., 0.])
    """

    in_memory: ClassVar[bool] = True
    """All columns are held; otherwise whoever asks for one should not keep many."""

    def __init__(
        self,
        table: pa.Table,
        schema: Schema,
        native: NativeFrame,
    ) -> None:
        self._table = table
        self._schema = schema
        self._native = native
        # codes are made when a column is first asked for
        self._codes: dict[str, tuple[Floats, list[Category]]] = {}

    @classmethod
    def of(
        cls,
        data: Frame,
        schema: Schema | None = None,
        **roles: Iterable[str] | str | None,
    ) -> Microdata:
        """From a frame, an array, a dict of columns, or Microdata.

        Parameters
        ----------
        data : frame
            The records.
        schema : Schema
            What the columns are; columns that it does not have are guessed.
        **roles
            Roles and kinds, as in ``Schema.set``; and ``missing``, codes by column as in a
            schema file: ``missing={"income": [-8, [97, 99]], "*": [-9]}``, where ``*`` is every
            column that holds them, and an empty list says that no value is a code.
        """
        if isinstance(data, Microdata):
            given = data if schema is None else data.with_schema(schema)
            if "missing" in roles:
                codes = declared(given.schema, roles.pop("missing"), given.table.column)
                given = given.with_schema(codes)
            return given.with_schema(given.schema.set(**roles)) if roles else given
        if isinstance(data, dict):
            data = of_columns(data)
        unread = lazy.of(data)
        if unread is not None:
            from tacit.data.lazy import reading

            return reading.read(unread, schema, roles)
        native = NativeFrame.of(data)
        raw = to_table(native)
        refuse_nested(raw)
        return cls._read(raw, schema, roles, native)

    @classmethod
    def _read(
        cls,
        raw: pa.Table,
        schema: Schema | None,
        roles: Mapping[str, Iterable[str] | str | None],
        native: NativeFrame,
    ) -> Self:
        """The records of a table as it was given."""
        said = _said(schema or Schema(()), raw)
        if "missing" in roles:
            roles = dict(roles)
            said = declared(said, roles.pop("missing"), raw.column)
        opened = cls._all_opened(raw, said)
        columns = [
            cls._complete(column, opened, is_array=native.is_array) for column in said
        ]
        schema = Schema(tuple(columns))
        # a kind that was guessed may say that text which looks like numbers is none
        table = cls._all_opened(raw, schema)
        schema = schema.set(**roles) if roles else schema
        for column in schema:
            if column.scale is Kind.continuous and cls._is_rounded(raw, column.name):
                warnings.warn(rounded(column.name), TacitWarning, stacklevel=3)
        return cls(table, schema, native)

    @classmethod
    def _is_rounded(cls, raw: pa.Table, name: str) -> bool:
        """Does a column of numbers hold one that no double does?"""
        return is_rounded(raw.column(name))

    @classmethod
    def _all_opened(cls, raw: pa.Table, schema: Schema) -> pa.Table:
        """A table with gaps in place of the missing codes that its schema declares."""
        table = raw
        for place, name in enumerate(raw.column_names):
            if schema[name].missing:
                gaps = _opened(schema[name], raw.column(name), decimal(raw))
                table = table.set_column(place, name, gaps)
        return table

    @classmethod
    def _complete(cls, column: Column, table: pa.Table, *, is_array: bool) -> Column:
        """A column with what nobody said of it, guessed from its values."""
        values = table.column(column.name)
        if is_array:
            return column.completed(number(column.name))
        if column.unsaid:
            label = column.description.label
            guess = infer(column.name, values, label, no_codes=column.no_codes)
            return column.completed(by_labels(guess, column, values))
        if column.decimals is None:
            return replace(column, decimals=decimals_of(values))
        return column

    # -- what it is ------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self._table.num_rows)

    def __len__(self) -> int:
        return self.n

    @property
    def names(self) -> list[str]:
        """Column names in file order."""
        return list(self._names)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        # a table makes them anew each time
        return tuple(self._table.column_names)

    @property
    def schema(self) -> Schema:
        """Kinds and roles."""
        return self._schema

    @property
    def quasi(self) -> list[str]:
        """Names of the quasi-identifiers."""
        return self._schema.names(role=Role.quasi)

    @property
    def table(self) -> pa.Table:
        """The records as an Arrow table, with gaps where the file has missing codes."""
        return self._table

    def written(self) -> pa.Table:
        """The records as they are written: gaps that were missing codes are those codes again."""
        table = self._table
        for place, column in enumerate(self._schema):
            if column.missing:
                table = table.set_column(place, column.name, self._closed(column))
        return table

    @property
    def native(self) -> Frame:
        """The frame that was given, untouched."""
        return self._native.frame

    @property
    def as_given(self) -> tuple[pa.Table, frozenset[str]]:
        """The records as the user gave them, and which columns are no longer those."""
        return to_table(self._native), self._native.replaced

    def __repr__(self) -> str:
        # the first names are enough to recognise a file by
        first = ", ".join(self.names[:6])
        return f"Microdata({self.n} records, {len(self.names)} columns: {first})"

    # -- values as numbers -----------------------------------------------------------------

    def numbers(self, names: Sequence[str] | None = None) -> Floats:
        """The columns as float64 (n, d), NaN where missing.

        Values, or codes of ordinal and nominal categories.
        """
        names = self.names if names is None else list(names)
        out = np.empty((self.n, len(names)))
        for j, name in enumerate(names):
            out[:, j] = self.column(name)
        return out

    def column(self, name: str) -> Floats:
        """One column as float64: values or codes; NaN where missing.

        Infinite values, and those whose sum would be, are refused by row.
        """
        column = self._schema[name]
        if column.scale is not Kind.continuous:
            return self._coded(name)[0]
        values = self._table.column(name)
        try:
            numbers = floats(values)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise ColumnError(not_a_number(name, values)) from None
        too_large = np.abs(numbers) > SUMMABLE
        if too_large.any():
            row = int(np.argmax(too_large))
            what = "infinite" if np.isinf(numbers[row]) else "too large to compute with"
            raise InputError(
                f"column '{name}', row {row + 1}: the value is {what}; "
                "replace it or drop the record"
            )
        return numbers

    def in_turn(self, names: Sequence[str], length: int) -> Iterator[Floats]:
        """``numbers`` of so many records at a time, in file order."""
        values = self.numbers(names)
        for first in range(0, self.n, length):
            yield values[first : first + length]

    def days(self, name: str) -> Floats:
        """A column of dates as days since 1970-01-01, NaN where missing."""
        values = self._table.column(name)
        return dates.days(self._schema[name], values)

    def categories(self, name: str) -> list[Category]:
        """The values of a nominal or ordinal column in code order (ordinal: lowest first)."""
        _, categories = self._coded(name)
        return list(categories)

    def closed(self, names: Iterable[str]) -> Schema:
        """The schema in which each of these columns lists its categories.

        Some records of a file have few of them, and codes must mean the same in all. Nor do some
        show the step of numbers, which those next to a missing code are moved by.
        """
        schema = self._schema
        for name in names:
            column = schema[name]
            if column.scale is Kind.continuous and column.missing:
                step = step_of(some[:, 0] for some in self.in_turn([name], RUN))
                known = replace(column.missing, step=step)
                schema = schema.put(replace(column, missing=known))
            elif column.scale is not Kind.continuous and column.categories is None:
                every = tuple(self.categories(name))
                schema = schema.put(replace(column, categories=every))
        return schema

    def missing(self, name: str) -> Bools:
        """Where the column has no value."""
        return np.isnan(self.column(name))

    def reasons(self, name: str) -> list[str | None]:
        """Why each value is missing: its missing code as text, empty for a gap without one.

        None where there is a value.
        """
        column = self._schema[name]
        gaps = self.missing(name)
        if not column.missing:
            return ["" if gap else None for gap in gaps]
        return column.missing.reasons(self._closed(column), gaps)

    def _coded(self, name: str) -> tuple[Floats, list[Category]]:
        if name not in self._codes:
            column, values = self._schema[name], self._table.column(name)
            self._codes[name] = coded(column, values)
        return self._codes[name]

    def once(self, what: str, compute: Callable[[], Result]) -> Result:
        """What was computed of these records under this name, kept with them: they never change.

        For what many measures ask for and nobody changes, such as who lives together.
        """
        kept = self.__dict__.setdefault("_kept", {})
        if what not in kept:
            kept[what] = compute()
        return cast("Result", kept[what])

    def held(self, names: Sequence[str]) -> Microdata:
        """The file in memory, where it is already; of one on the disk, these columns."""
        return self

    # -- new versions ----------------------------------------------------------------------

    def with_schema(self, schema: Schema) -> Microdata:
        """The same records with other roles, kinds or missing codes."""
        schema = schema.select(self.names)
        table = self._table
        for place, column in enumerate(schema):
            known = self._schema[column.name]
            if column.missing != known.missing:
                values = _opened(column, self._closed(known), decimal(table))
                table = table.set_column(place, column.name, values)
        return self._made(table, schema, self._native)

    def with_plain_gaps(self, names: Iterable[str]) -> Microdata:
        """The codes of gaps forgotten: for a method that moves values from row to row."""
        changed = self
        for name in names:
            if self._schema[name].missing:
                values = self._table.column(name)
                native = changed._native.holding(name, values)
                changed = changed._made(changed._table, changed._schema, native)
        return changed

    def with_numbers(
        self,
        names: Sequence[str],
        values: ArrayLike,
    ) -> Microdata:
        """The inverse of ``numbers``.

        Types, categories and missing values are as in the original column, and numbers have the
        decimals that it has: integers are whole, money in cents has two. NaN becomes missing.
        Equal numbers stay equal, and what follows from the released numbers alone is no new use
        of the originals.
        """
        array = np.asarray(values, dtype=np.float64)
        decoded = {
            name: self._decode(name, array[:, j]) for j, name in enumerate(names)
        }
        return self._with_arrays(decoded, [self._schema[name] for name in decoded])

    def with_days(self, name: str, days: Floats) -> Microdata:
        """The inverse of ``days``: dates of the same type, and text in the same format."""
        column, values = self._schema[name], self._table.column(name)
        # the format stays the column's, whatever the new dates could be read as
        if dates.is_text(values.type):
            column = replace(column, date_format=dates.format_of(column, values))
        array = dates.of_days(column, values, days)
        return self._with_arrow(name, array, replace(column, categories=None))

    def with_column(
        self,
        name: str,
        values: Frame,
        *,
        kind: Kind | None = None,
    ) -> Microdata:
        """Replace one column by any values of the same length; its type may change."""
        old = self._schema[name]
        array = as_arrow(values)
        if len(array) != self.n:
            raise InputError(f"column '{name}' needs {self.n} values, not {len(array)}")
        same_type = array.type == self._table.schema.field(name).type
        if kind is None and same_type:
            kind = old.kind
        if kind is None:
            # another type is another kind: intervals where there were numbers
            alone = pa.table({name: array})
            guess = Schema.infer(alone)[name]
            kind = guess.kind
            old = replace(
                guess,
                role=old.role,
                why=old.why,
                known=old.known,
                # gaps stay the gaps that they were
                missing=old.missing,
                description=old.description,
            )
        column = replace(old, kind=kind, categories=None, ask="")
        return self._with_arrow(name, array, column)

    def take(self, rows: ArrayLike) -> Microdata:
        """Some records, in the order given."""
        index = np.asarray(rows)
        if index.dtype == bool:
            index = np.flatnonzero(index)
        places = array_of(index.astype(np.int64))
        table = self._table.take(places)
        return self._made(table, self._schema, self._native.take(index))

    def few(self, rows: Ints, names: Sequence[str]) -> Microdata:
        """Few records, in the order given, in memory; of a file on the disk these columns."""
        return self.take(rows)

    def drop(self, names: Iterable[str]) -> Microdata:
        """Without these columns."""
        gone = set(names)
        return self.select([name for name in self.names if name not in gone])

    def select(self, names: Sequence[str]) -> Microdata:
        """These columns only, in this order."""
        names = list(names)
        schema = self._schema.select(names)
        native = self._native.select(names)
        return self._made(self._table.select(names), schema, native)

    def to_native(self) -> Frame:
        """The same kind of frame as was given, with changed columns in place."""
        return self._native.restore(self.written())

    def _with_arrow(
        self,
        name: str,
        array: pa.Array,
        column: Column,
    ) -> Microdata:
        return self._with_arrays({name: array}, [column])

    def _with_arrays(
        self, new: Mapping[str, pa.Array], columns: Sequence[Column]
    ) -> Microdata:
        # all at once: a column at a time, a table of thousands is copied thousands of times
        table = self._table
        if isinstance(table, pa.Table):
            table = _with_columns(table, new)
        else:
            for name, array in new.items():
                table = table.set_column(self.names.index(name), name, array)
        # only changed columns are written back, so that all others keep their very dtype
        return self._made(table, self._schema.put(*columns), self._native.changed(*new))

    def _made(self, table: pa.Table, schema: Schema, native: NativeFrame) -> Microdata:
        """A new version; one that is on the disk stays there."""
        return Microdata(table, schema, native)

    def _closed(self, column: Column) -> pa.ChunkedArray:
        """The values of a column with its missing codes in their places."""
        values = self._table.column(column.name)
        if not column.missing:
            return values
        raw = self._native.column(column.name)
        if column.name not in self._native.replaced:
            return raw
        return column.missing.closed(values, raw, decimal=decimal(self._table))

    def _decode(
        self,
        name: str,
        numbers: Floats,
    ) -> pa.Array:
        type_ = self._table.schema.field(name).type
        if self._schema[name].scale is Kind.continuous:
            column = self._schema[name]
            numbers = as_written(numbers, type_, column.decimals)
            if column.missing:
                # a masked value must not be taken for a code by whoever reads the release
                numbers = column.missing.avoided(numbers, self.column(name))
            return decode_numbers(numbers, type_)
        return decode_categories(numbers, self.categories(name), type_)


def _opened(
    column: Column,
    values: pa.ChunkedArray,
    sign: str,
) -> pa.ChunkedArray:
    """The values with gaps in place of the column's missing codes."""
    if not column.missing:
        return values
    return column.missing.opened(values, decimal=sign, as_text=kept_as_text(column))


def kept_as_text(column: Column) -> bool:
    """Text of this column that looks like numbers is said to be none."""
    return "kind" not in column.unsaid and column.kind in _KEPT_AS_TEXT


def _with_columns(table: pa.Table, new: Mapping[str, pa.Array]) -> pa.Table:
    """The table with these columns in place of those of their names."""
    arrays, fields = [], []
    for place, field in enumerate(table.schema):
        array = new.get(field.name)
        arrays.append(table.column(place) if array is None else array)
        fields.append(field if array is None else pa.field(field.name, array.type))
    schema = pa.schema(fields, metadata=table.schema.metadata)
    return pa.Table.from_arrays(arrays, schema=schema)


def _said(schema: Schema, raw: pa.Table) -> Schema:
    """The schema in the file's order, with what the file says itself (labels, missing codes)."""
    absent = [column.name for column in schema if column.name not in raw.column_names]
    if absent:
        raise ColumnError(
            f"the schema names the column '{absent[0]}', which the file does not have; "
            f"its columns are: {', '.join(raw.column_names)}"
        )
    of_file = columns(raw)
    said = []
    for name in raw.column_names:
        try:
            stated = Column.from_entry(name, of_file.get(name, {}))
        except (ValueError, TypeError) as error:
            raise InputError(
                f"what the file says of its columns is wrong: {error}"
            ) from None
        if name in schema:
            said.append(schema[name].completed(stated))
        else:
            # without a schema nothing is unknown: everything is guessed
            said.append(replace(stated, known=not schema.columns))
    return Schema(tuple(said))
