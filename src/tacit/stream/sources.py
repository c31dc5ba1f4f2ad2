"""Where records come from: CSV and JSON lines from a pipe or a file, also one that grows."""

from __future__ import annotations

import csv
import io
import json
import os
import select
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from tacit.errors import InputError

Record = dict[str, Any]


def lines(
    source: BinaryIO,
    follow: bool = False,
    stop: Callable[[], bool] = lambda: False,
    wait: float = 0.2,
    idle: Callable[[], None] = lambda: None,
) -> Iterator[str]:
    """Complete lines of text. ``follow``: at the end of the file wait for more. ``stop()`` is asked all the time,
    ``idle()`` is called whenever nothing has come for ``wait`` seconds.

    A line is given out only when its end has been written, so a half-written record is never read.
    """
    rest = b""
    while not stop():
        block = _read(source, wait)
        if block is None:  # nothing yet
            idle()
            continue
        if not block:
            if not follow:
                break
            idle()
            time.sleep(wait)
            continue
        *whole, rest = (rest + block).split(b"\n")
        for line in whole:
            yield line.decode("utf-8-sig").rstrip("\r")
            if stop():
                return
    if rest and not stop():
        yield rest.decode("utf-8-sig").rstrip("\r")


def _read(source: BinaryIO, wait: float) -> bytes | None:
    """The next block; None when a pipe has nothing for us within `wait` seconds, b"" at the end."""
    try:
        number = source.fileno()
    except (OSError, AttributeError):
        return source.read(1 << 16)
    if not select.select([number], [], [], wait)[0]:
        return None
    return os.read(number, 1 << 16)


def csv_records(text: Iterable[str], delimiter: str = ",", numbers: bool = True) -> Iterator[Record]:
    """Records of CSV lines; the first line names the columns. Cells that are numbers become numbers."""
    reader = csv.reader(text, delimiter=delimiter)
    names = next(reader, None)
    if names is None:
        return
    if len(set(names)) < len(names):
        raise InputError("the first line names a column twice; every column needs a name of its own")
    for cells in reader:
        if not cells:
            continue
        if len(cells) != len(names):
            raise InputError(
                f"line {reader.line_num}: {len(cells)} cells where the first line names {len(names)} columns"
            )
        yield dict(zip(names, map(_cell, cells) if numbers else cells, strict=True))


def json_records(text: Iterable[str]) -> Iterator[Record]:
    """One JSON object a line."""
    for number, line in enumerate(text, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"line {number}: is not JSON ({error.msg})") from None
        if not isinstance(record, dict):
            raise InputError(f"line {number}: is not an object with columns")
        yield record


def open_source(path: Path | None) -> BinaryIO:
    """A file, or standard input without a path."""
    import sys

    if path is None or str(path) == "-":
        return sys.stdin.buffer
    try:
        return path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def _cell(text: str) -> Any:
    if text == "":
        return None
    try:
        return float(text)
    except ValueError:
        return text


def as_stream(text: str) -> BinaryIO:
    """Text as a source, for tests and examples."""
    return io.BytesIO(text.encode())
