"""A guess how some columns were masked."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.attack.informed.base import Informed


@dataclass(frozen=True)
class Guess:
    """What was probably done to some columns, and what in the release says so."""

    method: str
    columns: list[str]
    why: str
    attacker: Informed | None = None

    def to_dict(self) -> dict[str, object]:
        """The guess as an entry of the log."""
        return {"method": self.method, "columns": self.columns, "why": self.why}
