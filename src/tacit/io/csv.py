"""CSV: delimiter, decimal comma and encoding are detected; Arrow does the reading."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from tacit.errors import InputError
from tacit.io.labels import annotate, note

SAMPLE_BYTES = 256 * 1024
NULLS = ["", "NA", "NaN", "nan", "N/A", "n/a", "null", "NULL", "None"]
DELIMITERS = ",;\t|"
_DECIMAL_COMMA = re.compile(r"^[+-]?\d+,\d+$")
_DECIMAL_POINT = re.compile(r"^[+-]?\d*\.\d+$")
_LEADING_ZERO = re.compile(r"^0\d+$")


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written."""

    delimiter: str = ","
    decimal: str = "."
    encoding: str = "utf8"


def read(path: Path, *, encoding: str | None = None) -> pa.Table:
    """Read; types are taken from the values, and codes with leading zeros stay text."""
    sample, found = _sample(path, encoding)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else _delimiter(sample)
    rows = _rows(sample, delimiter)
    if not rows or not any(cell.strip() for cell in rows[0]):
        raise InputError(f"{path}: the first line holds no column names")
    dialect = Dialect(delimiter, _decimal(rows[1:], delimiter), found)
    text = {
        rows[0][j]: pa.string()
        for j in range(len(rows[0]))
        if any(j < len(row) and _LEADING_ZERO.match(row[j]) for row in rows[1:])
    }
    try:
        table = _parse(path, dialect, text)
        is_text = not any(pa.types.is_binary(kind) for kind in table.schema.types)
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        if "utf" not in str(error).lower():
            raise
        is_text = False
    if not is_text:  # Arrow calls columns that are not UTF-8 binary
        if encoding is not None:
            raise InputError(f"{path}: is not {encoding} text; say what it is with --encoding")
        dialect = Dialect(delimiter, dialect.decimal, _fallback(path))
        table = _parse(path, dialect, text)
    return annotate(table, dialect=asdict(dialect))


def write(table: pa.Table, path: Path) -> None:
    """Write in the dialect that the table was read in (UTF-8 always)."""
    dialect = Dialect(**(note(table, "dialect") or {}))
    if path.suffix.lower() == ".tsv":
        dialect = Dialect("\t", dialect.decimal, "utf8")
    if dialect.decimal == ",":
        table = _decimal_commas(table)
    header = io.StringIO()
    csv.writer(header, delimiter=dialect.delimiter, lineterminator="\n").writerow(table.column_names)
    table = _plain_columns(table)
    quoting = "needed" if _needs_quotes(table, dialect.delimiter) else "none"
    options = pacsv.WriteOptions(include_header=False, delimiter=dialect.delimiter, quoting_style=quoting)
    with path.open("wb") as file:
        file.write(header.getvalue().encode())
        pacsv.write_csv(table, file, options)


def _needs_quotes(table: pa.Table, delimiter: str) -> bool:
    """Is there text that would be read back otherwise: the delimiter, quotes, line breaks, or a word for missing?"""
    for column in table.columns:
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            special = pc.match_substring_regex(column, '[\\n\\r"' + re.escape(delimiter) + "]")
            missing = pc.is_in(column, value_set=pa.array(NULLS, column.type), skip_nulls=True)
            if pc.any(special).as_py() or pc.any(missing).as_py():
                return True
    return False


def _parse(path: Path, dialect: Dialect, types: dict[str, pa.DataType]) -> pa.Table:
    types = dict(types)
    threads = True
    while True:
        try:
            return pacsv.read_csv(
                path,
                read_options=pacsv.ReadOptions(encoding=dialect.encoding, use_threads=threads),
                parse_options=pacsv.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=not threads),
                convert_options=pacsv.ConvertOptions(
                    column_types=types,
                    null_values=NULLS,
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                    true_values=[],
                    false_values=[],
                    decimal_point=dialect.decimal,
                ),
            )
        except pa.ArrowInvalid as error:
            message = str(error)
            if "Expected" in message and "columns, got" in message:
                if threads:  # once more in order: only then does Arrow know the row, and allow line breaks in quotes
                    threads = False
                    continue
                raise InputError(_ragged(path, message)) from None
            if "UTF8" in message or not _widen(types, path, dialect, message):
                raise


def _widen(types: dict[str, pa.DataType], path: Path, dialect: Dialect, message: str) -> bool:
    """Arrow guesses types from the first block; where a later value does not fit, take the wider type."""
    found = re.search(r"column #(\d+): CSV conversion error to (\w+)", message)
    if not found:
        return False
    with path.open(encoding="utf-8" if dialect.encoding == "utf8" else dialect.encoding, newline="") as file:
        header = next(csv.reader(file, delimiter=dialect.delimiter))
    name = header[int(found.group(1))].removeprefix("\ufeff")
    types[name] = pa.float64() if found.group(2).startswith("int") else pa.string()
    return True


def _ragged(path: Path, message: str) -> str:
    found = re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", message)
    assert found
    line = f"line {found.group(1)}" if found.group(1) else "a line"
    return (
        f"{path}: {line} has {found.group(3)} fields where the header has {found.group(2)}; "
        "correct that line, or quote fields that hold the delimiter"
    )


def _sample(path: Path, encoding: str | None) -> tuple[str, str]:
    with path.open("rb") as file:
        head = file.read(SAMPLE_BYTES)
    if encoding is None:
        if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
            encoding = "utf-16"
        elif b"\x00" in head:
            row = head[: head.index(b"\x00")].count(b"\n") + 1
            raise InputError(f"{path}: line {row} holds bytes that no text file has; it is not a CSV file")
        else:
            encoding = "utf8"
    try:
        text = head.decode("utf-8-sig" if encoding == "utf8" else encoding, errors="ignore")
    except LookupError:
        raise InputError(f"{path}: there is no encoding '{encoding}'; try utf8, cp1252 or latin-1") from None
    if not text.strip():
        raise InputError(f"{path}: the file is empty")
    cut = text.rfind("\n")
    return (text[:cut] if len(head) == SAMPLE_BYTES and cut > 0 else text), encoding


def _fallback(path: Path) -> str:
    """A file that is not UTF-8 is most likely Windows text; bytes that Windows text does not have are refused."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("cp1252")
            except UnicodeDecodeError:
                raise InputError(
                    f"{path}: line {number} is neither UTF-8 nor Windows text; say what it is with --encoding"
                ) from None
    return "cp1252"


def _rows(sample: str, delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(sample), delimiter=delimiter))[:2000]
    except csv.Error:
        return [line.split(delimiter) for line in sample.splitlines()[:2000]]


def _delimiter(sample: str) -> str:
    """The character that splits most lines into the same number of fields as the first, with most fields."""

    def quality(delimiter: str) -> tuple[float, int]:
        rows = [row for row in _rows(sample, delimiter)[:200] if row]
        fields = len(rows[0]) if rows else 1
        agree = sum(len(row) == fields for row in rows) / max(len(rows), 1)
        return (agree if fields > 1 else 0.0, fields)

    best = max(DELIMITERS, key=quality)
    return best if quality(best)[1] > 1 else ","


def _decimal(rows: list[list[str]], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    cells = [cell.strip() for row in rows[:500] for cell in row]
    commas = sum(bool(_DECIMAL_COMMA.match(cell)) for cell in cells)
    points = sum(bool(_DECIMAL_POINT.match(cell)) for cell in cells)
    return "," if commas > points else "."


def _decimal_commas(table: pa.Table) -> pa.Table:
    for position, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            text = pc.replace_substring(table.column(position).cast(pa.string()), ".", ",")
            table = table.set_column(position, field.name, text)
    return table


def _plain_columns(table: pa.Table) -> pa.Table:
    for position, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(position, field.name, table.column(position).cast(field.type.value_type))
    return table
