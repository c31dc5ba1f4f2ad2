"""Finished runs of a comparison, kept in a file to resume from."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from tacit.base import seeds
from tacit.base.errors import InputError
from tacit.compare.trials import Outcome

PRIVATE = 0o600
"""The file is its owner's alone: it holds the key below which the runs draw."""


class Journal:
    """Finished runs, one JSON line each, written as they finish.

    Parameters
    ----------
    path : path, optional
        The file; without one nothing is kept.

    Notes
    -----
    A half-written last line, of a comparison that was stopped, is ignored.
    """

    def __init__(self, path: str | Path | None) -> None:
        self.path = None if path is None else Path(path)
        self.known: dict[str, Outcome] = {}
        self.drawn: int | None = None
        # does the file hold the key?
        self._kept = False
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def _read(self, path: Path) -> None:
        """Take in the lines of an earlier comparison."""
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            try:
                entry = json.loads(line)
                if "drawn" in entry:
                    self.drawn = int(entry["drawn"])
                    self._kept = True
                else:
                    self.known[entry["key"]] = Outcome(**entry["outcome"])
            except (json.JSONDecodeError, KeyError, TypeError):
                # the first line of a journal is always whole
                if number == 0:
                    raise InputError(
                        f"{path}: is not a journal of tacit compare; name another file"
                    ) from None

    def key(self) -> int:
        """The key of the runs: that of the file, or else a new one.

        A new one is written with the first finished run: a comparison that was refused before it
        leaves no file, and without a run there is nothing that another key could contradict.
        """
        if self.drawn is None:
            self.drawn = seeds.draw()
        return self.drawn

    def add(
        self,
        key: str,
        outcome: Outcome,
    ) -> None:
        """Keep a finished run, after the key below which it drew."""
        if self.drawn is not None and not self._kept:
            self._write({"drawn": self.drawn})
            self._kept = True
        self.known[key] = outcome
        self._write({"key": key, "outcome": asdict(outcome)})

    def _write(self, entry: Mapping[str, object]) -> None:
        """One more line."""
        if self.path is None:
            return
        # a last line without an end was cut off: the new one must not be glued to it
        whole = not self.path.exists() or self.path.read_bytes()[-1:] in (b"", b"\n")
        line = ("" if whole else "\n") + json.dumps(entry) + "\n"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        handle = os.open(self.path, flags, PRIVATE)
        with open(handle, "a", encoding="utf-8") as file:
            file.write(line)
