"""Is a table that was read back the one that was written, as far as the format can hold it?"""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import pyarrow as pa

#: formats in which empty text is a gap, and blanks at the end of a text are not kept
PADDED = (".dta", ".sav", ".zsav", ".por", ".xpt", ".dat", ".fwf", ".asc")
#: formats that know no types: what looks like a number or a date is one
UNTYPED = (".csv", ".tsv", ".txt", ".dat", ".fwf", ".asc", ".arff")


def difference(meant: pa.Table, read: pa.Table, ending: str) -> str:
    """The first cell that differs, or nothing."""
    if meant.num_rows != read.num_rows:
        return f"{read.num_rows} records for {meant.num_rows}"
    for place, name in enumerate(meant.column_names):
        cells = zip(
            _listed(meant.column(place)), _listed(read.column(place)), strict=True
        )
        for row, (one, other) in enumerate(cells):
            if not _same(one, other, ending):
                kinds = f"{meant.column(place).type} -> {read.column(place).type}"
                return f"column {name[:40]!r} row {row} ({kinds}): {one!r:.80} is {other!r:.80}"
    return ""


def _listed(column: pa.ChunkedArray) -> list[Any]:
    if pa.types.is_timestamp(column.type):
        # Python's moments have no nanoseconds, and few formats have time zones
        zone = column.type.tz
        column = column.cast(pa.timestamp("us", zone), safe=False)
        if zone is not None:
            column = column.cast(pa.timestamp("us", "UTC")).cast(pa.timestamp("us"))
    if pa.types.is_time64(column.type):
        column = column.cast(pa.time64("us"), safe=False)
    values: list[Any] = column.to_pylist()
    return values


def _same(one: Any, other: Any, ending: str) -> bool:
    if ending in UNTYPED and isinstance(one, str) and isinstance(other, dt.time):
        # text that looks like a time of day is one there
        return other.isoformat().startswith(one)
    if ending in UNTYPED and one == "nan" and isinstance(other, float):
        return math.isnan(other)
    if isinstance(one, dt.timedelta) and not isinstance(other, dt.timedelta):
        # no other format has spans of time: as microseconds, or as Python writes them
        return str(other) in (str(int(one.total_seconds() * 1e6)), str(one))
    if isinstance(one, dt.time) and isinstance(other, str):
        # to the microsecond, as Python knows times
        return one.isoformat("microseconds")[: len(other)] == other[:15]
    if isinstance(one, dt.datetime) and isinstance(other, str):
        if "+" in other:
            moment = dt.datetime.fromisoformat(other).astimezone(dt.UTC)
            other = moment.replace(tzinfo=None).isoformat()
        one, other = one.isoformat(), other.split(".")[0].replace(" ", "T")
    one, other = _plain(one, ending), _plain(other, ending)
    if one is None or other is None:
        return one is None and other is None
    if isinstance(one, float) and isinstance(other, float):
        # numbers of SAS and SPSS portable files have another base
        tolerance = 1e-13 if ending in (".por", ".xpt") else 1e-15
        if ending == ".dat":
            # cut to the width of the layout, which the writer checks
            tolerance = 1e-6
        # the smallest number of SAS is about 5e-79
        small = 1e-78 if ending == ".xpt" else 0.0
        return one == other or math.isclose(
            one, other, rel_tol=tolerance, abs_tol=small
        )
    if ending in UNTYPED and type(one) is not type(other):
        return bool(_number(one) == _number(other))
    if ending in UNTYPED and str(one) in ("true", "false"):
        return str(one) == str(other).lower()
    return bool(one == other)


def _number(value: Any) -> Any:
    try:
        return float(str(value).replace(",", "."))
    except ValueError:
        return value


def _plain(value: Any, ending: str) -> Any:
    """Values of all types as numbers and text that can be compared."""
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, float) and math.isinf(value) and ending in (".xlsx", *PADDED):
        return None
    if isinstance(value, bool):
        return str(value).lower() if ending in UNTYPED else float(value)
    if isinstance(value, int | float | Decimal):
        return float(value)
    if isinstance(value, dt.datetime):
        value = value.replace(tzinfo=None)
        is_day = value.time() == dt.time(0)
        return value.date().isoformat() if is_day else value.isoformat()
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    if isinstance(value, str):
        if ending in PADDED:
            value = (
                value.rstrip(" ").strip()
                if ending in (".dat", ".fwf")
                else value.rstrip(" ")
            )
        if value == "" and ending in (".xlsx", *PADDED):
            return None
        return value
    return value
