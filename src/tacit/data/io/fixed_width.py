"""Fixed-width files: each column stands at its place in the line, as a layout beside it says."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import asdict, replace
from decimal import ROUND_HALF_EVEN, Context, Decimal
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc

from tacit.base.errors import InputError
from tacit.data.column import Kind
from tacit.data.exact import loses
from tacit.data.io import layout as layouts
from tacit.data.io import long_numbers
from tacit.data.io.layout import Place
from tacit.data.notes import annotate, note

# kinds whose cells are numbers when they can be
_NUMERIC = ("", Kind.continuous, Kind.count, Kind.ordinal, Kind.nominal, Kind.boolean)
# a cell such as 007 is a code and no number, unless its kind says so
_LEADING_ZERO = r"^0\d"


def read(
    path: Path,
    *,
    encoding: str | None = None,
) -> pa.Table:
    """Read what the layout names; blanks are gaps, other characters of a line are not read."""
    places = layouts.of_file(path)
    try:
        text = path.read_bytes().decode(encoding or "utf-8")
    except LookupError:
        raise InputError(
            f"{path}: there is no encoding '{encoding}'; try utf8, cp1252 or latin-1"
        ) from None
    except UnicodeDecodeError as error:
        before = path.read_bytes()[: error.start]
        line = before.count(b"\n") + 1
        raise InputError(
            f"{path}: line {line} is not {encoding or 'UTF-8'} text; "
            "say what it is with --encoding"
        ) from None
    lines = [line.rstrip("\r") for line in text.split("\n")]
    # editors leave empty lines at the end
    while lines and not lines[-1].strip():
        lines.pop()
    array = pa.array(lines, pa.string())
    columns = {}
    kept = []
    for place in places:
        cells = pc.utf8_slice_codeunits(array, place.start - 1, place.end)
        cells = pc.utf8_trim_whitespace(cells)
        blank = pc.equal(cells, "")
        cells = pc.if_else(blank, pa.scalar(None, pa.string()), cells)
        typed = _typed(path, place, cells)
        columns[place.name] = typed
        numeric = not pa.types.is_string(typed.type)
        # numbers with leading zeros are written back with them
        has_zero = pc.match_substring_regex(cells, r"^-?0\d")
        padded = pc.any(has_zero).as_py()
        zeros = place.zeros or bool(numeric and padded)
        kept.append(replace(place, zeros=zeros))
    entries = {place.name: {"kind": place.kind} for place in places if place.kind}
    said = {"places": [asdict(place) for place in kept]}
    return annotate(pa.table(columns), layout=said, columns=entries)


def _typed(path: Path, place: Place, cells: pa.Array) -> pa.Array:
    """Cells as numbers where they are numbers, else as text."""
    if place.kind not in _NUMERIC or cells.null_count == len(cells):
        return cells
    padded = pc.match_substring_regex(cells, _LEADING_ZERO)
    codes = pc.any(padded).as_py()
    must = place.decimals > 0 or place.kind in (Kind.continuous, Kind.count)
    if codes and not must:
        return cells
    try:
        numbers = cells.cast(pa.float64())
    except pa.ArrowInvalid:
        # missing codes may be among them; the schema knows
        texts = [_pointed(cell, place.decimals) for cell in cells.to_pylist()]
        return pa.array(texts, pa.string())
    if not place.decimals:
        with suppress(pa.ArrowInvalid):
            return cells.cast(pa.int64())
    if loses(pa.chunked_array([cells])):
        long_numbers.tell(path, [place.name])
        texts = [_pointed(cell, place.decimals) for cell in cells.to_pylist()]
        return pa.array(texts, pa.string())
    if place.decimals:
        written = pc.match_substring(cells, ".")
        # a point that is written counts, else the layout says where it stands
        implied = pc.divide(numbers, 10.0**place.decimals)
        return pc.if_else(written, numbers, implied)
    return numbers


def write(
    table: pa.Table,
    path: Path,
) -> None:
    """Write in the layout of the input, or one column after the other with a blank between."""
    places = layout_of(table)
    line = pa.array([""] * table.num_rows)
    at = 0
    for place in sorted(places, key=lambda place: place.start):
        text, is_number = _cells(table.column(place.name), place.decimals)
        _refuse_wide(path, place, text)
        # numbers end at the edge, so that units stand below units; texts begin there
        pad = pc.utf8_lpad if is_number else pc.utf8_rpad
        shown = pc.fill_null(text, "")
        filled = pad(shown, place.width, padding=" ")
        if is_number and place.zeros:
            zeroed = pc.utf8_zero_fill(shown, place.width)
            filled = pc.if_else(pc.is_null(text), filled, zeroed)
        gap = " " * (place.start - 1 - at)
        line = pc.binary_join_element_wise(line, gap, filled, "")
        at = place.end
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{text}\n" for text in line.to_pylist())


def beside(table: pa.Table, path: Path) -> dict[Path, str]:
    """What is written beside the file: the layout, without which nobody can read it."""
    return {layouts.beside(path)[0]: layouts.to_toml(layout_of(table))}


def layout_of(table: pa.Table) -> list[Place]:
    """Where the columns of a table stand in the file that ``write`` makes of it."""
    noted = cast(dict[str, Any], note(table, "layout") or {})
    entries = noted.get("places", [])
    known = {entry["name"]: Place(**entry) for entry in entries}
    # a column that a method made has no place in the old layout
    if all(name in known for name in table.column_names):
        return [known[name] for name in table.column_names]
    places = []
    start = 1
    for name in table.column_names:
        text, _ = _cells(table.column(name), 0)
        longest = pc.max(pc.utf8_length(text)).as_py()
        width = max(longest or 1, 1)
        places.append(Place(name, start, width))
        # a blank between, so that a person can read it too
        start += width + 1
    return places


def _cells(
    values: pa.ChunkedArray,
    decimals: int,
) -> tuple[pa.Array, bool]:
    """Cells as text, and whether they are numbers."""
    kind = values.type
    if pa.types.is_dictionary(kind):
        values = values.cast(kind.value_type)
        kind = values.type
    values = values.combine_chunks()
    if isinstance(values, pa.ChunkedArray):
        values = pa.array([], kind)
    if pa.types.is_boolean(kind):
        # yes and no as 1 and 0
        values, kind = values.cast(pa.int8()), pa.int8()
    is_number = bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
    if decimals and (pa.types.is_string(kind) or pa.types.is_integer(kind)):
        texts = [
            _pointless(cell, decimals) for cell in values.cast(pa.string()).to_pylist()
        ]
        return pa.array(texts, pa.string()), is_number
    if is_number and decimals:
        numbers = values.cast(pa.float64())
        scaled = pc.multiply(numbers, 10.0**decimals)
        values = pc.round(scaled).cast(pa.int64())
    elif pa.types.is_floating(kind):
        nothing = pa.scalar(None, kind)
        values = pc.if_else(pc.is_nan(values), nothing, values)
    return values.cast(pa.string()), is_number


def _pointed(cell: str | None, decimals: int) -> str | None:
    """A number with its implied point written: 1234 with two decimals is 12.34."""
    if cell is None or not decimals or not re.fullmatch(r"[+-]?\d+", cell):
        return cell
    sign, digits = ("-", cell[1:]) if cell[0] == "-" else ("", cell.lstrip("+"))
    # 5 with two decimals is 0.05
    digits = digits.zfill(decimals + 1)
    whole, broken = digits[:-decimals], digits[-decimals:]
    return f"{sign}{int(whole)}.{broken}"


def _pointless(cell: str | None, decimals: int) -> str | None:
    """The inverse of ``_pointed``; what is no number stays."""
    if cell is None or not re.fullmatch(r"[+-]?\d+(\.\d*)?", cell):
        return cell
    # as text, because a double has fewer digits than the number may have
    wide = Context(prec=len(cell) + decimals + 1, rounding=ROUND_HALF_EVEN)
    return f"{Decimal(cell).scaleb(decimals, wide).to_integral_value(context=wide):f}"


def _refuse_wide(path: Path, place: Place, text: pa.Array) -> None:
    wide = pc.greater(pc.utf8_length(text), place.width)
    row = pc.index(wide, True).as_py()
    if row >= 0:
        raise InputError(
            f"{path}: column '{place.name}', row {row + 1}: {text[row].as_py()!r} does not fit "
            f"its {place.width} characters; make the column wider in the layout"
        )
    broken = pc.match_substring_regex(text, r"[\r\n]")
    row = pc.index(broken, True).as_py()
    if row >= 0:
        raise InputError(
            f"{path}: column '{place.name}', row {row + 1}: a line break cannot stand in a "
            "fixed-width file; write CSV or Parquet"
        )
