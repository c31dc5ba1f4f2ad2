"""Arrow columns as numbers and back: values, or codes of categories."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.errors import InputError
from tacit.base.typing import Floats
from tacit.data.buffers import array_of, floats_of, listed, numpy_type
from tacit.data.column import ALL_DIGITS, Category, Column, Kind
from tacit.data.dates import is_text, moments
from tacit.data.frames import Frame


def floats(values: pa.ChunkedArray | pa.Array) -> Floats:
    """An Arrow column as float64 with NaN for null."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    # a column without chunks stays as it is
    if isinstance(values, pa.ChunkedArray):
        return np.empty(0)
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    numbers = values.cast(pa.float64(), safe=False)
    return floats_of(numbers)


def coded(
    column: Column,
    values: pa.ChunkedArray,
) -> tuple[Floats, list[Category]]:
    """Codes of the values (NaN: missing), and the categories in code order."""
    values = as_categories(values)
    categories = category_order(column, values)
    known = listed(categories, values.type)
    codes = pc.index_in(values, value_set=known)
    no_code = pc.is_null(codes)
    unknown = pc.and_(no_code, pc.is_valid(values))
    if len(values) and pc.any(unknown).as_py():
        row = pc.index(unknown, True).as_py()
        value = values[row].as_py()
        raise InputError(
            f"column '{column.name}', row {row + 1}: the value {value!r} is not among "
            "the categories that the schema declares; add it there, "
            "or to its missing codes"
        )
    return floats(codes), categories


def as_categories(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column whose values can be compared: no dictionary, and null wherever one is missing."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_floating(values.type):
        # NaN is a missing value, not a category
        values = pa.chunked_array([_missing_as_null(floats(values))])
    return values


def category_order(
    column: Column,
    values: pa.ChunkedArray,
) -> list[Category]:
    """Declared categories as they are.

    Others are sorted by value, so that row order does not matter.
    """
    distinct = pc.unique(values).to_pylist()
    present = [value for value in distinct if value is not None]
    if column.categories is None:
        if column.kind is Kind.date and is_text(values.type):
            # text dates sort as time, not as text
            time = moments(column, values)
            return sorted(present, key=lambda text: (time[text], text))
        try:
            return sorted(present)
        except TypeError:
            # values of several types have no order of their own
            return sorted(present, key=repr)
    declared = list(column.categories)
    if present and declared and type(declared[0]) is not type(present[0]):
        # a schema file declares as text what the data hold as numbers or dates
        by_text = {str(value): value for value in present}
        declared = [by_text.get(str(value), value) for value in declared]
        declared = [value for value in declared if isinstance(value, type(present[0]))]
    return declared


def as_written(
    numbers: Floats,
    kind: pa.DataType,
    decimals: int | None,
) -> Floats:
    """Numbers with the decimals of their column: none for integers, all for None and -1.

    Equal numbers stay equal, so that groups of equal records do.
    """
    if pa.types.is_integer(kind):
        return np.rint(numbers)
    if decimals is None or decimals == ALL_DIGITS:
        return numbers
    # adding 0 turns -0.0 into 0.0, which people write
    return np.round(numbers, decimals) + 0.0


def _missing_as_null(numbers: Floats) -> pa.Array:
    """Numbers as an Arrow array, null where they are NaN."""
    return array_of(numbers, np.isnan(numbers))


def decode_numbers(
    numbers: Floats,
    kind: pa.DataType,
) -> pa.Array:
    """Numbers in the type of their column: integers rounded and within range, NaN missing."""
    if not pa.types.is_integer(kind):
        array = _missing_as_null(numbers)
        return array if pa.types.is_float64(kind) else array.cast(kind, safe=False)
    integer = numpy_type(kind)
    info = np.iinfo(integer)
    whole = np.clip(np.rint(numbers), float(info.min), float(info.max))
    # float(2**63 - 1) rounds up to 2**63, which does not fit: step below it
    largest = np.nextafter(2.0**63, 0)
    whole = np.where(whole >= 2.0**63, largest, whole)
    absent = np.isnan(numbers)
    # a null needs some integer below it
    filled = np.where(absent, 0.0, whole).astype(integer)
    return array_of(filled, absent)


def decode_categories(
    numbers: Floats,
    categories: Sequence[Category],
    kind: pa.DataType,
) -> pa.Array:
    """Categories of the nearest codes; NaN is missing."""
    value_type = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not categories:
        return pa.nulls(len(numbers), type=value_type)
    absent = np.isnan(numbers)
    nearest = np.rint(np.where(absent, 0, numbers))
    inside = np.clip(nearest, 0, len(categories) - 1)
    codes = inside.astype(np.int64)
    values = listed(categories, value_type)
    return values.take(array_of(codes, absent))


def not_a_number(
    name: str,
    values: pa.ChunkedArray,
) -> str:
    """What is wrong with a column that should hold numbers: the first row that does not."""
    for row, value in enumerate(values.to_pylist(), start=1):
        if value is None:
            continue
        try:
            float(value)
        except (TypeError, ValueError):
            return (
                f"column '{name}', row {row}: {value!r} is not a number; "
                "correct it, declare it as a missing code in the schema, "
                f"or declare the column nominal (--nominal {name})"
            )
    return (
        f"column '{name}' holds {values.type} where numbers are needed; "
        f"declare it nominal (--nominal {name})"
    )


def as_arrow(values: Frame) -> pa.Array:
    """Any column of values as one Arrow array."""
    if isinstance(values, pa.ChunkedArray):
        return values.combine_chunks()
    if isinstance(values, pa.Array):
        return values
    if isinstance(values, np.ndarray):
        if values.dtype == np.float64 and values.ndim == 1:
            return _missing_as_null(values)
        return pa.array(values, from_pandas=values.dtype.kind == "f")
    if hasattr(values, "__arrow_c_stream__"):
        import narwhals.stable.v2 as nw

        return nw.from_native(values, series_only=True).to_arrow()
    return pa.array(list(values))
