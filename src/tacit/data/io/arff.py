"""ARFF, the format of Weka and MOA: declared types, nominal values in braces."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from tacit.base.errors import InputError

_ATTRIBUTE = re.compile(
    r"@attribute\s+('(?:[^']|\\')*'|\"[^\"]*\"|\S+)\s+(.*)$", re.IGNORECASE
)
# the words for numbers; real and numeric are the same
_NUMERIC = ("numeric", "real", "integer")


def read(
    path: Path,
    *,
    encoding: str | None = None,
) -> pa.Table:
    """Read dense ARFF data; '?' is a missing value."""
    with path.open(encoding=encoding or "utf-8") as file:
        # header and data share one count of lines
        lines = enumerate(file, start=1)
        try:
            declared = _header(path, lines)
            rows = _rows(path, lines, len(declared))
        except UnicodeDecodeError:
            raise InputError(
                f"{path}: is not UTF-8; say what it is with --encoding"
            ) from None
    if not declared:
        raise InputError(f"{path}: declares no attribute; it is not an ARFF file")
    columns = zip(*rows, strict=True) if rows else [()] * len(declared)
    table = {}
    for (name, kind), values in zip(declared, columns, strict=True):
        table[name] = _column(path, name, kind, values)
    return pa.table(table)


def _header(
    path: Path,
    lines: Iterable[tuple[int, str]],
) -> list[tuple[str, str]]:
    """Name and declared type of every attribute, up to @data."""
    declared = []
    for number, line in lines:
        text = line.strip()
        word = text.lower()
        if not text or text.startswith("%") or word.startswith("@relation"):
            continue
        if word.startswith("@data"):
            break
        attribute = _ATTRIBUTE.match(text)
        if not attribute:
            raise InputError(
                f"{path}: line {number} is not an ARFF declaration: {text[:60]}"
            )
        name, kind = attribute.groups()
        declared.append((name.strip("'\""), kind.strip()))
    return declared


def _rows(
    path: Path,
    lines: Iterable[tuple[int, str]],
    attributes: int,
) -> list[list[str]]:
    """The values of every record, as text."""
    rows = []
    for number, line in lines:
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        if text.startswith("{"):
            raise InputError(
                f"{path}: line {number} is sparse ARFF, which is not read; "
                "write it dense"
            )
        row = [cell.strip() for cell in _cells(text)]
        if len(row) != attributes:
            raise InputError(
                f"{path}: line {number} has {len(row)} values "
                f"for {attributes} attributes"
            )
        rows.append(row)
    return rows


def write(
    table: pa.Table,
    path: Path,
) -> None:
    """Write dense ARFF."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write("@relation release\n")
        for field in table.schema:
            kind = _declare(table.column(field.name))
            file.write(f"@attribute {_quote(field.name)} {kind}\n")
        file.write("@data\n")
        columns = [column.to_pylist() for column in table.columns]
        for row in zip(*columns, strict=True):
            cells = ["?" if value is None else _quote(str(value)) for value in row]
            file.write(",".join(cells) + "\n")


def _cells(text: str) -> list[str]:
    # Weka writes single quotes; a line without any may have double ones
    quote = "'" if "'" in text else '"'
    reader = csv.reader([text], quotechar=quote, skipinitialspace=True, escapechar="\\")
    return next(reader)


def _column(
    path: Path,
    name: str,
    declared: str,
    values: tuple[str, ...],
) -> pa.Array:
    present = [None if value == "?" else value for value in values]
    if declared.lower().startswith(_NUMERIC):
        return _numeric_column(path, name, declared, present)
    if declared.startswith("{"):
        return _nominal_column(path, name, declared, present)
    return pa.array(present, type=pa.string())


def _numeric_column(
    path: Path,
    name: str,
    declared: str,
    present: list[str | None],
) -> pa.Array:
    try:
        numbers = [None if value is None else float(value) for value in present]
    except ValueError as error:
        raise InputError(
            f"{path}: attribute '{name}' is declared {declared}, but {error}"
        ) from None
    # some writers declare integers and write decimals; nothing is rounded then
    whole = all(number is None or number.is_integer() for number in numbers)
    if numbers and whole and declared.lower().startswith("integer"):
        return pa.array(numbers).cast(pa.int64())
    return pa.array(numbers, type=pa.float64())


def _nominal_column(
    path: Path,
    name: str,
    declared: str,
    present: list[str | None],
) -> pa.Array:
    categories = [cell.strip() for cell in _cells(declared.strip("{} "))]
    place = {category: position for position, category in enumerate(categories)}
    for value in present:
        if value is not None and value not in place:
            raise InputError(
                f"{path}: attribute '{name}' has the undeclared value '{value}'"
            )
    positions = [None if value is None else place[value] for value in present]
    codes = pa.array(positions, type=pa.int32())
    return pa.DictionaryArray.from_arrays(codes, pa.array(categories, pa.string()))


def _declare(column: pa.ChunkedArray) -> str:
    if pa.types.is_integer(column.type):
        return "integer"
    if pa.types.is_floating(column.type):
        return "numeric"
    if pa.types.is_dictionary(column.type):
        values = column.chunk(0).dictionary.to_pylist()
        return "{" + ",".join(_quote(str(value)) for value in values) + "}"
    return "string"


def _quote(text: str) -> str:
    if re.search(r"[\s,{}%'\"?\\]", text) or not text:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return text
