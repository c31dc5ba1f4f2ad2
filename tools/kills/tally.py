"""A line of the table: what lay there after each kill."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

OLD = b"the release of last year\n"


@dataclass
class Tally:
    """One line of the table."""

    what: str
    times: int = 0
    killed: int = 0
    old: int = 0
    new: int = 0
    nothing: int = 0
    wrong: int = 0
    seen: list[str] = field(default_factory=list)

    def row(self) -> str:
        counts = [self.times, self.killed, self.old, self.new, self.nothing, self.wrong]
        return f"| {self.what} | " + " | ".join(f"{count:,}" for count in counts) + " |"

    def look(self, path: Path, new: list[bytes]) -> None:
        """Is what lies there the old file, or one of the whole new ones?"""
        if not path.exists():
            self.nothing += 1
            return
        content = path.read_bytes()
        if content == OLD:
            self.old += 1
        elif content in new:
            self.new += 1
        else:
            self.fault(f"{self.what}: {len(content)} bytes in {path.name}")

    def fault(self, what: str) -> None:
        self.wrong += 1
        self.seen.append(what)


Scenario = Callable[[Path, int, random.Random], Iterator[Tally]]
