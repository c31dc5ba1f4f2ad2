"""The frame that a user gave: how to read it into Arrow, and how to give the same kind back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tacit.errors import InputError


@dataclass(frozen=True)
class NativeFrame:
    """The user's frame, its column labels as text, and which columns have been replaced since."""

    frame: Any
    flavour: str  # 'numpy' or the narwhals implementation: 'pandas', 'polars', 'pyarrow', ...
    labels: dict[str, Any]
    replaced: frozenset[str] = field(default=frozenset())

    @classmethod
    def of(cls, data: Any) -> NativeFrame:
        """Look at what was given; refuse what is not a table of records."""
        if isinstance(data, np.ndarray):
            if data.ndim != 2:
                raise InputError(f"expected a 2-d array of records by columns, not {data.ndim}-d")
            return cls(data, "numpy", {f"x{j}": j for j in range(data.shape[1])})
        if isinstance(data, list | tuple):
            return cls.of(np.asarray(data))
        try:
            frame: Any = nw.from_native(data, eager_only=True)
        except TypeError:
            raise InputError(
                f"a {type(data).__name__} is not a table; give a pandas, polars or pyarrow frame, or a 2-d numpy array"
            ) from None
        except (nw.exceptions.DuplicateError, ValueError) as error:
            raise InputError(f"{str(error).splitlines()[0]}; give each column a name of its own") from None
        flavour = frame.implementation.value
        raw = list(data.columns) if flavour == "pandas" else list(frame.columns)
        names = [str(label) for label in raw]
        twice = [name for j, name in enumerate(names) if name in names[:j]]
        if twice:
            raise InputError(f"two columns are named '{twice[0]}'; give each column a name of its own")
        return cls(data, flavour, dict(zip(names, raw, strict=True)))

    def changed(self, name: str) -> NativeFrame:
        """Note that a column is no longer the user's."""
        return replace(self, replaced=self.replaced | {name})

    def take(self, rows: NDArray[np.int64]) -> NativeFrame:
        """The records at these positions."""
        if self.flavour == "numpy":
            return replace(self, frame=self.frame[rows])
        if self.flavour == "pandas":
            return replace(self, frame=self.frame.iloc[rows])
        if self.flavour == "pyarrow":
            return replace(self, frame=self.frame.take(pa.array(rows)))
        return replace(self, frame=nw.from_native(self.frame, eager_only=True)[rows.tolist()].to_native())

    def select(self, names: Sequence[str]) -> NativeFrame:
        """Some columns."""
        labels = {name: self.labels[name] for name in names}
        if self.flavour == "numpy":
            frame = self.frame[:, list(labels.values())]
            labels = {name: j for j, name in enumerate(labels)}
        elif self.flavour == "pandas":
            frame = self.frame[list(labels.values())]
        else:
            frame = nw.from_native(self.frame, eager_only=True).select(list(names)).to_native()
        return NativeFrame(frame, self.flavour, labels, self.replaced & set(names))

    def restore(self, table: pa.Table) -> Any:
        """The user's kind of frame, with the replaced columns taken from the table."""
        new = [name for name in table.column_names if name in self.replaced]
        if self.flavour == "numpy":
            return _restore_numpy(self, table, new)
        if self.flavour == "pandas":
            return _restore_pandas(self, table, new)
        if self.flavour == "polars":
            return _restore_polars(self, table, new)
        if self.flavour == "pyarrow":
            return _restore_arrow(self, table, new)
        raise InputError(f"{self.flavour} frames can be read but not written; convert to pandas or polars")


def to_table(native: NativeFrame) -> pa.Table:
    """The records as an Arrow table with text column names."""
    if native.flavour == "numpy":
        return pa.table({name: _array_column(name, native.frame[:, j]) for name, j in native.labels.items()})
    frame = native.frame
    if native.flavour == "pyarrow":
        return frame  # its metadata (value labels, CSV dialect) travel along
    columns: dict[str, Any] = {}
    for name, label in native.labels.items():
        series = frame[label] if native.flavour == "pandas" else None
        try:
            if series is not None:
                columns[name] = pa.chunked_array([_pandas_column(series)])
            else:
                column = nw.from_native(frame, eager_only=True)[name]
                arrow = column.to_arrow()
                columns[name] = arrow if isinstance(arrow, pa.ChunkedArray) else pa.chunked_array([arrow])
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError) as error:
            first = str(error).splitlines()[0]
            raise InputError(
                f"column '{name}' mixes types or holds values that no column type fits ({first}); make it one type"
            ) from None
    return pa.table(columns)


def _array_column(name: str, values: NDArray[Any]) -> pa.Array:
    if values.dtype == object or values.dtype.kind in "US":
        try:
            values = values.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"column '{name}' of the array is not numeric ({error})") from None
    if values.dtype.kind == "c":
        raise InputError(f"column '{name}': complex data not supported; give its real and imaginary part")
    if values.dtype.kind != "f" or values.dtype == np.float16:
        values = values.astype(np.float64)  # an array has one dtype: a masked integer array is a float array
    return pa.array(np.ascontiguousarray(values), from_pandas=True)


def _pandas_column(series: Any) -> pa.Array:
    array = pa.Array.from_pandas(series)
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _restore_numpy(native: NativeFrame, table: pa.Table, new: list[str]) -> NDArray[Any]:
    if not new and native.frame.shape == (table.num_rows, table.num_columns):
        return np.array(native.frame)
    columns = [table.column(name).to_numpy() for name in table.column_names]
    floating = native.frame.dtype if native.frame.dtype.kind == "f" else np.dtype(np.float64)
    if all(np.asarray(c).dtype.kind in "fiub" for c in columns):
        return np.column_stack(columns).astype(floating) if columns else np.empty((table.num_rows, 0))
    return np.column_stack([np.asarray(c, dtype=object) for c in columns])


def _restore_pandas(native: NativeFrame, table: pa.Table, new: list[str]) -> Any:
    frame = native.frame.copy()
    for name in new:
        label = native.labels[name]
        old = frame[label].dtype
        series = table.column(name).combine_chunks().to_pandas()
        series.index = frame.index
        try:
            if str(old) == "category" and not set(series.dropna().unique()) <= set(old.categories):
                raise TypeError("new categories")
            cast = series.astype(old)
            if not _loses(series, cast):
                series = cast
        except (TypeError, ValueError):
            pass  # the method changed the type (recoding, suppression in an integer column)
        frame[label] = series
    return frame


def _loses(series: Any, cast: Any) -> bool:
    """Whether pandas dropped something without saying so: decimals, or categories that the old type lacks."""
    if series.dtype.kind == "f" and getattr(cast.dtype, "kind", "") in "iu":
        return bool((series != cast).any())
    return bool(cast.isna().sum() > series.isna().sum())


def _restore_polars(native: NativeFrame, table: pa.Table, new: list[str]) -> Any:
    import polars as pl

    columns = []
    for name in new:
        series = pl.Series(name, pl.from_arrow(table.column(name)))
        try:
            cast = series.cast(native.frame.schema[name], strict=True)
            if not (series.dtype.is_float() and cast.dtype.is_integer() and bool((series != cast).any())):
                series = cast
        except pl.exceptions.PolarsError:
            pass  # the method changed the type
        columns.append(series)
    return native.frame.with_columns(columns)


def _restore_arrow(native: NativeFrame, table: pa.Table, new: list[str]) -> pa.Table:
    out = native.frame
    for name in new:
        field_ = native.frame.schema.field(name)
        column = table.column(name)
        try:
            column = column.cast(field_.type)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            field_ = pa.field(name, column.type)
        out = out.set_column(out.column_names.index(name), field_, column)
    return out
