"""From bytes to records that a filter may take: lines, dialect, records and the gate in turn."""

from __future__ import annotations

import codecs
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import BinaryIO, TypedDict

from tacit.base.errors import InputError
from tacit.data.io.csv import Dialect, dialect_of
from tacit.stream.gate import Gate
from tacit.stream.kinds import Plain
from tacit.stream.refused import Refused
from tacit.stream.sources.text import Record, csv_records, json_records
from tacit.stream.text_lines import Lines

# bytes by which a file is known again: a block of most disks
HEAD_BYTES = 4096
# lines of which none is a record: this is another format
MANY = 100


class Head(TypedDict):
    """The beginning of a file: how much of it, and its hash."""

    bytes: int
    hash: str


class Intake:
    """Reads the beginning, decides about dialect and columns, then gives records or `Refused`."""

    def __init__(
        self,
        lines: Lines,
        form: str,
        gate: Gate,
        delimiter: str | None = None,
    ) -> None:
        self.lines = lines
        self.form = form
        self.gate = gate
        self.dialect = Dialect(delimiter or ",")
        self._given = delimiter

    def open(self, saved: Plain | None = None) -> None:
        """Read ahead and decide, or go on with what was decided before.

        In the second case the gate has been loaded already.
        """
        if saved:
            self.dialect = _saved_dialect(saved["dialect"])
            self.lines.encoding = self.lines.encoding or self.dialect.encoding
        # a CSV file shows its columns with the first line and what is in them with the second
        sample = self.lines.sample(2 if self.form == "csv" else 1)
        if self.form == "csv":
            self._open_csv(sample, known=bool(saved))
        parsed = list(self._parse(iter(sample)))
        records = [record for record in parsed if not isinstance(record, Refused)]
        names = self._names(sample)
        if self.gate.names is not None:
            if names is not None and names != self.gate.names:
                before = ", ".join(self.gate.names)
                raise InputError(
                    f"{self.lines.name}: its first line is not the one that the state was saved "
                    f"with ({before}); name another --state"
                )
        elif records:
            self.gate.open(records, names)
        # a header without records: what is in the columns is decided with the first one
        elif names is not None:
            self.gate.expect(names, header=True)
        elif len(parsed) >= MANY or (parsed and self.lines.ended):
            raise InputError(
                f"{self.lines.name}: none of the first {len(parsed)} line(s) is a JSON object"
            )

    def _open_csv(
        self,
        sample: list[str | Refused],
        known: bool,
    ) -> None:
        """Detect the dialect, unless it is known from a saved state."""
        # blank lines before it do not count
        first = next((one for one in sample if _is_written(one)), None)
        if isinstance(first, Refused):
            raise InputError(
                f"{self.lines.name}: its first line, which names the columns, "
                f"has {first.reason}"
            )
        if not known:
            text = "\n".join(line for line in sample if isinstance(line, str))
            self.dialect = dialect_of(text, self.lines.encoding or "utf8")
            if self._given:
                self.dialect = replace(self.dialect, delimiter=self._given)
        self.gate.decimal = self.dialect.decimal

    def _parse(self, lines: Iterator[str | Refused]) -> Iterator[Record | Refused]:
        if self.form == "csv":
            return csv_records(lines, self.dialect.delimiter, numbers=False)
        return json_records(lines)

    def _names(self, sample: list[str | Refused]) -> list[str] | None:
        """The columns that the first line of a CSV file names."""
        written = (line for line in sample if isinstance(line, str) and line.strip())
        first = next(written, None)
        if self.form != "csv" or first is None:
            return None
        # the first line as a record below itself: its keys are the names
        record = next(self._parse(iter([first, first])))
        return list(record) if isinstance(record, dict) else None

    def __iter__(self) -> Iterator[Record | Refused]:
        for record in self._parse(iter(self.lines)):
            checked = record if isinstance(record, Refused) else self.gate.check(record)
            if isinstance(checked, Refused):
                checked = replace(checked, line=self.lines.number)
            yield checked

    def to_dict(self) -> dict[str, object]:
        """What a restart must know."""
        return {"dialect": asdict(self.dialect), "head": head(self.lines.source)}


def _saved_dialect(saved: Plain) -> Dialect:
    """The dialect of a state."""
    dialect = Dialect(**saved)
    marks = (dialect.delimiter, dialect.decimal)
    if not all(isinstance(mark, str) and len(mark) == 1 for mark in marks):
        raise ValueError("a mark of the dialect is no letter")
    codecs.lookup(dialect.encoding)
    return dialect


def _is_written(line: str | Refused) -> bool:
    return isinstance(line, Refused) or bool(line.strip())


def head(source: BinaryIO, length: int = HEAD_BYTES) -> Head | None:
    """The beginning of a file, by which it is known again.

    None for a pipe, which brings new records each time.
    """
    try:
        number = source.fileno()
        # only a regular file begins the same each time
        if not stat.S_ISREG(os.fstat(number).st_mode):
            return None
    except (OSError, AttributeError):
        return None
    beginning = os.pread(number, length, 0)
    return {"bytes": len(beginning), "hash": hashlib.sha256(beginning).hexdigest()}


def same(source: BinaryIO, saved: Head | None) -> bool:
    """Is this the file whose beginning was saved (it may have grown)?"""
    return saved is not None and head(source, saved["bytes"]) == saved
