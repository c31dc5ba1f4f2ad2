"""Dates that a file holds as text: read by a format, written back in the same one.

A format is written in the letters of ``strptime``; ``%-d`` and ``%-m`` are days and months
without a leading zero, on every system.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.errors import InputError
from tacit.base.typing import Floats
from tacit.data.column import Column, Kind

DAY_FIRST = {
    f"{day}{sign}{month}{sign}{year}": f"{month}{sign}{day}{sign}{year}"
    for sign in "/-"
    for day, month in (("%d", "%m"), ("%-d", "%-m"))
    for year in ("%Y", "%y")
}
"""Formats with the day first, and the same with the month first: each reads like the other."""
FORMATS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d"),
    *DAY_FIRST,
    *DAY_FIRST.values(),
    # points are written where days come first
    *("%d.%m.%Y", "%-d.%-m.%Y", "%d.%m.%y"),
    *(
        "%d %b %Y",
        "%d %B %Y",
        "%d-%b-%Y",
        "%d%b%Y",
        "%d-%b-%y",
        "%-d %b %Y",
        "%-d %B %Y",
    ),
    *("%b %d, %Y", "%B %d, %Y", "%b %-d, %Y", "%B %-d, %Y"),
    *("%Y-%m", "%b %Y", "%B %Y"),
)
"""Formats of dates that are tried, usual ones first."""
TIMES = (
    *("", " %H:%M", " %H:%M:%S", "T%H:%M:%S", "T%H:%M", " %H:%M:%S.%f"),
    *("T%H:%M:%SZ", "T%H:%MZ", "T%H:%M:%S.%fZ"),
)
"""What may follow a date."""
# years that people's files hold; a number outside is not meant as a date
FIRST, LAST = 1800, 2200


def read_date(text: str, form: str) -> datetime | None:
    """The moment that a text says, or None if it says none in this format."""
    try:
        # strptime reads days with and without a zero alike
        padded = form.replace("%-", "%")
        moment = datetime.strptime(text.strip(), padded)
    except ValueError:
        return None
    if not FIRST <= moment.year <= LAST:
        return None
    # 3/4/2020 is not of the format that writes 03/04/2020, nor the other way round
    written = write_date(moment, form)
    same = written.lower() == text.strip().lower()
    return moment if same else None


def write_date(moment: date, form: str) -> str:
    """The moment in a format."""
    # not every system has %-d
    plain = {"%-d": str(moment.day), "%-m": str(moment.month)}
    filled = re.sub(r"%-[dm]", lambda part: plain[part.group()], form)
    return moment.strftime(filled)


def formats_of(texts: Sequence[str]) -> list[tuple[str, float]]:
    """Formats that hold for some of the texts, with their share, best first."""
    shares = []
    for time in TIMES:
        for form in FORMATS:
            whole = form + time
            share = _share(texts, whole)
            if share > 0:
                shares.append((whole, share))
    return sorted(shares, key=lambda pair: -pair[1])


def _share(texts: Sequence[str], form: str) -> float:
    # most formats fail on the first texts: no need to try them all
    if texts and not any(read_date(text, form) for text in texts[:20]):
        return 0.0
    held = sum(read_date(text, form) is not None for text in texts)
    return held / max(1, len(texts))


def both_ways(forms: Iterable[str]) -> tuple[str, str] | None:
    """The day-first and the month-first format where both hold; None where one is right."""
    held = list(forms)
    for form in held:
        day_first, time = _parts(form)
        other = DAY_FIRST.get(day_first, "") + time
        if day_first in DAY_FIRST and other in held:
            return form, other
    return None


def _parts(form: str) -> tuple[str, str]:
    """The date and the time of a format."""
    at = re.search(r"[ T]%H", form)
    return (form[: at.start()], form[at.start() :]) if at else (form, "")


def format_of(column: Column, values: pa.ChunkedArray) -> str:
    """The format of a text column of dates: declared, or the only one that holds for all.

    Raises
    ------
    InputError
        No format holds, or day and month could be exchanged.
    """
    if column.date_format:
        return column.date_format
    distinct = pc.unique(values).to_pylist()
    texts = [str(text) for text in distinct if text is not None]
    shares = formats_of(texts)
    best = [form for form, share in shares if share == shares[0][1]]
    # a wrong guess would move every birthday: the producer must say
    ways = both_ways(best)
    if ways:
        known = pc.is_valid(values)
        row = pc.index(known, True).as_py()
        raise InputError(
            f"column '{column.name}', row {row + 1}: {values[row].as_py()!r} may have the day or "
            f"the month first, and so may every value; say which in the schema: "
            f"date_format = {ways[0]!r} or {ways[1]!r}"
        )
    if not best:
        row = pc.index(pc.is_valid(values), True).as_py() if texts else 0
        shown = f"{values[row].as_py()!r}" if texts else "nothing"
        raise InputError(
            f"column '{column.name}', row {row + 1}: {shown} is no date that is known; "
            "say how to read it in the schema: date_format = '%d/%m/%Y'"
        )
    return best[0]


def moments(column: Column, values: pa.ChunkedArray) -> dict[str, datetime]:
    """The moment of each distinct text of a column of dates.

    Raises
    ------
    InputError
        A text is no date, or out of range: its row is named.
    """
    form = format_of(column, values)
    read = {}
    for text in pc.unique(values).to_pylist():
        # gaps stay gaps
        if text is None:
            continue
        moment = read_date(text, form)
        if moment is None:
            wrong = pa.scalar(text, values.type)
            row = pc.index(values, wrong).as_py()
            raise InputError(
                f"column '{column.name}', row {row + 1}: {text!r} is no date in the format "
                f"{form}, or not between {FIRST} and {LAST}; correct it, or declare the column "
                f"nominal (--nominal {column.name})"
            )
        read[text] = moment
    return read


def is_text(type_: pa.DataType) -> bool:
    """Dates of this Arrow type are text."""
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_))


def days(column: Column, values: pa.ChunkedArray) -> Floats:
    """A column of dates as days since 1970-01-01 (NaN: missing); times are parts of a day."""
    if column.kind is not Kind.date:
        raise InputError(
            f"column '{column.name}' is {column.kind}, not date; "
            f"declare it so (--date {column.name})"
        )
    if is_text(values.type):
        read = moments(column, values)
        start = datetime(1970, 1, 1)
        day = {text: (m - start).total_seconds() / 86400 for text, m in read.items()}
        texts = values.to_pylist()
        return np.array([np.nan if text is None else day[text] for text in texts])
    if not pa.types.is_date(values.type) and not pa.types.is_timestamp(values.type):
        raise InputError(
            f"column '{column.name}' holds {values.type}, not dates; give dates, or text with a "
            "date_format"
        )
    if pa.types.is_date(values.type):
        values = values.cast(pa.date32())
        whole = values.cast(pa.int32())
        numbers = whole.cast(pa.float64())
    else:
        # nanoseconds are cut off: nobody is dated by them
        moved = values.cast(pa.timestamp("us"), safe=False)
        micros = moved.cast(pa.int64())
        # days far from now have more microseconds than a double keeps apart
        numbers = pc.divide(micros.cast(pa.float64(), safe=False), 86400e6)
    return np.asarray(numbers.to_numpy(), dtype=np.float64)


def of_days(column: Column, values: pa.ChunkedArray, numbers: Floats) -> pa.Array:
    """The inverse of ``days``: dates of the type, and in the format, of a column's values.

    Parameters
    ----------
    column, values : Column, Arrow column
        Where type and format are taken from.
    numbers : array
        Days since 1970-01-01; NaN is missing.
    """
    gaps = np.isnan(numbers)
    # NaN has no whole number; the mask makes them gaps again
    filled = np.where(gaps, 0, numbers)
    micros = np.rint(filled * 86400e6).astype(np.int64)
    counted = pa.array(micros, mask=gaps)
    moved = counted.cast(pa.timestamp("us"))
    if is_text(values.type):
        form = format_of(column, values)
        texts = [None if m is None else write_date(m, form) for m in moved.to_pylist()]
        return pa.array(texts, type=values.type)
    if pa.types.is_timestamp(values.type) and values.type.tz is not None:
        # moments with a zone are counted in UTC, whatever zone they are shown in
        moved = moved.cast(pa.timestamp("us", tz="UTC"))
    return moved.cast(values.type, safe=False)
