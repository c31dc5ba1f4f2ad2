"""CSV: delimiter, decimal comma and encoding are detected; Arrow does the reading."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from tacit.base.errors import InputError
from tacit.data.buffers import listed
from tacit.data.io import formulas, long_numbers, zero_bytes
from tacit.data.io.csv_detect import (
    DELIMITERS,
    decimal_of,
    delimiter_of,
    rows_of,
    sample_of,
    windows_encoding,
)
from tacit.data.notes import annotate, note

# how a file is written shows in its beginning: some thousand lines
SAMPLE_BYTES = 256 * 1024
# cells for missing values, as pandas, R and databases write them
NULLS = ["", "NA", "NaN", "nan", "N/A", "n/a", "null", "NULL", "None"]
# a cell such as 007 is a code and no number
_LEADING_ZERO = re.compile(r"^0\d+$")


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written."""

    delimiter: str = ","
    decimal: str = "."
    encoding: str = "utf8"


def read(
    path: Path,
    *,
    encoding: str | None = None,
) -> pa.Table:
    """Read; types are taken from the values, and codes with leading zeros stay text."""
    dialect, text = beginning(path, encoding)
    try:
        table = _parse(path, dialect, text)
        is_text = not any(pa.types.is_binary(kind) for kind in table.schema.types)
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        if "utf" not in str(error).lower():
            raise
        is_text = False
    # Arrow calls columns that are not UTF-8 binary
    if not is_text:
        dialect = in_windows(path, dialect, encoding)
        table = _parse(path, dialect, text)
    table = _exact(path, dialect, table)
    # an apostrophe before what a spreadsheet would run is no part of the text
    table = formulas.plain_table(table)
    return annotate(table, dialect=asdict(dialect))


def _exact(path: Path, dialect: Dialect, table: pa.Table) -> pa.Table:
    """The table with text in place of numbers that no double holds."""
    broken = broken_columns(table.schema)
    if not broken or not long_numbers.may_be_in(
        path, dialect.decimal, dialect.encoding
    ):
        return table
    types = dict.fromkeys(table.column_names, pa.string())
    texts = _parse(path, dialect, types, broken)
    table, long = long_numbers.with_texts(table, texts, dialect.decimal)
    long_numbers.tell(path, long)
    return table


def broken_columns(schema: pa.Schema) -> list[str]:
    """The columns of broken numbers."""
    return [field.name for field in schema if pa.types.is_floating(field.type)]


def beginning(
    path: Path, encoding: str | None
) -> tuple[Dialect, dict[str, pa.DataType]]:
    """What the first lines say: how the file is written, and which columns are codes."""
    sample, detected = sample_of(path, encoding, SAMPLE_BYTES)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else delimiter_of(sample)
    rows = rows_of(sample, delimiter)
    if not rows or not any(cell.strip() for cell in rows[0]):
        raise InputError(f"{path}: the first line holds no column names")
    header, records = rows[0], rows[1:]
    text = {}
    for j, name in enumerate(header):
        cells = [row[j] for row in records if j < len(row)]
        if any(_LEADING_ZERO.match(cell) for cell in cells):
            text[name] = pa.string()
    return Dialect(delimiter, decimal_of(records, delimiter), detected), text


def in_windows(path: Path, dialect: Dialect, encoding: str | None) -> Dialect:
    """How a file that is no UTF-8 is written; refused where somebody has said what it is."""
    if encoding is not None:
        raise InputError(
            f"{path}: is not {encoding} text; say what it is with --encoding"
        )
    return Dialect(dialect.delimiter, dialect.decimal, windows_encoding(path))


def dialect_of(
    sample: str,
    encoding: str = "utf8",
) -> Dialect:
    """How this beginning of a CSV text is written."""
    delimiter = delimiter_of(sample)
    records = rows_of(sample, delimiter)[1:]
    return Dialect(delimiter, decimal_of(records, delimiter), encoding)


def write(
    table: pa.Table,
    path: Path,
) -> None:
    """Write in the dialect that the table was read in (UTF-8 always)."""
    zero_bytes.refuse(table)
    noted = cast(dict[str, str], note(table, "dialect") or {})
    dialect = Dialect(**noted)
    if path.suffix.lower() == ".tsv":
        dialect = Dialect("\t", dialect.decimal, "utf8")
    if dialect.decimal == ",":
        table = _decimal_commas(table)
    if not any(name.strip() for name in table.column_names):
        raise InputError(f"{path}: no column has a name, which CSV files need")
    header = _header(table.column_names, dialect.delimiter)
    table = _plain_columns(table)
    if table.num_columns == 1 and table.column(0).null_count:
        _write_lines(table.column(0), header, path)
        return
    quoting = "needed" if _needs_quotes(table, dialect.delimiter) else "none"
    options = pacsv.WriteOptions(
        include_header=False, delimiter=dialect.delimiter, quoting_style=quoting
    )
    with path.open("wb") as file:
        file.write(header.encode())
        pacsv.write_csv(table, file, options)


def _header(names: list[str], delimiter: str) -> str:
    """The first line; quoted where a name holds what could be taken for a delimiter."""
    out = io.StringIO()
    odd = any(sign in name for name in names for sign in DELIMITERS)
    writer = csv.writer(
        out,
        delimiter=delimiter,
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL,
    )
    writer.writerow(names)
    return out.getvalue()


def _write_lines(column: pa.ChunkedArray, header: str, path: Path) -> None:
    """One column with gaps: a gap is a word, because no reader takes an empty line for a record."""
    texts = column.cast(pa.string())
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        doubled = pc.replace_substring(texts, '"', '""')
        texts = pc.binary_join_element_wise('"', doubled, '"', "")
    lines = pc.fill_null(texts, "NA").to_pylist()
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(header)
        file.writelines(f"{line}\n" for line in lines)


def _needs_quotes(
    table: pa.Table,
    delimiter: str,
) -> bool:
    """Is there text that would be read back otherwise?

    The delimiter, quotes, line breaks, or a word for missing.
    """
    pattern = '[\\n\\r"' + re.escape(delimiter) + "]"
    for column in table.columns:
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            special = pc.match_substring_regex(column, pattern)
            words = listed(NULLS, column.type)
            missing = pc.is_in(column, value_set=words, skip_nulls=True)
            if pc.any(special).as_py() or pc.any(missing).as_py():
                return True
    return False


def _parse(
    path: Path,
    dialect: Dialect,
    types: dict[str, pa.DataType],
    only: list[str] | None = None,
) -> pa.Table:
    """Read; where Arrow cannot, change what it stumbles over and read again."""
    types = dict(types)
    threads = True
    while True:
        try:
            return _read_once(path, dialect, types, threads, only)
        except pa.ArrowInvalid as error:
            message = str(error)
            if "Expected" in message and "columns, got" in message:
                if not threads:
                    raise InputError(ragged(path, message)) from None
                # once more in order: only then does Arrow know the row, and allow line
                # breaks in quotes
                threads = False
                continue
            if "UTF8" in message or not _widen(types, path, dialect, message):
                raise


def _read_once(
    path: Path,
    dialect: Dialect,
    types: dict[str, pa.DataType],
    threads: bool,
    only: list[str] | None = None,
) -> pa.Table:
    reading, parsing, converting = options(dialect, types, in_order=not threads)
    converting.include_columns = only or []
    return pacsv.read_csv(
        path,
        read_options=reading,
        parse_options=parsing,
        convert_options=converting,
    )


def options(
    dialect: Dialect, types: dict[str, pa.DataType], *, in_order: bool
) -> tuple[pacsv.ReadOptions, pacsv.ParseOptions, pacsv.ConvertOptions]:
    """How Arrow reads; in order it knows the rows, and allows line breaks in quotes."""
    reading = pacsv.ReadOptions(encoding=dialect.encoding, use_threads=not in_order)
    parsing = pacsv.ParseOptions(
        delimiter=dialect.delimiter, newlines_in_values=in_order
    )
    converting = pacsv.ConvertOptions(
        column_types=types,
        null_values=NULLS,
        strings_can_be_null=True,
        # "NA" in quotes is text that somebody meant
        quoted_strings_can_be_null=False,
        # words such as true stay text: they may be categories
        true_values=[],
        false_values=[],
        decimal_point=dialect.decimal,
    )
    return reading, parsing, converting


def _widen(
    types: dict[str, pa.DataType],
    path: Path,
    dialect: Dialect,
    message: str,
) -> bool:
    """Take the wider type for the column of the message; False: it names none.

    Arrow guesses types from the first block, and a later value may not fit.
    """
    refused = re.search(r"column #(\d+): CSV conversion error to (\w+)", message)
    if not refused:
        return False
    position, guessed = refused.groups()
    encoding = "utf-8" if dialect.encoding == "utf8" else dialect.encoding
    with path.open(encoding=encoding, newline="") as file:
        header = next(csv.reader(file, delimiter=dialect.delimiter))
    # the byte order mark of Windows is not part of the name
    name = header[int(position)].removeprefix("\ufeff")
    types[name] = pa.float64() if guessed.startswith("int") else pa.string()
    return True


def ragged(
    path: Path,
    message: str,
) -> str:
    """What is wrong with a line that has more or fewer fields than the header."""
    counts = re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", message)
    assert counts
    row, expected, present = counts.groups()
    line = f"line {row}" if row else "a line"
    return (
        f"{path}: {line} has {present} fields where the header has {expected}; "
        "correct that line, or quote fields that hold the delimiter"
    )


def _decimal_commas(table: pa.Table) -> pa.Table:
    for position, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            written = table.column(position).cast(pa.string())
            text = pc.replace_substring(written, ".", ",")
            table = table.set_column(position, field.name, text)
    return table


def _plain_columns(table: pa.Table) -> pa.Table:
    for position, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            plain = table.column(position).cast(field.type.value_type)
            table = table.set_column(position, field.name, plain)
    return table
