"""How large the table is that a sheet of Excel would become, before a cell of it is read.

A sheet names the places of its cells. One cell in the last corner makes a table of 17 thousand
million cells of a file of five kilobytes, and the reader makes room for all of them.

Source: ECMA-376, part 1, 18.3.1.4 (c) and 18.3.1.73 (row).
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tacit.base.errors import InputError

# as many empty cells are made room for (32 bytes each), or ten for each that is there
MOST_EMPTY = 10_000_000
EACH = 10
_BLOCK = 1 << 20
_CELL = re.compile(rb'<c [^>]*?\br="([A-Z]{1,3})(\d{1,7})"')
_ROW = re.compile(rb'<row [^>]*?\br="(\d{1,7})"')
_ANY = re.compile(rb"<c[ >/]")
_SHEET = re.compile(rb'<sheet [^>]*?r:id="([^"]+)"')


def refuse_far(path: Path, archive: zipfile.ZipFile) -> None:
    """Refuse a sheet of which nearly all is empty and which would fill the memory."""
    for part in _first_sheet(archive):
        cells = rows = columns = 0
        for text in _pieces(archive, part):
            cells += len(_ANY.findall(text))
            places = _CELL.findall(text)
            numbers = [int(row) for _, row in places] + [
                int(row) for row in _ROW.findall(text)
            ]
            rows = max([rows, *numbers])
            columns = max([columns, *map(_column, {letters for letters, _ in places})])
        if rows * columns > max(MOST_EMPTY, EACH * cells):
            raise InputError(
                f"{path}: the sheet has {cells:,} cells in {rows:,} rows of {columns:,} columns, "
                "nearly all of them empty; remove the cells that stand far from the table, or save "
                "it as CSV"
            )


def _first_sheet(archive: zipfile.ZipFile) -> list[str]:
    """The part with the first sheet; all of them where the workbook does not say."""
    parts = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
    try:
        first = _SHEET.search(archive.read("xl/workbook.xml"))
        relations = archive.read("xl/_rels/workbook.xml.rels")
    except KeyError:
        return parts
    for entry in re.findall(rb"<Relationship [^>]*>", relations):
        target = re.search(rb'Target="([^"]+)"', entry)
        if first and target and b'Id="%s"' % first[1] in entry:
            name = target[1].decode("utf-8", "replace").lstrip("/")
            name = name if name.startswith("xl/") else f"xl/{name}"
            return [name] if name in parts else parts
    return parts


def _pieces(archive: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    """The part, cut before the begin of an element."""
    left = b""
    with archive.open(part) as file:
        while block := file.read(_BLOCK):
            text = left + block
            end = text.rfind(b"<")
            yield text[: end if end > 0 else len(text)]
            left = text[end:] if end > 0 else b""
    yield left


def _column(letters: bytes) -> int:
    """The number of a column.

    >>> _column(b"A"), _column(b"XFD")
    (1, 16384)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number
