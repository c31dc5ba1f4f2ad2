"""Excel workbooks (.xlsx): one sheet, names in its first row; calamine reads, XlsxWriter writes.

Text is written as text and never as a formula or a link, whatever it begins with.
"""

from __future__ import annotations

import datetime as dt
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.errors import InputError, MissingExtra, TacitWarning
from tacit.data.exact import refuse_rounded
from tacit.data.io import excel_room, formulas

Cell: TypeAlias = Any
"""What calamine gives for a cell: text, a number, true or false, a date, a time."""

# what a sheet can hold
ROWS, COLUMNS, CHARACTERS = 1_048_576, 16_384, 32_767
# Excel shows 15 digits of a number and loses the rest
DIGITS = 15
# days are counted from 1900; earlier dates can only be text
FIRST_DAY = dt.date(1900, 1, 1)
# unpacked, a workbook of a full sheet is smaller; a larger one is made to fill the memory
MOST_BYTES = 4 * 2**30
# what else a damaged archive is said to be
_DAMAGED = (RuntimeError, NotImplementedError, EOFError)
# the day that every workbook of ours was made on, as its archive says already
MADE = dt.datetime(1980, 1, 1, tzinfo=dt.UTC)


def read(
    path: Path,
    *,
    encoding: str | None = None,
) -> pa.Table:
    """Read the first sheet; empty cells and errors are gaps, dates are dates."""
    try:
        import python_calamine as calamine
    except ImportError:
        raise MissingExtra("python-calamine", "excel", "reading Excel files") from None
    try:
        with zipfile.ZipFile(path) as archive:
            # before anything is unpacked
            size = sum(part.file_size for part in archive.infolist())
            if size > MOST_BYTES:
                raise InputError(
                    f"{path}: unpacks to {size / 2**30:.0f} GB; save it as CSV or Parquet"
                )
            excel_room.refuse_far(path, archive)
        workbook = calamine.CalamineWorkbook.from_path(str(path))
        sheets = workbook.sheet_names
        rows = workbook.get_sheet_by_index(0).to_python()
    except (
        calamine.CalamineError,
        zipfile.BadZipFile,
        zlib.error,
        IndexError,
        *_DAMAGED,
    ) as error:
        reason = str(error) or "no sheet"
        raise InputError(f"{path}: is not an Excel workbook ({reason})") from None
    if len(sheets) > 1:
        warnings.warn(
            f"{path} has {len(sheets)} sheets; the first one, '{sheets[0]}', was read",
            TacitWarning,
            stacklevel=2,
        )
    # cells that were once formatted are read as empty rows
    while rows and all(cell == "" for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise InputError(f"{path}: the sheet '{sheets[0]}' is empty")
    # blanks around a name belong to it, as in every other format
    names = [cell if isinstance(cell, str) else _text(cell) for cell in rows[0]]
    for place, name in enumerate(names, start=1):
        if not name.strip():
            raise InputError(
                f"{path}: column {place} of the sheet '{sheets[0]}' has no name "
                "in the first row"
            )
    # a sheet of names alone is a file without records
    columns = zip(*rows[1:], strict=True) if rows[1:] else [()] * len(names)
    arrays = [_column(cells) for cells in columns]
    return pa.Table.from_arrays(arrays, names=names)


def _column(cells: tuple[Cell, ...]) -> pa.Array:
    """Cells of one column in the type that all of them have, or else as text."""
    values = [None if cell == "" else cell for cell in cells]
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {float, int}:
        numbers = pa.array(values, pa.float64())
        is_whole = pc.equal(pc.floor(numbers), numbers)
        if pc.all(is_whole).as_py():
            # Excel knows no integers
            return _whole(numbers)
        return numbers
    if kinds in ({bool}, {str}, {dt.date}, {dt.time}):
        return pa.array(values)
    if kinds <= {dt.date, dt.datetime}:
        # a moment at midnight is written as a day
        return pa.array([_moment(value) for value in values], pa.timestamp("us"))
    if kinds == {dt.timedelta}:
        spans = pa.array(values, pa.duration("us"))
        return spans.cast(pa.int64())
    return pa.array([None if value is None else _text(value) for value in values])


def _whole(numbers: pa.Array) -> pa.Array:
    try:
        return numbers.cast(pa.int64())
    # too large for 64 bits
    except pa.ArrowInvalid:
        return numbers


def _moment(value: Cell) -> Cell:
    if value is None or isinstance(value, dt.datetime):
        return value
    return dt.datetime(value.year, value.month, value.day)


def _text(value: Cell) -> str:
    """A cell as text, numbers without the decimals that they do not have."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.strip() if isinstance(value, str) else str(value)


def write(
    table: pa.Table,
    path: Path,
) -> None:
    """Write one sheet; the same table gives the same bytes at any time."""
    try:
        import xlsxwriter
    except ImportError:
        raise MissingExtra("XlsxWriter", "excel", "writing Excel files") from None
    if table.num_rows + 1 > ROWS or table.num_columns > COLUMNS:
        raise InputError(
            f"{path}: {table.num_rows:,} records of {table.num_columns:,} columns do not fit "
            f"a sheet ({ROWS:,} rows with the names, {COLUMNS:,} columns); write CSV or Parquet"
        )
    # refused before the file is begun, so that nothing is left behind
    columns = [_cells(path, name, table.column(name)) for name in table.column_names]
    for place, name in enumerate(table.column_names, start=1):
        _refuse_long(path, name, [name])
        if not name.strip():
            raise InputError(
                f"{path}: column {place} has no name, which Excel files need; name it"
            )
    _refuse_blank(path, [values for _, values in columns])
    # rows are written one after the other, so that only one is held
    workbook = xlsxwriter.Workbook(str(path), {"constant_memory": True})
    workbook.set_properties({"created": MADE.replace(tzinfo=None)})
    sheet = workbook.add_worksheet("data")
    bold = workbook.add_format({"bold": True})
    # the names stay in sight
    sheet.freeze_panes(1, 0)
    formats = {
        "date": workbook.add_format({"num_format": "yyyy-mm-dd"}),
        "moment": workbook.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
        "time": workbook.add_format({"num_format": "hh:mm:ss"}),
    }
    # text that begins like a formula stays text when somebody edits the cell
    kept_text = workbook.add_format({"quote_prefix": True})
    bold_text = workbook.add_format({"bold": True, "quote_prefix": True})
    for place, name in enumerate(table.column_names):
        shown = bold_text if formulas.is_formula(name) else bold
        sheet.write_string(0, place, name, shown)
    writers: list[Callable[[int, int, Cell], object]] = []
    for kind, _ in columns:
        writers.append(_writer(sheet, kind, formats, kept_text))
    values_of_columns = [values for _, values in columns]
    rows = zip(*values_of_columns, strict=True)
    for row, cells in enumerate(rows, start=1):
        for place, value in enumerate(cells):
            if value is not None:
                writers[place](row, place, value)
    workbook.close()


def _writer(
    sheet: Any,
    kind: str,
    formats: dict[str, Any],
    kept_text: Any,
) -> Callable[[int, int, Cell], object]:
    if kind == "text":

        def write_text(row: int, place: int, value: str) -> object:
            shown = kept_text if formulas.is_formula(value) else None
            return sheet.write_string(row, place, value, shown)

        return write_text
    if kind in formats:
        shown = formats[kind]
        return lambda row, place, value: sheet.write_datetime(row, place, value, shown)
    writers: dict[str, Callable[[int, int, Cell], object]] = {
        "number": sheet.write_number,
        "boolean": sheet.write_boolean,
    }
    return writers[kind]


def _cells(
    path: Path,
    name: str,
    values: pa.ChunkedArray,
) -> tuple[str, list[Cell]]:
    """How the cells of a column are written, and their values."""
    kind = values.type
    if pa.types.is_dictionary(kind):
        values = values.cast(kind.value_type)
        kind = values.type
    if pa.types.is_boolean(kind):
        return "boolean", values.to_pylist()
    if pa.types.is_integer(kind):
        return "number", _refuse_digits(path, name, values.to_pylist())
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        if pa.types.is_decimal(kind):
            refuse_rounded(path, name, values)
        numbers = values.cast(pa.float64(), safe=False)
        # a sheet has neither NaN nor infinity
        finite = pc.is_finite(numbers)
        known = pc.if_else(finite, numbers, None)
        return "number", known.to_pylist()
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return _dates(values)
    if pa.types.is_time(kind):
        return "time", values.to_pylist()
    texts = values.cast(pa.string()).to_pylist()
    _refuse_long(path, name, texts)
    return "text", texts


def _dates(values: pa.ChunkedArray) -> tuple[str, list[Cell]]:
    """Dates; as text where one is older than the calendar of Excel."""
    is_day = pa.types.is_date(values.type)
    if not is_day:
        # a sheet has no time zones
        values = values.cast(pa.timestamp("us"), safe=False)
    cells = values.to_pylist()
    days = (cell if is_day else cell.date() for cell in cells if cell is not None)
    if any(day < FIRST_DAY for day in days):
        return "text", [None if cell is None else cell.isoformat() for cell in cells]
    return ("date" if is_day else "moment"), cells


def _refuse_blank(path: Path, columns: list[list[Cell]]) -> None:
    """A record of gaps is no row of a sheet: at its end nobody could tell that it is there."""
    for row, cells in enumerate(zip(*columns, strict=True), start=1):
        if all(cell is None or cell == "" for cell in cells):
            raise InputError(
                f"{path}: row {row} has no value at all, which a sheet of Excel cannot hold; "
                "write CSV or Parquet"
            )


def _refuse_digits(path: Path, name: str, numbers: list[Cell]) -> list[Cell]:
    for row, number in enumerate(numbers, start=1):
        if number is not None and abs(number) >= 10**DIGITS:
            raise InputError(
                f"{path}: column '{name}', row {row}: Excel keeps {DIGITS} digits and {number} "
                "has more; make the column text"
            )
    return numbers


def _refuse_long(path: Path, name: str, texts: list[str | None]) -> None:
    for row, text in enumerate(texts, start=1):
        if text is not None and len(text) > CHARACTERS:
            raise InputError(
                f"{path}: column '{name}', row {row}: a cell of Excel holds {CHARACTERS:,} "
                f"characters, and this text has {len(text):,}; write CSV or Parquet"
            )
