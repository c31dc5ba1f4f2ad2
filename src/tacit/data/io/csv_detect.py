"""How a CSV file is written: encoding, delimiter and decimal sign, judged by its beginning."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from tacit.base.errors import InputError

# lines that are split into cells to judge them
SAMPLE_ROWS = 2000
DELIMITERS = ",;\t|"
# a cell such as 1,5 and one such as 1.5
_DECIMAL_COMMA = re.compile(r"^[+-]?\d+,\d+$")
_DECIMAL_POINT = re.compile(r"^[+-]?\d*\.\d+$")


def sample_of(
    path: Path,
    encoding: str | None,
    size: int,
) -> tuple[str, str]:
    """The first ``size`` bytes as text, in whole lines, and the encoding."""
    with path.open("rb") as file:
        head = file.read(size)
    if encoding is None:
        # the first mark begins as one of the two below
        if head[:4] in (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff"):
            encoding = "utf-32"
        elif head[:2] in (b"\xff\xfe", b"\xfe\xff"):
            encoding = "utf-16"
        elif b"\x00" in head:
            before = head[: head.index(b"\x00")]
            row = before.count(b"\n") + 1
            raise InputError(
                f"{path}: line {row} holds bytes that no text file has; "
                "it is not a CSV file"
            )
        else:
            encoding = "utf8"
    # the sample may end within a character, which is ignored
    codec = "utf-8-sig" if encoding == "utf8" else encoding
    try:
        text = head.decode(codec, errors="ignore")
    except LookupError:
        raise InputError(
            f"{path}: there is no encoding '{encoding}'; try utf8, cp1252 or latin-1"
        ) from None
    if not text.strip():
        raise InputError(f"{path}: the file is empty")
    # the last line of a sample is most likely cut
    cut = text.rfind("\n")
    if len(head) == size and cut > 0:
        text = text[:cut]
    return text, encoding


def windows_encoding(path: Path) -> str:
    """A file that is not UTF-8 is most likely Windows text.

    Bytes that Windows text does not have are refused.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("cp1252")
                is_text = b"\x00" not in line
            except UnicodeDecodeError:
                is_text = False
            if not is_text:
                raise InputError(
                    f"{path}: line {number} is neither UTF-8 nor Windows text; "
                    "say what it is with --encoding"
                )
    return "cp1252"


def rows_of(
    sample: str,
    delimiter: str,
) -> list[list[str]]:
    """The sample in cells."""
    try:
        reader = csv.reader(io.StringIO(sample), delimiter=delimiter)
        return list(reader)[:SAMPLE_ROWS]
    except csv.Error:
        # quotes that never end; the delimiter can be judged all the same
        lines = sample.splitlines()[:SAMPLE_ROWS]
        return [line.split(delimiter) for line in lines]


def delimiter_of(sample: str) -> str:
    """The character that splits most lines into as many fields as the first line.

    Of several such characters, the one with most fields.
    """

    def quality(delimiter: str) -> tuple[float, int]:
        # some hundred lines show it
        rows = [row for row in rows_of(sample, delimiter)[:200] if row]
        fields = len(rows[0]) if rows else 1
        agree = sum(len(row) == fields for row in rows) / max(len(rows), 1)
        return (agree if fields > 1 else 0.0, fields)

    best = max(DELIMITERS, key=quality)
    return best if quality(best)[1] > 1 else ","


def decimal_of(
    rows: list[list[str]],
    delimiter: str,
) -> str:
    """The decimal sign of the records: that of most cells that have one."""
    # a comma cannot be both
    if delimiter == ",":
        return "."
    cells = [cell.strip() for row in rows[:500] for cell in row]
    commas = sum(bool(_DECIMAL_COMMA.match(cell)) for cell in cells)
    points = sum(bool(_DECIMAL_POINT.match(cell)) for cell in cells)
    return "," if commas > points else "."
