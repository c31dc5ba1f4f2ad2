"""ARFF, the format of Weka and MOA: declared types, nominal values in braces."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pyarrow as pa

from tacit.errors import InputError

_ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^']|\\')*'|\"[^\"]*\"|\S+)\s+(.*)$", re.IGNORECASE)
_NUMERIC = ("numeric", "real", "integer")


def read(path: Path, *, encoding: str | None = None) -> pa.Table:
    """Read dense ARFF data; '?' is a missing value."""
    names: list[str] = []
    types: list[str] = []
    rows: list[list[str]] = []
    with path.open(encoding=encoding or "utf-8") as file:
        try:
            lines = enumerate(file, start=1)
            for number, line in lines:
                text = line.strip()
                if not text or text.startswith("%") or text.lower().startswith("@relation"):
                    continue
                if text.lower().startswith("@data"):
                    break
                found = _ATTRIBUTE.match(text)
                if not found:
                    raise InputError(f"{path}: line {number} is not an ARFF declaration: {text[:60]}")
                names.append(found.group(1).strip("'\""))
                types.append(found.group(2).strip())
            for number, line in lines:
                text = line.strip()
                if not text or text.startswith("%"):
                    continue
                if text.startswith("{"):
                    raise InputError(f"{path}: line {number} is sparse ARFF, which is not read; write it dense")
                row = [cell.strip() for cell in _cells(text)]
                if len(row) != len(names):
                    raise InputError(f"{path}: line {number} has {len(row)} values for {len(names)} attributes")
                rows.append(row)
        except UnicodeDecodeError:
            raise InputError(f"{path}: is not UTF-8; say what it is with --encoding") from None
    if not names:
        raise InputError(f"{path}: declares no attribute; it is not an ARFF file")
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return pa.table(
        {name: _column(path, name, t, values) for name, t, values in zip(names, types, columns, strict=True)}
    )


def write(table: pa.Table, path: Path) -> None:
    """Write dense ARFF."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write("@relation release\n")
        for field in table.schema:
            file.write(f"@attribute {_quote(field.name)} {_declare(table.column(field.name))}\n")
        file.write("@data\n")
        columns = [column.to_pylist() for column in table.columns]
        for row in zip(*columns, strict=True):
            file.write(",".join("?" if value is None else _quote(str(value)) for value in row) + "\n")


def _cells(text: str) -> list[str]:
    quote = "'" if "'" in text else '"'
    return next(csv.reader([text], quotechar=quote, skipinitialspace=True, escapechar="\\"))


def _column(path: Path, name: str, declared: str, values: tuple[str, ...]) -> pa.Array:
    present = [None if value == "?" else value for value in values]
    if declared.lower().startswith(_NUMERIC):
        try:
            numbers = [None if value is None else float(value) for value in present]
        except ValueError as error:
            raise InputError(f"{path}: attribute '{name}' is declared {declared}, but {error}") from None
        whole = declared.lower().startswith("integer") and all(v is None or v.is_integer() for v in numbers)
        return pa.array(numbers).cast(pa.int64()) if whole and numbers else pa.array(numbers, type=pa.float64())
    if declared.startswith("{"):
        categories = [cell.strip() for cell in _cells(declared.strip("{} "))]
        place = {category: position for position, category in enumerate(categories)}
        unknown = [value for value in present if value is not None and value not in place]
        if unknown:
            raise InputError(f"{path}: attribute '{name}' has the undeclared value '{unknown[0]}'")
        codes = pa.array([None if value is None else place[value] for value in present], type=pa.int32())
        return pa.DictionaryArray.from_arrays(codes, pa.array(categories, type=pa.string()))
    return pa.array(present, type=pa.string())


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
