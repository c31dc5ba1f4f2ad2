"""Records that may not pass: counted by kind, and written with their reason."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from tacit.base.errors import InputError
from tacit.stream.private_file import append_to

UNREADABLE = "cannot be parsed"
FIELDS = "another number of fields"
HEADER = "a header in mid-stream"
UNKNOWN = "unknown column"
LACKING = "missing column"
TYPE = "wrong type"
INFINITE = "infinite"
UNDECLARED = "undeclared category"
LONG = "too long"
REFUSED = "refused by the filter"
FEW = "too few to be protected"


@dataclass(frozen=True)
class Refused:
    """A record that is withheld: the kind of fault, a sentence, how it came and where it stood."""

    kind: str
    reason: str
    raw: object = None
    line: int | None = None


class DeadLetters:
    """Where withheld records go: one JSON object per line: ``line``, ``kind``, ``reason``,
    ``record``.

    The file holds originals. It is made when the first record is withheld, readable by its owner
    only, and what was in it before stays. Without a path records are only counted.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.counts: Counter[str] = Counter()
        self._file: TextIO | None = None

    def write(self, refused: Refused) -> None:
        """Count a record, and write it down."""
        self.counts[refused.kind] += 1
        if self.path is None:
            return
        # made with the first record: a stream without faults leaves no file
        if self._file is None:
            self._file = _open(self.path)
        letter = {
            "line": refused.line,
            "kind": refused.kind,
            "reason": refused.reason,
            "record": refused.raw,
        }
        # ASCII: whatever the bytes were, it can be written
        self._file.write(json.dumps(letter, default=str) + "\n")

    def sync(self) -> int:
        """Everything is on the disk; the length of the file."""
        if self._file is None:
            return self._length()
        self._file.flush()
        os.fsync(self._file.fileno())
        return int(self._file.tell())

    def _length(self) -> int:
        if self.path is None or not self.path.exists():
            return 0
        return self.path.stat().st_size

    def cut(self, length: int) -> None:
        """Go back to where a saved state stood: what was written after it will come again."""
        if self.path is not None and self._length() > length:
            with _open(self.path) as out:
                os.ftruncate(out.fileno(), length)

    def close(self) -> None:
        """Everything is on the disk."""
        if self._file is not None:
            self.sync()
            self._file.close()
            self._file = None


def _open(path: Path) -> TextIO:
    try:
        number = append_to(path)
    except OSError as error:
        raise InputError(
            f"{path}: withheld records cannot be written there ({error.strerror})"
        ) from None
    return os.fdopen(number, "a", encoding="ascii")
