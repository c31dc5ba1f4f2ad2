"""The frame that a user gave: how to read it into Arrow, and how to give the same kind back."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tacit.base.errors import InputError, TacitWarning
from tacit.base.typing import Ints
from tacit.data.buffers import array_of
from tacit.data.usual_types import usual

# what Arrow raises for values that fit no type
NO_TYPE_FITS = (
    pa.ArrowException,
    OverflowError,
    UnicodeError,
)

Frame: TypeAlias = Any
"""A table of the user's, or a column of one: pandas, polars, pyarrow, numpy, Spark or DuckDB. No
type can be named, because most of them need not be installed."""


@dataclass(frozen=True)
class NativeFrame:
    """The user's frame, its column labels as text, and which columns have been replaced since."""

    frame: Frame
    # 'numpy' or the narwhals implementation: 'pandas', 'polars', 'pyarrow', ...
    flavour: str
    # text -> the user's own label, which pandas allows to be anything
    labels: dict[str, Hashable]
    replaced: frozenset[str] = field(default=frozenset())
    # where the records came from, if the user's frame held none (``tacit.data.lazy``)
    origin: Frame | None = None

    @classmethod
    def of(cls, data: Frame) -> NativeFrame:
        """Look at what was given; refuse what is not a table of records."""
        if isinstance(data, np.ndarray):
            data = plain_array(data)
            if data.ndim != 2:
                raise InputError(
                    f"expected a 2-d array of records by columns, not {data.ndim}-d"
                )
            return cls(data, "numpy", {f"x{j}": j for j in range(data.shape[1])})
        if isinstance(data, list | tuple):
            return cls.of(_rows(data))
        if isinstance(data, pa.Table):
            return cls._named(data, "pyarrow", data.column_names)
        # files are read into Arrow, which needs no translation: a tenth of a second less
        import narwhals.stable.v2 as nw

        try:
            frame: Frame = nw.from_native(data, eager_only=True)
        except TypeError:
            raise InputError(
                f"a {type(data).__name__} is not a table; "
                "give a pandas, polars, pyarrow, Spark or DuckDB frame, or a 2-d numpy array"
            ) from None
        except (nw.exceptions.DuplicateError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"{reason}; give each column a name of its own") from None
        flavour = frame.implementation.value
        # narwhals gives the labels of pandas as text; ours must find the columns again
        raw = list(data.columns) if flavour == "pandas" else list(frame.columns)
        return cls._named(data, flavour, raw)

    @classmethod
    def _named(cls, data: Frame, flavour: str, raw: Sequence[Hashable]) -> NativeFrame:
        """The frame with its labels as text, no two of them alike."""
        names = [str(label) for label in raw]
        for name in names:
            if any(0xD800 <= ord(letter) < 0xE000 for letter in name):
                raise InputError(
                    f"the column name {name!r} is no text; rename the column"
                )
        # 1 and "1" are two labels of pandas, and one name
        twice = repeated(names)
        if twice:
            raise InputError(
                f"two columns are named '{twice[0]}'; give each column a name of its own"
            )
        return cls(data, flavour, dict(zip(names, raw, strict=True)))

    @property
    def is_array(self) -> bool:
        """An array of broken numbers: its columns are numbers, whatever their values look like."""
        return self.flavour == "numpy" and self.frame.dtype.kind == "f"

    def changed(self, *names: str) -> NativeFrame:
        """Note that columns are no longer the user's."""
        return replace(self, replaced=self.replaced.union(names))

    def column(self, name: str) -> pa.ChunkedArray:
        """One column as the user gave it."""
        if self.flavour == "pyarrow":
            return self.frame.column(name)
        return to_table(self.select([name])).column(name)

    def holding(self, name: str, values: pa.ChunkedArray) -> NativeFrame:
        """The frame as if the user had given these values."""
        table = to_table(self)
        place = table.column_names.index(name)
        table = table.set_column(place, name, values)
        changed = replace(self, replaced=frozenset({name}))
        frame = changed.restore(table)
        return replace(self, frame=frame)

    def take(self, rows: Ints) -> NativeFrame:
        """The records at these positions."""
        if self.flavour == "numpy":
            frame = self.frame[rows]
        elif self.flavour == "pandas":
            frame = self.frame.iloc[rows]
        elif self.flavour == "pyarrow":
            places = array_of(np.asarray(rows, np.int64))
            try:
                frame = self.frame.take(places)
            except pa.ArrowNotImplementedError:
                # a type that Arrow cannot take rows of
                frame = usual(self.frame).take(places)
        else:
            frame = self._narwhals()[rows.tolist()].to_native()
        return replace(self, frame=frame)

    def select(self, names: Sequence[str]) -> NativeFrame:
        """Some columns."""
        labels = {name: self.labels[name] for name in names}
        if self.flavour == "numpy":
            frame = self.frame[:, list(labels.values())]
            # columns of an array are named by their places, which have changed
            labels = {name: j for j, name in enumerate(labels)}
        elif self.flavour == "pandas":
            frame = self.frame[list(labels.values())]
        elif self.flavour == "pyarrow":
            frame = self.frame.select(list(names))
        else:
            chosen = self._narwhals().select(list(names))
            frame = chosen.to_native()
        replaced = self.replaced & set(names)
        return NativeFrame(frame, self.flavour, labels, replaced, self.origin)

    def _narwhals(self) -> Frame:
        import narwhals.stable.v2 as nw

        return nw.from_native(self.frame, eager_only=True)

    def restore(self, table: pa.Table) -> Frame:
        """The user's kind of frame, with the replaced columns taken from the table."""
        if self.origin is None:
            return self._restored(table)
        from tacit.data.lazy import reading

        on_disk = not isinstance(table, pa.Table)
        records = table if on_disk else self._restored(table)
        return reading.give_back(self, records, on_disk=on_disk)

    def _restored(self, table: pa.Table) -> Frame:
        new = [name for name in table.column_names if name in self.replaced]
        if self.flavour == "numpy":
            return _restore_numpy(self, table, new)
        if self.flavour == "pandas":
            return _restore_pandas(self, table, new)
        if self.flavour == "polars":
            return _restore_polars(self, table, new)
        if self.flavour == "pyarrow":
            return _restore_arrow(self, table, new)
        raise InputError(
            f"{self.flavour} frames can be read but not written; "
            "convert to pandas or polars"
        )


def repeated(names: Sequence[str]) -> list[str]:
    """The names that stand there more than once."""
    return [name for name, times in Counter(names).items() if times > 1]


def to_table(native: NativeFrame) -> pa.Table:
    """The records as an Arrow table with text column names."""
    if native.flavour == "pyarrow":
        # its metadata (value labels, CSV dialect) travel along
        return usual(native.frame)
    columns: dict[str, pa.ChunkedArray] = {}
    for name, label in native.labels.items():
        try:
            if native.flavour == "numpy":
                columns[name] = _array_column(name, native.frame[:, label])
            elif native.flavour == "pandas":
                array = pa.Array.from_pandas(native.frame[label])
                # chunks of a pandas categorical may have dictionaries of their own
                if isinstance(array, pa.ChunkedArray):
                    array = array.combine_chunks()
                columns[name] = _chunked(array)
            else:
                column = native._narwhals()[name]
                columns[name] = _chunked(column.to_arrow())
        except NO_TYPE_FITS as error:
            raise InputError(no_type_fits(name, error)) from None
    return usual(pa.table(columns))


def plain_array(data: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """An array of numpy's own class: masked values are gaps, a matrix is its numbers.

    >>> plain_array(np.ma.masked_array([1, 2], [False, True])).tolist()
    [1.0, nan]
    """
    if isinstance(data, np.ma.MaskedArray):
        if not np.ma.is_masked(data):
            return np.asarray(data)
        try:
            numbers = np.ma.masked_array(data, dtype=np.float64)
            return np.asarray(numbers.filled(np.nan))
        except (TypeError, ValueError):
            raise InputError(
                "an array with masked values that are no numbers; give a frame with gaps"
            ) from None
    if data.dtype.kind in "mM":
        raise InputError(f"an array of {data.dtype} holds no numbers; give a frame")
    return np.asarray(data)


def _rows(data: Sequence[object]) -> npt.NDArray[np.generic]:
    """A list of records as an array of two dimensions."""
    try:
        return np.asarray(data)
    except (ValueError, TypeError):
        raise InputError(
            "the records of the list have different numbers of values; give each the same number"
        ) from None


def no_type_fits(name: str, error: Exception) -> str:
    """What is said of a column that Arrow has no type for."""
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return (
        f"column '{name}' mixes types or holds values that no column type fits "
        f"({reason}); make it one type"
    )


def nested(schema: pa.Schema) -> dict[str, str]:
    """Columns whose values nothing here can compare, and what they hold."""
    found = {}
    for name, kind in zip(schema.names, schema.types, strict=True):
        inner = kind.value_type if pa.types.is_dictionary(kind) else kind
        is_bytes = pa.types.is_binary(inner) or pa.types.is_large_binary(inner)
        if pa.types.is_nested(inner) or pa.types.is_union(inner):
            found[name] = "lists or structures"
        elif is_bytes or pa.types.is_fixed_size_binary(inner):
            found[name] = "bytes"
        elif pa.types.is_interval(inner):
            found[name] = "spans of months and days"
    return found


def refuse_nested(table: pa.Table, source: str = "") -> None:
    """Columns of lists, structures or bytes have no values that anything here can compare."""
    for name, what in nested(table.schema).items():
        kind = table.schema.field(name).type
        raise InputError(
            f"{source}column '{name}' holds {what} ({kind}); "
            "give each value a column of its own as text or numbers, or drop the column"
        )


def readable(
    columns: Iterable[str], left_out: Mapping[str, str], source: str
) -> list[str]:
    """The columns without those that hold lists or bytes, which are said to be left out."""
    if left_out:
        listed = ", ".join(f"{name} ({why})" for name, why in left_out.items())
        warnings.warn(
            f"{source}left out, and not in the release: {listed}; give each value a column of "
            "its own as text or numbers to have it protected",
            TacitWarning,
            stacklevel=3,
        )
    names = [name for name in columns if name not in left_out]
    if not names:
        raise InputError(f"{source}has no column that holds text or numbers")
    return names


def _chunked(column: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    if isinstance(column, pa.ChunkedArray):
        return column
    return pa.chunked_array([column])


def _array_column(
    name: str,
    values: npt.NDArray[np.generic],
) -> pa.Array:
    if values.dtype == object or values.dtype.kind in "US":
        try:
            values = values.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"column '{name}' of the array is not numeric ({error})"
            ) from None
    if values.dtype.kind == "c":
        raise InputError(
            f"column '{name}': complex data not supported; "
            "give its real and imaginary part"
        )
    if values.dtype.kind not in "fiub":
        raise InputError(
            f"column '{name}' of the array holds {values.dtype}, and no numbers; give a frame"
        )
    # an array has one dtype: a masked integer array is a float array
    if values.dtype.kind != "f" or values.dtype == np.float16:
        values = values.astype(np.float64)
    return array_of(values, np.isnan(values))


def _restore_numpy(
    native: NativeFrame,
    table: pa.Table,
    new: list[str],
) -> npt.NDArray[np.generic]:
    if not new and native.frame.shape == (table.num_rows, table.num_columns):
        return np.array(native.frame)
    columns = [np.asarray(column.to_numpy()) for column in table.columns]
    if not columns:
        return np.empty((table.num_rows, 0))
    # text or mixed values are only possible as objects
    if not all(column.dtype.kind in "fiub" for column in columns):
        return np.column_stack([column.astype(object) for column in columns])
    dtype = native.frame.dtype
    floating = dtype if dtype.kind == "f" else np.dtype(np.float64)
    return np.column_stack(columns).astype(floating)


def _restore_pandas(
    native: NativeFrame,
    table: pa.Table,
    new: list[str],
) -> Frame:
    frame = native.frame.copy()
    for name in new:
        label = native.labels[name]
        old = frame[label].dtype
        series = table.column(name).combine_chunks().to_pandas()
        series.index = frame.index
        # pandas would make dates of ages, counted in nanoseconds, or text of them
        words = str(old).startswith(("datetime", "str"))
        became_numbers = words and series.dtype.kind in "iuf"
        if not became_numbers and not _has_new_categories(series, old):
            try:
                cast = series.astype(old)
                if not _loses(series, cast):
                    series = cast
            except (TypeError, ValueError):
                # the method changed the type (recoding, suppression in an integer column)
                pass
        frame[label] = series
    return frame


def _has_new_categories(
    series: Frame,
    dtype: Frame,
) -> bool:
    """Values that a pandas categorical would turn into missing ones."""
    if str(dtype) != "category":
        return False
    present = set(series.dropna().unique())
    return not present <= set(dtype.categories)


def _loses(
    series: Frame,
    cast: Frame,
) -> bool:
    """Whether pandas dropped something without saying so.

    Decimals, or categories that the old type lacks.
    """
    if series.dtype.kind == "f" and getattr(cast.dtype, "kind", "") in "iu":
        return bool((series != cast).any())
    gaps_now, gaps_before = cast.isna().sum(), series.isna().sum()
    return bool(gaps_now > gaps_before)


def _restore_polars(
    native: NativeFrame,
    table: pa.Table,
    new: list[str],
) -> Frame:
    import polars as pl

    columns = []
    for name in new:
        series = pl.Series(name, pl.from_arrow(table.column(name)))
        try:
            cast = series.cast(native.frame.schema[name], strict=True)
            to_integers = series.dtype.is_float() and cast.dtype.is_integer()
            loses_decimals = to_integers and bool((series != cast).any())
            became_numbers = series.dtype.is_numeric() and not cast.dtype.is_numeric()
            if not loses_decimals and not became_numbers:
                series = cast
        except pl.exceptions.PolarsError:
            # the method changed the type
            pass
        columns.append(series)
    return native.frame.with_columns(columns)


def _restore_arrow(
    native: NativeFrame,
    table: pa.Table,
    new: list[str],
) -> pa.Table:
    out = native.frame
    for name in new:
        old_field = out.schema.field(name)
        column = table.column(name)
        try:
            if _became_numbers(column.type, old_field.type):
                raise pa.ArrowInvalid("numbers are neither text nor dates")
            column = column.cast(old_field.type)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            # the method changed the type
            old_field = pa.field(name, column.type)
        place = out.column_names.index(name)
        out = out.set_column(place, old_field, column)
    return out


def _became_numbers(new: pa.DataType, old: pa.DataType) -> bool:
    """Text or dates became numbers: an age for a date of birth."""
    numbers = pa.types.is_integer(new) or pa.types.is_floating(new)
    text = pa.types.is_string(old) or pa.types.is_large_string(old)
    return bool(numbers and (text or pa.types.is_temporal(old)))
