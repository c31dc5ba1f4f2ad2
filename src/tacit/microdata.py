"""Microdata: a table that knows what its columns are, whatever kind of frame it came in.

pandas, polars, pyarrow and numpy go in (through narwhals) and the same kind comes out, with dtypes, index,
column order and missing values as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

from tacit.errors import ColumnError, InputError
from tacit.frames import NativeFrame, to_table
from tacit.schema import Column, Kind, Role, Schema

__all__ = ["Column", "Kind", "Microdata", "Role", "Schema"]

FloatArray = NDArray[np.float64]


class Microdata:
    """Records with a schema; immutable (each change gives a new one).

    >>> data = Microdata.of({"age": [31, 45, 52], "sex": ["f", "m", "f"]}, nominal=["sex"])
    >>> data.n, data.names, data.quasi
    (3, ['age', 'sex'], ['age', 'sex'])
    >>> data.numbers(["age", "sex"])[:, 1]
    array([0., 1., 0.])
    """

    def __init__(self, table: pa.Table, schema: Schema, native: NativeFrame) -> None:
        self._table = table
        self._schema = schema
        self._native = native
        self._codes: dict[str, tuple[FloatArray, list[Any]]] = {}

    @classmethod
    def of(cls, data: Any, schema: Schema | None = None, **roles: Iterable[str] | str | None) -> Microdata:
        """From a frame, an array, a dict of columns, or Microdata; roles and kinds as in ``Schema.set``."""
        if isinstance(data, Microdata):
            given = data if schema is None else data.with_schema(schema)
            return given.with_schema(given.schema.set(**roles)) if roles else given
        if isinstance(data, dict):
            data = pa.table({str(name): _arrow(values) for name, values in data.items()})
        native = NativeFrame.of(data)
        table = to_table(native)
        if schema is None:
            schema = Schema.infer(table)
        else:
            absent = [c.name for c in schema if c.name not in table.column_names]
            if absent:
                raise ColumnError(
                    f"the schema names the column '{absent[0]}', which the file does not have; "
                    f"its columns are: {', '.join(table.column_names)}"
                )
            inferred = Schema.infer(table.select([n for n in table.column_names if n not in schema]))
            schema = Schema(tuple(schema[n] if n in schema else inferred[n] for n in table.column_names))
        return cls(table, schema.set(**roles) if roles else schema, native)

    # -- what it is ------------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self._table.num_rows)

    def __len__(self) -> int:
        return self.n

    @property
    def names(self) -> list[str]:
        """Column names in file order."""
        return list(self._table.column_names)

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
        """The records as an Arrow table."""
        return self._table

    @property
    def native(self) -> Any:
        """The frame that was given, untouched."""
        return self._native.frame

    def __repr__(self) -> str:
        return f"Microdata({self.n} records, {len(self.names)} columns: {', '.join(self.names[:6])})"

    # -- values as numbers -----------------------------------------------------------------------------

    def numbers(self, names: Sequence[str] | None = None) -> FloatArray:
        """The columns as float64 (n, d), NaN where missing: values, or codes of ordinal and nominal categories."""
        names = self.names if names is None else list(names)
        out = np.empty((self.n, len(names)))
        for j, name in enumerate(names):
            out[:, j] = self.column(name)
        return out

    def column(self, name: str) -> FloatArray:
        """One column as float64: values or codes; NaN where missing. Infinite values are refused by row."""
        column = self._schema[name]
        if column.kind is not Kind.continuous:
            return self._coded(name)[0]
        values = self._table.column(name)
        try:
            numbers = _floats(values)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise ColumnError(_not_a_number(name, values)) from None
        infinite = np.isinf(numbers)
        if infinite.any():
            row = int(np.argmax(infinite)) + 1
            raise InputError(f"column '{name}', row {row}: the value is infinite; replace it or drop the record")
        return numbers

    def categories(self, name: str) -> list[Any]:
        """The values of a nominal or ordinal column in code order (ordinal: lowest first)."""
        return list(self._coded(name)[1])

    def missing(self, name: str) -> NDArray[np.bool_]:
        """Where the column has no value."""
        return np.isnan(self.column(name))

    def _coded(self, name: str) -> tuple[FloatArray, list[Any]]:
        if name not in self._codes:
            column = self._schema[name]
            values = self._table.column(name)
            if pa.types.is_dictionary(values.type):
                values = values.cast(values.type.value_type)
            if pa.types.is_floating(values.type):
                values = pa.chunked_array([pa.array(_floats(values), from_pandas=True)])
            categories = _category_order(column, values)
            codes = pc.index_in(values, value_set=pa.array(categories, type=values.type))
            unknown = pc.and_(pc.is_null(codes), pc.is_valid(values))
            if len(values) and pc.any(unknown).as_py():
                row = pc.index(unknown, True).as_py()
                raise InputError(
                    f"column '{name}', row {row + 1}: the value {values[row].as_py()!r} is not among the "
                    "categories that the schema declares; add it there"
                )
            self._codes[name] = (_floats(codes), categories)
        return self._codes[name]

    # -- new versions ----------------------------------------------------------------------------------

    def with_schema(self, schema: Schema) -> Microdata:
        """The same records with other roles or kinds."""
        return Microdata(self._table, schema.select(self.names), self._native)

    def with_numbers(self, names: Sequence[str], values: ArrayLike) -> Microdata:
        """The inverse of ``numbers``: types, categories and missing values as in the original column.

        Integer columns are rounded to whole numbers; NaN becomes missing.
        """
        array = np.asarray(values, dtype=np.float64)
        changed = self
        for j, name in enumerate(names):
            changed = changed._with_arrow(name, changed._decode(name, array[:, j]), self._schema[name])
        return changed

    def with_column(self, name: str, values: Any, *, kind: Kind | None = None) -> Microdata:
        """Replace one column by any values of the same length; its type may change."""
        old = self._schema[name]
        array = _arrow(values)
        if len(array) != self.n:
            raise InputError(f"column '{name}' needs {self.n} values, not {len(array)}")
        new_kind = kind or (old.kind if array.type == self._table.column(name).type else None)
        if new_kind is None:
            new_kind = Schema.infer(pa.table({name: array}))[name].kind
        column = Column(name, new_kind, old.role, None, old.why)
        return self._with_arrow(name, array, column)

    def take(self, rows: ArrayLike) -> Microdata:
        """Some records, in the order given."""
        index = np.asarray(rows)
        if index.dtype == bool:
            index = np.flatnonzero(index)
        return Microdata(self._table.take(pa.array(index)), self._schema, self._native.take(index))

    def drop(self, names: Iterable[str]) -> Microdata:
        """Without these columns."""
        gone = set(names)
        return self.select([name for name in self.names if name not in gone])

    def select(self, names: Sequence[str]) -> Microdata:
        """These columns only, in this order."""
        schema = self._schema.select(names)
        return Microdata(self._table.select(list(names)), schema, self._native.select(list(names)))

    def to_native(self) -> Any:
        """The same kind of frame as was given, with changed columns in place."""
        return self._native.restore(self._table)

    def _with_arrow(self, name: str, array: pa.Array, column: Column) -> Microdata:
        table = self._table.set_column(self._table.column_names.index(name), name, array)
        return Microdata(table, self._schema.put(column), self._native.changed(name))

    def _decode(self, name: str, numbers: FloatArray) -> pa.Array:
        column = self._schema[name]
        type_ = self._table.column(name).type
        if column.kind is Kind.continuous:
            if pa.types.is_integer(type_):
                info = np.iinfo(type_.to_pandas_dtype())
                whole = np.clip(np.rint(numbers), float(info.min), float(info.max))
                # float(2**63 - 1) rounds up to 2**63, which does not fit: step below it
                top = whole >= 2.0**63
                whole = np.where(top, np.nextafter(2.0**63, 0), whole)
                absent = np.isnan(numbers)
                filled = np.where(absent, 0.0, whole).astype(type_.to_pandas_dtype())
                return pa.array(filled, mask=absent if absent.any() else None)
            array = pa.array(numbers, from_pandas=True)
            return array if pa.types.is_float64(type_) else array.cast(type_, safe=False)
        categories = self._coded(name)[1]
        value_type = type_.value_type if pa.types.is_dictionary(type_) else type_
        absent = np.isnan(numbers)
        codes = np.clip(np.rint(np.where(absent, 0, numbers)), 0, max(len(categories) - 1, 0)).astype(np.int64)
        if not categories:
            return pa.nulls(len(numbers), type=value_type)
        return pa.array(categories, type=value_type).take(pa.array(codes, mask=absent))


def _floats(values: Any) -> FloatArray:
    """An Arrow column as float64 with NaN for null."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, pa.ChunkedArray):  # no chunks at all
        return np.empty(0)
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), dtype=np.float64)


def _category_order(column: Column, values: pa.ChunkedArray) -> list[Any]:
    """Declared categories as they are; others sorted by value, so that row order does not matter."""
    present = [v for v in pc.unique(values).to_pylist() if v is not None]
    if column.categories is not None:
        declared = list(column.categories)
        if present and declared and type(declared[0]) is not type(present[0]):
            by_text = {str(v): v for v in present}
            declared = [by_text.get(str(v), v) for v in declared]
            declared = [v for v in declared if isinstance(v, type(present[0]))]
        return declared
    try:
        return sorted(present)
    except TypeError:
        return sorted(present, key=repr)


def _not_a_number(name: str, values: pa.ChunkedArray) -> str:
    for row, value in enumerate(values.to_pylist(), start=1):
        if value is None:
            continue
        try:
            float(value)
        except (TypeError, ValueError):
            return (
                f"column '{name}', row {row}: {value!r} is not a number; "
                f"correct it, or declare the column nominal (--nominal {name})"
            )
    return f"column '{name}' holds {values.type} where numbers are needed; declare it nominal (--nominal {name})"


def _arrow(values: Any) -> pa.Array:
    if isinstance(values, pa.ChunkedArray):
        return values.combine_chunks()
    if isinstance(values, pa.Array):
        return values
    if isinstance(values, np.ndarray):
        return pa.array(values, from_pandas=values.dtype.kind == "f")
    if isinstance(values, nw.Series) or hasattr(values, "__arrow_c_stream__"):
        return nw.from_native(values, series_only=True).to_arrow()
    return pa.array(list(values))
