"""One target after its run: what was found, and whether it is reproduced."""

from __future__ import annotations

from dataclasses import dataclass, field

from tacit.reproduce.judgement import (
    DIFFERS,
    GOOD,
    NOT_AVAILABLE,
    STAND_IN,
    Judged,
)
from tacit.reproduce.model import Target, Values


@dataclass
class Result:
    """One target after its run."""

    target: Target
    lines: list[tuple[str, str, Judged]] = field(default_factory=list)
    claims: list[tuple[str, bool, str]] = field(default_factory=list)
    values: Values = field(default_factory=dict)
    missing: str = ""
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    older: int = 0

    def count(self, verdict: str) -> int:
        """How many values have this verdict."""
        return sum(judged.verdict == verdict for _, _, judged in self.lines)

    @property
    def status(self) -> str:
        """reproduced, differs, stand-in (nothing could be judged), not available, or error."""
        if self.missing:
            return NOT_AVAILABLE
        if self.errors:
            return "error"
        if self.count(DIFFERS) or not all(holds for _, holds, _ in self.claims):
            return DIFFERS
        # a figure without printed values is reproduced when its claims hold, unless its data
        # are a stand-in
        drawn_and_true = bool(self.claims) and not self.notes
        if drawn_and_true or any(j.verdict in GOOD for _, _, j in self.lines):
            return "reproduced"
        return STAND_IN
