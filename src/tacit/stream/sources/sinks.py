"""Where releases go: CSV or JSON lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from typing import TextIO

from tacit.data.io import formulas
from tacit.stream.released import BOOKS, Release


class CsvSink:
    """Writes records as CSV; the first one names the columns.

    Parameters
    ----------
    out : text file
        Where to write.
    books : bool
        Add _index, _delay, _group and _size to each record.
    header : bool
        Begin with a line of names.
    delimiter, decimal : str
        What separates cells, and the decimal mark of numbers.
    safe_formulas : bool
        Put an apostrophe before text and names that a spreadsheet would run.
    """

    def __init__(
        self,
        out: TextIO,
        books: bool = False,
        header: bool = True,
        delimiter: str = ",",
        decimal: str = ".",
        safe_formulas: bool = True,
    ) -> None:
        self.out = out
        self.books = books
        self.header = header
        self.decimal = decimal
        self.safe_formulas = safe_formulas
        # one line end on every system
        self._writer = csv.writer(out, lineterminator="\n", delimiter=delimiter)

    def write(self, releases: Sequence[Release]) -> None:
        """Write the records, in this order."""
        rows: list[list[object]] = []
        for release in releases:
            if self.header:
                names = [f"_{book}" for book in BOOKS] if self.books else []
                rows.append([*release.record, *names])
                self.header = False
            books = release[1:] if self.books else ()
            rows.append([*release.record.values(), *books])
        rows = [[self._written(value) for value in row] for row in rows]
        self._writer.writerows(rows)

    def _written(self, value: object) -> object:
        """A number with the decimal mark of the input; text that is not run."""
        if isinstance(value, float) and self.decimal != ".":
            return str(value).replace(".", self.decimal)
        if isinstance(value, str) and self.safe_formulas:
            return formulas.safe(value)
        return value


class JsonSink:
    """Writes one JSON object per line; ``header`` and dialect are those of CSV and not used."""

    def __init__(
        self, out: TextIO, books: bool = False, header: bool = True, **dialect: object
    ) -> None:
        self.out = out
        self.books = books

    def write(self, releases: Sequence[Release]) -> None:
        """Write the records, in this order."""
        for release in releases:
            record = dict(release.record)
            if self.books:
                record |= books_of(release)
            self.out.write(json.dumps(record, default=str) + "\n")


def books_of(release: Release) -> dict[str, int]:
    """Arrival index, delay, group and size, under names that begin with an underscore."""
    named = zip(BOOKS, release[1:], strict=True)
    return {f"_{book}": value for book, value in named}


SINKS: dict[str, type[CsvSink] | type[JsonSink]] = {"csv": CsvSink, "jsonl": JsonSink}
