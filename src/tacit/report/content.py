"""What a report says, as plain data. The templates only lay it out; `internal` and `external` fill it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Verdict:
    state: str  # good, warn, bad
    word: str
    sentence: str


@dataclass
class Content:
    """Every part is optional except the verdict: what was not computed is not shown."""

    title: str
    date: str
    version: str
    verdict: Verdict
    external: bool = False
    subtitle: str = ""
    figures: list[dict[str, Any]] = field(default_factory=list)
    checks: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    map: dict[str, Any] | None = None
    attacks: list[dict[str, Any]] = field(default_factory=list)
    attack_chart: str = ""
    records: dict[str, Any] | None = None
    columns: dict[str, Any] | None = None
    groups: dict[str, Any] | None = None
    risk: list[dict[str, Any]] = field(default_factory=list)
    loss: list[dict[str, Any]] = field(default_factory=list)
    distributions: dict[str, Any] | None = None
    correlations: dict[str, Any] | None = None
    steps: list[dict[str, Any]] = field(default_factory=list)
    no_steps: str = "The plan was not given to the report."
    facts: list[tuple[str, Any]] = field(default_factory=list)
    repeat: list[dict[str, str]] = field(default_factory=list)
    glossary: list[tuple[str, str]] = field(default_factory=list)

    @property
    def contents(self) -> list[tuple[str, str]]:
        """The sections that are there, for the table of contents."""
        parts: list[tuple[str, str, object]] = [
            ("summary", "In short", True),
            ("map", "Risk and utility", self.map),
            ("attacks", "Who could find whom", self.attacks),
            ("records", "Risk by record", self.records),
            ("columns", "Risk by column", self.columns),
            ("groups", "How many look alike", self.groups),
            ("risk", "Risk measures", self.risk),
            ("loss", "What was lost", self.loss),
            ("distributions", "Before and after", self.distributions),
            ("correlations", "Correlations", self.correlations),
            ("done", "What was done", True),
            ("words", "Words", True),
        ]
        return [(key, name) for key, name, there in parts if there]
