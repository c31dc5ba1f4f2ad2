"""Where records come from: CSV and JSON lines. What is no record is given as `Refused`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import BinaryIO, TypeAlias

from tacit.base.errors import InputError
from tacit.data.io import formulas
from tacit.stream.numbers import number
from tacit.stream.refused import FIELDS, UNREADABLE, Refused

Record: TypeAlias = dict[str, object]
"""Values by column."""


def csv_records(
    text: Iterable[str | Refused],
    delimiter: str = ",",
    numbers: bool = True,
) -> Iterator[Record | Refused]:
    """Records of CSV lines; the first line names the columns.

    A cell has no line breaks: a quote that does not end on its line would take the records after it
    for its text.

    Parameters
    ----------
    text : iterable of str or Refused
        The lines.
    delimiter : str
        What separates cells.
    numbers : bool
        Turn cells that are numbers into numbers.
    """
    names: list[str] | None = None
    # until a quote does not end: a quoted cell may then be the end of one record and half of
    # another
    trusted = True
    for at, line in enumerate(text, start=1):
        if isinstance(line, Refused):
            if names is None:
                raise InputError(
                    f"the first line, which names the columns, cannot be read: {line.reason}"
                )
            yield replace(line, line=at)
            continue
        if not line.strip():
            continue
        cells = _cells(line, delimiter)
        trusted = trusted and line.count('"') % 2 == 0
        if names is None:
            names = _names(cells)
        elif cells is None:
            reason = "a quoted cell does not end on its line, or goes on after its end"
            yield Refused(UNREADABLE, reason, line, at)
        elif not trusted and '"' in line and any(delimiter in cell for cell in cells):
            reason = "a quoted cell holds the delimiter, below a quote that did not end"
            yield Refused(UNREADABLE, reason, line, at)
        elif len(cells) != len(names):
            reason = (
                f"{len(cells)} cells where the first line names {len(names)} columns"
            )
            yield Refused(FIELDS, reason, line, at)
        else:
            values = map(_cell, cells) if numbers else cells
            yield dict(zip(names, values, strict=True))


def _cells(line: str, delimiter: str) -> list[str] | None:
    """The cells of a line; None: its quotes are wrong."""
    # the usual case: no quotes, nothing to undo
    if '"' not in line:
        cells = line.split(delimiter)
    else:
        try:
            cells = next(csv.reader([line], delimiter=delimiter, strict=True))
        except csv.Error:
            return None
    # an apostrophe before what a spreadsheet would run is no part of the text
    return [formulas.plain(cell) for cell in cells] if "'" in line else cells


def _names(cells: list[str] | None) -> list[str]:
    if cells is None or not any(cell.strip() for cell in cells):
        raise InputError("the first line holds no column names")
    if len(set(cells)) < len(cells):
        raise InputError(
            "the first line names a column twice; every column needs a name of its own"
        )
    return cells


def json_records(text: Iterable[str | Refused]) -> Iterator[Record | Refused]:
    """One JSON object per line."""
    for at, line in enumerate(text, start=1):
        if isinstance(line, Refused):
            yield replace(line, line=at)
            continue
        if not line.strip():
            continue
        try:
            record = json.loads(line, object_pairs_hook=_object)
        except (ValueError, RecursionError) as error:
            # the message of the parser without its place, which the line number gives
            problem = getattr(error, "msg", None) or error
            yield Refused(UNREADABLE, f"is not JSON ({problem})", line, at)
            continue
        if isinstance(record, dict):
            yield record
        else:
            yield Refused(UNREADABLE, "is not an object with columns", line, at)


def _object(pairs: list[tuple[str, object]]) -> Record:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("a column stands there twice")
    return record


def _cell(text: str) -> float | str | None:
    if text == "":
        return None
    quantity = number(text)
    return text if quantity is None else quantity


def as_stream(text: str) -> BinaryIO:
    """Text as a source, for tests and examples."""
    return io.BytesIO(text.encode())
