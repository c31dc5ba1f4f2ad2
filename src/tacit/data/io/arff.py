"""ARFF, the format of Weka and MOA: declared types, nominal values in braces."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from tacit.base.errors import InputError
from tacit.data.exact import loses
from tacit.data.io import long_numbers

_QUOTE = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTE}|\S+)\s+(.*)$", re.IGNORECASE)
# a value and what ends it: a comma, or the end of the line
_VALUE = re.compile(rf"\s*({_QUOTE}|[^,]*?)\s*(?=,|$)")
_QUOTED = re.compile(r"['\"]")
# a line of the file is a record: line breaks in a text are written as Weka does
_ESCAPED = re.compile(r"\\(.)")
_SIGNS = {"n": "\n", "r": "\r", "t": "\t"}
# the words for numbers; real and numeric are the same
_NUMERIC = ("numeric", "real", "integer")


def read(
    path: Path,
    *,
    encoding: str | None = None,
) -> pa.Table:
    """Read dense ARFF data; '?' is a missing value."""
    try:
        opened = path.open(encoding=encoding or "utf-8")
    except LookupError:
        raise InputError(
            f"{path}: there is no encoding '{encoding}'; try utf8, cp1252 or latin-1"
        ) from None
    with opened as file:
        # header and data share one count of lines
        lines = enumerate(file, start=1)
        try:
            declared = _header(path, lines)
            rows = _rows(path, lines, len(declared))
        except UnicodeError:
            raise InputError(
                f"{path}: is not {encoding or 'UTF-8'}; say what it is with --encoding"
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
        if _is_quoted(name):
            name = _unquote(name)
        declared.append((name, kind.strip()))
    return declared


def _rows(
    path: Path,
    lines: Iterable[tuple[int, str]],
    attributes: int,
) -> list[list[str | None]]:
    """The values of every record, as text; None where there is none."""
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
        row = _cells(text)
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


def _cells(text: str) -> list[str | None]:
    """The values of a line; a question mark without quotes is a missing one.

    >>> _cells("5, 'a,b ', ?, '?'")
    ['5', 'a,b ', None, '?']
    """
    # the usual case: no quotes, nothing to undo
    if not _QUOTED.search(text):
        plain = [cell.strip() for cell in text.split(",")]
        return [None if cell == "?" else cell for cell in plain]
    cells: list[str | None] = []
    place = 0
    while place <= len(text):
        found = _VALUE.match(text, place)
        # a quote that does not end: the rest of the line is one value
        value = found[1] if found else text[place:]
        value = value.strip()
        place = found.end() + 1 if found else len(text) + 1
        if _is_quoted(value):
            cells.append(_unquote(value))
        else:
            cells.append(None if value == "?" else value)
    return cells


def _is_quoted(text: str) -> bool:
    return len(text) > 1 and text[0] in ("'", '"')


def _unquote(text: str) -> str:
    """A quoted value or name as it was meant."""
    return _ESCAPED.sub(lambda found: _SIGNS.get(found[1], found[1]), text[1:-1])


def _column(
    path: Path,
    name: str,
    declared: str,
    values: tuple[str | None, ...],
) -> pa.Array:
    present = list(values)
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
    if declared.lower().startswith("integer"):
        try:
            # by way of text: numbers of more than 15 digits keep them all
            whole = [None if value is None else int(value) for value in present]
            return pa.array(whole, pa.int64() if not any(whole) else None)
        # some writers declare integers and write decimals; nothing is rounded then
        except (ValueError, OverflowError):
            pass
    try:
        numbers = [None if value is None else float(value) for value in present]
    except ValueError as error:
        raise InputError(
            f"{path}: attribute '{name}' is declared {declared}, but {error}"
        ) from None
    texts = pa.chunked_array([present], pa.string())
    if loses(texts):
        long_numbers.tell(path, [name])
        return texts.combine_chunks()
    return pa.array(numbers, type=pa.float64())


def _nominal_column(
    path: Path,
    name: str,
    declared: str,
    present: list[str | None],
) -> pa.Array:
    inside = declared.strip()[1:].rstrip().removesuffix("}")
    # a question mark among categories is a category
    categories = ["?" if cell is None else cell for cell in _cells(inside)]
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
    if not re.search(r"[\s,{}%'\"?\\]", text) and text:
        return text
    written = text.replace("\\", "\\\\").replace("'", "\\'")
    for letter, sign in _SIGNS.items():
        written = written.replace(sign, f"\\{letter}")
    return f"'{written}'"
