"""Where releases go: CSV or JSON lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from typing import Any, TextIO

from tacit.stream.release import Release

BOOKS = ("index", "delay", "group", "size")


class CsvSink:
    """Writes records as CSV; the first one names the columns. ``books`` adds _index, _delay, _group and _size."""

    def __init__(self, out: TextIO, books: bool = False, header: bool = True, delimiter: str = ",") -> None:
        self.out, self.books, self.header = out, books, header
        self._writer = csv.writer(out, lineterminator="\n", delimiter=delimiter)

    def write(self, releases: Sequence[Release]) -> None:
        rows = []
        for r in releases:
            if self.header:
                rows.append([*r.record, *(f"_{b}" for b in BOOKS if self.books)])
                self.header = False
            rows.append([*r.record.values(), *(r[1:] if self.books else ())])
        self._writer.writerows(rows)


class JsonSink:
    """Writes one JSON object a line."""

    def __init__(self, out: TextIO, books: bool = False, header: bool = True, delimiter: str = ",") -> None:
        self.out, self.books = out, books

    def write(self, releases: Sequence[Release]) -> None:
        for r in releases:
            extra = {f"_{b}": v for b, v in zip(BOOKS, r[1:], strict=True)} if self.books else {}
            self.out.write(json.dumps(r.record | extra, default=str) + "\n")


SINKS: dict[str, Callable[..., Any]] = {"csv": CsvSink, "jsonl": JsonSink}
