"""Types of Arrow that mean what a usual one means, as that one; others are refused.

Newer writers store text as views, decimals in 32 bits, identifiers as bytes and flags, too.
Everything else here knows text, numbers, flags and times, and times that Python's calendar has.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterable
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.errors import InputError

# 0001-01-01 and 9999-12-31 in days since 1970-01-01: the years of Python's calendar
FIRST_DAY, LAST_DAY = -719_162, 2_932_896
# as many days as Python's spans of time have
MOST_DAYS = 999_999_999
_SECONDS = 86_400
_IN_A_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_OFFSET = re.compile(r"[+-]([01]\d|2[0-3]):?[0-5]\d")
_LONGEST = 38
"""Digits of a decimal of 128 bits."""


def usual(table: pa.Table, source: str = "") -> pa.Table:
    """The table in usual types; times outside the calendar, or of no known zone, are refused."""
    for place, field in enumerate(table.schema):
        try:
            column = usual_column(table.column(place))
        except _Unusual as error:
            raise InputError(f"{source}column '{field.name}': {error}") from None
        if column.type != field.type:
            table = table.set_column(place, field.name, column)
    return table


def refuse_unusual(
    field: pa.Field, parts: Iterable[pa.ChunkedArray], source: str
) -> None:
    """Of a file on the disk, which is read as it is stored: what ``usual`` would change or refuse.

    ``parts`` are the records of the column, some at a time.
    """
    if _reader(field.type) is not None:
        raise InputError(
            f"{source}column '{field.name}' has the type {field.type}, which is read in memory "
            "only; store it as text, numbers or times, or give more --memory"
        )
    if not _is_time(field.type):
        return
    try:
        for part in parts:
            _refuse_far(part)
    except _Unusual as error:
        raise InputError(f"{source}column '{field.name}': {error}") from None


class _Unusual(ValueError):
    """What is wrong with a column."""


def usual_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """One column in a usual type."""
    read = _reader(column.type)
    if read is not None:
        return usual_column(read(column))
    if pa.types.is_dictionary(column.type):
        values = column.type.value_type
        gaps = any(chunk.dictionary.null_count for chunk in column.chunks)
        # Parquet holds no gap among the values that a dictionary lists
        if gaps or _reader(values) is not None or _is_time(values):
            # not cast: extensions have no cast of their own
            plain = [chunk.dictionary_decode() for chunk in column.chunks]
            return usual_column(pa.chunked_array(plain, values))
    if _is_time(column.type):
        _refuse_far(column)
    return column


def _is_time(type_: pa.DataType) -> bool:
    return bool(
        pa.types.is_date(type_)
        or pa.types.is_time(type_)
        or pa.types.is_timestamp(type_)
        or pa.types.is_duration(type_)
    )


def _reader(
    type_: pa.DataType,
) -> Callable[[pa.ChunkedArray], pa.ChunkedArray] | None:
    """What makes a usual column of one with this type; None: it is one."""
    if isinstance(type_, pa.BaseExtensionType):
        return _stored
    if pa.types.is_run_end_encoded(type_):
        return _run_out
    if pa.types.is_string_view(type_):
        return lambda column: column.cast(pa.string())
    if pa.types.is_binary_view(type_):
        return lambda column: column.cast(pa.binary())
    if pa.types.is_decimal(type_):
        return _wider(type_)
    return None


def _stored(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """What an extension is stored as, but for those that say what their bytes mean."""
    name = column.type.extension_name
    chunks = [chunk.storage for chunk in column.chunks]
    stored = pa.chunked_array(chunks, column.type.storage_type)
    if name == "arrow.bool8":
        return stored.cast(pa.bool_())
    if name == "arrow.uuid":
        texts = [
            None if value is None else str(uuid.UUID(bytes=value))
            for value in stored.to_pylist()
        ]
        return pa.chunked_array([pa.array(texts, pa.string())])
    return stored


def _run_out(column: pa.ChunkedArray) -> pa.ChunkedArray:
    chunks = [pc.run_end_decode(chunk) for chunk in column.chunks]
    return pa.chunked_array(chunks, column.type.value_type)


def _wider(
    type_: pa.DataType,
) -> Callable[[pa.ChunkedArray], pa.ChunkedArray] | None:
    """Decimals of 128 or 256 bits, with figures before the point or behind it."""
    digits = type_.precision - min(type_.scale, 0)
    if type_.scale >= 0 and type_.bit_width >= 128:
        return None
    make = pa.decimal128 if digits <= _LONGEST else pa.decimal256
    if digits > 76:
        return lambda column: column.cast(pa.string())
    wide = make(digits, max(type_.scale, 0))
    return lambda column: column.cast(wide)


def _refuse_far(column: pa.ChunkedArray) -> None:
    type_ = column.type
    zone = type_.tz if pa.types.is_timestamp(type_) else None
    if zone is not None:
        _refuse_zone(zone)
    # a day less at both ends, for those that a zone moves over them
    first, last = FIRST_DAY + bool(zone), LAST_DAY - bool(zone)
    is_short = pa.types.is_date32(type_) or pa.types.is_time32(type_)
    numbers = column.cast(pa.int32() if is_short else pa.int64())
    in_a_day = 1
    if pa.types.is_date64(type_):
        in_a_day = 1000 * _SECONDS
    elif not pa.types.is_date32(type_):
        in_a_day = _IN_A_SECOND[type_.unit] * _SECONDS
    if pa.types.is_duration(type_):
        first, last = -MOST_DAYS, MOST_DAYS
    if pa.types.is_time(type_):
        first = last = 0
    ends = pc.min_max(numbers).as_py()
    low, high = ends["min"], ends["max"]
    # to the end of the last day
    if low is None or (low >= first * in_a_day and high < (last + 1) * in_a_day):
        return
    far = low if low < first * in_a_day else high
    row = pc.index(numbers, pa.scalar(far, numbers.type)).as_py() + 1
    where = "the day" if pa.types.is_time(type_) else "the years 1 to 9999"
    raise _Unusual(
        f"row {row} lies outside {where}; make it a gap, or store the column as text"
    )


def _refuse_zone(zone: str) -> None:
    if _OFFSET.fullmatch(zone):
        return
    try:
        ZoneInfo(zone)
    except (ValueError, OSError, KeyError):
        raise _Unusual(
            f"there is no time zone '{zone}'; store the moments in UTC"
        ) from None
